"""Grids whose sides count each other's sizes.

const int row = blockIdx.x, column = blockIdx.y * blockDim.x + threadIdx.x;
if (column < width) x[row * width + column] = 0;

k<<<dim3(width / 256, rows), 256>>>(x, rows, width);      // the kernel has the width on y, the grid on x
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, permutations

from cudalint.analysis.floored_grids import declared_value
from cudalint.analysis.guard_patterns import Body, bodies, closure_of, names_in
from cudalint.analysis.launch_patterns import WrongLaunch
from cudalint.analysis.launch_text import kernels_by_name, text_launches, wrapped_launches
from cudalint.analysis.scopes import Scope
from cudalint.analysis.text_program import Program, TextLaunch
from cudalint.ir.syntax import Outline, Syntax

_ORDERS = ("<", "<=", ">", ">=")
_BLOCK = re.compile(r"block|thread|tile|warp|dim3|^(std|ceil|min|max|div|size_t)$|ceil_?div|div_?up", re.IGNORECASE)


def crossed_sides(outline: Outline) -> Iterator[WrongLaunch]:
    """One for each launch: what the kernel compares along one side is counted on another one, and not on its own."""
    program = Program(outline)
    kernels = kernels_by_name(outline)
    by_function = {id(body.function): body for body in bodies(program, ("kernel",))}
    told: set[int] = set()
    for launch in chain(text_launches(program), wrapped_launches(program)):
        candidates = kernels.get(launch.kernel, [])
        if len(candidates) != 1 or "gridDim" in candidates[0].body.text or launch.node.start in told:
            continue
        body, scope = by_function[id(candidates[0])], program.scope(launch.function)
        counted = {axis: _sizes_of(side, scope) for axis, side in zip("xyz", launch.grid)}
        compared = {axis: set(_compared(axis, launch, scope, body)) for axis in "xyz"}
        for a, b in permutations("xyz", 2):
            size = counted[a] & compared[b]
            if size and counted[b] and not (counted[a] | compared[b]) & counted[b] and not counted[a] & compared[a]:
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
    """Names of the sizes in an expression; a member or a method of an object is one name with it."""
    found = {node.text for node in value.walk() if node.kind == "identifier"}
    if any(node.kind in ("call_expression", "field_expression") and "." in node.text for node in value.walk()):
        found = {"".join(value.text.split())}
    for name in sorted(found):
        values = scope.values.get(name, [])
        if len(values) == 1:
            source = values[0]
            plain = all(node.kind in ("identifier", "binary_expression", "number_literal") for node in source.walk())
            found |= names_in(source) if plain else {"".join(source.text.split())}
    return {name for name in found if _BLOCK.search(name) is None}


def _compared(axis: str, launch: TextLaunch, scope: Scope, body: Body) -> Iterator[str]:
    """The names of what the kernel is given for the bounds of places along this side of the grid alone."""
    given = dict(zip(body.scope.parameters, launch.arguments))
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind != "binary_expression" or node.op not in _ORDERS or left is None or right is None:
            continue
        for place, bound in ((left, right), (right, left)):
            if bound.text in given and _is_along(axis, place, body):
                yield from _with_sources(given[bound.text], scope)


def _is_along(axis: str, place: Syntax, body: Body) -> bool:
    made = names_in(place).union(*(closure_of(name, body) for name in names_in(place)))
    sides = {name[-1] for name in made if re.fullmatch(r"blockIdx\s*\.\s*[xyz]", name)}
    return sides == {axis} and not (place.kind == "identifier" and place.text in body.scope.grown)
