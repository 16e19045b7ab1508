"""Small changes to the syntax of kernels, each of which may make one go wrong; names and lines stay as they are.

    if (i < n) y[i] = x[i];        ->   y[i] = x[i];                              drop-guard
    i < n                          ->   i <= n                                    weaken-guard
    for (k = 0; k < n; k++)        ->   for (k = 0; k <= n; k++)                  lengthen-loop
    x[r * w + c]                   ->   x[c * w + r]                              swap-indices
    threadIdx.x                    ->   threadIdx.y                               swap-dimensions
    __shared__ float s[64];        ->   __shared__ float s[64 - 1];               shrink-array
    cudaMalloc(&x, n * 4)          ->   cudaMalloc(&x, (n * 4) / 2)               shrink-allocation
    // cudalint: extent(x) = n     ->   // cudalint: extent(x) = n - 1            shrink-extent
    __syncthreads();               ->   ;                                         remove-barrier
    __syncthreads(); s[i] = 0;     ->   s[i] = 0; __syncthreads();                move-barrier
    y[i] = 0;                      ->   y[(i) / 2] = 0;                           merge-indices
    atomicAdd(&y[i], v);           ->   y[i] += v;                                plain-atomic

The text is read by tree-sitter; what it cannot read is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

Node = Any
BARRIERS = (b"__syncthreads", b"__syncwarp", b"__syncthreads_and", b"__syncthreads_or", b"__syncthreads_count")
LOOPS = ("for_statement", "while_statement", "do_statement")
ALLOCATIONS = {b"cudaMalloc": 1, b"cudaMallocManaged": 1, b"hipMalloc": 1, b"cudaMallocAsync": 1}
TENSORS = (b"empty", b"zeros", b"ones", b"full")
WIDER = {b"<": b"<=", b">": b">=", b"<=": b"<", b">=": b">"}
_DEVICE = re.compile(rb"\b(?:__device__|__global__)\b")
_EXTENT = re.compile(rb"(cudalint:\s*extent\([^)]*\)\s*=\s*)([^;\n]+?)(\s*(?:;|\n|$))")


@dataclass(frozen=True, slots=True)
class Mutation:
    """`edits` replace bytes [start, end) of the text, in order; `line` is where the first one is."""

    kind: str
    line: int
    edits: tuple[tuple[int, int, bytes], ...]

    def applied(self, data: bytes) -> bytes:
        pieces, at = [], 0
        for start, end, new in sorted(self.edits):
            pieces += [data[at:start], new]
            at = end
        return b"".join((*pieces, data[at:]))


def mutations(text: str, kernel: str | None = None) -> list[Mutation]:
    """All of them, in the order of the text; with `kernel`, those in its own definition alone, and of what hosts allocate."""
    data = text.encode("utf-8", "surrogatepass")
    found: list[Mutation] = []
    waiting = [parser().parse(data).root_node]
    while waiting:
        node = waiting.pop()
        if node.type == "function_definition" and (body := node.child_by_field_name("body")) is not None:
            head = data[node.start_byte : body.start_byte]
            device = _DEVICE.search(head) is not None
            if device and (kernel is None or kernel.encode() in head):
                found += _within(body, _OF_DEVICE)
            elif not device:
                found += _within(body, _OF_HOST)
            continue
        waiting += node.children
    found += _extents(data)
    return sorted(set(found), key=lambda m: (m.edits, m.kind))


def _within(
    body: Node, makers: dict[str, Callable[[Node], Iterator[tuple[str, tuple[tuple[int, int, bytes], ...]]]]]
) -> Iterator[Mutation]:
    waiting = [body]
    while waiting:
        node = waiting.pop()
        waiting += node.children
        maker = makers.get(node.type)
        if maker is not None and not node.has_error:
            for kind, edits in maker(node):
                yield Mutation(kind, node.start_point[0] + 1, edits)


Edits = tuple[tuple[int, int, bytes], ...]
Made = Iterator[tuple[str, Edits]]


@lru_cache(maxsize=1)
def parser() -> Any:
    """Of tree-sitter, for CUDA."""
    import tree_sitter_cuda
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_cuda.language()))


def _replace(node: Node, new: bytes) -> tuple[int, int, bytes]:
    return node.start_byte, node.end_byte, new


# --- guards and loops ----------------------------------------------------------------------------------------------------


def _guard(node: Node) -> Made:
    condition, then = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    if condition is None or then is None or any(c.type == "constexpr" for c in node.children):
        return
    if node.child_by_field_name("alternative") is None:
        if _leaves(then):
            yield "drop-guard", (_replace(node, b";" + _newlines(node)),)
        else:
            yield (
                "drop-guard",
                ((node.start_byte, then.start_byte, _newlines_of(node.text[: then.start_byte - node.start_byte])),),
            )
    yield from _weakened(condition.child_by_field_name("value") or condition, _leaves(then))


def _weakened(condition: Node, leaves: bool) -> Made:
    """Comparisons let one more value through; one side of a conjunction (of what does not leave) goes."""
    joint = b"||" if leaves else b"&&"
    for part in _parts(condition, joint):
        operator = part.child_by_field_name("operator") if part.type == "binary_expression" else None
        if operator is not None and operator.text in (b"<", b">", b"<=", b">="):
            weaker = (b"<=", b">=") if leaves else (b"<", b">")
            if operator.text in weaker:
                yield "weaken-guard", (_replace(operator, WIDER[operator.text]),)
    if condition.type == "binary_expression" and condition.child_by_field_name("operator").text == joint:
        left, right = condition.child_by_field_name("left"), condition.child_by_field_name("right")
        yield "weaken-guard", ((left.start_byte, right.start_byte, b""),)
        yield "weaken-guard", ((left.end_byte, right.end_byte, b""),)


def _parts(condition: Node, joint: bytes) -> Iterator[Node]:
    while condition.type == "parenthesized_expression" and condition.named_children:
        condition = condition.named_children[0]
    operator = condition.child_by_field_name("operator") if condition.type == "binary_expression" else None
    if operator is not None and operator.text == joint:
        yield from _parts(condition.child_by_field_name("left"), joint)
        yield from _parts(condition.child_by_field_name("right"), joint)
    else:
        yield condition


def _leaves(statement: Node) -> bool:
    body = statement.named_children if statement.type == "compound_statement" else [statement]
    return len(body) == 1 and body[0].type in ("return_statement", "continue_statement", "break_statement")


def _loop(node: Node) -> Made:
    condition = node.child_by_field_name("condition")
    if condition is None:
        return
    for part in _parts(condition.child_by_field_name("value") or condition, b"&&"):
        operator = part.child_by_field_name("operator") if part.type == "binary_expression" else None
        if operator is not None and operator.text in (b"<", b">"):
            yield "lengthen-loop", (_replace(operator, WIDER[operator.text]),)


def _newlines(node: Node) -> bytes:
    return _newlines_of(node.text)


def _newlines_of(text: bytes) -> bytes:
    return b"\n" * text.count(b"\n")


# --- indices -------------------------------------------------------------------------------------------------------------


def _subscript(node: Node) -> Made:
    inside = _index_of(node)
    if inside is None:
        return
    names = list(dict.fromkeys(n.text for n in _identifiers(inside)))
    if len(names) >= 2:
        swapped = {names[0]: names[1], names[1]: names[0]}
        yield "swap-indices", tuple(_replace(n, swapped[n.text]) for n in _identifiers(inside) if n.text in swapped)
    base = node.child_by_field_name("argument")
    outer = _index_of(base) if base is not None and base.type == "subscript_expression" else None
    if outer is not None and outer.text != inside.text:
        yield "swap-indices", (_replace(outer, inside.text), _replace(inside, outer.text))
    if _is_stored(node) and inside.type != "number_literal":
        yield "merge-indices", (_replace(inside, b"(" + inside.text + b") / 2"),)


def _index_of(node: Node) -> Node | None:
    indices = node.child_by_field_name("indices")
    return indices.named_children[0] if indices is not None and len(indices.named_children) == 1 else None


def _identifiers(node: Node) -> Iterator[Node]:
    """Variables of an index: no called function, no name of a builtin."""
    if node.type == "identifier" and node.text not in (b"threadIdx", b"blockIdx", b"blockDim", b"gridDim"):
        yield node
    for child in node.children:
        if not (node.type == "call_expression" and child == node.child_by_field_name("function")):
            yield from _identifiers(child)


def _is_stored(node: Node) -> bool:
    parent = node.parent
    return parent is not None and parent.type == "assignment_expression" and parent.child_by_field_name("left") == node


def _dimension(node: Node) -> Made:
    base, axis = node.child_by_field_name("argument"), node.child_by_field_name("field")
    if base is not None and base.text in (b"threadIdx", b"blockIdx", b"blockDim") and axis.text in (b"x", b"y"):
        yield "swap-dimensions", (_replace(axis, b"y" if axis.text == b"x" else b"x"),)


# --- extents -------------------------------------------------------------------------------------------------------------


def _array(node: Node) -> Made:
    size, declaration = node.child_by_field_name("size"), node.parent
    while declaration is not None and declaration.type in ("array_declarator", "init_declarator"):
        declaration = declaration.parent
    is_shared = declaration is not None and declaration.type == "declaration" and b"__shared__" in declaration.text
    if size is not None and is_shared:
        yield "shrink-array", (_replace(size, b"(" + size.text + b") - 1"),)


def _allocation(node: Node) -> Made:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None or arguments.type != "argument_list":
        return
    given = arguments.named_children
    name = function.text.split(b"<")[0].strip().split(b"::")[-1]
    position = ALLOCATIONS.get(name)
    if position is not None and len(given) > position:
        yield "shrink-allocation", (_replace(given[position], b"(" + given[position].text + b") / 2"),)
    if name in TENSORS and given and given[0].type == "initializer_list" and given[0].named_children:
        first = given[0].named_children[0]
        yield "shrink-allocation", (_replace(first, b"(" + first.text + b") / 2"),)


def _extents(data: bytes) -> Iterator[Mutation]:
    for found in _EXTENT.finditer(data):
        line = data.count(b"\n", 0, found.start()) + 1
        yield Mutation("shrink-extent", line, ((found.end(2), found.end(2), b" - 1"),))


# --- order ---------------------------------------------------------------------------------------------------------------


def _statement(node: Node) -> Made:
    call = node.named_children[0] if node.named_children else None
    if call is None or call.type != "call_expression":
        return
    if _is_barrier(call):
        yield "remove-barrier", (_replace(node, b";" + _newlines(node)),)
        around = node.parent
        if around is not None and around.type == "compound_statement":
            for other in (node.prev_named_sibling, node.next_named_sibling):
                if other is not None and other.type not in ("comment", "declaration") and other.parent == around:
                    yield "move-barrier", (_replace(node, other.text), _replace(other, node.text))
    yield from _plain(node, call)


def _is_barrier(call: Node) -> bool:
    function = call.child_by_field_name("function")
    name = function.text if function is not None else b""
    return name in BARRIERS or name.endswith((b".sync", b"::sync"))


def _plain(node: Node, call: Node) -> Made:
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    name = function.text if function is not None else b""
    given = arguments.named_children if arguments is not None else []
    if not name.startswith(b"atomic") or len(given) != 2:
        return
    place, value = given
    target = place.text[1:].strip() if place.text.startswith(b"&") else b"*(" + place.text + b")"
    operator = {b"atomicAdd": b"+=", b"atomicSub": b"-=", b"atomicOr": b"|=", b"atomicAnd": b"&="}.get(name, b"=")
    yield "plain-atomic", (_replace(node, target + b" " + operator + b" " + value.text + b";" + _newlines(node)),)


_OF_DEVICE = {
    "if_statement": _guard, "for_statement": _loop, "while_statement": _loop, "subscript_expression": _subscript,
    "field_expression": _dimension, "array_declarator": _array, "expression_statement": _statement,
}  # fmt: skip
_OF_HOST = {"call_expression": _allocation}
