"""Loops over the whole grid that go on by their own end, so that each thread does one element and the rest are left.

for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += n) y[i] = x[i];             gridDim.x * blockDim.x was meant
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, is_placed, short
from cudalint.analysis.text.launched_kernels import launched_kernels
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.tail_patterns import is_rounded_up, size_of_side
from cudalint.analysis.text.text_program import Body, Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

_LIMITED = re.compile(r"\bmin\b|clamp|\?", re.IGNORECASE)


def single_rounds(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each loop of a kernel that no launch supplies a thread for each element."""
    program = program_of(outline)
    launches: dict[int, list[TextLaunch]] = {}
    for launch, body in launched_kernels(program, outline):
        launches.setdefault(id(body.function), []).append(launch)
    for body in bodies(program, ("kernel",)):
        if any(_covers(launch, program) for launch in launches.get(id(body.function), [])):
            continue
        for loop in body.nodes:
            step = _own_end(loop, body) if loop.kind == "for_statement" else None
            if step is not None:
                text = f"`{short(step)}` takes every thread behind the end: the loop has one round"
                yield GuardIssue(body.function, step, text, loop.child("condition"))


def _own_end(loop: Syntax, body: Body) -> Syntax | None:
    """The step `i += n` of a loop that begins at the place in the launch and ends at n."""
    condition, step = loop.child("condition"), loop.child("update")
    if condition is None or step is None or condition.op != "<" or step.op != "+=" or len(step.children) != 2:
        return None
    counter, bound = condition.children
    target, added = step.children
    same = target.text == counter.text and uncast(added).bare == uncast(bound).bare
    plain = bound.kind in ("identifier", "field_expression")
    return step if same and plain and is_placed(counter.text, body) else None


def _covers(launch: TextLaunch, program: Program) -> bool:
    """The grid has a thread for each element: further rounds are not needed."""
    side = launch.grid[0]
    value = None if side is None else size_of_side(side, program.scope(launch.function))
    return side is not None and is_rounded_up(side, launch, program) and not _LIMITED.search((value or side).text)
