"""The machine: flat code, registers of all lanes, and the loop that runs one group of lanes per step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, assert_never

import numpy as np

from cudalint.confirm.emulate.access import Accessor, spot
from cudalint.confirm.emulate.barriers import Barriers
from cudalint.confirm.emulate.copies import Copies
from cudalint.confirm.emulate.events import Access, AccessKind, Event, EventKind, Recorder
from cudalint.confirm.emulate.expressions import Code, Compiler, Object
from cudalint.confirm.emulate.flatten import Bind, Branch, Copy, Do, Exit, Instruction, Jump, Program, Skip, Stop
from cudalint.confirm.emulate.formats import Unsupported, Values
from cudalint.confirm.emulate.inexact import Inexact
from cudalint.confirm.emulate.lanes import Geometry, Lanes
from cudalint.confirm.emulate.memory import Allocation, Memory, MemoryLimit
from cudalint.confirm.emulate.races import Races
from cudalint.confirm.emulate.scheduler import Schedule, Scheduler
from cudalint.confirm.emulate.steps import compile_statement
from cudalint.confirm.emulate.warp import Rendezvous
from cudalint.ir import nodes as ir
from cudalint.ir import types as t
from cudalint.ir.read_lanes import ReadLanes
from cudalint.ir.result_guards import ResultGuards
from cudalint.source import Span

Step: TypeAlias = Callable[[Lanes], None]
NOWHERE = Span("", 0, 0, 0, 0)


class Stopped(Exception):
    """The run cannot go on: a construct without meaning, or a limit."""

    def __init__(self, reason: str, limit: bool) -> None:
        super().__init__(reason)
        self.reason, self.limit = reason, limit


@dataclass(frozen=True, slots=True)
class Options:
    schedule: Schedule = "lowest"
    seed: int = 0
    step_limit: int = 200_000
    work_limit: int = 1 << 31  # lanes times steps
    detect_races: bool = True
    detect_overflow: bool = False
    inexact: Inexact | None = None  # the errors of a device's functions
    wanted: Callable[[Event], bool] | None = None  # the run ends at such an event
    other_bits: bool = False  # of what the program does not decide
    spin_limit: int = 2048  # atomics in a row that change nothing: whoever waits at a lock that nobody gives back


@dataclass(frozen=True, slots=True)
class Names:
    """The scope of one copy of a function: where its variables live in this machine."""

    copy: Copy
    objects: dict[str, Allocation]
    functions: dict[str, int]
    constants: Mapping[str, int]

    def slot(self, name: str) -> str:
        return self.copy.slot(name)

    def object(self, name: str) -> Object | None:
        key = self.copy.objects.get(name)
        if key is None:
            return None
        if key not in self.objects:
            raise Unsupported(f"the size of `{name}` is not known")
        return self.objects[key]

    def function_address(self, function: str) -> int:
        return self.functions.get(function, 0)

    def constant(self, reason: str) -> int | None:
        return self.constants.get(reason)


class Machine:
    """Runs one launch. `objects` holds the allocation of every declared object by its key."""

    def __init__(
        self, program: Program, geometry: Geometry, memory: Memory, objects: dict[str, Allocation], options: Options,
        functions: dict[str, int], constants: Mapping[str, int],
    ) -> None:  # fmt: skip
        self.program, self.geometry, self.memory, self.options = program, geometry, memory, options
        self.objects, self.functions, self.constants = objects, functions, constants
        self.registers: dict[str, Values] = {}
        self.recorder = Recorder(wanted=options.wanted)
        self.accesses: dict[Span, int] = {}
        self.stored: dict[str, set[t.Type]] = {}  # the types of what went into each object of global memory
        self.undecided = False  # bits that the program does not decide were stored or read
        self.steps = 0
        self._spins = 0
        self.alive = np.ones(geometry.lanes, bool)
        self.ended = np.zeros(geometry.lanes, bool)  # exited at the end of the kernel
        self.alive_lanes = geometry.lanes
        self.exit_pc = np.full(geometry.lanes, -1, np.int32)
        self.left_pc = np.full(geometry.lanes, -1, np.int32)  # the last return from a function that ends the kernel
        self.detect_races = options.detect_races
        self.backwards = options.schedule == "reversed"
        self.has_fences = any(isinstance(i, Do) and isinstance(i.stmt, ir.Fence) for i in program.code)
        self.accessor = Accessor(self)
        self.races = Races(self)
        self.copies = Copies(self)
        self.barriers = Barriers(self)
        self.rendezvous = Rendezvous(self)
        self.result_guards = ResultGuards()
        self.read_lanes = ReadLanes()
        self.scheduler = Scheduler(geometry, options.schedule, options.seed)
        self._steps: list[Step | None] = [None] * len(program.code)
        self._arrivals: dict[int, Step] = {}

    # --- the loop ----------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Runs until every lane has exited or a wanted event is seen; raises Stopped, Unsupported or MemoryLimit."""
        self.scheduler.put(0, self.geometry.ids)
        work = 0
        with np.errstate(all="ignore"):
            while True:
                if self.recorder.shown:
                    return
                chosen = self.scheduler.take()
                if chosen is None:
                    if self._break_deadlock():
                        continue
                    return
                pc, ids = chosen
                self.steps += 1
                work += len(ids)
                if self.steps > self.options.step_limit or work > self.options.work_limit:
                    over = self.steps > self.options.step_limit
                    done = f"{self.steps - 1} steps" if over else f"{self.options.work_limit} lane steps"
                    raise Stopped(f"more than {done}", limit=True)
                self._step(pc)(Lanes(self, pc, ids))

    def saw_atomic(self, changed: bool) -> None:
        """An atomic was run; raises Stopped where too many in a row changed nothing."""
        self._spins = 0 if changed else self._spins + 1
        if self._spins > self.options.spin_limit:
            raise Stopped(f"more than {self.options.spin_limit} atomics in a row that change nothing", limit=True)

    def saw_store(self) -> None:
        """What an atomic waits for may have been stored."""
        self._spins = 0

    def let_go(self) -> None:
        """Parts and machine refer to each other: without this the memory of a run is there until the collector comes by."""
        vars(self).clear()

    def _step(self, pc: int) -> Step:
        step = self._steps[pc]
        if step is None:
            try:
                step = self._compile(pc, self.program.code[pc])
            except Unsupported as problem:
                raise Stopped(str(problem), limit=False) from None
            self._steps[pc] = step
        return step

    def _break_deadlock(self) -> bool:
        waiting = self.rendezvous.first()
        if waiting is not None:
            pc, ids = waiting
            self._arrivals[pc](Lanes(self, pc, ids))
            return True
        return self.barriers.break_deadlock()

    # --- instructions ------------------------------------------------------------------------------------------------

    def compiler(self, copy: Copy) -> Compiler:
        names = Names(copy, self.objects, self.functions, self.constants)
        inexact = self.options.inexact
        behind = None if inexact is None else inexact.behind
        moved = None if behind is None else behind.get(copy.function.id, frozenset())
        return Compiler(names, self.options.detect_overflow, inexact, moved)

    def _compile(self, pc: int, instruction: Instruction) -> Step:
        match instruction:
            case Do():
                return compile_statement(self, pc, instruction.stmt, instruction.copy)
            case Bind():
                return self._bind(instruction)
            case Branch():
                return self._branch(instruction)
            case Jump():
                return self._jump(instruction)
            case Exit():
                return self._exit(instruction)
            case Stop():
                return self._stop(instruction)
            case Skip():
                return self._skip(instruction)
            case _:
                assert_never(instruction)

    def go_on(self, lanes: Lanes) -> None:
        self.scheduler.put(lanes.pc + 1, lanes.ids)

    def _bind(self, bind: Bind) -> Step:
        value, into = self.compiler(bind.copy).expression(bind.value), self.compiler(bind.into)
        type_ = bind.target.type
        if into.scope.object(bind.target.name) is None:
            return self.assignment(into.scope.slot(bind.target.name), value, type_)
        where = spot(into.place(ir.Variable(bind.target)), ir.Variable(bind.target), "write")

        def store(lanes: Lanes) -> None:
            self.accessor.store(lanes, where, type_, value(lanes))
            self.go_on(lanes)

        return store

    def assignment(self, slot: str, value: Code, type_: t.Type) -> Step:
        def assign(lanes: Lanes) -> None:
            if not isinstance(type_, t.Void):
                lanes.assign(slot, value(lanes))
            self.go_on(lanes)

        return assign

    def _branch(self, branch: Branch) -> Step:
        cond, otherwise = self.compiler(branch.copy).expression(branch.cond), branch.otherwise

        def split(lanes: Lanes) -> None:
            test = cond(lanes)
            taken = bool(test) if test.ndim == 0 else None
            if taken is None:
                count = int(np.count_nonzero(test))
                taken = True if count == len(test) else False if count == 0 else None
            if taken is None:
                self.scheduler.put(lanes.pc + 1, lanes.ids[test])
                self.scheduler.put(otherwise, lanes.ids[~test])
            else:
                self.scheduler.put(lanes.pc + 1 if taken else otherwise, lanes.ids)

        return split

    def _jump(self, jump: Jump) -> Step:
        def go(lanes: Lanes) -> None:
            if jump.left is not None:
                self.left_pc[lanes.where] = lanes.pc
            self.scheduler.put(jump.target, lanes.ids)

        return go

    def _exit(self, exit_: Exit) -> Step:
        def leave(lanes: Lanes) -> None:
            if exit_.trap:
                lanes.event("trap", lanes.site(0), None, "")
            self.exit(lanes)

        return leave

    def exit(self, lanes: Lanes) -> None:
        """These lanes are done."""
        self.alive[lanes.where] = False
        left = self.left_pc[lanes.where]
        at_end = self.exit_kind(lanes.pc) == "end"
        self.exit_pc[lanes.where] = np.where(left >= 0, left, lanes.pc) if at_end else lanes.pc
        self.ended[lanes.where] = (left < 0) & at_end
        self.alive_lanes -= lanes.count
        self.barriers.exit(lanes)
        for pc in sorted(self.rendezvous.waiting):  # those that wait for these lanes need not
            self.scheduler.put(pc, self.rendezvous.take(pc))

    def _stop(self, stop: Stop) -> Step:
        def stopped(lanes: Lanes) -> None:
            raise Stopped(f"{stop.reason} ({stop.span})", stop.limit)

        return stopped

    def _skip(self, skip: Skip) -> Step:
        def step(lanes: Lanes) -> None:
            lanes.event("opaque", lanes.site(0), None, skip.reason)
            self.go_on(lanes)

        return step

    # --- synchronisation ---------------------------------------------------------------------------------------------

    def on_arrival(self, pc: int, step: Step) -> None:
        """What the lanes that meet at `pc` do, whether or not all of them came."""
        self._arrivals[pc] = step

    def after_barrier(self, pc: int, ids: Values) -> None:
        """Lanes that a barrier lets go."""
        step = self._arrivals.get(pc)
        if step is not None:
            step(Lanes(self, pc, ids))
        else:
            self.scheduler.put(pc + 1, ids)

    # --- what events say ---------------------------------------------------------------------------------------------

    def span_of(self, pc: int) -> Span:
        instruction = self.program.code[pc]
        if isinstance(instruction, Do):
            return instruction.stmt.span
        if isinstance(instruction, Jump):
            return instruction.left or NOWHERE
        return instruction.span

    def access_kind(self, pc: int) -> AccessKind:
        instruction = self.program.code[pc]
        stmt = instruction.stmt if isinstance(instruction, Do) else None
        if isinstance(stmt, ir.Load):
            return "read"
        return "atomic" if isinstance(stmt, ir.Atomic) else "write"

    def exit_kind(self, pc: int) -> str:
        """How lanes left at `pc`: "early" by a return, "end" at the end of the kernel, "trap" by a trap or a check."""
        instruction = self.program.code[pc]
        if isinstance(instruction, Jump):
            return "early"
        if isinstance(instruction, Exit) and not instruction.trap:
            return "early" if instruction.early else "end"
        return "trap"

    def record(self, kind: EventKind, access: Access, other: Access | None, detail: str) -> None:
        self.recorder.add(Event(kind, access, other, detail))


__all__ = ["Machine", "MemoryLimit", "Options", "Stopped"]
