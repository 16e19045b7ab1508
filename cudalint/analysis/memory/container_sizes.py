"""Copies of a container's elements that take its number of elements for the number of bytes.

std::vector<float> v;   cudaMemcpy(d, v.data(), v.size(), cudaMemcpyHostToDevice);        a quarter of v
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.methods import CLASSES
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.analysis.text.type_widths import bytes_of_type
from cudalint.ir.syntax import Outline, Syntax

_MOVES = re.compile(
    r"(?:::)?(?:(?:cuda|hip)(?:Memcpy|Memset|MemcpyToSymbol|MemcpyFromSymbol)(?:Async)?|(?:std::)?memcpy)"
)
_SIZE = 2  # the argument that counts bytes
_COUNT = re.compile(r"((?:\w+(?:\.|->))*\w+)(?:\.|->)size\(\)")
_CONTAINER = re.compile(
    r"(?:::)?(?:std::)?(?:(?:thrust::|rmm::)?(?:host_vector|device_vector|device_uvector)|vector|array|span|valarray)<\s*([^<>,]+?)\s*(?:,.*)?>",
    re.DOTALL,
)
_LEAST_WIDTH = 2

_DECLARES = ("declaration", "parameter_declaration", "for_range_loop", "lambda_capture_initializer")


def container_sizes(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each call; nothing is said of containers whose elements have one byte, or a size that is not known."""
    if ".size()" not in outline.root.text and "->size()" not in outline.root.text:
        return
    for body in bodies(program_of(outline), ("host",)):
        for node in body.nodes:
            callee, arguments = node.child("function"), node.child("arguments")
            if (
                node.kind != "call_expression"
                or callee is None
                or arguments is None
                or len(arguments.children) <= _SIZE
            ):
                continue
            size = _counted(arguments.children[_SIZE], body) if _MOVES.fullmatch(callee.text) else ""
            if size and any(_is_data_of(size, uncast(side).bare) for side in arguments.children[:_SIZE]):
                element = _element(size, node, body)
                if element:
                    text = f"`{short(arguments.children[_SIZE])}` is the number of {element} in `{size}`, not of bytes"
                    yield GuardIssue(body.function, node, text)


def _counted(size: Syntax, body: Body) -> str:
    """`v` of `v.size()`; a name that has this value alone is looked through."""
    size = uncast(size)
    values = body.scope.values.get(size.text, []) if size.kind == "identifier" else []
    if len(values) == 1 and size.text not in body.scope.grown and size.text not in body.scope.parameters:
        size = uncast(values[0])
    matched = _COUNT.fullmatch(size.bare)
    return matched[1] if matched is not None else ""


def _is_data_of(container: str, side: str) -> bool:
    """`v.data()`, `&v[0]`, or either in `thrust::raw_pointer_cast`."""
    wrapped = re.fullmatch(r"(?:thrust::)?raw_pointer_cast\((.*)\)", side)
    side = wrapped[1] if wrapped is not None else side
    return side in (
        f"{container}.data()",
        f"{container}->data()",
        f"&{container}[0]",
        f"&{container}.front()",
        container,
    )


def _element(container: str, call: Syntax, body: Body) -> str:
    """The type of its elements, where each of them has several bytes."""
    element = element_of(container, call, body)
    plain = body.scope.outline.types.get(element, element)
    known = bytes_of_type(plain)
    wide = plain.endswith("*") or (known >= _LEAST_WIDTH if known is not None else is_wide(plain, body))
    return element if wide else ""


def element_of(container: str, call: Syntax, body: Body) -> str:
    """What a container that is named in a call holds; empty where its declaration does not say so."""
    types = body.scope.outline.types
    owner, name = re.fullmatch(r"(?:(.*)(?:\.|->))?(\w+)", container).groups("")  # type: ignore[union-attr]
    written = _declared(name, call, body) if not owner else ""
    written = " ".join(re.sub(r"\bconst\b|\bstatic\b|&", " ", written or _of_member(owner, name, body)).split())
    matched = _CONTAINER.fullmatch(types.get(written, written))
    return matched[1] if matched is not None else ""


def _of_member(owner: str, name: str, body: Body) -> str:
    """How the class of the object, or of the method, declares the member; one of a header by its name alone."""
    outline, method = body.scope.outline, body.function.name.rpartition("::")[0].rpartition("::")[2]
    classes = [n for n in outline.root.walk() if n.kind in CLASSES and n.child("body") is not None]
    if owner not in ("", "this"):
        wanted = body.scope.structures.get(owner, "")
        holding = [n for n in classes if wanted and _title(n) == wanted]
    else:
        start = body.function.body.start
        holding = [n for n in classes if n.start <= start < n.end or (method and _title(n) == method)]
        if not holding:
            return outline.members.get(name, "") if method and not _is_global(name, outline) else ""
    for declarator, field in _data(holding[-1]) if holding else ():
        written = field.child("type")
        if declarator.text == name and written is not None:
            return written.text
    return ""


def _title(structure: Syntax) -> str:
    name = structure.child("name")
    return "" if name is None else name.text.partition("<")[0].strip()


def _is_global(name: str, outline: Outline) -> bool:
    inside = [function.body for function in outline.functions]
    declared = (n for n in outline.root.walk() if n.kind == "declaration")
    outer = (n for n in declared if not any(body.start <= n.start < body.end for body in inside))
    return any(_name_of(declarator) == name for node in outer for declarator in node.all("declarator"))


def _data(structure: Syntax) -> Iterator[tuple[Syntax, Syntax]]:
    """What its objects hold, (declarator, declaration): no functions, no statics, no parts of bytes."""
    inner = structure.child("body")
    for field in inner.children if inner is not None else ():
        shared = field.kind != "field_declaration" or re.search(r"\b(static|friend)\b", field.text) is not None
        if not shared and all(child.kind != "bitfield_clause" for child in field.children):
            for declarator in field.all("declarator"):
                if all(node.kind != "function_declarator" for node in declarator.walk()):
                    yield declarator, field


def is_wide(structure: str, body: Body) -> bool:
    """A structure of the file that holds two members, each of which has one byte at least, or one of two bytes."""
    types, count = body.scope.outline.types, 0
    for node in body.scope.outline.root.walk():
        if node.kind == "struct_specifier" and node.child("body") is not None and _title(node) == structure:
            for declarator, field in _data(node):
                written = "" if (named := field.child("type")) is None else named.text
                width = bytes_of_type(types.get(written, written)) or 1
                count += _LEAST_WIDTH if declarator.kind == "pointer_declarator" else width
            break
    return count >= _LEAST_WIDTH


def _declared(name: str, call: Syntax, body: Body) -> str:
    """What a variable is declared as before the call; nothing where several of its name differ."""
    found = set()
    declarations = [node for node in body.nodes if node.kind in _DECLARES and node.start < call.start]
    for declaration in (*body.function.parameters, *declarations):
        written = declaration.child("type")
        for declarator in declaration.all("declarator") if written is not None else ():
            if _name_of(declarator) == name:
                found.add(written.text)  # type: ignore[union-attr]
            elif declarator.kind != "init_declarator" and "[" in declarator.text:  # `auto [a, b]`
                found.update({"?"} if re.search(rf"\b{name}\b", declarator.text) else ())
    return found.pop() if len(found) == 1 else "?" if found else ""


def _name_of(declarator: Syntax) -> str:
    while declarator.kind != "identifier":
        inner = declarator.child("declarator") or (
            declarator.children[-1] if declarator.kind == "reference_declarator" and declarator.children else None
        )
        if inner is None:
            return ""
        declarator = inner
    return declarator.text
