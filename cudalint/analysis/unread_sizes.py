"""Kernels that get the size a grid is rounded up from, never look at it, and write at their place in the grid.

set<<<(n + 255) / 256, 256>>>(x, n);      __global__ void set(view x, int n) { int i = ...; x(i) = 1; }
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.guard_patterns import GuardIssue, names_in, short
from cudalint.analysis.launched_kernels import launched_kernels
from cudalint.analysis.scopes import INT, UNSIGNED, WIDE
from cudalint.analysis.tail_patterns import is_element, is_rounded_up, size_of_side, worked_out
from cudalint.analysis.text_program import Body, Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

_REDUCED = re.compile(r"\b(min|max|clamp\w*)\b|[%&?]")


def unread_sizes(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each kernel."""
    program = program_of(outline)
    reported: set[int] = set()
    for launch, body in launched_kernels(program, outline):
        if id(body.function) in reported:
            continue
        for axis, side in zip("xyz", launch.grid):
            rounded = side is not None and is_rounded_up(side, launch, program)
            unread = _unread(side, launch, body, program) if side is not None and rounded else None
            written = _written(axis, body) if unread is not None else None
            if written is not None:
                reported.add(id(body.function))
                text = f"`{short(written)}` is written by every thread of a grid that is rounded up from `{unread}`"
                yield GuardIssue(body.function, written, f"{text}, which the kernel never reads", side)
                break


def _unread(side: Syntax, launch: TextLaunch, body: Body, program: Program) -> str | None:
    """A parameter for the size that the side of the grid counts, which the kernel's body does not mention."""
    size = size_of_side(side, program.scope(launch.function))
    counted = "" if size is None else "".join(size.text.split())
    for name, argument in zip(body.scope.parameters, launch.arguments):
        given = "".join(argument.text.split())
        number = body.scope.types.get(name) in (INT, UNSIGNED, WIDE) and not argument.kind.endswith("literal")
        named = re.search(rf"(?<![\w.>]){re.escape(given)}(?!\w|->|\.)", counted) is not None
        if number and named and re.search(rf"\b{re.escape(name)}\b", body.function.body.text) is None:
            return name
    return None


def _written(axis: str, body: Body) -> Syntax | None:
    """The first assignment to an element chosen by a place along the axis that no condition mentions."""
    for name in sorted(body.positions):
        if not is_element(body.scope.values[name][0], axis):
            continue
        derived = worked_out(name, body)
        conditions = [c for node in body.nodes if (c := node.child("condition")) is not None]
        if any(not derived.isdisjoint(names_in(condition)) for condition in conditions):
            continue
        if any(_REDUCED.search(value.text) for each in derived for value in body.scope.values.get(each, [])):
            continue
        for node in body.nodes:
            left = node.child("left") if node.kind == "assignment_expression" else None
            if left is not None and left.kind in ("subscript_expression", "call_expression"):
                if not derived.isdisjoint(names_in(left)):
                    return left
    return None
