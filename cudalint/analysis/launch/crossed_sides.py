"""Grids whose sides count each other's sizes.

const int row = blockIdx.x, column = blockIdx.y * blockDim.x + threadIdx.x;
if (column < width) x[row * width + column] = 0;

k<<<dim3(width / 256, rows), 256>>>(x, rows, width);      // the kernel has the width on y, the grid on x
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations

from cudalint.analysis.launch.floored_grids import declared_value
from cudalint.analysis.launch.launch_patterns import WrongLaunch
from cudalint.analysis.text.guard_patterns import names_in
from cudalint.analysis.text.launched_kernels import launched_kernels
from cudalint.analysis.text.scopes import Scope
from cudalint.analysis.text.text_program import Body, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

_ORDERS = ("<", "<=", ">", ">=")
_BRANCHES = (
    "if_statement",
    "for_statement",
    "while_statement",
    "do_statement",
    "switch_statement",
    "lambda_expression",
)
MOST_NAMES = 40
_BLOCK = re.compile(r"block|thread|tile|warp|dim3|^(std|ceil|min|max|div|size_t)$|ceil_?div|div_?up", re.IGNORECASE)


def crossed_sides(outline: Outline) -> Iterator[WrongLaunch]:
    """One for each launch: what the kernel compares along one side is counted on another one, and not on its own."""
    program = program_of(outline)
    told: set[int] = set()
    for launch, body in launched_kernels(program, outline):
        if "gridDim" in body.function.body.text or launch.node.start in told:
            continue
        scope = program.scope(launch.function)
        counted = {axis: _sizes_of(side, scope) for axis, side in zip("xyz", launch.grid)}
        compared = {axis: set(_compared(axis, launch, scope, body)) for axis in "xyz"}
        for a, b in permutations("xyz", 2):
            here, there = counted[a] - counted[b], counted[b] - counted[a]
            size = here & compared[b]
            if size and there and not there & compared[b] and not here & compared[a]:
                told.add(launch.node.start)
                name = min(size, key=lambda name: (not name.isidentifier(), name))
                text = f"the grid counts `{name}` along {a}, the kernel compares `{name}` along {b}"
                yield WrongLaunch(launch, launch.node, text, True)
                break


def _sizes_of(side: Syntax | None, scope: Scope) -> set[str]:
    """What a side is made of: names of data, and what they were declared with."""
    if side is None:
        return set()
    value = declared_value(side, scope)
    return _with_sources(side, scope) | (set() if value is None else _with_sources(value, scope))


def _with_sources(value: Syntax, scope: Scope) -> set[str]:
    found = set(_names(value))
    for name in sorted(found):
        values = scope.values.get(name, [])
        if len(values) == 1:
            found |= set(_names(values[0]))
    return {name for name in found if _BLOCK.search(name) is None}


def _names(node: Syntax) -> Iterator[str]:
    """The sizes in an expression; a member, an element or the answer of a method is one name."""
    callee = node.child("function") if node.kind == "call_expression" else None
    if node.kind in ("field_expression", "subscript_expression") or (callee is not None and "." in callee.text):
        yield node.bare
    elif node.kind == "identifier":
        yield node.text
    else:
        arguments = node.child("arguments") if callee is not None else None
        for child in node.children if arguments is None else arguments.children:
            yield from _names(child)


def _compared(axis: str, launch: TextLaunch, scope: Scope, body: Body) -> Iterator[str]:
    """The names of what the kernel is given for the bounds of places along this side of the grid alone."""
    given = dict(zip(body.scope.parameters, launch.arguments))
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind != "binary_expression" or node.op not in _ORDERS or left is None or right is None:
            continue
        for place, bound in ((left, right), (right, left)):
            first = bound.children[0] if bound.op in ("+", "-") and bound.children else bound  # `width - border`
            if first.text in given and _is_along(axis, place, body):
                yield from _with_sources(given[first.text], scope)
            elif (member := _member_of(first, given)) and _is_along(axis, place, body):
                yield member


def _member_of(bound: Syntax, given: dict[str, Syntax]) -> str:
    """`picture.width` of the launch for the kernel's `image.width`, where that is passed as it is."""
    base, field = bound.child("argument"), bound.child("field")
    passed = given.get(base.text) if bound.kind == "field_expression" and base is not None else None
    if passed is None or field is None or passed.kind not in ("identifier", "field_expression"):
        return ""
    return f"{passed.bare}.{field.text}"


def _is_along(axis: str, place: Syntax, body: Body) -> bool:
    sides = {name[-1] for name in _made_of(place, body) if re.fullmatch(r"blockIdx\s*\.\s*[xyz]", name)}
    return sides == {axis} and not (place.kind == "identifier" and place.text in body.scope.grown)


def _made_of(place: Syntax, body: Body) -> set[str]:
    """All names that the place comes from, by the values that they have there: a transpose gives `x` and `y` new ones halfway."""
    found: set[str] = set()
    pending = [place]
    while pending and len(found) < MOST_NAMES:
        node = pending.pop()
        for name in sorted(names_in(node) - found):
            found.add(name)
            pending += _values_at(name, node, body)
    return found


def _values_at(name: str, place: Syntax, body: Body) -> list[Syntax]:
    """What the name is there: the last value before it, where no condition or loop lies around that, else any of them."""
    values = body.scope.values.get(name, [])
    before = [value for value in values if value.end <= place.start]
    if not before or any(parent.kind in _BRANCHES for parent, _ in body.ancestors(before[-1])):
        return values
    return before[-1:]
