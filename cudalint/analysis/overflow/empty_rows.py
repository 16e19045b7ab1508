"""Lengths of rows between two offsets, less one or more, in unsigned arithmetic: of an empty row nearly 2^32.

unsigned begin = offsets[row], end = offsets[row + 1];
for (unsigned j = 0; j < end - begin - 1; ++j) ...            j + 1 < end - begin has nothing to do there
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import UNSIGNED, kind_of, uncast
from cudalint.analysis.text.text_program import Body, number_of, program_of
from cudalint.ir.syntax import Outline, Syntax

_ELEMENT = re.compile(r"(.+)\[(.+)\]")


def underflowing_lengths(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each such length up to which something counts; a function that asks for the empty row is left out."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            bound = node.child("right") if node.op == "<" else node.child("left") if node.op == ">" else None
            if node.kind != "binary_expression" or bound is None or kind_of(bound, body.scope) != UNSIGNED:
                continue
            length = _less(bound)
            row = None if length is None else _row(length, body)
            if length is not None and row is not None and not _is_asked({length.bare, *row}, bound, body):
                text = f"`{short(bound)}` wraps where the row is empty"
                yield GuardIssue(body.function, bound, text)


def _less(bound: Syntax) -> Syntax | None:
    """`length` of `length - 1`."""
    left, right = bound.child("left"), bound.child("right")
    if bound.op != "-" or left is None or right is None or right.kind != "number_literal":
        return None
    return left if number_of(right.text) >= 1 else None


def _row(length: Syntax, body: Body) -> tuple[str, str] | None:
    """(end, begin) of a length that is their difference, where they are neighbours in an array."""
    value = _only(length, body) or length
    left, right = value.child("left"), value.child("right")
    if value.op != "-" or left is None or right is None:
        return None
    ends = [_ELEMENT.fullmatch(uncast(made).bare) for side in (left, right) if (made := _only(side, body)) is not None]
    if len(ends) != 2 or ends[0] is None or ends[1] is None or ends[0][1] != ends[1][1]:
        return None
    behind = ends[0][2] in (f"{ends[1][2]}+1", f"1+{ends[1][2]}")
    return (left.text, right.text) if behind else None


def _only(node: Syntax, body: Body) -> Syntax | None:
    values = body.scope.values.get(node.text, []) if node.kind == "identifier" else []
    return values[0] if len(values) == 1 and node.text not in body.scope.grown else None


def _is_asked(names: set[str], bound: Syntax, body: Body) -> bool:
    """Another comparison has the length or both ends, or it is a condition by itself."""
    for node in body.nodes:
        if node.kind == "binary_expression" and node.op in ("<", "<=", ">", ">=", "==", "!="):
            if bound not in node.children and any(side.bare in names for side in node.children):
                return True
        condition = node.child("condition")
        if condition is not None and condition.bare.lstrip("!") in names:
            return True
    return False
