"""The width and the height of one thing that are given for each other's parameters.

__global__ void resize(const uint8_t* src, int src_h, int src_w, ...);
resize<<<grid, block>>>(in.pixels, in.size.width, in.size.height, ...);
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from cudalint.analysis.launch.launch_patterns import WrongLaunch
from cudalint.analysis.text.launch_text import kernels_by_name, text_launches
from cudalint.analysis.text.scopes import FLOATING, POINTER, Scope, uncast
from cudalint.analysis.text.text_program import Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_ACROSS = ("w", "width", "cols", "columns", "ncols", "ncolumns")
_DOWN = ("h", "height", "rows", "nrows")
_ALONG = {**dict.fromkeys(_ACROSS, "across"), **dict.fromkeys(_DOWN, "down")}
_BY_AXIS = {"x": "across", "y": "down"}  # of something that has no rows or columns
_OF_A_MATRIX = ("rows", "nrows", "cols", "columns", "ncols", "ncolumns")
_ON_PURPOSE = re.compile(r"transpos|major|rotat|permut|flip", re.IGNORECASE)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


@dataclass(frozen=True, slots=True)
class Side:
    """`along` is where it lies, `of` what it is the side of, `word` how the name says so."""

    along: str
    of: str
    word: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sides of one thing, `one` and `other`, that two parameters for such sides are given."""

    first: str
    second: str
    one: Syntax
    other: Syntax
    of: str
    right: bool


def swapped_sides(outline: Outline) -> Iterator[WrongLaunch]:
    """One for each pair; who gives a kernel the same two sides in both orders transposes on purpose."""
    program = program_of(outline)
    kernels = kernels_by_name(outline)
    known = [launch for launch in text_launches(program) if len(kernels.get(launch.kernel, [])) == 1]
    pairs = [(launch, list(_pairs(launch, kernels[launch.kernel][0], program))) for launch in known]
    for launch, given in pairs:
        if _is_on_purpose(launch, kernels[launch.kernel][0]):
            continue
        others = [pair for each, found in pairs if each.kernel == launch.kernel for pair in found if pair.right]
        for pair in given:
            if pair.right or any(pair.first == each.first for each in others):
                continue
            if not is_laid_out_so(pair, launch, kernels[launch.kernel][0], program):
                text = f"`{pair.one.text}` is given for `{pair.first}`, `{pair.other.text}` for `{pair.second}`"
                yield WrongLaunch(launch, pair.one, text, True)


def is_laid_out_so(pair: Pair, launch: TextLaunch, kernel: TextFunction, program: Program) -> bool:
    """The side of the grid whose place the kernel compares with a parameter is made of the size that is given for it."""
    scope, host = program.scope(kernel), program.scope(launch.function)
    for node in kernel.body.walk():
        if node.kind != "binary_expression" or node.op not in ("<", ">=") or len(node.children) != 2:
            continue
        place, bound = node.children
        size = {pair.first: pair.one, pair.second: pair.other}.get(bound.text)
        texts = [place.text, *(v.text for part in place.walk() for v in scope.values.get(part.text, ()))]
        axes = [axis for axis in range(3) if any(f"blockIdx.{'xyz'[axis]}" in text for text in texts)]
        sides = [side for axis in axes if (side := launch.grid[axis]) is not None] if size is not None else []
        made = [part.bare for side in sides for part in _with_values(side, host)]
        if size is not None and uncast(size).bare in made:
            return True
    return False


def _with_values(side: Syntax, host: Scope) -> list[Syntax]:
    values = [value for part in side.walk() for value in host.values.get(part.text, ())]
    return [*side.walk(), *(part for value in values for part in value.walk())]


def _is_on_purpose(launch: TextLaunch, kernel: TextFunction) -> bool:
    texts = (launch.kernel, launch.function.name, launch.function.body.text, kernel.body.text)
    return any(_ON_PURPOSE.search(text) for text in texts)


def _pairs(launch: TextLaunch, kernel: TextFunction, program: Program) -> Iterator[Pair]:
    scope, host = program.scope(kernel), program.scope(launch.function)
    names, arguments = scope.parameters, launch.arguments
    for (first, one), (second, other) in combinations(zip(names, arguments) if len(names) == len(arguments) else (), 2):
        if scope.types.get(first) in (POINTER, FLOATING) or scope.types.get(first) != scope.types.get(second):
            continue
        p, q = _side(first), _side(second)
        a, b = _side_of(one, host), _side_of(other, host)
        if p is None or q is None or a is None or b is None or not (_belong(p, q) and _belong(a, b)):
            continue
        if _may_mean(p, a) and _may_mean(q, b):
            yield Pair(first, second, one, other, a.of, p.along == a.along)


def _belong(one: Side, other: Side) -> bool:
    """The two sides of one thing."""
    return one.of == other.of and one.along != other.along and (one.word in _BY_AXIS) == (other.word in _BY_AXIS)


def _may_mean(parameter: Side, argument: Side) -> bool:
    """Rows and columns are no axes: x counts the rows of some matrices."""
    words = {parameter.word, argument.word}
    return words.isdisjoint(_BY_AXIS) or words.isdisjoint(_OF_A_MATRIX)


def _side_of(argument: Syntax, host: Scope) -> Side | None:
    """A variable or a member, not one whose value is called after the other side."""
    node = uncast(argument)
    callee, given = node.child("function"), node.child("arguments")
    if callee is not None and given is not None and not given.children and callee.kind == "field_expression":
        node = callee
    if node.kind not in ("identifier", "field_expression"):
        return None
    side = _side(node.bare)
    behind = [_side(uncast(value).bare) for value in host.values.get(node.bare, ())]
    return None if side is None or any(each is not None and each.along != side.along for each in behind) else side


def _side(name: str) -> Side | None:
    """`in.size.width` is the side across of `in.size`; nothing where a name has both sides, or none."""
    base, _, last = name.replace("->", ".").rpartition(".")
    words = [word.lower() for word in _WORD.findall(last)]
    named = [word for word in words if word in _ALONG]
    found = named or [word for word in words if word in _BY_AXIS]
    if len(found) != 1:
        return None
    rest = [word for word in words if word != found[0]]
    return Side({**_ALONG, **_BY_AXIS}[found[0]], ".".join([*([base] if base else []), *rest]), found[0])


def side_pair(first: str, second: str, one: Syntax, other: Syntax) -> Pair | None:
    """Two parameters for the sides of one thing, and what is given for them."""
    p, q = _side(first), _side(second)
    return Pair(first, second, one, other, p.of, False) if p is not None and q is not None and _belong(p, q) else None
