"""Copies of a container's elements that take its number of elements for the number of bytes.

std::vector<float> v;   cudaMemcpy(d, v.data(), v.size(), cudaMemcpyHostToDevice);        a quarter of v
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
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
    r"(?:::)?(?:std::)?(?:(?:thrust::)?(?:host_vector|device_vector)|vector|array|span|valarray)<\s*([^<>,]+?)\s*(?:,.*)?>",
    re.DOTALL,
)
_LEAST_WIDTH = 2


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
    types, members = body.scope.outline.types, body.scope.outline.members
    written = _declared(container, call, body) or members.get(re.split(r"\.|->", container)[-1], "")
    written = " ".join(re.sub(r"\bconst\b|\bstatic\b|&", " ", written).split())
    matched = _CONTAINER.fullmatch(types.get(written, written))
    if matched is None:
        return ""
    element = types.get(matched[1], matched[1])
    is_wide = element.endswith("*") or (bytes_of_type(element) or _members(element, body)) >= _LEAST_WIDTH
    return matched[1] if is_wide else ""


def _members(structure: str, body: Body) -> int:
    """How many members a structure of the file has: each has one byte at least."""
    for node in body.scope.outline.root.walk():
        name, inner = node.child("name"), node.child("body")
        if node.kind == "struct_specifier" and name is not None and inner is not None and name.text == structure:
            return sum(len(field.all("declarator")) for field in inner.children if field.kind == "field_declaration")
    return 0


def _declared(name: str, call: Syntax, body: Body) -> str:
    """What a variable is declared as before the call; nothing where several of its name differ."""
    found = set()
    declarations = [node for node in body.nodes if node.kind == "declaration" and node.start < call.start]
    for declaration in (*body.function.parameters, *declarations):
        written = declaration.child("type")
        for declarator in declaration.all("declarator") if written is not None else ():
            if _name_of(declarator) == name:
                found.add(written.text)  # type: ignore[union-attr]
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
