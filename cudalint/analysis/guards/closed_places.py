"""Guards that let a number of elements pass as a place, where the elements are not chosen with that place itself.

row = i / columns;  if (row <= rows) x[i] = 0;                     what `row` is made of chooses the element
if (row <= image.height()) image.set(row, column, 0);              the object that was asked gets the place
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_conditions import guards_of
from cudalint.analysis.text.guard_patterns import (
    OFFSETS,
    GuardIssue,
    bodies,
    closure_of,
    compared,
    is_count,
    is_placed,
    names_in,
)
from cudalint.analysis.text.scopes import POINTER
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_SIDE = re.compile(
    r"^(\w+)(?:\.|->)(?:get_?)?(?:num_?)?(?:size|length|count|rows|cols|columns|height|width)\(\)$", re.IGNORECASE
)


def closed_places(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each guard."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            for part, operators, end in guards_of(node, body):
                issue = _closed(part, operators, end, body)
                if issue is not None:
                    yield issue


def _closed(part: Syntax, operators: tuple[str, str], end: int, body: Body) -> GuardIssue | None:
    sides = compared(part, operators)
    if sides is None:
        return None
    left, right = sides
    if left.kind != "identifier" or not _begins_at_zero(left.text, body) or _knows_more(left.text, right.text, body):
        return None
    used = _given(left.text, right, part.end, end, body)
    if used is None and is_count(right, body):
        used = _chosen(left.text, part.end, end, body)
    if used is None:
        return None
    return GuardIssue(body.function, part, f"`{part.text}` lets {left.text} == {right.text} pass", used)


def _begins_at_zero(name: str, body: Body) -> bool:
    """The place in the launch, or a part of it."""
    values = body.scope.values.get(name, [])
    return is_placed(name, body) and not any(re.search(r"-|\+\s*1\b(?!\s*\))", value.text) for value in values)


def _knows_more(name: str, bound: str, body: Body) -> bool:
    """The kernel speaks of the place that equals the bound, or of one more than the bound."""
    name, bound = re.escape(name), re.escape(bound)
    more = rf"\b{name}\s*[=!]=\s*{bound}|{bound}\s*[=!]=\s*{name}\b|{bound}\s*\+\s*1\b|\b{name}\s*-"
    return re.search(more, body.function.body.text) is not None


def _given(name: str, bound: Syntax, after: int, end: int, body: Body) -> Syntax | None:
    """A call behind the guard hands the place to the object whose side the bound is."""
    owner = _SIDE.match(bound.bare)
    for node in body.nodes if owner is not None else ():
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind == "call_expression" and after <= node.start < end and callee is not None and owner is not None:
            called = re.match(rf"{owner[1]}\s*(\.|->)\s*\w+$|{owner[1]}$", callee.text)
            if called is not None and arguments is not None and name in [each.text for each in arguments.children]:
                return node
    return None


def _chosen(name: str, after: int, end: int, body: Body) -> Syntax | None:
    """An element of the caller's memory that a place chooses of which this one is made."""
    made_of = closure_of(name, body) & body.positions
    for node in body.nodes if made_of else ():
        if not after <= node.start < end:
            continue
        base = node.child("argument") if node.kind == "subscript_expression" else node.child("left")
        is_offset = node.kind == "binary_expression" and node.op == "+"
        if base is None or not (is_offset or node.kind == "subscript_expression") or base.kind != "identifier":
            continue
        given = base.text in body.scope.parameters and body.scope.types.get(base.text) == POINTER
        chosen = names_in(node.children[-1])
        if given and name not in chosen and not chosen.isdisjoint(made_of) and OFFSETS.search(base.text) is None:
            return node
    return None
