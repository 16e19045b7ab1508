"""Of a place and its upper neighbour the clamp asks for the number of elements, where the last of them has none either.

if (y >= height) { y1 = y = height - 1; } else { y1 = y + 1; }                      y = height - 1: y1 = height
if (x >= width - 1) { x1 = x = width - 1; } else { x1 = x + 1; }

Only beside one that is right: memory may have an element more than is counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_COMPARES = ("<", ">", "<=", ">=", "==", "!=")


@dataclass(frozen=True, slots=True)
class _Clamp:
    """`place` is kept below `bound`, or below its last one where `is_right`; `neighbour` is set in `orelse`."""

    asked: Syntax
    place: Syntax
    bound: Syntax
    neighbour: str
    orelse: Syntax
    is_right: bool


def neighbour_clamps(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each clamp, at its comparison; what it is about is where the neighbour is made."""
    for body in bodies(program_of(outline), ("kernel", "device")):
        clamps = [clamp for node in body.nodes if (clamp := _clamp(node)) is not None]
        for clamp in clamps if any(each.is_right for each in clamps) else ():
            if not clamp.is_right and not _is_asked_again(clamp, body) and not _has_one_more(clamp.bound, outline):
                place, bound = clamp.place.text, clamp.bound.text
                said = (
                    f"`{clamp.asked.text}` lets {place} == {bound} - 1 pass, and `{clamp.neighbour}` is `{bound}` then"
                )
                yield GuardIssue(body.function, clamp.asked, said, clamp.orelse)


def _clamp(node: Syntax) -> _Clamp | None:
    condition, then, orelse = (node.child(name) for name in ("condition", "consequence", "alternative"))
    if node.kind != "if_statement" or condition is None or then is None or orelse is None:
        return None
    asked = next((n for n in condition.walk() if n.kind == "binary_expression"), None)
    if asked is None or asked.op != ">=" or asked.bare != condition.bare.strip("()"):
        return None
    place, limit = (uncast(side) for side in asked.children)
    bound = limit.children[0] if limit.op == "-" and limit.children[1].bare == "1" else limit
    if place.kind != "identifier" or bound.kind not in ("identifier", "field_expression"):
        return None
    last = {left for left, value in _set(then) if value == f"{bound.bare}-1"}
    for left, value in _set(orelse):
        if left != place.text and value in (f"{place.text}+1", f"1+{place.text}") and {left, place.text} <= last:
            return _Clamp(asked, place, bound, left, orelse, bound is not limit)
    return None


def _set(block: Syntax) -> Iterator[tuple[str, str]]:
    """The variables that the statements set, and to what: `b = a = n - 1` sets both."""
    for node in block.walk():
        if node.kind == "assignment_expression" and node.op == "=":
            left, value = node.children[0], uncast(node.children[1])
            while value.kind == "assignment_expression":
                value = uncast(value.children[1])
            yield left.text, value.bare.strip("()")


def _is_asked_again(clamp: _Clamp, body: Body) -> bool:
    """Something compares the neighbour, or a function gets it that may keep it inside."""
    for node in body.nodes:
        compares = node.kind == "binary_expression" and node.op in _COMPARES
        if (compares or node.kind == "argument_list") and any(side.bare == clamp.neighbour for side in node.children):
            return True
    return False


def _has_one_more(bound: Syntax, outline: Outline) -> bool:
    """Somewhere in the file one is added to that number: of rows that memory has, perhaps."""
    name = bound.bare.rpartition(".")[2].rpartition("->")[2]
    for node in outline.root.walk():
        if node.kind == "binary_expression" and node.op == "+" and "1" in [side.bare for side in node.children]:
            if any(side.bare.rpartition(".")[2].rpartition("->")[2] == name for side in node.children):
                return True
    return False
