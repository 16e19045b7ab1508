"""Kernels over the pixels of tiles, whose grid is a number of tiles that the launching function was given.

    void render(dim3 tiles, dim3 block, dim3 size, ...) { k<<<tiles, block>>>(size, ...); }
    k:  i = blockIdx.y * blockDim.y + threadIdx.y;  j = ...;  image[i * size.x + j] = v;     // tiles cover more than size

The size that is the stride of a row is no number of tiles: the last tiles reach beyond it, and no condition asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.launch_text import kernels_by_name, text_launches
from cudalint.analysis.text.scopes import POINTER
from cudalint.analysis.text.text_program import Body, Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

_PLACE = r"blockIdx\s*\.\s*{0}\s*\*\s*blockDim\s*\.\s*{0}\s*\+\s*threadIdx\s*\.\s*{0}"
_DECIDES = ("if_statement", "for_statement", "while_statement", "conditional_expression")


def tile_tails(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each kernel: the flat place, with the first write there."""
    program = program_of(outline)
    kernels = kernels_by_name(outline)
    by_function = {id(body.function): body for body in bodies(program, ("kernel",))}
    told: set[int] = set()
    for launch in text_launches(program):
        candidates = kernels.get(launch.kernel, [])
        if len(candidates) != 1 or id(candidates[0]) in told or not _is_given(launch, program):
            continue
        body = by_function[id(candidates[0])]
        flat = _flat_place(body)
        write = _write_at(flat[0], body) if flat is not None and not _is_asked(set(flat), body) else None
        if flat is not None and write is not None:
            told.add(id(candidates[0]))
            place = body.scope.values[flat[0]][0]
            text = f"`{flat[0]} = {short(place)}` is compared with nothing: `{short(write)}` is written beyond the size"
            yield GuardIssue(body.function, place, text, launch.written[0], behind=(write,))


def _is_given(launch: TextLaunch, program: Program) -> bool:
    """The grid is a parameter of the function, which nobody in the file calls with a quotient."""
    scope = program.scope(launch.function)
    grid = launch.written[0].text
    if grid not in scope.parameters or grid in scope.values or re.search(r"[%/]", launch.function.body.text):
        return False
    calls = program.callers(launch.function.name.rpartition("::")[2])
    return not any("/" in call.function.body.text for call in calls)


def _flat_place(body: Body) -> tuple[str, str, str] | None:
    """(flat place, row, column) of `row * width + column`, where the width comes with the height."""
    at = {axis: _variable(axis, body) for axis in "xy"}
    row, column = at["y"], at["x"]
    if row is None or column is None:
        return None
    for name, values in body.scope.values.items():
        matched = re.fullmatch(rf"{row}\s*\*\s*([\w.]+)\s*\+\s*{column}", values[0].text) if len(values) == 1 else None
        if matched is not None and matched[1].partition(".")[0] in body.scope.parameters:
            return name, row, column
    return None


def _variable(axis: str, body: Body) -> str | None:
    for name, values in body.scope.values.items():
        if len(values) == 1 and re.fullmatch(_PLACE.format(axis), values[0].text):
            return name
    return None


def _is_asked(names: set[str], body: Body) -> bool:
    """A condition mentions the place, or what is made of it; so may a function that is given it."""
    made = set(names)
    for _ in range(2):
        for name, values in body.scope.values.items():
            if any(not made.isdisjoint(names_in(value)) for value in values) and not _is_floating(name, body):
                made.add(name)
    for node in body.nodes:
        condition = node.child("condition") if node.kind in _DECIDES else None
        if condition is not None and not made.isdisjoint(names_in(condition)):
            return True
        arguments = node.child("arguments") if node.kind == "call_expression" else None
        if arguments is not None and not names.isdisjoint(names_in(arguments)):
            return True
    return False


def _is_floating(name: str, body: Body) -> bool:
    return body.scope.types.get(name) == "floating"


def _write_at(flat: str, body: Body) -> Syntax | None:
    for node in body.nodes:
        left = node.child("left") if node.kind == "assignment_expression" else None
        if left is not None and left.kind == "subscript_expression" and left.children[-1].text == flat:
            if (
                left.children[0].text in body.scope.parameters
                and body.scope.types.get(left.children[0].text) == POINTER
            ):
                return left
    return None
