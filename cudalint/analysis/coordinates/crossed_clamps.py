"""Neighbours that are kept inside by the side of another coordinate.

if (x >= width || y >= height) return;
int right = x + 1 < width ? x + 1 : x, below = y + 1 < width ? y + 1 : y;          int below = min(y + 1, width - 1);
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax


def crossed_clamps(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each neighbour."""
    for body in bodies(program_of(outline)):
        clamps = list(_clamps(body))
        inside = {id(part) for _, _, clamp in clamps for part in clamp.walk()}
        limits = {
            n: [uncast(each) for each in found if id(each) not in inside] for n, found in body.scope.limits.items()
        }
        sides = {name: {limit.bare for limit in found if limit.op != "-"} for name, found in limits.items()}
        for name, side, clamp in clamps:
            own = sides.get(name, set())
            others = [other for other, found in sides.items() if other != name and found == {side}]
            if len(own) == 1 and side not in own and others:
                text = f"`{short(clamp)}`: `{name}` is kept below `{min(own)}`, and `{others[0]}` below `{side}`"
                yield GuardIssue(body.function, clamp, text)


def _clamps(body: Body) -> Iterator[tuple[str, str, Syntax]]:
    """(coordinate, side, expression) of `y + 1 < height ? y + 1 : y` and of `min(y + 1, height - 1)`."""
    for node in body.nodes:
        if node.kind == "conditional_expression":
            asked, taken, other = (node.child(part) for part in ("condition", "consequence", "alternative"))
            while asked is not None and asked.kind == "parenthesized_expression" and len(asked.children) == 1:
                asked = asked.children[0]
            if asked is None or taken is None or other is None or asked.op != "<" or len(asked.children) != 2:
                continue
            place, side = map(uncast, asked.children)
            name = _moved(place)
            if name and uncast(taken).bare == place.bare and uncast(other).bare == name:
                yield name, side.bare, node
        elif node.kind == "call_expression":
            callee, arguments = node.child("function"), node.child("arguments")
            if callee is None or arguments is None or len(arguments.children) != 2:
                continue
            place, last = map(uncast, arguments.children)
            name = _moved(place) if callee.text.rpartition("::")[2] == "min" else ""
            if name and last.op == "-" and last.children[-1].text == "1":
                yield name, uncast(last.children[0]).bare, node


def _moved(place: Syntax) -> str:
    """`y` of `y + 1`."""
    if place.kind != "binary_expression" or place.op != "+" or len(place.children) != 2:
        return ""
    name, step = place.children
    return name.text if name.kind == "identifier" and step.text.isdigit() and step.text != "0" else ""
