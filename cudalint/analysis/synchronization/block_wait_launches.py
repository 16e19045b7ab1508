"""Whether the launches of a kernel in its file make all of its blocks run at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

from cudalint.analysis.text.launch_text import launches_of, plain_name, wrapped_launches
from cudalint.analysis.text.text_program import Program, TextLaunch
from cudalint.ir.syntax import Syntax

_OF_DEVICE = re.compile(
    r"multi_?processor|occupancy|num_?sms?\b|sm_?count|n_?sms?\b|max_?active|resident|SMs\b|persistent|cooperative|"
    r"wave|\bmin\b|\bmin\s*\(|std::min|::min",
    re.IGNORECASE,
)
_ASKS = re.compile(r"occupancy|multi_?processor", re.IGNORECASE)
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
    written = [text for side in sides for text in _written(side, launch, program)]
    if any(_OF_DEVICE.search(text) for text in written):
        return Residence.ENSURED
    numbers = [_number(side, launch, program) for side in sides]
    if any(number is None for number in numbers):
        return Residence.OPEN if _grows(sides, launch, program) else Residence.UNKNOWN
    blocks = 1
    for number in numbers:
        blocks *= number or 1
    if blocks <= _FEW:
        return Residence.ENSURED
    return Residence.OPEN if blocks > _MANY else Residence.UNKNOWN


def _written(side: Syntax, launch: TextLaunch, program: Program, depth: int = 3) -> Iterator[str]:
    """The text of an expression, and of all that its variables are made of."""
    yield side.text
    scope = program.scope(launch.function)
    for node in side.walk() if depth else ():
        if node.kind == "call_expression" and _asks_device(node, program):
            yield "occupancy"
        if node.kind == "identifier":
            yield from _questions(node.text, launch)
            for value in scope.values.get(node.text, []):
                if not _is_raised(node.text, value, launch):
                    yield from _written(value, launch, program, depth - 1)


def _questions(name: str, launch: TextLaunch) -> Iterator[str]:
    """`cudaDeviceGetAttribute(&cores, cudaDevAttrMultiProcessorCount, 0)`: what fills a variable through its address."""
    for node in launch.function.body.walk():
        arguments = node.child("arguments") if node.kind == "call_expression" else None
        if arguments is not None and any(given.bare == f"&{name}" for given in arguments.children):
            yield node.text


def _asks_device(call: Syntax, program: Program) -> bool:
    """A function of the file that asks for the occupancy, or for the number of multiprocessors."""
    callee = call.child("function")
    name = "" if callee is None else plain_name(callee.text)
    own = (f for f in program.outline.functions if f.role != "kernel" and f.name.rpartition("::")[2] == name)
    return any(_ASKS.search(function.body.text) for function in own)


def _is_raised(name: str, value: Syntax, launch: TextLaunch) -> bool:
    """`if (blocks < resident) blocks = resident;`, `blocks = max(blocks, resident);`: at least so many; one at least is no more."""
    bare, end = re.escape(name), re.escape(value.text)
    less = rf"if\s*\(\s*(?:{bare}\s*<=?\s*{end}|{end}\s*>=?\s*{bare})\s*\)\s*\{{?\s*{bare}\s*=\s*{end}\s*;"
    larger = re.match(r"(?:::|std::)?max\s*(?:<[\w ]+>)?\s*\(", value.text)
    given = value.child("arguments") if larger is not None else None
    few = given is not None and any((_literal(argument) or _MANY) <= _FEW for argument in given.children)
    return (larger is not None and not few) or re.search(less, launch.function.body.text) is not None


def _number(side: Syntax, launch: TextLaunch, program: Program) -> int | None:
    if side.kind == "number_literal":
        return _literal(side)
    if side.kind == "identifier":
        if side.text in program.outline.constants:
            return program.outline.constants[side.text]
        values = program.scope(launch.function).values.get(side.text, [])
        return _number(values[0], launch, program) if len(values) == 1 and values[0] is not side else None
    return None


def _literal(node: Syntax) -> int | None:
    digits = re.match(r"\d+", node.text) if node.kind == "number_literal" else None
    return int(digits[0]) if digits else None


def _grows(sides: list[Syntax], launch: TextLaunch, program: Program) -> bool:
    """A size that the host function is given, or asks for, is in it."""
    scope = program.scope(launch.function)
    names: set[str] = set()
    for side in sides:
        work = [side]
        for _ in range(4):
            inner = [n for node in work for n in node.walk() if n.kind == "identifier"]
            names.update(n.text for n in inner)
            work = [v for n in inner for v in scope.values.get(n.text, [])]
    return bool(names & set(scope.parameters)) or any(
        ".size" in text for s in sides for text in _written(s, launch, program)
    )
