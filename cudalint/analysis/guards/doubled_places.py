"""One coordinate of the thread that a guard holds against two sides of one object, while nothing asks about the other one.

if (x >= image.cols || x >= image.rows) return;  image(y, x) = 0;             y was meant
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.coordinates.slips import are_siblings
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_OPERATORS = {"||": (">=", ">"), "&&": ("<", "<=")}
_COMPARED = ("<", "<=", ">", ">=", "==", "!=")


def doubled_places(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each guard, at the second of the comparisons."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            if node.kind == "binary_expression" and node.op in _OPERATORS and len(node.children) == 2:
                first, second = node.children
                other = _other(first, second, _OPERATORS[node.op], body)
                if other is not None:
                    name, use = other
                    text = f"`{node.text}` asks twice about `{first.children[0].text}`, and nothing about `{name}`"
                    yield GuardIssue(body.function, second, text, use)


def _other(first: Syntax, second: Syntax, operators: tuple[str, ...], body: Body) -> tuple[str, Syntax] | None:
    """The coordinate along another side of the grid that nothing is compared with, and where both choose an element."""
    if not (_is_guard(first, operators) and _is_guard(second, operators)):
        return None
    place, (one, two) = first.children[0].text, (first.children[1].text, second.children[1].text)
    if second.children[0].text != place or place not in body.positions or not _are_sides(one, two):
        return None
    compared = {name for node in body.nodes if node.op in _COMPARED for name in names_in(node)}
    for name in sorted(body.positions - compared):
        use = _use(place, name, body, second.end)
        if use is not None and _side(name, body) not in ("", _side(place, body)):
            return name, use
    return None


def _is_guard(node: Syntax, operators: tuple[str, ...]) -> bool:
    return node.kind == "binary_expression" and node.op in operators and node.children[0].kind == "identifier"


def _are_sides(one: str, two: str) -> bool:
    """`image.cols` and `image.rows`, `width` and `height`."""
    owner, _, member = one.rpartition(".")
    other, _, second = two.rpartition(".")
    return one != two and (owner == other != "" or are_siblings(member, second))


def _side(name: str, body: Body) -> str:
    """Along which side of the grid the coordinate runs."""
    text = " ".join(value.text for value in body.scope.values.get(name, []))
    sides = [side for side in "xyz" if f"blockIdx.{side}" in text.replace(" ", "")]
    return sides[0] if len(sides) == 1 else ""


def _use(place: str, name: str, body: Body, after: int) -> Syntax | None:
    """An element, or a call, that both coordinates choose."""
    for node in body.nodes:
        if node.start > after and node.kind in ("subscript_expression", "call_expression"):
            if {place, name} <= names_in(node):
                return node
    return None
