"""Calls that hand a function of the file a coordinate where it compares the other one with its side.

bool inside(int y, int x, int height, int width) { return y >= 0 && y < height && x >= 0 && x < width; }
if (inside(x, y, height, width)) ...
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_OF = r"(^|_|\.|>)(i|o|in|inp|out|s|src|d|dst|n|c|p|t|b|img|image|input|output|new|cur)?_?"
_ACROSS = re.compile(rf"{_OF}(xx?|w|cols?|column)_?\d?$")
_DOWN = re.compile(rf"{_OF}(yy?|h|rows?)_?\d?$")
_WIDTH = re.compile(rf"{_OF}(w|width|cols|columns)$", re.IGNORECASE)
_HEIGHT = re.compile(rf"{_OF}(h|height|rows)$", re.IGNORECASE)
Pairs = dict[int, tuple[int, str]]


def crossed_arguments(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each call whose coordinates, or whose sides, stand in the other order."""
    every = list(bodies(program_of(outline)))
    helpers: dict[str, list[Pairs]] = {}
    for body in every:
        if body.function.role == "device":
            helpers.setdefault(body.function.name, []).append(_compared(body))
    known = {name: found[0] for name, found in helpers.items() if len(found) == 1 and len(found[0]) == 2}
    for body in every if known else ():
        calls = list(_calls(body, known))
        straight = {name for name, _, given, pairs in calls if not _is_all_crossed(given, pairs)}
        for name, node, given, pairs in calls:
            if name in straight or _is_turned(node, given, pairs, body):
                continue
            first, (side, _) = min(pairs.items())
            text = f"`{name}` holds `{short(given[first])}` against `{short(given[side])}`"
            yield GuardIssue(body.function, node, text)


def _calls(body: Body, known: dict[str, Pairs]) -> Iterator[tuple[str, Syntax, tuple[Syntax, ...], Pairs]]:
    for node in body.nodes:
        callee, given = node.child("function"), node.child("arguments")
        pairs = known.get(callee.text) if node.kind == "call_expression" and callee is not None else None
        if pairs is not None and callee is not None and given is not None and len(given.children) > max(_places(pairs)):
            yield callee.text, node, given.children, pairs


def _is_all_crossed(given: tuple[Syntax, ...], pairs: Pairs) -> bool:
    return all(_is_crossed(given[place], given[side]) for place, (side, _) in pairs.items())


def _is_turned(call: Syntax, given: tuple[Syntax, ...], pairs: Pairs, body: Body) -> bool:
    """Its coordinates are of a turned image: they are set anew, or `out[y * height + x]` follows, where x is below height."""
    following = "".join(body.function.body.file.text[call.end : body.function.body.end].split())
    for place, (other, _) in pairs.items():
        if any(len(body.scope.values.get(name, ())) > 1 for name in names_in(given[place])):
            return True
        one, side = re.escape(given[place].bare), re.escape(given[other].bare)
        if re.search(rf"\*{side}\+{one}\b|\b{side}\*\w+\+{one}\b|\b{one}\+[^;=]*\*{side}\b", following):
            return True
    return False


def _places(pairs: Pairs) -> Iterator[int]:
    for place, (side, _) in pairs.items():
        yield from (place, side)


def _compared(body: Body) -> Pairs:
    """By the place of each coordinate the place of the side that it is kept below, where names say that they belong together."""
    names = body.scope.parameters
    found: Pairs = {}
    for node in body.nodes:
        if node.kind != "binary_expression" or node.op not in ("<", ">=") or len(node.children) != 2:
            continue
        left, right = (child.text for child in node.children)
        if left not in names or right not in names:
            continue
        across = _ACROSS.search(left) is not None and _WIDTH.search(right) is not None
        down = _DOWN.search(left) is not None and _HEIGHT.search(right) is not None
        if across or down:
            found[names.index(left)] = (names.index(right), "x" if across else "y")
    return found if {axis for _, axis in found.values()} == {"x", "y"} else {}


def _is_crossed(coordinate: Syntax, side: Syntax) -> bool:
    """`x` with `height`, `y0 + 1` with `width`."""
    names, sides = names_in(coordinate), names_in(side)
    if not names or len(sides) != 1:
        return False
    limit = next(iter(sides))
    if all(_ACROSS.search(name) for name in names):
        return _HEIGHT.search(limit) is not None
    return all(_DOWN.search(name) for name in names) and _WIDTH.search(limit) is not None
