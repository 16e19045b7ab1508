"""Copies to and from arrays whose length is written in the file, of as many bytes as there are elements.

__constant__ float taps[MOST];   if (n > MOST) return;   cudaMemcpyToSymbol(taps, h, n);         a quarter of the taps
float w[MOST];   for (int k = 0; k < n; ++k) w[k] = ...;   cudaMemcpyToSymbol(taps, w, n);       the same
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.memory.container_sizes import is_wide
from cudalint.analysis.memory.counted_sizes import Counted, counted_size
from cudalint.analysis.memory.short_allocations import written_type
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, is_count_name, names_in, short
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, Program, constant_value, program_of
from cudalint.analysis.text.type_widths import bytes_of_type
from cudalint.ir.syntax import Outline, Syntax

_MOVES = re.compile(r"(::)?(cuda|hip)(Memcpy|MemcpyToSymbol|MemcpyFromSymbol|Memset)(Async)?")
_SIZE = 2  # the argument that counts bytes
_COMPARES = ("<", "<=", ">", ">=", "==")
_BYTES = ("void*", "char*", "unsigned char*", "uint8_t*", "int8_t*", "std::byte*", "uchar*")
_WHOLE = ("int", "unsigned", "unsigned int", "int32_t", "uint32_t")
_LEAST_WIDTH = 2


@dataclass(frozen=True, slots=True)
class Array:
    """`element` is the type of its elements, `sides` are the lengths as they are written."""

    name: str
    element: str
    sides: tuple[Syntax, ...]


def counted_arrays(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each call; what it is about is what says that the number is one of elements."""
    if "Memcpy" not in outline.root.text and "Memset" not in outline.root.text:
        return
    program = program_of(outline)
    global_ = {a.name: a for node in outline.root.walk() if node.kind == "declaration" for a in _symbols(node)}
    for body in bodies(program, ("host",)):
        arrays = {**global_, **{a.name: a for n in body.nodes if n.kind == "declaration" for a in _arrays(n)}}
        for node in body.nodes if arrays else ():
            given = _given(node)
            array = _array(given, arrays, body)
            size = counted_size(given[_SIZE], body, program) if array is not None else None
            if array is None or size is None:
                continue
            about, certain = _evidence(size, given, array, body, program)
            if about is not None:
                text = f"`{short(given[_SIZE])}` is a number of elements of `{array.name}`, and not of bytes"
                yield GuardIssue(body.function, node, text, about if about is not node else None, certain)


def _given(call: Syntax) -> tuple[Syntax, ...]:
    """The arguments of a copy or fill; none of another call."""
    callee, arguments = call.child("function"), call.child("arguments")
    moves = call.kind == "call_expression" and callee is not None and _MOVES.fullmatch(callee.text) is not None
    return arguments.children if moves and arguments is not None and len(arguments.children) > _SIZE else ()


def _symbols(node: Syntax) -> Iterator[Array]:
    """Arrays of the device that a declaration of the file makes."""
    if re.match(r"\s*(?:static\s+|extern\s+)?(?:const\s+)?__(?:constant|device)__", node.text) is not None:
        yield from _arrays(node)


def _arrays(node: Syntax) -> Iterator[Array]:
    written = node.child("type")
    for declarator in node.all("declarator") if written is not None else ():
        target = declarator.child("declarator") if declarator.kind == "init_declarator" else declarator
        sides: list[Syntax] = []
        while target is not None and target.kind == "array_declarator" and (side := target.child("size")) is not None:
            sides.append(side)
            target = target.child("declarator")
        if sides and target is not None and target.kind == "identifier":
            yield Array(target.text, written.text, tuple(sides))  # type: ignore[union-attr]


def _array(given: tuple[Syntax, ...], arrays: dict[str, Array], body: Body) -> Array | None:
    """The first side that is such an array of wide elements; none where the other side has bytes for elements."""
    found = None
    for side in map(uncast, given[:_SIZE]):
        name = re.sub(r"^&(\w+)(\[0\])*$", r"\1", side.bare)
        array = arrays.get(name)
        if array is None and name in body.scope.structures and (written_type(side, body) or "void*") in _BYTES:
            return None
        if array is not None and not _is_wide(_plain(array.element, body), body):
            return None
        found = found or array
    return found


def _is_wide(element: str, body: Body) -> bool:
    known = bytes_of_type(element)
    return known >= _LEAST_WIDTH if known is not None else is_wide(element, body)


def _plain(element: str, body: Body) -> str:
    element = " ".join(re.sub(r"\bconst\b", " ", element).split())
    return body.scope.outline.types.get(element, element)


def _evidence(
    size: Counted, given: tuple[Syntax, ...], array: Array, body: Body, program: Program
) -> tuple[Syntax | None, bool]:
    """What says that the number counts elements, and whether it is more than the name."""
    constants = body.scope.outline.constants
    lengths = [constant_value(side, constants) for side in array.sides]
    count = 1
    for length in lengths:
        count *= length or 0
    if count > 1 and any(value == count for value in size.values):
        return given[_SIZE], True
    for node in body.nodes:
        if _is_compared(node, size, array, count, body) or _is_counted_to(node, size, array, given):
            return node, True
    if size.scaled is not None:
        return size.scaled, True
    name = uncast(given[_SIZE])
    plain = name.kind == "identifier" and name.text in body.scope.parameters and not size.values
    named = plain and is_count_name(name.text) and "size" not in name.text.lower()
    declared = (p for p in body.function.parameters if names_in(p) == {name.text})
    whole = any((written := p.child("type")) is not None and written.text in _WHOLE for p in declared)
    return (given[_SIZE], False) if named and whole else (None, False)


def _is_compared(node: Syntax, size: Counted, array: Array, count: int, body: Body) -> bool:
    """`n > MOST` for `float taps[MOST + 1]`: how many of them there may be."""
    if node.kind != "binary_expression" or node.op not in _COMPARES or len(node.children) != 2:
        return False
    constants = body.scope.outline.constants
    extents = {side.bare for side in array.sides}
    extents |= {
        name for side in array.sides if "/" not in side.text and ">>" not in side.text for name in names_in(side)
    }
    for one, other in (node.children, node.children[::-1]):
        one, other = uncast(one), uncast(other)
        counts = one.bare in size.names or one.bare == size.written
        if counts and (other.bare in extents or (count > 1 and constant_value(other, constants) == count)):
            return True
    return False


def _is_counted_to(node: Syntax, size: Counted, array: Array, given: tuple[Syntax, ...]) -> bool:
    """A loop of the function goes to the number, and takes the elements of one side on its way."""
    condition = node.child("condition") if node.kind == "for_statement" else None
    if condition is None or condition.op not in ("<", "<=", "!=") or len(condition.children) != 2:
        return False
    index, end = condition.children
    if uncast(end).bare not in size.names and end.bare != size.written:
        return False
    sides = {re.sub(r"^&(\w+)(\[0\])*$", r"\1", uncast(side).bare) for side in given[:_SIZE]} | {array.name}
    return any(
        part.kind == "subscript_expression"
        and part.children[0].text in sides
        and index.text in names_in(part.children[-1])
        for part in node.walk()
    )
