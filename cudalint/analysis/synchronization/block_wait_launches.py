"""Whether the launches of a kernel in its file make all of its blocks run at once."""

from __future__ import annotations

import re
from enum import Enum

from cudalint.analysis.synchronization.grid_sources import is_of_device, literal_number, sources
from cudalint.analysis.text.guard_patterns import names_in
from cudalint.analysis.text.launch_text import launches_of, wrapped_launches
from cudalint.analysis.text.text_program import Program, TextLaunch
from cudalint.ir.syntax import Syntax, TextFunction

_FEW = 64  # blocks that run at once on all devices that matter
_MANY = 1 << 13  # blocks that none holds


class Residence(Enum):
    ENSURED = "a cooperative launch, or a grid that the device bounds"
    UNKNOWN = "no launch in sight, or one that may be small enough"
    OPEN = "a grid that grows with the problem"


def residence_of(kernel: str, program: Program) -> Residence:
    """The worst of the launches; one that is cooperative says that the others are made with care, too."""
    name = kernel.rpartition("::")[2].partition("<")[0]
    launches = [*launches_of(name, program), *(w for w in wrapped_launches(program) if w.kernel == name)]
    found = [_of_launch(launch, program) for launch in launches]
    if Residence.ENSURED in found:
        return Residence.ENSURED
    if not found:
        text = program.outline.root.file.text
        return Residence.ENSURED if re.search(r"Cooperative|cooperative", text) else Residence.UNKNOWN
    return Residence.OPEN if Residence.OPEN in found else Residence.UNKNOWN


def _of_launch(launch: TextLaunch, program: Program) -> Residence:
    callee = launch.node.child("function")
    if "ooperative" in ("" if callee is None else callee.text) or "ttributeCooperative" in launch.function.body.text:
        return Residence.ENSURED
    sides = [side for side in launch.grid if side is not None]
    if any(is_of_device(side, launch.function, program) for side in sides):
        return Residence.ENSURED
    numbers = [_number(side, launch, program) for side in sides]
    if any(number is None for number in numbers):
        grows = any(_grows(side, launch.function, program) for side in sides)
        return Residence.OPEN if grows else Residence.UNKNOWN
    blocks = 1
    for number in numbers:
        blocks *= number or 1
    if blocks <= _FEW:
        return Residence.ENSURED
    return Residence.OPEN if blocks > _MANY else Residence.UNKNOWN


def _number(side: Syntax, launch: TextLaunch, program: Program) -> int | None:
    if side.kind == "number_literal":
        return literal_number(side)
    if side.kind == "identifier":
        if side.text in program.outline.constants:
            return program.outline.constants[side.text]
        values = program.scope(launch.function).values.get(side.text, [])
        return _number(values[0], launch, program) if len(values) == 1 and values[0] is not side else None
    return None


def _grows(side: Syntax, function: TextFunction, program: Program, depth: int = 4) -> bool:
    """A size that the host function is given, or asks for, is in it; a grid that is handed on as it is may be anything."""
    if depth == 0:
        return False
    scope = program.scope(function)
    handed = side.kind == "field_expression" or side.text in scope.parameters
    if not handed and (".size" in side.text or not names_in(side).isdisjoint(scope.parameters)):
        return True
    nodes = [side] if handed else side.walk()
    found = [source for node in nodes for source in sources(node, function, program)]
    return any(_grows(value, owner, program, depth - 1) for value, owner in found)
