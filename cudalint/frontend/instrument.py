"""An instrumented copy of a slice: every access says where it goes, every barrier who arrives, before it happens.

    y[i] = x[i];            cudalint_::at(y, i, 3, 2) = cudalint_::at(x, i, 3, 1);
    *p += 1;                *cudalint_::to(p, 4, 3) += 1;
    cell = v;               cudalint_::touch(cell, 5, 2) = v;          for `__shared__ int cell`
    atomicAdd(p, 1);        atomicAdd(cudalint_::to(p, 6, 4), 1);
    __syncthreads();        (cudalint_::arrive(7), __syncthreads());
    __threadfence();        (cudalint_::fence(8), __threadfence());
    __any_sync(m, v)        __any_sync(cudalint_::meet(9, m), v)
    __shfl_sync(m, v, 0)    cudalint_::shfl(10, m, v, 0)
    if (i >= n) return;     if (i >= n) { cudalint_::leave(11); return; }

The first number is a site (an index into `sites`), the second is what is done there: 0 only named, 1 read, 2 written,
3 both, 4 atomic, 5 atomic for one block. The functions belong to the worker (`confirm/gpu/prelude.py`). `&a[i]` is left
alone unless an atomic or a cached load takes it. Races are only told where every synchronisation of the text is one of
those above; those of global memory only where nothing orders it that the copy does not see.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

NAMED, READ, WRITE, BOTH, ATOMIC, NARROW_ATOMIC = range(6)
_LINE = re.compile(rb"\s*#\s*line\s+(\d+)(?:\s+\"([^\"]*)\")?")
_UNKNOWN_TO_GRAMMAR = re.compile(
    rb"__align__\s*\([^()]*\)|__launch_bounds__\s*\([^()]*\)|__restrict__|__maxnreg__\s*\(\d+\)"
)
_DEVICE = re.compile(rb"\b(?:__device__|__global__|[A-Z_]*(?:DEVICE|KERNEL|HD)[A-Z_]*)\b")
_OTHER_SYNC = re.compile(
    r"cooperative_groups|\basm\b|cuda::barrier|cuda::pipeline|cuda/barrier|cuda/pipeline|mbarrier|__pipeline|\.sync\(|#\s*define[^\n]*__sync"
)
_OTHER_ORDER = re.compile(
    r"cuda::atomic|cuda/atomic|cuda/std/atomic|atomic_ref|atomic_thread_fence|__nv_atomic|__ldcv|__stwt|__nanosleep_until"
    r"|cudaGridDependencySynchronize|#\s*define[^\n]*(?:atomic|__threadfence)"
)
_WIDE_FENCES = {b"__threadfence", b"__threadfence_system"}
_MEETINGS = {
    *(b"__ballot_sync", b"__any_sync", b"__all_sync", b"__match_any_sync", b"__match_all_sync"),
    *(b"__reduce_add_sync", b"__reduce_min_sync", b"__reduce_max_sync"),
    *(b"__reduce_and_sync", b"__reduce_or_sync", b"__reduce_xor_sync"),
}
_WITH_SOURCE = {
    b"__shfl_sync": b"shfl", b"__shfl_up_sync": b"shfl_up", b"__shfl_down_sync": b"shfl_down", b"__shfl_xor_sync": b"shfl_xor",
    b"__syncwarp": b"syncwarp",
}  # fmt: skip
_OF_TORCH = {b"WARP_SHFL" + kind.upper(): b"shfl" + kind for kind in (b"", b"_up", b"_down", b"_xor")}
_ATOMIC = re.compile(rb"atomic(?:Add|Sub|Exch|Min|Max|Inc|Dec|CAS|And|Or|Xor)(?:_block|_system)?")
_BARRIERS = {b"__syncthreads", b"__syncthreads_and", b"__syncthreads_or", b"__syncthreads_count"}
_TAKES_ADDRESS = {b"__ldg": READ, b"__ldcg": READ, b"__ldcs": READ, b"__ldca": READ, b"__stcs": WRITE, b"__stcg": WRITE}
_LEFT_ALONE = {
    *("sizeof_expression", "decltype", "parameter_list", "template_argument_list", "type_descriptor", "comment"),
    *(
        "gnu_asm_expression",
        "asm_statement",
        "alignas_qualifier",
        "preproc_def",
        "preproc_function_def",
        "string_literal",
    ),
}
Node = Any


@dataclass(frozen=True, slots=True)
class Instrumented:
    """`sites[i]` is the path and line of site `i`; `races` says whether shared accesses can be judged, `across` global ones."""

    text: str
    sites: tuple[tuple[str, int], ...]
    races: bool
    across: bool


def instrument(text: str) -> Instrumented | None:
    """None where the grammar does not understand the text."""
    import tree_sitter
    import tree_sitter_cuda

    data = text.encode("utf-8", "surrogatepass")
    readable = _UNKNOWN_TO_GRAMMAR.sub(lambda m: b" " * len(m[0]), data)
    language = tree_sitter.Language(tree_sitter_cuda.language())
    tree = tree_sitter.Parser(language).parse(readable)
    writer = _Writer(data, _places(data), _bodies_of_kernels(tree.root_node), _device_scalars(tree.root_node))
    try:
        written = writer.copy(tree.root_node, data[: tree.root_node.start_byte]) + data[tree.root_node.end_byte :]
    except RecursionError:
        return None
    if not writer.sites:
        return None
    races = _OTHER_SYNC.search(text) is None and not writer.holes
    across = races and _OTHER_ORDER.search(text) is None
    return Instrumented(written.decode("utf-8", "surrogatepass"), tuple(writer.sites), races, across)


def _places(data: bytes) -> list[tuple[str, int]]:
    """Path and line of each row of the text, by its `#line` directives."""
    places, path, line = [], "", 0
    for row in data.split(b"\n"):
        line += 1
        places.append((path, line))
        if directive := _LINE.match(row):
            line = int(directive[1]) - 1
            path = directive[2].decode("utf-8", "replace") if directive[2] is not None else path
    return places


class _Writer:
    """Writes the tree again, node by node; what it does not know is copied with its children."""

    def __init__(
        self, data: bytes, places: list[tuple[str, int]], bodies: frozenset[bytes], scalars: frozenset[bytes]
    ) -> None:
        self._data = data
        self._bodies = bodies
        self._places = places
        self._numbers: dict[tuple[str, int], int] = {}
        self._in_kernel = False
        self._shared: set[bytes] = set(scalars)
        self._packed = _packed_members(data)  # a reference to one of them would be to an aligned one
        self.holes = False

    @property
    def sites(self) -> list[tuple[str, int]]:
        return list(self._numbers)

    def _text(self, node: Node) -> bytes:
        return self._data[node.start_byte : node.end_byte]

    def _site(self, node: Node) -> bytes:
        row = min(node.start_point[0], len(self._places) - 1)
        return str(self._numbers.setdefault(self._places[row], len(self._numbers))).encode()

    def copy(self, node: Node, before: bytes = b"") -> bytes:
        """The node's text with its children written."""
        pieces, at = [before], node.start_byte
        for child in node.children:
            pieces += [self._data[at : child.start_byte], self.write(child)]
            at = child.end_byte
        return b"".join((*pieces, self._data[at : node.end_byte]))

    def write(self, node: Node) -> bytes:
        if node.type in _LEFT_ALONE:
            return self._text(node)
        if node.type == "function_definition":
            return self._function(node)
        if node.type == "ERROR":
            self.holes = True
            return self._text(node)
        if not self._inside:
            return self.copy(node)
        writer = getattr(self, f"_{node.type}", None)
        return writer(node) if writer is not None else self.copy(node)

    _inside = False

    def _function(self, node: Node) -> bytes:
        body = node.child_by_field_name("body")
        if body is None or body.type != "compound_statement":
            return self._text(node)
        header = self._data[node.start_byte : body.start_byte]
        if _DEVICE.search(header) is None or b"constexpr" in header:
            return self._text(node)
        outer = self._inside, self._in_kernel, self._shared
        self._inside, self._in_kernel = True, _is_kernel(header) or _name_of(node) in self._bodies
        self._shared = set(self._shared) | set(_shared_scalars(body, self._data))
        written = header + self.copy(body) + self._data[body.end_byte : node.end_byte]
        self._inside, self._in_kernel, self._shared = outer
        return written

    # --- declarations -------------------------------------------------------------------------------------------------

    def _declaration(self, node: Node) -> bytes:
        """Declarators are left alone, what initialises them is not."""
        pieces, at = [], node.start_byte
        for child in node.children:
            pieces.append(self._data[at : child.start_byte])
            pieces.append(self._initialised(child) if child.type == "init_declarator" else self._text(child))
            at = child.end_byte
        return b"".join((*pieces, self._data[at : node.end_byte]))

    def _initialised(self, node: Node) -> bytes:
        value = node.child_by_field_name("value")
        if value is None:
            return self._text(node)
        return (
            self._data[node.start_byte : value.start_byte]
            + self.write(value)
            + self._data[value.end_byte : node.end_byte]
        )

    # --- accesses -----------------------------------------------------------------------------------------------------

    def _subscript_expression(self, node: Node) -> bytes:
        base, indices = node.child_by_field_name("argument"), node.child_by_field_name("indices")
        kind = _kind(node)
        if base is None or indices is None or len(indices.named_children) != 1:
            return self.copy(node)
        written, index = self.write(base), self.write(indices.named_children[0])
        newlines = b"\n" * (self._text(node).count(b"\n") - written.count(b"\n") - index.count(b"\n"))
        if kind is None:
            return written + b"[" + index + newlines + b"]"
        return b"cudalint_::at(%s, %s, %s, %d%s)" % (written, index, self._site(node), kind, newlines)

    def _pointer_expression(self, node: Node) -> bytes:
        operator, target = node.child_by_field_name("operator"), node.child_by_field_name("argument")
        kind = _kind(node)
        if operator is None or self._text(operator) != b"*" or target is None or kind is None:
            return self.copy(node)
        return b"*cudalint_::to(%s, %s, %d)" % (self.write(target), self._site(node), kind)

    def _field_expression(self, node: Node) -> bytes:
        target, name = node.child_by_field_name("argument"), node.child_by_field_name("field")
        kind = _kind(node)
        called = node.parent is not None and node.parent.type == "call_expression"
        if target is None or name is None or target.type == "this":
            return self.copy(node)
        written = self.write(target)
        arrow = self._text(node)[target.end_byte - node.start_byte :].lstrip().startswith(b"->")
        if arrow:
            written = b"(*cudalint_::to(%s, %s, 0))" % (written, self._site(node))
        elif written == self._text(target):
            return self._text(node)
        member = written + b"." + self._text(name)
        if called or kind in (None, NAMED) or self._text(name) in self._packed:
            return member
        return b"cudalint_::touch(%s, %s, %d)" % (member, self._site(node), kind)

    def _identifier(self, node: Node) -> bytes:
        name = self._text(node)
        kind = _kind(node)
        if name not in self._shared or kind in (None, NAMED):
            return name
        return b"cudalint_::touch(%s, %s, %d)" % (name, self._site(node), kind)

    # --- synchronisation ----------------------------------------------------------------------------------------------

    def _call_expression(self, node: Node) -> bytes:
        function = node.child_by_field_name("function")
        name = self._text(function) if function is not None else b""
        if name in _WITH_SOURCE:
            return self._recorded(node, b"cudalint_::" + _WITH_SOURCE[name], self._site(node))
        if name in _OF_TORCH and b" %s(A value, " % name in self._data:  # declared by the slice
            return self._of_torch(node, _OF_TORCH[name])
        if name in _MEETINGS:
            return self._with_first(node, name, b"cudalint_::meet(%s, " % self._site(node), b")")
        if _ATOMIC.fullmatch(name) or name in _TAKES_ADDRESS:
            kind = _TAKES_ADDRESS.get(name, _atomic_kind(name))
            return self._with_first(node, name, b"cudalint_::to(", b", %s, %d)" % (self._site(node), kind))
        written = self.copy(node)
        if name in _BARRIERS:
            return b"(cudalint_::arrive(%s), %s)" % (self._site(node), written)
        if name in _WIDE_FENCES:
            return b"(cudalint_::fence(%s), %s)" % (self._site(node), written)
        return written

    def _recorded(self, node: Node, name: bytes, site: bytes) -> bytes:
        """The call of the function of that name, with the site before its arguments."""
        arguments = node.child_by_field_name("arguments")
        written = self.copy(arguments)
        rest = written[1:].lstrip()
        return b"%s(%s%s%s" % (name, site, b"" if rest.startswith(b")") else b", ", written[1:])

    def _of_torch(self, node: Node, name: bytes) -> bytes:
        """`WARP_SHFL_DOWN(v, 1)`: what the function does, at the place of the call."""
        arguments = node.child_by_field_name("arguments")
        given = [self.write(child) for child in arguments.named_children if child.type != "comment"]
        mask = given[3] if len(given) > 3 else b"0xffffffff"
        return b"cudalint_::%s(%s)" % (name, b", ".join((self._site(node), mask, *given[:3])))

    def _with_first(self, node: Node, name: bytes, before: bytes, behind: bytes) -> bytes:
        """The call with its first argument inside another call; `&a[i]` stands for itself."""
        arguments = node.child_by_field_name("arguments")
        if arguments is None or not arguments.named_children:
            return self.copy(node)
        first = next((child for child in arguments.named_children if child.type != "comment"), None)
        if first is None or (first.type == "pointer_expression" and self._text(first).startswith(b"&")):
            return self.copy(node)
        pieces, at = [name], arguments.start_byte
        for child in arguments.children:
            pieces.append(self._data[at : child.start_byte])
            written = self.write(child)
            pieces.append(before + written + behind if child == first else written)
            at = child.end_byte
        return b"".join((*pieces, self._data[at : arguments.end_byte]))

    def _return_statement(self, node: Node) -> bytes:
        if not self._in_kernel or _in_lambda(node):
            return self.copy(node)
        return b"{ cudalint_::leave(%s); %s }" % (self._site(node), self.copy(node))


_PACKED = re.compile(rb"\bpacked\b|__packed__|#\s*pragma\s+pack\b")
_RECORD = re.compile(rb"\b(?:struct|class|union)\b[^;{}()]*(?:\(\([^()]*\)\)[^;{}()]*)*\{([^{}]*)\}")
_MEMBER = re.compile(rb"\b([A-Za-z_]\w*)\s*(?=[;,=:\[])")


def _packed_members(data: bytes) -> frozenset[bytes]:
    """The names of the members of all records, where any of the text is packed."""
    if _PACKED.search(data) is None:
        return frozenset()
    return frozenset(name for record in _RECORD.finditer(data) for name in _MEMBER.findall(record[1]))


def _is_kernel(header: bytes) -> bool:
    return b"__global__" in header or b"KERNEL" in header


def _name_of(function: Node) -> bytes:
    node = function.child_by_field_name("declarator")
    while node is not None and node.type != "identifier":
        node = node.child_by_field_name("declarator")
    return node.text if node is not None else b""


def _bodies_of_kernels(root: Node) -> frozenset[bytes]:
    """Functions that are called as the last statement of kernels and nowhere else: who returns from one leaves the kernel."""
    calls: Counter[bytes] = Counter()
    last: Counter[bytes] = Counter()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        waiting += node.children
        if node.type == "call_expression":
            calls[_called(node)] += 1
        if node.type == "function_definition" and (body := node.child_by_field_name("body")) is not None:
            header = node.text[: body.start_byte - node.start_byte]
            final = body.named_children[-1] if body.named_children and _is_kernel(header) else None
            if final is not None and final.type == "expression_statement" and final.named_children:
                last[_called(final.named_children[0])] += 1
    return frozenset(name for name in last if name and last[name] == calls[name])


def _called(node: Node) -> bytes:
    """The name of the function that a call calls, without template arguments; nothing where it is no plain name."""
    function = node.child_by_field_name("function") if node.type == "call_expression" else None
    if function is not None and function.type == "template_function":
        function = function.child_by_field_name("name")
    return function.text if function is not None and function.type == "identifier" else b""


def _kind(node: Node) -> int | None:
    """What the parents do with this place. None: only its address is taken."""
    child, parent = node, node.parent
    while parent is not None and parent.type == "parenthesized_expression":
        child, parent = parent, parent.parent
    if parent is None:
        return READ
    if parent.type in ("subscript_expression", "field_expression") and parent.child_by_field_name("argument") == child:
        return NAMED
    if parent.type == "assignment_expression" and parent.child_by_field_name("left") == child:
        return WRITE if parent.child_by_field_name("operator").type == "=" else BOTH
    if parent.type == "update_expression":
        return BOTH
    if parent.type == "pointer_expression" and parent.child_by_field_name("operator").type == "&":
        return _kind_of_address(parent)
    if parent.type == "init_declarator" and parent.child_by_field_name("declarator").type == "reference_declarator":
        return NAMED
    return READ


def _kind_of_address(node: Node) -> int | None:
    """`&place` as an argument."""
    arguments = node.parent
    if arguments is None or arguments.type != "argument_list" or arguments.parent is None:
        return None
    function = arguments.parent.child_by_field_name("function")
    name = function.text if function is not None else b""
    if name.startswith(b"atomic"):
        return _atomic_kind(name)
    return _TAKES_ADDRESS.get(name)


def _atomic_kind(name: bytes) -> int:
    return NARROW_ATOMIC if name.endswith(b"_block") else ATOMIC


def _in_lambda(node: Node) -> bool:
    while node is not None and node.type != "function_definition":
        if node.type == "lambda_expression":
            return True
        node = node.parent
    return False


def _shared_scalars(body: Node, data: bytes) -> list[bytes]:
    """Names of `__shared__` variables of the body that are no arrays."""
    names, open_nodes = [], [body]
    while open_nodes:
        node = open_nodes.pop()
        if node.type == "declaration":
            header = [c for c in node.children if c.type in ("type_qualifier", "__shared__", "storage_class_specifier")]
            if any(data[c.start_byte : c.end_byte] == b"__shared__" for c in header):
                names += [
                    data[c.start_byte : c.end_byte]
                    for c in node.children_by_field_name("declarator")
                    if c.type == "identifier"
                ]
        else:
            open_nodes += node.children
    return names


def _device_scalars(root: Node) -> frozenset[bytes]:
    """Names of `__device__` variables of the file that are no arrays."""
    names: set[bytes] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type == "declaration":
            specifiers = [
                child.text for child in node.children if child.type in ("__device__", "type_qualifier", "ERROR")
            ]
            specifiers += [child.text for child in node.children if child.type == "storage_class_specifier"]
            if any(b"__device__" in text for text in specifiers):
                names |= {name for c in node.children_by_field_name("declarator") if (name := _scalar(c))}
        elif node.type != "function_definition":
            waiting += node.children
    return frozenset(names)


def _scalar(declarator: Node) -> bytes:
    if declarator.type == "init_declarator":
        declarator = declarator.child_by_field_name("declarator")
    return declarator.text if declarator is not None and declarator.type == "identifier" else b""
