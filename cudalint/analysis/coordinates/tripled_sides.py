"""Guards of three coordinates of which two are held against one side, while nothing is compared with the third.

if (i >= e.nx - 1 || j >= e.ny - 1 || k >= e.ny - 1) return;        e has an nz, too
for (z < ny) for (y < ny) for (x < nx) ...                          with a parameter nz

One element has to have all three for coordinates, and no other block may take the third: a product of a matrix with rows goes along
one side twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from cudalint.analysis.coordinates.crossed_guards import reached
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in
from cudalint.analysis.text.methods import CLASSES
from cudalint.analysis.text.scopes import INT, UNSIGNED, WIDE, uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_SERIES = (
    ("x", "y", "z"), ("X", "Y", "Z"), ("i", "j", "k"), ("I", "J", "K"), ("0", "1", "2"), ("1", "2", "3"),
    ("w", "h", "d"), ("W", "H", "D"), ("width", "height", "depth"), ("Width", "Height", "Depth"),
    ("cols", "rows", "slices"), ("col", "row", "slice"), ("column", "row", "slice"), ("columns", "rows", "slices"),
)  # fmt: skip
_WORD = re.compile(r"\d|[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_COMPARED = ("<", "<=", ">", ">=", "==", "!=")
_ORDERS = ("<", "<=", ">", ">=")
_INTEGERS = (INT, UNSIGNED, WIDE)
_BLOCK = re.compile(r"blockIdx\.[xyz]")
_MEMBER = re.compile(r"\.|->")
_VECTOR = re.compile(r"dim3|u?int3")


def tripled_sides(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each function with such guards."""
    for body in bodies(program_of(outline)):
        held = _held(body)
        suspects = list(_doubled(held, body)) if len(held) > 2 else []
        found = next((pair for _, *pair in sorted(suspects, key=lambda each: each[0])), None)
        if found is not None:
            name, meant = found
            bound = held[name][0]
            text = f"`{name}` is held against `{bound.text}`, which is the end of another coordinate; `{meant}` is asked nowhere"
            yield GuardIssue(body.function, bound, text, reached(name, bound.end, body))


def _held(body: Body) -> dict[str, list[Syntax]]:
    """What each variable is compared with, where that is a side or a sum with one."""
    found: dict[str, list[Syntax]] = {}
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind != "binary_expression" or node.op not in _ORDERS or left is None or right is None:
            continue
        name = uncast(left)
        while name.kind in ("parenthesized_expression", "binary_expression") and name.children:
            name = name.children[0]
        if name.kind == "identifier" and _side(right):
            found.setdefault(name.text, []).append(right)
    return found


def _side(bound: Syntax) -> str:
    """`e.ny` of `e.ny - 1`; empty for what is no side."""
    bound = uncast(bound)
    while bound.kind == "parenthesized_expression" or (bound.kind == "binary_expression" and bound.op in ("+", "-")):
        bound = uncast(bound.children[0])
    return bound.bare if bound.kind in ("identifier", "field_expression", "subscript_expression") else ""


def _doubled(held: dict[str, list[Syntax]], body: Body) -> Iterator[tuple[bool, str, str]]:
    """(whether the sides are in the opposite order, coordinate that is held against the side of another one, its own side)."""
    sides = {name: {_side(bound) for bound in bounds} for name, bounds in held.items()}
    single = {name: next(iter(each)) for name, each in sides.items() if len(each) == 1}
    for names in combinations(sorted(single), 3):
        order = _order(names)
        if order is None:
            continue
        ends = [single[name] for name in order]
        for place, twin in ((p, t) for p in range(3) for t in range(3) if p != t and ends[p] == ends[t]):
            other = next(each for each in range(3) if each not in (place, twin))
            if ends[other] == ends[place] or not _is_alone(order[place], order[twin], held):
                continue
            for meant, numbers in _third(ends[other], ends[place]):
                told = {other: numbers[0], twin: numbers[1], place: numbers[2]}
                straight = all(at == number for at, number in told.items())
                turned = all(at == 2 - number for at, number in told.items())
                if not (straight or turned) or not _is_at_hand(meant, body) or _is_compared(meant, body):
                    continue
                if _are_of_one_element(order, body) and not _has_other_block(order, body):
                    if not _are_one_length(ends[place], meant, body):
                        yield not straight, order[place], meant


def _are_of_one_element(names: list[str], body: Body) -> bool:
    """An index with its pointer, or the arguments of a call, are made of all three."""
    for node in body.nodes:
        if node.kind == "subscript_expression" and set(names) <= _made_of(node, names, body):
            return True
        if node.kind == "argument_list" and len(node.children) >= len(names):
            if all(any(names_in(argument) == {name} for argument in node.children) for name in names):
                return True
    return False


def _made_of(node: Syntax, names: list[str], body: Body) -> set[str]:
    """The names of an expression and of what its variables are made of, up to the coordinates."""
    found: set[str] = set()
    waiting = names_in(node)
    while waiting:
        found |= waiting
        values = [value for name in waiting if name not in names for value in body.scope.values.get(name, [])]
        waiting = set().union(*map(names_in, values)) - found
    return found


def _has_other_block(names: list[str], body: Body) -> bool:
    """`blockIdx.z` in a function none of whose coordinates is made of it: it may be the third."""
    own = {block for name in names for block in _blocks(body.scope.values.get(name, []), body)}
    return any(block not in own for block in _BLOCK.findall(body.function.body.bare))


def _blocks(values: list[Syntax], body: Body) -> Iterator[str]:
    for value in values:
        yield from _BLOCK.findall(value.bare)
        for name in sorted(_made_of(value, [], body)):
            yield from (block for each in body.scope.values.get(name, []) for block in _BLOCK.findall(each.bare))


def _are_one_length(side: str, meant: str, body: Body) -> bool:
    """`if (ny != nz) return;` somewhere in the file: the two sides are asked to be the same."""
    wanted = sorted(_MEMBER.split(each)[-1] for each in (side, meant))
    equal = (n for n in body.scope.outline.root.walk() if n.op in ("==", "!=") and len(n.children) == 2)
    return any(sorted(_MEMBER.split(part.bare)[-1] for part in node.children) == wanted for node in equal)


def _is_alone(name: str, twin: str, held: dict[str, list[Syntax]]) -> bool:
    """Both are held against the side in the same way."""
    return {bound.bare for bound in held[name]} == {bound.bare for bound in held[twin]}


def _order(names: tuple[str, ...]) -> list[str] | None:
    """The three names of coordinates in the order of their axes, as they are called."""
    for series in _SERIES:
        stems = {name: list(_in_series(name, series)) for name in names}
        for stem, _ in stems[names[0]]:
            numbered = {number: name for name in names for other, number in stems[name] if other == stem}
            if len(numbered) == 3 and len(set(numbered.values())) == 3:
                return [numbered[number] for number in range(3)]
    return None


def _in_series(name: str, series: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    """(name without the word or the letter that tells the axis, number of the axis)."""
    for number, part in enumerate(series):
        if len(part) > 1:
            for word in _WORD.finditer(name):
                if word[0] == part:
                    yield name[: word.start()] + "#" + name[word.end() :], number
        else:
            for at, letter in enumerate(name):
                if letter == part:
                    yield name[:at] + "#" + name[at + 1 :], number


def _third(one: str, two: str) -> Iterator[tuple[str, tuple[int, int, int]]]:
    """(side that is missing, axes of the one, of the two and of the missing side)."""
    for series in _SERIES:
        for stem, first in _in_series(one, series):
            for other, second in _in_series(two, series):
                if other == stem and first != second:
                    third = 3 - first - second
                    yield stem.replace("#", series[third], 1), (first, second, third)


def are_of_two_axes(one: str, two: str) -> bool:
    """`width` and `height`, `e.nx` and `e.ny`: called alike, but for what tells the axis."""
    return next(_third(one, two), None) is not None


def _is_at_hand(side: str, body: Body) -> bool:
    """A whole number that the function is given, or a member of an object that it is given."""
    owner, _, member = side.replace("->", ".").rpartition(".")
    if not owner:
        return side in body.scope.parameters and body.scope.types.get(side) in _INTEGERS
    structure = body.scope.structures.get(owner, "")
    if _VECTOR.fullmatch(structure):
        return member in "xyz"
    for node in body.scope.outline.root.walk():
        name, inside = node.child("name"), node.child("body")
        if node.kind in CLASSES and name is not None and name.text == structure and inside is not None:
            fields = (n for child in inside.children if child.kind == "field_declaration" for n in child.walk())
            return any(n.kind == "field_identifier" and n.text == member for n in fields)
    return False


def _is_compared(side: str, body: Body) -> bool:
    """Anything is held against the side, or a variable is made of it."""
    found = re.compile(rf"(?<![\w.>]){re.escape(side)}(?!\w)")
    nodes = (n for n in body.nodes if n.kind == "binary_expression" and n.op in _COMPARED)
    values = (value for each in body.scope.values.values() for value in each if "[" not in value.text)
    return any(found.search(node.bare) for node in nodes) or any(_is_made_of(found, value) for value in values)


def _is_made_of(side: re.Pattern[str], value: Syntax) -> bool:
    """`last = nz - 1`: not an index in which the side is a length of rows."""
    return side.search(value.bare) is not None and "*" not in value.bare
