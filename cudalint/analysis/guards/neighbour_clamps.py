"""Of a place and its upper neighbour the clamp asks for the number of elements, where the last of them has none either.

if (y >= height) { y1 = y = height - 1; } else { y1 = y + 1; }                      y = height - 1: y1 = height
if (x >= width - 1) { x1 = x = width - 1; } else { x1 = x + 1; }

Only beside one that is right: memory may have an element more than is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_RIGHT = re.compile(r"if\((\w+)>=([\w.]+)-1\)\{?(?:\w+=)*\w+=\2-1;.*?else\{?\w+=\1\+1;")


def neighbour_clamps(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each clamp, at its comparison; what it is about is where the neighbour is made."""
    for body in bodies(program_of(outline), ("kernel", "device")):
        if _RIGHT.search(body.function.body.bare) is None:
            continue
        for node in body.nodes:
            condition, then, orelse = (node.child(name) for name in ("condition", "consequence", "alternative"))
            if node.kind != "if_statement" or condition is None or then is None or orelse is None:
                continue
            issue = _of(condition, then, orelse, body)
            if issue is not None:
                yield issue


def _of(condition: Syntax, then: Syntax, orelse: Syntax, body: Body) -> GuardIssue | None:
    asked = next((n for n in condition.walk() if n.kind == "binary_expression"), None)
    if asked is None or asked.op != ">=" or asked.bare != condition.bare.strip("()"):
        return None
    place, bound = (uncast(side) for side in asked.children)
    if place.kind != "identifier" or bound.kind not in ("identifier", "field_expression"):
        return None
    again = re.compile(rf"{re.escape(bound.bare)}\+1\b|[=<>]{re.escape(bound.bare)}(?![\w.(\[-])")
    if len(again.findall(body.function.body.bare)) > 1:
        return None  # there is one more, or the neighbour is asked again
    last = {left for left, value in _set(then) if value == f"{bound.bare}-1"}
    for left, value in _set(orelse):
        if left != place.text and value in (f"{place.text}+1", f"1+{place.text}") and {left, place.text} <= last:
            said = f"`{asked.text}` lets {place.text} == {bound.text} - 1 pass, and `{left}` is `{bound.text}` then"
            return GuardIssue(body.function, asked, said, orelse)
    return None


def _set(block: Syntax) -> Iterator[tuple[str, str]]:
    """The variables that the statements set, and to what: `b = a = n - 1` sets both."""
    for node in block.walk():
        if node.kind == "assignment_expression" and node.op == "=":
            left, value = node.children[0], uncast(node.children[1])
            while value.kind == "assignment_expression":
                value = uncast(value.children[1])
            yield left.text, value.bare.strip("()")
