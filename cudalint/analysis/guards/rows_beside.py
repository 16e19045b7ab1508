"""Elements of which the row is asked about at one use, and not at another one beside it.

v = x < width && y < height ? in[y * width + x] : 0;        w = gx < width ? in[gy * width + gx] : 0;
const T *below = in + (y + 1) * pitch;
v = y + 1 < height ? below[x] : 0;                          w = x + 1 < width ? below[x + 1] : 0;
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from cudalint.analysis.text.guard_conditions import parts_of
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, closure_of, names_in, short
from cudalint.analysis.text.scopes import POINTER, leaves, uncast
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

MOST_PAIRS = 1 << 16  # of uses of one function


@dataclass(frozen=True, slots=True)
class _Use:
    """An element with the comparisons that hold where it is taken: (place, bound)."""

    node: Syntax
    base: str
    place: tuple[str, str, str] | None  # row, column and stride
    kept: dict[str, str]
    asked: frozenset[str]


def rows_beside(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each function: the use with the weaker condition, and the one with the stronger."""
    for body in bodies(program_of(outline)):
        by_base: dict[str, list[_Use]] = {}
        uses = list(_uses(body))
        for use in uses:
            if use.kept:
                by_base.setdefault(use.base, []).append(use)
        pairs = islice(((use, other) for use in uses if use.kept for other in by_base[use.base]), MOST_PAIRS)
        found = next((found for use, other in pairs if (found := _beside(use, other, body)) is not None), None)
        if found is not None:
            use, other, row = found
            text = f"`{short(use.node)}` is taken whatever `{row}` is, of which `{short(other.node)}` is kept inside"
            yield GuardIssue(body.function, use.node, text, other.node)


def _beside(use: _Use, other: _Use, body: Body) -> tuple[_Use, _Use, str] | None:
    if other is use:
        return None
    row = _row_of_index(use, other, body) or _row_of_pointer(use, other, body)
    return (use, other, row) if row else None


def _row_of_pointer(use: _Use, other: _Use, body: Body) -> str:
    """What the pointer of both is made of and the other use is kept below an end for."""
    if not all(_is_chosen(each.node, body) for each in (use, other)):
        return ""
    values = body.scope.values.get(use.base, [])
    made = names_in(values[0]) if len(values) == 1 and use.base not in body.scope.grown else set()
    for place in other.kept:
        if place in made and place not in use.asked:
            return place
    return ""


def _is_chosen(node: Syntax, body: Body) -> bool:
    """It is the first of the two values of `inside ? x[i] : 0`."""
    parent = body.parents.get(id(node))
    return parent is not None and parent.kind == "conditional_expression" and parent.child("consequence") is node


def _row_of_index(use: _Use, other: _Use, body: Body) -> str:
    """The row of `in[row * width + column]`, where the other use keeps its row and column, and this one the column only."""
    own, twin, ends, ends_of_twin = use.place, other.place, use.kept, other.kept
    if own is None or twin is None or own[2] != twin[2]:
        return ""
    if own[1] not in ends or ends.get(own[1]) != ends_of_twin.get(twin[1]) or twin[0] not in ends_of_twin:
        return ""
    if not all(place in closure_of(moved, body) for place, moved in ((own[0], twin[0]), (own[1], twin[1]))):
        return ""  # the other one is of another row, not of one some steps further on
    placed = any(name.startswith("threadIdx") for name in closure_of(own[0], body))
    return own[0] if placed and own[0] not in use.asked else ""


def _row_and_column(element: Syntax) -> tuple[str, str, str] | None:
    """(row, column, stride) of an index that is `row * stride + column`."""
    index = element.children[-1]
    index = index.children[0] if index.kind == "subscript_argument_list" and index.children else index
    terms = terms_of(index)
    products = [term for term in terms if term.op == "*"]
    if len(terms) != 2 or len(products) != 1:
        return None
    row, stride = (uncast(factor) for factor in products[0].children)
    column = next(term for term in terms if term is not products[0])
    return (row.text, column.text, stride.text) if row.kind == column.kind == "identifier" else None


def _uses(body: Body) -> Iterator[_Use]:
    exits = list(_exits(body))
    for node in body.nodes:
        base = node.child("argument") if node.kind == "subscript_expression" else None
        if base is None or base.kind != "identifier" or body.scope.types.get(base.text) != POINTER:
            continue
        conditions = list(_conditions(node, body))
        kept = dict(pair for condition in conditions for part in parts_of(condition, "&&") for pair in _kept(part))
        left = (condition for start, condition in exits if kept and start < node.start)
        asked = frozenset(name for condition in (*conditions, *left) for name in names_in(condition))
        yield _Use(node, base.text, _row_and_column(node), kept, asked)


def _conditions(node: Syntax, body: Body) -> Iterator[Syntax]:
    for parent, child in body.ancestors(node):
        condition = parent.child("condition")
        taken = parent.child("consequence") or parent.child("body")
        if condition is not None and taken is child:
            yield condition


def _exits(body: Body) -> Iterator[tuple[int, Syntax]]:
    """The conditions of ways out, with where they stand."""
    for node in body.nodes:
        condition, guarded = node.child("condition"), node.child("consequence")
        if node.kind == "if_statement" and condition is not None and guarded is not None and leaves(guarded):
            yield node.start, condition


def _kept(part: Syntax) -> Iterator[tuple[str, str]]:
    left, right = part.child("left"), part.child("right")
    if part.op == "<" and left is not None and right is not None and right.kind != "number_literal":
        yield uncast(left).text, right.bare
