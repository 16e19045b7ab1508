"""Conditions that let zero pass, with the element before that place behind them.

start = slot >= 0 ? ends[slot - 1] : 0;                slot > 0 was meant
for (int k = n - 1; k >= 0; k--) x[k] += x[k - 1];     the first has no neighbour
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.scopes import LEAVING
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_ENTERED = ("if_statement", "for_statement", "while_statement", "conditional_expression")
_CHANGES = ("assignment_expression", "update_expression")


def below_first(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each condition, with the element at -1."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            condition = node.child("condition")
            guarded = node.child("consequence") or node.child("body")
            if node.kind not in _ENTERED or condition is None or guarded is None:
                continue
            parts = list(_joined(condition))
            for part in parts:
                place = _from_zero(part)
                if place is None or any(_asks_more(other, place) for other in parts if other is not part):
                    continue
                element = _before(place, guarded, body)
                if element is not None:
                    text = f"`{part.text}` lets 0 pass, and `{element.text}` is the element before"
                    yield GuardIssue(body.function, part, text, element)


def _joined(condition: Syntax) -> Iterator[Syntax]:
    """What all has to hold."""
    if condition.kind in ("parenthesized_expression", "condition_clause") and condition.children:
        yield from _joined(condition.children[-1])
    elif condition.kind == "binary_expression" and condition.op == "&&":
        for child in condition.children:
            yield from _joined(child)
    else:
        yield condition


def _from_zero(part: Syntax) -> str | None:
    """The place of `place >= 0`, where it is a name or an element."""
    left, right = part.child("left"), part.child("right")
    if part.kind != "binary_expression" or left is None or right is None:
        return None
    plain = left.kind in ("identifier", "subscript_expression", "field_expression")
    is_closed = (part.op, right.text) in ((">=", "0"), (">", "-1"))
    return left.bare if plain and is_closed else None


def _asks_more(part: Syntax, place: str) -> bool:
    return place in part.bare


def _before(place: str, guarded: Syntax, body: Body) -> Syntax | None:
    """An element at exactly one less, which nothing between the condition and it asks about."""
    for node in guarded.walk():
        if node.kind in _CHANGES and node.children[0].bare == place:
            return None
        if node.kind in LEAVING and any(
            place in condition.bare
            for parent, _ in body.ancestors(node)
            if parent.start >= guarded.start and (condition := parent.child("condition")) is not None
        ):
            return None
        if node.kind != "subscript_expression" or node.children[-1].bare.strip("[]") != f"{place}-1":
            continue
        around = (p for p, _ in body.ancestors(node) if p.start >= guarded.start and p.end <= guarded.end)
        asked = (p for p in around if p.child("condition") is not None or p.op in ("&&", "||"))
        if not any(re.search(rf"(?<![\w.]){re.escape(place)}(?!\w)", (p.child("condition") or p).bare) for p in asked):
            return node
    return None
