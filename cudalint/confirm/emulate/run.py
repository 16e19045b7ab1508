"""One launch in the emulator: buffers and arguments in, events and the bytes of the buffers out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, assert_never

import numpy as np
import numpy.typing as npt

from cudalint.confirm.emulate import arithmetic
from cudalint.confirm.emulate.events import Access, Event
from cudalint.confirm.emulate.expressions import evaluate
from cudalint.confirm.emulate.flatten import SHARED_STORAGE, Declared, Do, Instruction, Program, flatten
from cudalint.confirm.emulate.formats import Unsupported, Values, size_of, storage_of, to_bytes
from cudalint.confirm.emulate.inexact import Inexact
from cudalint.confirm.emulate.lanes import Geometry
from cudalint.confirm.emulate.machine import Machine, Options, Stopped
from cudalint.confirm.emulate.memory import OTHER_POISON, PAGE, POISON, Allocation, Memory, MemoryLimit
from cudalint.confirm.emulate.scheduler import Schedule
from cudalint.ir import nodes as ir
from cudalint.ir import types as t
from cudalint.source import Span

Dim: TypeAlias = tuple[int, int, int]
_OF_MANY = (ir.Scope.GRID, ir.Scope.CLUSTER)  # barriers for which several blocks meet
Bytes: TypeAlias = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """Global memory of `len(data)` bytes, or of `size` bytes that read as zero and are kept by pages (`data` None).

    A buffer with the name of a `__device__` or `__constant__` variable gives its contents. One of pointers has them put in where
    it is loaded, at `pointers`.
    """

    name: str
    data: Bytes | None = None
    align: int = 256
    initialised: bool = True
    size: int = 0
    pointers: tuple[tuple[int, PointerTo], ...] = ()

    @property
    def extent(self) -> int:
        return self.size if self.data is None else len(self.data)


@dataclass(frozen=True, slots=True)
class Scalar:
    value: int | float | bool


@dataclass(frozen=True, slots=True)
class PointerTo:
    """An address in a buffer; None is the null pointer."""

    buffer: str | None
    offset: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Aggregate:
    """A struct or vector by its bytes; `pointers` are put in at their byte offsets."""

    data: Bytes
    pointers: tuple[tuple[int, PointerTo], ...] = ()


Argument: TypeAlias = Scalar | PointerTo | Aggregate


@dataclass(frozen=True, slots=True)
class LaunchInput:
    """`args` are aligned with the kernel's parameters; `shared` is dynamic shared memory in bytes.

    `blocks`: only these of the grid run, by their linear numbers, as if they came first; what waits for others never goes on.
    `constants`: the values of constants that nothing declares, by what the IR says in their place.
    """

    grid: Dim
    block: Dim
    shared: int
    args: tuple[Argument, ...]
    blocks: tuple[int, ...] | None = None
    constants: Mapping[str, int] = field(default_factory=dict)

    @property
    def lanes(self) -> int:
        """The threads that run."""
        x, y, z = self.grid
        return (x * y * z if self.blocks is None else len(self.blocks)) * self.threads

    @property
    def threads(self) -> int:
        """Of one block."""
        x, y, z = self.block
        return x * y * z


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What a run saw. `pages` holds the touched pages (of 64 KiB, by number) of sparse buffers, `stored` the types of what
    was stored in each, `written` a one for each byte that was written of buffers that were not initialised; `undecided`: bits
    that the program does not decide entered (no numbers, memory nobody wrote).

    A step limit, an unsupported construct or a wanted event ends the run early: its events stand, their absence says nothing.
    """

    status: Literal["finished", "shown", "step_limit", "unsupported", "memory_limit"]
    reason: str
    events: tuple[Event, ...]
    buffers: dict[str, Bytes]
    steps: int
    accesses: dict[Span, int]
    pages: dict[str, dict[int, Bytes]] = field(default_factory=dict)
    stored: dict[str, set[t.Type]] = field(default_factory=dict)
    undecided: bool = False
    written: dict[str, Bytes] = field(default_factory=dict)


def run(
    unit: ir.Unit, kernel_id: str, launch: LaunchInput, buffers: tuple[Buffer, ...], *,
    schedule: Schedule = "lowest", seed: int = 0, step_limit: int = 200_000, lane_limit: int = 1 << 20,
    memory_limit: int = 1 << 30, detect_races: bool = True, detect_overflow: bool = False, work_limit: int = 1 << 31,
    inexact: Inexact | None = None, wanted: Callable[[Event], bool] | None = None, other_bits: bool = False,
    poison: int | None = None,
) -> Outcome:  # fmt: skip
    """Runs one kernel, with the errors of a device's functions where asked for, up to the first event that is wanted;
    `other_bits`: with another pattern for what the program does not decide; `poison`: with this byte in unset memory.

    Raises KeyError for an unknown kernel and ValueError for arguments that do not fit it."""
    kernel = unit.functions[kernel_id]
    if len(launch.args) != len(kernel.params):
        raise ValueError(f"{kernel.name} takes {len(kernel.params)} arguments, not {len(launch.args)}")
    lanes = launch.lanes
    if lanes > lane_limit or launch.threads > 1024 or lanes < 1:
        return Outcome("memory_limit", f"{lanes} threads (limit {lane_limit})", (), {}, 0, {})
    options = Options(
        schedule, seed, step_limit, work_limit, detect_races, detect_overflow, inexact, wanted, other_bits
    )
    if poison is None:
        poison = OTHER_POISON if other_bits else POISON
    loading = _Loading(unit, kernel, launch, buffers, memory_limit, poison)
    try:
        program = flatten(unit, kernel_id)
        if launch.blocks is not None and any(map(_waits_for_grid, program.code)):
            raise Unsupported("a barrier of the grid waits for blocks that are not run")
        machine = loading.machine(program, options)
    except MemoryLimit as problem:
        return Outcome("memory_limit", str(problem), (), {}, 0, {})
    except Unsupported as problem:
        return Outcome("unsupported", str(problem), (), {}, 0, {})
    return _finish(machine, loading)


def _waits_for_grid(instruction: Instruction) -> bool:
    return (
        isinstance(instruction, Do) and isinstance(instruction.stmt, ir.Barrier) and instruction.stmt.scope in _OF_MANY
    )


def _finish(machine: Machine, loading: _Loading) -> Outcome:
    status: Literal["finished", "shown", "step_limit", "unsupported", "memory_limit"] = "finished"
    reason = ""
    try:
        machine.run()
        status = "shown" if machine.recorder.shown else "finished"
    except Stopped as stop:
        status, reason = "step_limit" if stop.limit else "unsupported", stop.reason
    except Unsupported as problem:
        status, reason = "unsupported", str(problem)
    except (MemoryLimit, MemoryError) as problem:
        status, reason = "memory_limit", str(problem)
    data = {name: a.data[: a.size] for name, a in loading.buffers.items() if a.pages is None}
    pages = {name: _pages(a) for name, a in loading.buffers.items() if a.pages is not None}
    marks = {
        name: a.written[: a.size] for name, a in loading.buffers.items() if a.pages is None and a.written is not None
    }
    events = tuple(machine.recorder.events)
    outcome = Outcome(
        status, reason, events, data, machine.steps, machine.accesses, pages, machine.stored, machine.undecided, marks
    )
    machine.let_go()
    return outcome


def _pages(allocation: Allocation) -> dict[int, Bytes]:
    slots = allocation.pages or {}
    return {number: allocation.data[slot << PAGE : (slot + 1) << PAGE] for number, slot in sorted(slots.items())}


class _Loading:
    """Puts buffers, globals, declared objects and arguments into memory."""

    def __init__(
        self,
        unit: ir.Unit,
        kernel: ir.Function,
        launch: LaunchInput,
        buffers: tuple[Buffer, ...],
        limit: int,
        poison: int,
    ) -> None:
        self.unit, self.kernel, self.launch, self.sources = unit, kernel, launch, buffers
        self.memory = Memory(limit, poison)
        self.buffers: dict[str, Allocation] = {}
        self.geometry: Geometry | None = None

    def machine(self, program: Program, options: Options) -> Machine:
        self.memory.budget.take(64 * self.launch.lanes, "lanes")
        self.geometry = Geometry(self.launch.grid, self.launch.block, self.launch.blocks)
        for buffer in self.sources:
            self.buffers[buffer.name] = self._buffer(buffer)
        for buffer in self.sources:
            for offset, pointer in buffer.pointers:
                data = self.buffers[buffer.name].data
                data[offset : offset + 8] = np.asarray([self._address(pointer)], np.uint64).view(np.uint8)
        objects: dict[str, Allocation] = {}
        dynamic: list[Allocation] = []
        wanted = [Declared(f"global/{key}", g.var, g.storage, None) for key, g in self.unit.globals.items()]
        for declared in (*wanted, *program.objects):
            if declared.storage is ir.Storage.DYNAMIC_SHARED:
                dynamic = dynamic or [self._dynamic()]
                objects[declared.key] = dynamic[0]
            elif t.size_of(declared.var.type) is not None:  # the others stop the run where they are used
                objects[declared.key] = self._declared(declared)
        functions = {name: 8 * (i + 1) for i, name in enumerate(self.unit.functions)}
        machine = Machine(program, self.geometry, self.memory, objects, options, functions, self.launch.constants)
        for param, argument in zip(self.kernel.params, self.launch.args):
            self._argument(machine, param, argument, objects.get(program.kernel.objects.get(param.var.name, "")))
        return machine

    # --- objects -----------------------------------------------------------------------------------------------------

    def _buffer(self, buffer: Buffer) -> Allocation:
        return self.memory.add(
            buffer.name, "global", buffer.extent, align=buffer.align, initialised=buffer.initialised,
            fill=buffer.data, sparse=buffer.data is None,
        )  # fmt: skip

    def _global(self, key: str, global_: ir.Global) -> Allocation:
        for name in (key, global_.var.name):
            if name in self.buffers:
                return self.buffers[name]
        kind: Literal["constant", "global"] = "constant" if global_.storage is ir.Storage.CONSTANT else "global"
        return self.memory.add(key, kind, size_of(global_.var.type), fill=_initial(global_))

    def _declared(self, declared: Declared) -> Allocation:
        assert self.geometry is not None
        name, size = declared.var.name, size_of(declared.var.type)
        if declared.key.startswith("global/") and declared.storage not in SHARED_STORAGE:
            key = declared.key.removeprefix("global/")
            return self._global(key, self.unit.globals[key])
        if declared.storage in SHARED_STORAGE:
            return self.memory.add(name, "shared", size, rows=self.geometry.blocks, initialised=False)
        if declared.parameter and not declared.key.count("/"):
            return self.memory.add(name, "parameter", size)
        if declared.storage in (ir.Storage.GLOBAL, ir.Storage.CONSTANT):
            return self.memory.add(name, "global", size)
        return self.memory.add(name, "local", size, rows=self.geometry.lanes, initialised=False)

    def _dynamic(self) -> Allocation:
        assert self.geometry is not None
        rows = self.geometry.blocks
        return self.memory.add("dynamic shared memory", "shared", self.launch.shared, rows=rows, initialised=False)

    # --- arguments ---------------------------------------------------------------------------------------------------

    def _argument(self, machine: Machine, param: ir.Param, argument: Argument, place: Allocation | None) -> None:
        value = self._value(param.var.type, argument)
        if place is not None:
            data = to_bytes(value, param.var.type).reshape(-1)
            if len(data) != place.size:
                raise ValueError(f"{param.var.name} takes {place.size} bytes, not {len(data)}")
            place.data[: place.size] = data
        else:
            machine.registers[param.var.name] = value

    def _value(self, type_: t.Type, argument: Argument) -> Values:
        match argument:
            case Scalar():
                return arithmetic.constant(argument.value, type_)
            case PointerTo():
                return np.asarray(self._address(argument), np.uint64)[()]
            case Aggregate():
                data = np.array(argument.data, np.uint8)
                for offset, pointer in argument.pointers:
                    data[offset : offset + 8] = np.asarray([self._address(pointer)], np.uint64).view(np.uint8)
                return data[None, :]
            case _:
                assert_never(argument)

    def _address(self, pointer: PointerTo) -> int:
        if pointer.buffer is None:
            return 0
        if pointer.buffer not in self.buffers:
            raise ValueError(f"no buffer is called {pointer.buffer}")
        return self.buffers[pointer.buffer].base + pointer.offset


def _initial(global_: ir.Global) -> Bytes | None:
    """The bytes of a constant initialiser, scalar by scalar in the order of the layout."""
    if not global_.init:
        return None
    scalars = _scalars(global_.var.type)
    result: list[Any] = [to_bytes(arithmetic.constant(v, s), s)[0] for v, s in zip(global_.init, scalars)]
    return np.concatenate(result) if result else None


def _scalars(type_: t.Type) -> list[t.Type]:
    """The scalars of a type in order (without padding)."""
    if isinstance(type_, t.Array):
        return _scalars(type_.element) * (type_.count or 0)
    if isinstance(type_, t.Vector):
        return [type_.element] * type_.lanes
    if isinstance(type_, t.Struct):
        return [s for f in type_.fields for s in _scalars(f.type)]
    storage_of(type_)
    return [type_]


__all__ = [
    "Access", "Aggregate", "Argument", "Buffer", "Event", "LaunchInput", "Outcome", "PointerTo", "Scalar", "evaluate", "run",
]  # fmt: skip
