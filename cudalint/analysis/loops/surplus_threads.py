"""Loops that step by the number of threads that were asked for, in a grid that is rounded up to whole blocks.

    grid = ceil(workers / 256);   for (i = tid; i < n; i += workers) slots[tid].work(i);   // tid may be workers and more

The threads behind the last worker do the work of others again, with memory that belongs to nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, closure_of, names_in, short
from cudalint.analysis.text.launch_text import launches_of
from cudalint.analysis.text.tail_patterns import is_rounded_up, size_of_side
from cudalint.analysis.text.text_program import Body, Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

_WHOLE = re.compile(r"gridDim|blockDim|grid_?size|grid_?stride|num_threads\(\)|group_dim|\.size\(\)|warpSize|WARP")
_GIVEN = ("init_declarator", "assignment_expression")
_LAST_NAME = re.compile(r"(\w+)\s*(?:\(\s*\))?$")


def surplus_threads(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each loop."""
    program = program_of(outline)
    for body in bodies(program, ("kernel",)):
        launches = launches_of(body.function.name.rpartition("::")[2].partition("<")[0], program)
        for node in body.nodes if launches else ():
            found = _loop(node, body) if node.kind == "for_statement" else None
            if found is None:
                continue
            place, step = found
            side = next((s for launch in launches if (s := _rounded_from(step, launch, body, program))), None)
            if side is not None and not _is_compared(place, step, body):
                text = f"threads with `{place} >= {short(step)}` repeat what others do"
                yield GuardIssue(body.function, node.child("condition") or node, text, side)


def _loop(loop: Syntax, body: Body) -> tuple[str, Syntax] | None:
    """The place in the grid at which a thread begins, and the step, where the body uses the place again."""
    start, step, inner = loop.child("initializer"), loop.child("update"), loop.child("body")
    if start is None or step is None or inner is None or step.kind != "assignment_expression" or step.op != "+=":
        return None
    size = step.child("right")
    value = next((n.child("value") or n.child("right") for n in start.walk() if n.kind in _GIVEN), None)
    begun = None if value is None else next((n for n in value.walk() if n.text in body.positions), None)
    if (
        size is None
        or begun is None
        or size.kind == "number_literal"
        or "blockIdx" not in _whole_text(begun.text, body)
    ):
        return None
    if begun.text not in names_in(inner) or _WHOLE.search(_whole_text(size.text, body)):
        return None
    return begun.text, size


def _whole_text(name: str, body: Body) -> str:
    """The name with everything that it is made of."""
    values = [value.text for each in {name, *closure_of(name, body)} for value in body.scope.values.get(each, ())]
    return " ".join([name, *values])


def _rounded_from(step: Syntax, launch: TextLaunch, body: Body, program: Program) -> Syntax | None:
    """The side of the grid that is rounded up from the step's size."""
    side = launch.grid[0]
    value = size_of_side(side, program.scope(launch.function)) if side is not None else None
    if side is None or value is None or not is_rounded_up(side, launch, program):
        return None
    sizes = names_in(value) - names_in(launch.written[1])
    return side if not sizes.isdisjoint(_named_at_launch(step, launch, body)) else None


def _named_at_launch(step: Syntax, launch: TextLaunch, body: Body) -> set[str]:
    """What the launch calls the step: the argument of a parameter, or the member that the kernel asks for."""
    found: set[str] = set()
    for each in {step.text, *closure_of(step.text, body)}:
        if each in body.scope.parameters:
            position = body.scope.parameters.index(each)
            if position < len(launch.arguments) and each == step.text:
                found |= names_in(launch.arguments[position])
    for value in body.scope.values.get(step.text, [step]):
        member = _LAST_NAME.search(value.text)
        if member is not None and value.kind in ("call_expression", "field_expression"):
            found.add(member[1])
    return found


def _is_compared(place: str, step: Syntax, body: Body) -> bool:
    """Some condition holds the place, or what it is called, against the step."""
    for node in body.nodes:
        if node.kind == "binary_expression" and node.op in ("<", "<=", ">", ">="):
            if place in names_in(node) and step.text in node.text:
                return True
    return False
