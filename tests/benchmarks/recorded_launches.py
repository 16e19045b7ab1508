"""Recorded launches with typed arguments, and the contracts of the kernels that a program launches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cudalint import ir
from cudalint.contract import Contract
from cudalint.engine import ScanOptions
from cudalint.engine.contracts import contracts_of, neighbour_units, with_launched
from cudalint.engine.jobs import plan_jobs
from cudalint.frontend.translate import translate
from cudalint.project.discovery import discover
from cudalint.term import forget_if_many

MOST_ELEMENTS = 64  # of an array in a parameter
LINES_AFTER = 12  # a launch begins on the line of its contract, and the compiler may place it on a later one


@dataclass(frozen=True, slots=True)
class Memory:
    """What a pointer points to: `offset` bytes behind the start of the allocation with this number in its launch."""

    allocation: int
    offset: int
    size: int
    kind: str

    @property
    def left(self) -> int:
        return self.size - self.offset


@dataclass(frozen=True, slots=True)
class Launch:
    """One recorded launch; `params` are bytes, `memory` is by parameter and byte in it."""

    kernel: str
    how: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    params: tuple[bytes, ...]
    memory: dict[tuple[int, int], Memory]
    places: tuple[tuple[str, int], ...]
    device: dict[str, int]

    def place(self) -> str:
        """Where it stands in the source: the second place, since the first is the kernel's stub."""
        own = self.places[1:2] or self.places[:1]
        return "".join(f"{path}:{line}" for path, line in own) or "an unknown place"


@dataclass(frozen=True, slots=True)
class Program:
    name: str
    folder: str
    device: dict[str, int]
    total: int
    launches: tuple[Launch, ...]


@dataclass(frozen=True, slots=True)
class Stated:
    """A contract, the kernel that it speaks of, and where the launch stands."""

    kernel: ir.Function
    contract: Contract
    path: str
    line: int


def read_records(lines: Sequence[dict[str, Any]]) -> list[Program]:
    """The programs of one file: a line of each, then those of its launches."""
    found: list[Program] = []
    launches: list[Launch] = []
    for line in lines:
        if "program" in line:
            launches = []
            found.append(Program(line["program"], line["folder"], line["device"], line["launches"], ()))
        else:
            launches.append(_launch(line, found[-1].device))
            last = found[-1]
            found[-1] = Program(last.name, last.folder, last.device, last.total, tuple(launches))
    return found


def _launch(line: dict[str, Any], device: dict[str, int]) -> Launch:
    memory = {(param, at): Memory(*rest) for param, at, *rest in line["pointers"]}
    return Launch(
        line["kernel"],
        line["how"],
        (line["grid"][0], line["grid"][1], line["grid"][2]),
        (line["block"][0], line["block"][1], line["block"][2]),
        line["shared"],
        tuple(bytes.fromhex(text) for _, text in line["params"]),
        memory,
        tuple((path, at) for path, at in line["places"]),
        device,
    )


# --- arguments by the kernel's types -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scalar:
    value: int


@dataclass(frozen=True, slots=True)
class Address:
    """A pointer: null, into memory that the recorder saw, or (None) somewhere else."""

    element: ir.Type
    null: bool
    memory: Memory | None


Argument = Scalar | Address


def arguments_of(kernel: ir.Function, launch: Launch) -> dict[str, Argument] | None:
    """Scalars and pointers by parameter or field, as contracts name them; None if the parameters are others."""
    if len(kernel.params) != len(launch.params):
        return None
    found: dict[str, Argument] = {}
    for index, (param, data) in enumerate(zip(kernel.params, launch.params)):
        size = ir.size_of(param.var.type)
        if size is not None and size != len(data):
            return None
        if size is not None:
            found.update(_leaves(param.var.name, param.var.type, index, 0, launch))
    return found


def _leaves(name: str, type_: ir.Type, index: int, at: int, launch: Launch) -> Iterator[tuple[str, Argument]]:
    data = launch.params[index]
    if isinstance(type_, ir.Int | ir.Bool):
        size = ir.size_of(type_) or 1
        signed = isinstance(type_, ir.Int) and type_.signed
        yield name, Scalar(int.from_bytes(data[at : at + size], "little", signed=signed))
    elif isinstance(type_, ir.Pointer):
        memory = launch.memory.get((index, at))
        yield name, Address(type_.element, memory is None and not any(data[at : at + 8]), memory)
    elif isinstance(type_, ir.Struct):
        for field in type_.fields:
            yield from _leaves(f"{name}.{field.name}", field.type, index, at + field.offset, launch)
    elif isinstance(type_, ir.Vector):
        for lane, step in zip(ir.LANES, range(type_.lanes)):
            offset = at + step * (ir.size_of(type_.element) or 0)
            yield from _leaves(f"{name}.{lane}", type_.element, index, offset, launch)
    elif isinstance(type_, ir.Array) and (size := ir.size_of(type_.element)) is not None:
        for step in range(min(type_.count or 0, MOST_ELEMENTS)):
            yield from _leaves(f"{name}[{step}]", type_.element, index, at + step * size, launch)


# --- contracts -----------------------------------------------------------------------------------------------------------


def contracts_below(root: Path, folder: str) -> list[Stated]:
    """What the launches in the folder's files say."""
    start = str(root / folder)
    jobs = plan_jobs(discover([start], project_root=str(root)), ScanOptions(paths=(start,))).jobs
    found: dict[tuple[str, str, int, Contract], Stated] = {}
    for job in jobs:
        if job.source.path.endswith(".py"):
            continue
        others = neighbour_units(job.neighbours, job.parse, str(root))
        unit = translate(job.source, with_launched(job.parse, others), str(root), job.around).unit
        for kernel_id, contracts in contracts_of(unit, others).items():
            kernel = unit.functions[kernel_id]
            for contract in contracts:
                site = contract.launch_site
                if site is not None:
                    stated = Stated(kernel, contract, site.path, site.line)
                    found[kernel_id, site.path, site.line, contract] = stated
    forget_if_many()
    return list(found.values())


def contracts_for(launch: Launch, stated: Sequence[Stated]) -> list[Stated]:
    """Those of the launched kernel and instance whose place is nearest to where the launch stands."""
    name, arguments = spelled_kernel(launch.kernel)
    near: dict[int, list[Stated]] = {}
    for each in stated:
        if each.kernel.name.split("::")[-1] == name and _may_be(each.kernel.template_args, arguments):
            distance = _distance(each, launch)
            if distance is not None:
                near.setdefault(distance, []).append(each)
    return near[min(near)] if near else []


def _distance(stated: Stated, launch: Launch) -> int | None:
    found = [line - stated.line for path, line in launch.places if path == stated.path]
    return min((each for each in found if 0 <= each <= LINES_AFTER), default=None)


def spelled_kernel(text: str) -> tuple[str, tuple[str, ...]]:
    """`void (anonymous namespace)::scale<float, 4>(float*)` is `scale` with its template arguments."""
    text = text.replace("(anonymous namespace)::", "")
    depth, parts, begin, end = 0, [], -1, len(text)
    for at, char in enumerate(text):
        if char == "<":
            depth += 1
            if depth == 1:
                begin = at
                parts = [""]
                continue
        if char == ">" and text[at - 1] != "-":
            depth -= 1
            if depth == 0:
                continue
        if char == "(" and depth == 0:
            end = at
            break
        if depth and char == "," and depth == 1:
            parts.append("")
        elif depth:
            parts[-1] += char
    head = text[: begin if 0 <= begin < end else end]
    return re.split(r"\s|::", head.strip())[-1], tuple(_plain(part) for part in parts)


def _plain(argument: str) -> str:
    """A template argument without casts, suffixes and blanks."""
    text = re.sub(r"^\([\w ]+\)(?=-?\d)", "", argument.strip())
    text = re.sub(r"(?<=\d)u?l{0,2}$", "", text)
    return {"true": "1", "false": "0"}.get(text, re.sub(r"\s+", "", text))


def _may_be(own: Sequence[str], launched: Sequence[str]) -> bool:
    """Numbers must agree; types may be spelled in several ways, so that they tell instances apart only if all are plain."""
    for a, b in zip(map(_plain, own), launched):
        if a != b and ((_is_number(a) and _is_number(b)) or (a in _PLAIN_TYPES and b in _PLAIN_TYPES)):
            return False
    return True


_PLAIN_TYPES = frozenset(
    ("float", "double", "int", "unsignedint", "char", "unsignedchar", "short", "unsignedshort", "long", "unsignedlong")
)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+", text) is not None
