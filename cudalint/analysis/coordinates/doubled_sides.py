"""Guards that hold both coordinates of an image against one of its sides, as their names tell, while the other side is at hand.

The element that is reached behind them is named: where the engine decides about it, there is nothing to guess.

inside = h >= 0 && w >= 0 && h < height && w < height;       im[h * width + w]
if (x < nx && y < nx) ...                                    of an array of nx by ny
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.coordinates.crossed_guards import GuardPart, guard_parts, reached
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_PLACES = ({"h", "y", "row", "ih", "oh", "iy", "hin", "yy"}, {"w", "x", "col", "column", "iw", "ow", "ix", "win", "xx"})
_SIDES = (
    ("height", "width"), ("Height", "Width"), ("rows", "cols"), ("rows", "columns"), ("h", "w"), ("H", "W"), ("ny", "nx"),
)  # fmt: skip
_COMPARED = ("<", "<=", ">", ">=", "==", "!=")


def doubled_sides(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each guard."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            parent = body.parents.get(id(node))
            joined = node.kind == "binary_expression" and node.op in ("||", "&&")
            if not joined or (parent is not None and parent.op == node.op):
                continue
            parts = list(guard_parts(node, node.op == "||"))
            found = next((each for part in parts for each in _wrong(part, parts, body)), None)
            if found is not None:
                part, meant = found
                use = reached(part.name, node.end, body)
                text = f"`{part.name}` is held against `{part.bound.text}`, which is the end of the other coordinate"
                yield GuardIssue(body.function, part.bound, f"{text}; `{meant}` is asked nowhere", use)


def _wrong(part: GuardPart, parts: list[GuardPart], body: Body) -> Iterator[tuple[GuardPart, str]]:
    """Of two coordinates below the same side the one that has another one, with that."""
    place = _axis(part.name)
    for own in parts:
        if own.name == part.name or own.bound.text != part.bound.text or place is None or _axis(own.name) != 1 - place:
            continue
        if _alike(own.name) != _alike(part.name):
            continue
        for meant in _twins(part.bound.text, 1 - place, place):
            if _is_at_hand(meant, body) and not _is_compared(part.name, meant, body):
                yield part, meant


def _axis(name: str) -> int | None:
    """0 of a name for a row, 1 of one for a column, None of both or neither."""
    words = {word.lower() for word in _WORDS.findall(name)}
    rows, columns = (bool(words & place) for place in _PLACES)
    return None if rows == columns else int(columns)


def _alike(name: str) -> str:
    """A name without what tells its axis: `h_in` and `w_in` are alike."""
    return _WORDS.sub(lambda word: "*" if any(word[0].lower() in place for place in _PLACES) else word[0], name)


def _twins(bound: str, held: int, wanted: int) -> Iterator[str]:
    """The names of the other side: of `in_height`, `in_width`."""
    words = _WORDS.findall(bound)
    for sides in _SIDES:
        if words.count(sides[held]) == 1:
            place = next(word for word in _WORDS.finditer(bound) if word[0] == sides[held])
            yield bound[: place.start()] + sides[wanted] + bound[place.end() :]


def _is_at_hand(name: str, body: Body) -> bool:
    known = set(body.scope.parameters) | set(body.scope.values) | set(body.scope.types)
    return name in known or any(node.kind == "field_expression" and node.text == name for node in body.nodes)


def _is_compared(name: str, side: str, body: Body) -> bool:
    """Somewhere the coordinate is held against its own side, or against something that is made of it."""
    return any(
        node.op in _COMPARED and name in _names(node) and side in _names(node)
        for node in body.nodes
        if node.kind == "binary_expression"
    )


def _names(node: Syntax) -> set[str]:
    return {part.text for part in node.walk() if part.kind in ("identifier", "field_expression")}
