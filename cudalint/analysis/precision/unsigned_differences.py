"""Differences of unsigned numbers whose size is asked for as a real number: below zero they have become a number near 2^32.

sum += fabsf(a[i] - b[i]);      fabsf(threadIdx.x - centre)      powf(a[i] - b[i], 2.f)            a, b: const unsigned*
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, operands_of, short
from cudalint.analysis.text.scopes import FLOATING, UNSIGNED, kind_of, kind_of_type
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_SIZE = re.compile(r"(::|std::)?(fabsf?|powf?)")
_CHOOSES = ("if_statement", "conditional_expression", "while_statement", "for_statement")


def unsigned_differences(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each difference that no condition keeps from wrapping."""
    for body in bodies(program_of(outline), ("kernel", "device", "host")):
        for node in body.nodes:
            callee, arguments = node.child("function"), node.child("arguments")
            if node.kind != "call_expression" or callee is None or arguments is None or not arguments.children:
                continue
            difference = _as_real(arguments.children[0], body) if _SIZE.fullmatch(callee.text) else None
            if difference is not None and _is_unsigned(difference, body) and not _is_asked_about(difference, body):
                text = f"`{short(difference)}` is a difference of unsigned numbers: where it should be negative it is near 2^32"
                yield GuardIssue(body.function, difference, text)


def _as_real(node: Syntax, body: Body) -> Syntax | None:
    """`a - b`, without parentheses and conversions to a real number."""
    while node.kind in ("parenthesized_expression", "cast_expression"):
        written = node.child("type")
        if written is not None and kind_of_type(written.text, body.scope.outline) != FLOATING:
            return None
        node = node.child("value") or node.children[-1]
    return node if node.kind == "binary_expression" and node.op == "-" else None


def _is_unsigned(difference: Syntax, body: Body) -> bool:
    right = difference.child("right")
    return right is not None and right.kind != "number_literal" and kind_of(difference, body.scope) == UNSIGNED


def _is_asked_about(difference: Syntax, body: Body) -> bool:
    """A condition compares the two."""
    sides = {child.bare for child in difference.children}
    for node in body.nodes:
        condition = node.child("condition") if node.kind in _CHOOSES else None
        if condition is None:
            continue
        while condition.kind in ("parenthesized_expression", "condition_clause") and len(condition.children) == 1:
            condition = condition.children[0]
        if any(sides == {child.bare for child in part.children} for part in operands_of(condition)):
            return True
    return False
