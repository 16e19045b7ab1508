"""A window of which three sides are asked about: two coordinates are kept above zero, and one of them below its end.

const int y = (int)floorf(fy), x = (int)floorf(fx);   if (y >= 0 && x >= 0 && x < W) sum += image[y * W + x];
bool inside(int y, int x, int H, int W) { return y >= 0 && x >= 0 && x < W; }

For coordinates that come out of real numbers, or that a function is handed beside an end that it never reads: those that count
may be below their end by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations

from cudalint.analysis.coordinates.slips import are_siblings
from cudalint.analysis.guards.unread_sides import element_of_both
from cudalint.analysis.text.guard_conditions import parts_of
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import FLOATING, cast_target, kind_of, leaves, uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_ROUNDS = re.compile(r"^(::|std::)?(l?floor|l?round|l?rint|nearbyint|trunc|ceil)f?$|^__float2int_r[nzud]$")
_LOWER = {(">=", "0"), (">", "-1")}
_LOWER_FAILS = {("<", "0"), ("<=", "-1")}


def half_windows(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each condition; what it is about is the element, or the comparison beside the missing one."""
    for body in bodies(program_of(outline)):
        told: set[str] = set()
        for condition, leaving in _conditions(body):
            for one, other, end in _missing(condition, leaving):
                if one in told or _is_kept_otherwise(one, body):
                    continue
                about = _about(one, other, end, body)
                if about is not None:
                    told.add(one)
                    text = f"`{one}` is kept above zero, and below no end, beside `{other}`: `{short(condition)}`"
                    yield GuardIssue(body.function, condition, text, about)


def _conditions(body: Body) -> Iterator[tuple[Syntax, bool]]:
    """(condition, whether the thread leaves where it holds), each with all of its parts."""
    for node in body.nodes:
        condition, then = node.child("condition"), node.child("consequence")
        if node.kind == "if_statement" and condition is not None and then is not None:
            yield condition, leaves(then)
        elif node.kind == "conditional_expression" and condition is not None:
            yield condition, False
        elif node.kind in ("return_statement", "init_declarator") and node.children:
            yield node.children[-1], False


def _missing(condition: Syntax, leaving: bool) -> Iterator[tuple[str, str, Syntax]]:
    """(coordinate without an end, coordinate with one, comparison with that end)."""
    lower, upper = _LOWER_FAILS if leaving else _LOWER, ">=" if leaving else "<"
    parts = [p for p in parts_of(uncast(condition), "||" if leaving else "&&") if p.kind == "binary_expression"]
    low = [part.children[0].text for part in parts if (part.op, part.children[1].bare) in lower]
    high = {part.children[0].text: part for part in parts if part.op == upper and part.children[1].bare != "0"}
    if len(low) == len(set(low)) == 2 and len(parts) == 3:
        for one, other in permutations(low):
            if other in high and one not in high:
                yield one, other, high[other]


def _is_kept_otherwise(name: str, body: Body) -> bool:
    """Another comparison, or the smaller of it and something."""
    text, each = body.function.body.text, re.escape(name)
    above = rf"\b{each}\b\s*(\+\s*\w+\s*)?(<(?!=?\s*-?[01]\b)|>(?!=?\s*-?[01]\b)|>=(?!\s*0\b)|==|!=)|[<>]=?\s*{each}\b"
    return re.search(rf"{above}|\b(min|max|clamp\w*|f?minf?)\s*\([^;]*\b{each}\b", text) is not None


def _about(one: str, other: str, end: Syntax, body: Body) -> Syntax | None:
    """What shows that the coordinate may lie behind its end."""
    if {one, other} <= set(body.scope.parameters):
        return end if _forgotten_end(end, body) else None
    return element_of_both(one, other, body) if all(_is_real(name, body) for name in (one, other)) else None


def _forgotten_end(end: Syntax, body: Body) -> bool:
    """A parameter named like the end that is read, and read nowhere."""
    read, text = end.children[1].text, body.function.body.text
    return any(
        name and are_siblings(name, read) and re.search(rf"\b{re.escape(name)}\b", text) is None
        for name in body.scope.parameters
    )


def _is_real(name: str, body: Body) -> bool:
    """A real number, rounded or cut off."""
    values = body.scope.values.get(name, [])
    return len(values) == 1 and any(
        (cast_target(node) is not None and kind_of(uncast(node), body.scope) == FLOATING)
        or ((callee := node.child("function")) is not None and _ROUNDS.match(callee.text) is not None)
        for node in values[0].walk()
    )
