"""Elements of a transposed array whose rows are held against the length of a row, which is the number of rows elsewhere.

if (c < W) if (r + j < H) tile[..] = in[(r + j) * W + c];        H rows of W elements are read
if (c2 < H) if (r2 + j < H) out[(r2 + j) * H + c2] = tile[..];   and W rows of H elements are to be written

The row is made of the place in the launch that the column is made of where the array is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax


@dataclass(frozen=True, slots=True)
class _Element:
    """An element in a row of `length`, with the bounds of its row and of its place there."""

    place: Syntax
    length: str
    rows: Syntax
    columns: str
    row_from: frozenset[str]
    column_from: frozenset[str]


_PLACE = re.compile(r"blockIdx\s*\.\s*[xyz]|\b(?!threadIdx\b|blockDim\b|blockIdx\b)[A-Za-z_]\w*\b(?!\s*\()")
_OF_THREADS = re.compile(r"(threadIdx|blockDim|gridDim)\s*\.\s*[xyz]")


def transposed_guards(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each bound of a row that is the length of a row, where another element has both sides in its guards."""
    for body in bodies(program_of(outline)):
        elements = [element for node in body.nodes for element in _elements(node, body)]
        for one in elements:
            if one.rows.bare != one.length or one.columns != one.length:
                continue
            other = next((e for e in elements if _is_mirrored(e, one)), None)
            if other is not None:
                text = f"`{one.rows.text}` is the length of these rows; there are `{other.length}` of them"
                yield GuardIssue(body.function, one.rows, text, other.place, behind=(one.place,))


def _is_mirrored(element: _Element, one: _Element) -> bool:
    """It has as many rows as the row of `one` is long, and its columns are where the rows of `one` are."""
    if element.length == one.length or element.rows.bare != one.length or element.columns != element.length:
        return False
    return not element.column_from.isdisjoint(one.row_from) and element.row_from.isdisjoint(one.row_from)


def _elements(node: Syntax, body: Body) -> Iterator[_Element]:
    base = node.child("argument")
    if node.kind != "subscript_expression" or base is None or len(node.children) != 2:
        return
    terms = list(terms_of(node.children[-1]))
    bounds: dict[str, Syntax] | None = None
    for term in terms:
        left, right = term.child("left"), term.child("right")
        if term.kind != "binary_expression" or term.op != "*" or left is None or right is None:
            continue
        bounds = _bounds(node, body) if bounds is None else bounds
        rows = bounds.get(left.bare)
        column = next((t for t in terms if t is not term and t.bare in bounds), None)
        if rows is not None and column is not None and right.kind == "identifier":
            places = _places(left, body), _places(column, body)
            yield _Element(node, right.bare, rows, bounds[column.bare].bare, *places)


def _places(node: Syntax, body: Body) -> frozenset[str]:
    """What the variables of an expression are made of, beside threads and constants."""
    found: set[str] = set()
    for name in (part.text for part in node.walk() if part.kind == "identifier"):
        values = [value for value in body.scope.values.get(name, []) if value.start < node.start]
        if values and name not in body.scope.grown:
            found |= {match.replace(" ", "") for match in _PLACE.findall(_OF_THREADS.sub("", values[-1].text))}
    return frozenset(found - body.scope.outline.constants.keys())


def _bounds(node: Syntax, body: Body) -> dict[str, Syntax]:
    """What the conditions around a node hold its parts below."""
    found: dict[str, Syntax] = {}
    for parent, child in body.ancestors(node):
        condition = parent.child("condition")
        if condition is not None and child is not condition and child is not parent.child("alternative"):
            for part in _joined(condition):
                left, right = part.child("left"), part.child("right")
                if part.op == "<" and left is not None and right is not None and right.kind == "identifier":
                    found.setdefault(left.bare, right)
    return found


def _joined(condition: Syntax) -> Iterator[Syntax]:
    if condition.op == "&&":
        for child in condition.children:
            yield from _joined(child)
    elif condition.kind == "binary_expression":
        yield condition
