"""One of several ranges of a condition that holds its own end, where the others stop before theirs, or that lacks one of its ends.

h >= 0 && w >= 0 && h < height && w <= width        w == width passes
h < 0 || h >= height || w < 0 || w > width          the same, said of what is left out
x < image.width() && y <= image.height()            the same of places in the grid, which begin at zero
x >= size_x || y >= size_y || z > size_z            the same of all sides of a volume, wherever they begin
h >= 0 && w >= 0 && w < width                       nothing keeps h below height
y > -1.f && x > -1.f && y < height                  nothing keeps x below width: of places between elements two are enough
if (t >= 0 && t < depth) if (h >= 0 && h < height) if (w < width)      w = column - pad, which may be below 0
h < height && w >= 0 && w < width                   of h = top + i and w = left + j, with top and left some border less
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in
from cudalint.analysis.text.scopes import FLOATING, INT, WIDE
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_LAST = re.compile(r"-|\d(?![\])])|last|max|end|upper|limit|stop|final|high", re.IGNORECASE)
_AXIS = re.compile(r"(_?[xyzXYZ]|\.[xyz]|\[\d\])$")
ALL_SIDES = 3  # of a volume: those whose beginnings are asked about elsewhere


@dataclass(frozen=True, slots=True)
class _Words:
    """How a condition says that a value is not below zero, below a bound, and at most the bound."""

    lowest: frozenset[tuple[str, str]]
    below: str
    up_to: str


_WORDS = {
    "&&": _Words(frozenset({(">=", "0"), (">", "-1")}), "<", "<="),
    "||": _Words(frozenset({("<", "0"), ("<=", "-1")}), ">=", ">"),
}


def odd_ranges(outline: Outline) -> Iterator[GuardIssue]:
    """Ranges from zero on that hold their bound, beside ranges from zero on that do not."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            parent = body.parents.get(id(node))
            if node.kind == "binary_expression" and node.op in _WORDS and (parent is None or parent.op != node.op):
                parts = _members(node, node.op)
                yield from _odd_among(parts, _WORDS[node.op], body)
                yield from _open_among(parts, _WORDS[node.op], body)
                yield from _unbegun_beside(parts, _WORDS[node.op], body)
        yield from _unbegun(body)


def _members(node: Syntax, op: str) -> list[Syntax]:
    while node.kind == "parenthesized_expression" and node.children:
        node = node.children[0]
    if node.kind == "binary_expression" and node.op == op:
        return [part for child in node.children for part in _members(child, op)]
    return [node]


def _odd_among(parts: list[Syntax], words: _Words, body: Body) -> Iterator[GuardIssue]:
    compared = [(part, *each) for part in parts if (each := _comparison(part)) is not None]
    lowest = {left for _, left, op, right in compared if (op, right) in words.lowest}
    ends = [each for each in compared if each[2] in (words.below, words.up_to)]
    shapes = Counter(_shape(right) for _, _, _, right in ends)
    upper = [
        each for each in ends if each[1] in lowest or _is_of_grid(each[1], body) or shapes[_shape(each[3])] >= ALL_SIDES
    ]
    odd = [each for each in upper if each[2] == words.up_to and not _LAST.search(each[3])]
    whole = [each for each in upper if each[2] == words.below and not _LAST.search(each[3])]
    if len(odd) == 1 and len(whole) == len(upper) - 1 >= 1:
        part, left, _, right = odd[0]
        if right not in {each[3] for each in whole} and not _has_one_more(right, body):
            yield GuardIssue(body.function, part, f"`{part.text}` lets {left} == {right} pass", whole[0][0])


def _shape(bound: str) -> str:
    """What sides of one thing have in common: `grid_size` of `grid_size_x`, `dims` of `dims[2]`."""
    return _AXIS.sub("", bound) if _AXIS.search(bound) else f"{bound} alone"


def _is_of_grid(name: str, body: Body) -> bool:
    """A coordinate of the thread along one side of the grid, which begins at zero."""
    values = body.scope.values.get(name, [])
    return (
        name in body.positions
        and name not in body.scope.grown
        and len(values) == 1
        and "blockIdx" in values[0].text
        and re.search(r"-|\+\s*\d", values[0].text) is None
    )


def _has_one_more(side: str, body: Body) -> bool:
    """The file makes something one longer than the side, as it is where values lie on the borders between elements."""
    return re.search(rf"{re.escape(side)}\s*\+\s*1\b", body.scope.outline.root.text) is not None


def _open_among(parts: list[Syntax], words: _Words, body: Body) -> Iterator[GuardIssue]:
    """The only one of at least three ranges from zero on that has no end, here or anywhere in the function.

    Of places between elements, which are real numbers, it is one of two.
    """
    compared = [(part, *each) for part in parts if (each := _comparison(part)) is not None]
    lowest = {left: part for part, left, op, right in compared if (op, right) in words.lowest}
    ended = {left for _, left, op, _ in compared if op in (words.below, words.up_to)}
    ended |= {right for _, _, op, right in compared if _TURNED[op] in (words.below, words.up_to)}
    lost = sorted(lowest.keys() - ended)
    least = 2 if all(_is_real(left, body) for left in lowest) else 3
    if len(lost) != 1 or len(lowest) < least or len(lowest.keys() & ended) != len(lowest) - 1:
        return
    name = lost[0]
    if not name.isidentifier() or re.search(
        rf"\b{name}\b\s*(<|>=?\s*\w*[A-Za-z_])|\bmin\b[^;]*\b{name}\b", _without(lowest, body)
    ):
        return
    yield GuardIssue(body.function, lowest[name], f"`{name}` has no end, as its neighbours have", None)


def _is_real(name: str, body: Body) -> bool:
    """A place in floating point: by its type, or by the type that a template is made for."""
    if body.scope.types.get(name) == FLOATING:
        return True
    typed = (p for p, given in zip(body.function.parameters, body.scope.parameters) if given == name)
    written = [each for p in typed if (each := p.child("type")) is not None]
    return any(each.text in body.function.template for each in written)


def _unbegun(body: Body) -> Iterator[GuardIssue]:
    """The only one of at least three places, each some border less than another, that nothing keeps from being below zero."""
    compared = [(node, *each) for node in body.nodes if (each := _comparison(node)) is not None]
    compared = [each for each in compared if _moved_back(each[1], body) is not None]
    words = _WORDS["&&"].lowest | _WORDS["||"].lowest
    begun = {left for _, left, op, right in compared if (op, right) in words}
    ended: dict[str, Syntax] = {}
    for node, left, op, right in compared:
        if op in ("<", ">=") and not re.fullmatch(r"-?\d+", right):
            ended.setdefault(left, node)
    lost = [left for left in ended if left not in begun]
    if len(lost) != 1 or len(begun & ended.keys()) < 2:
        return
    name = _moved_back(lost[0], body) or ""
    asked = rf"\b{name}\b[^;&|]*(<=?\s*-?[01]\b|>=?\s*(-\s*)?\w)|\b(f?max|abs|min|clamp)\w*\s*\([^;()\[]*\b{name}\b"
    if re.search(asked, body.function.body.text) is None and _chooses(name, ended[lost[0]], body):
        yield GuardIssue(
            body.function, ended[lost[0]], f"`{lost[0]}` may be below 0, which is asked of its neighbours", None
        )


def _unbegun_beside(parts: list[Syntax], words: _Words, body: Body) -> Iterator[GuardIssue]:
    """One of two places that are made alike, both from a border on, that the condition does not keep from being below zero."""
    compared = [(part, *each) for part in parts if (each := _comparison(part)) is not None]
    begun = {left for _, left, op, right in compared if (op, right) in words.lowest}
    ended = {left: part for part, left, op, right in compared if op == words.below and (op, right) not in words.lowest}
    lost = sorted(ended.keys() - begun)
    if len(lost) != 1 or len(ended) != len(lost) + 1 or not begun >= ended.keys() - set(lost):
        return
    name = lost[0]
    kept = next(iter(ended.keys() - {name}))
    shapes = [_from_border(each, body) for each in (name, kept)]
    if shapes[0] is None or shapes[0] != shapes[1]:
        return
    asked = rf"\b{name}\b\s*(>=?\s*(-\s*)?\w|<\s*0)|\b(f?max|abs|min|clamp)\w*\s*\([^;()\[]*\b{name}\b"
    if re.search(asked, body.function.body.text) is None:
        yield GuardIssue(
            body.function, ended[name], f"`{name}` may be below 0, which is asked of `{kept}` beside it", None
        )


def _from_border(name: str, body: Body) -> tuple[str, ...] | None:
    """The operators that a place is made with, where it is a sum with what is declared as something less a border."""
    values = body.scope.values.get(name, [])
    if not values or body.scope.types.get(name) not in (INT, WIDE) or len({value.bare for value in values}) != 1:
        return None
    if any(node.kind == "call_expression" for node in values[0].walk()):
        return None
    moved = _moved_back(values[0].text, body) is not None or values[0].op == "-"
    return tuple(node.op for node in values[0].walk() if node.op) if moved and values[0].op in ("+", "-") else None


def _moved_back(place: str, body: Body) -> str | None:
    """The variable of a place that is declared as something less a border, in a type with a sign."""
    for found in re.finditer(r"[A-Za-z_]\w*", place):
        name = found[0]
        values = body.scope.values.get(name, [])
        signed = body.scope.types.get(name) in (INT, WIDE)
        if len(values) == 1 and values[0].op == "-" and signed and values[0].child("right") is not None:
            return str(name)
    return None


def _chooses(name: str, after: Syntax, body: Body) -> bool:
    """An element behind the comparison is chosen with the variable."""
    return any(
        node.kind == "subscript_expression" and node.start > after.start and name in names_in(node.children[-1])
        for node in body.nodes
    )


def _without(parts: dict[str, Syntax], body: Body) -> str:
    """The function's text without these comparisons."""
    text = body.function.body.text
    for part in parts.values():
        text = text.replace(part.text, "", 1)
    return text


def _comparison(part: Syntax) -> tuple[str, str, str] | None:
    """Left side, operator and right side, with a constant on the right."""
    left, right = part.child("left"), part.child("right")
    if part.kind != "binary_expression" or part.op not in _TURNED or left is None or right is None:
        return None
    sides = _whole(left.bare), _whole(right.bare)
    return (sides[1], _TURNED[part.op], sides[0]) if re.fullmatch(r"-?\d+", sides[0]) else (sides[0], part.op, sides[1])


def _whole(side: str) -> str:
    """`-1.f` as the number that it is."""
    match = _WHOLE.match(side)
    return side if match is None else match[1]


_WHOLE = re.compile(r"^(-?\d+)\.0*[fF]?$")
