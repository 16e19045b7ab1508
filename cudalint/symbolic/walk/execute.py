"""The symbolic thread walks a kernel: one pass over structured IR, branches joined, calls inlined.

What it leaves behind (accesses with their paths and barrier points, obligations, barriers visited) mentions thread
symbols; `races` and `barriers` make two threads of it by renaming them. Loops are in `loops`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import assert_never

from cudalint import ir
from cudalint.ir.read_lanes import ReadLanes
from cudalint.ir.result_guards import ResultGuards
from cudalint.ir.walk import statements
from cudalint.source import Span
from cudalint.symbolic.model import (
    APPROXIMATE_PREFIX,
    MEMORY_PREFIX,
    Access,
    Address,
    AwaitedRounds,
    BarrierPoint,
    BarrierVisit,
    Claim,
    Conjunct,
    CountedVisit,
    Edge,
    Extreme,
    FenceVisit,
    MemoryObject,
    Obligation,
    Path,
    Taken,
    Ticket,
    Unparted,
    Value,
    WarpBarrier,
    WarpVisit,
    join_scopes,
    objects_of,
    scope_of,
)
from cudalint.symbolic.walk import numbered, phases, pipelines
from cudalint.symbolic.walk.atomics import execute_atomic
from cudalint.symbolic.walk.collectives import bind_storage, use_storage
from cudalint.symbolic.walk.environment import Environment
from cudalint.symbolic.walk.expressions import Evaluator
from cudalint.symbolic.walk.flights import EarlyRead
from cudalint.symbolic.walk.integers import as_truth
from cudalint.symbolic.walk.loop_text import is_for_part
from cudalint.symbolic.walk.loops import execute_loop
from cudalint.symbolic.walk.members import Places
from cudalint.symbolic.walk.memory import execute_memory, forget, write_cells
from cudalint.symbolic.walk.parameters import size_of_absent
from cudalint.symbolic.walk.settled_guards import SettledGuard, leaves_kernel, settled_parts, sizes_given
from cudalint.symbolic.walk.state import State, join
from cudalint.symbolic.walk.warp_order import groups_of, lanes_of
from cudalint.symbolic.walk.warp_values import is_of_warp
from cudalint.term import (
    FALSE,
    TRUE,
    Number,
    Symbol,
    Term,
    conjunction,
    disjunction,
    flag,
    interval,
    is_number,
    negation,
    number,
    symbol,
)

CALL_DEPTH = 24
FULL_MASK = (1 << 32) - 1
WARP = 32
LANE_BITS = frozenset((1, 2, 4, 8, 16))
_SYNCHRONISING = (ir.Barrier, ir.Call, ir.Warp, ir.AsyncWait, ir.Unmodelled, ir.Launch)


class WalkLimit(Exception):
    """The kernel is larger than the budget of one walk."""


@dataclass(slots=True)
class LoopExits:
    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)


@dataclass(slots=True)
class Frame:
    """One inlined call. `prefix` keeps its registers apart from those of other calls.

    Behind a `final` one, and behind the statement at hand of an `ending` one, the kernel synchronises no more.
    """

    function: ir.Function
    prefix: str
    stack: tuple[Span, ...]
    depth: int = 0
    final: bool = True
    ending: bool = True
    returns: list[tuple[State, Value | None]] = field(default_factory=list)
    loops: list[LoopExits] = field(default_factory=list)


class Walk:
    """One kernel under one contract."""

    def __init__(
        self,
        unit: ir.Unit,
        kernel: ir.Function,
        environment: Environment,
        step_limit: int = 30_000,
        written: Mapping[MemoryObject, Set[Places]] = MappingProxyType({}),
    ) -> None:
        self.unit = unit
        self.kernel = kernel
        self.environment = environment
        self.evaluator = Evaluator(self)
        self.obligations: list[Obligation] = []
        self.accesses: list[Access] = []
        self.own_accesses: list[Access] = []  # of a thread's own arrays
        self.read_lanes = ReadLanes()
        self.edges: list[Edge] = []
        self.visits: list[BarrierVisit] = []
        self.counted: list[CountedVisit] = []
        self.numbered = numbered.numbers_used(unit, kernel)  # the barriers for part of a block
        self.fences: list[FenceVisit] = []
        self.tickets: list[Ticket] = []
        self.loaded_into: set[MemoryObject] = set()  # arrays of the thread that hold what memory held
        self.extremes: list[Extreme] = []
        self.pulled: dict[MemoryObject, set[str]] = {}  # the operations of the extremes on each
        self.block_fences: list[FenceVisit] = []  # of any scope
        self.claims: dict[str, Claim] = {}  # by the name of the result
        self.takes: dict[str, Taken] = {}  # by the name of the result
        self.warp_visits: list[WarpVisit] = []
        self.warp_barriers: list[WarpBarrier] = []
        self.loops: list[Symbol] = []  # iteration numbers of the loops around, where each thread has its own
        self.first_rounds: dict[Term, tuple[Term, Symbol]] = {}  # where values begin, and the loop
        self.unparted: list[Unparted] = []
        self.awaited: list[AwaitedRounds] = []
        self.made_in: dict[Symbol, tuple[int, int]] = {}  # the first and last symbols of such a loop
        self.ballots: dict[Term, Term] = {}  # a mask and the predicate that it holds for
        self.active_masks: set[Term] = set()
        self.butterflies: dict[Term, tuple[Term, int]] = {}  # what a lane got from the one that differs in one bit
        self.symmetric: dict[Term, frozenset[int]] = {}  # values that lanes which differ in these bits share
        self.signals: set[str] = (
            set()
        )  # names of values that atomics or volatile loads gave, and of what was made of them
        self.sources: dict[str, tuple[MemoryObject, ...]] = {}  # where they were read
        self.grid_signals: set[str] = set()  # those that came from global memory
        self.written = written  # what of global memory this launch may change; other loads are functions of the place
        self.trusted: set[tuple[MemoryObject, Places]] = set()
        self.disturbed: set[MemoryObject] = set()  # by what is not understood
        self.overwritten: set[MemoryObject] = set()  # so far
        self.builtins: set[str] = set()
        self.axioms: list[Term] = []
        self.sizes = sizes_given(kernel)
        self.settled: list[SettledGuard] = []
        self.computed: list[tuple[Value, Span]] = []  # in the order of the walk
        self.notes: list[str] = []
        self.recording = True
        self.recording_obligations = True
        self.skip_points_from: int | None = None
        self.balanced = 0
        self.copies = 1  # how often the statement at hand is unrolled
        self.sync_unknown: str | None = None
        self.stopped = False
        self.traps: list[Path] = []  # the ways that end the kernel with an error
        self.exits: list[tuple[Span, int, Path]] = []  # where threads return from the kernel, behind how many accesses
        self.possible_barriers: list[str] = []  # reasons
        self.partial_barriers = False  # barriers for some threads only, which are taken to order all of them
        self.early_reads: list[EarlyRead] = []
        self.under_way: set[Access] = set()  # copies that were read by their own thread
        self.watched: frozenset[Access] = frozenset()  # copies of the iteration before
        self.unfollowed: set[MemoryObject] = set()  # what copies fill that nobody follows to their wait
        self.phase_waits: list[int] = []  # serials of waits for a phase of a barrier in shared memory
        self.split_phases: set[str] = set()  # kinds of barriers at which some threads arrive and others wait
        self.phase_counts: dict[MemoryObject, set[Term]] = {}  # the arrivals that end a phase of it
        self.storages: dict[str, Value] = {}  # temporary storage by primitive
        self.entry = BarrierPoint(0, None, "entry")
        self.exit = BarrierPoint(1, None, "exit")
        self.roots: list[BarrierPoint] = [self.entry]
        self._points = 2
        self._counter = 0
        self._steps = 0
        self._step_limit = step_limit
        self._objects: dict[tuple[str, str], MemoryObject] = {}
        self._locals: dict[str, MemoryObject] = {}
        self._result_guards = ResultGuards()

    # --- services for the evaluator -----------------------------------------------------------------------------------

    def count(self) -> int:
        self._counter += 1
        return self._counter

    def builtin(self, name: str) -> Term:
        self.builtins.add(name)
        return self.environment.builtin(name)

    @property
    def serial(self) -> int:
        """Grows in program order."""
        return self._steps

    def disturb(self, value: Value) -> None:
        """What is not understood may read and write what the pointer reaches."""
        self.disturbed.update(objects_of(value))
        self.overwritten.update(objects_of(value))

    def size_term(self, type_: ir.Type) -> Term:
        size = ir.size_of(type_)
        return number(size) if size is not None else size_of_absent(type_)

    def null_test(self, address: Address) -> Term:
        """Whether the pointer is null: only a nullable parameter can be."""
        if address.object is None:
            return TRUE
        return self.environment.null_tests.get(address.object.name, FALSE)

    def object_of(self, var: ir.Var, frame: Frame) -> MemoryObject:
        """The object of a memory variable; shared arrays are one for all calls of a function (SEMANTICS 13)."""
        local = self._locals.get(frame.prefix + var.name)
        if local is not None:
            return local
        shared = self._objects.get((frame.function.id, var.name))
        if shared is not None:
            return shared
        found = self.environment.global_object(var.name)
        if found is not None:
            return found
        found = self._local_object(var, frame)
        return found

    def _local_object(self, var: ir.Var, frame: Frame) -> MemoryObject:
        size = ir.size_of(var.type)
        found = MemoryObject(var.name, "local", var.type, None if size is None else number(size))
        self._locals[frame.prefix + var.name] = found
        return found

    def fence(self, scope: ir.Scope, state: State) -> None:
        """What this thread has written is seen by others of the scope before what it writes from here on."""
        visit = FenceVisit(self.serial, state.path)
        if self.recording and scope is not ir.Scope.WARP:
            self.block_fences.append(visit)
        if self.recording and scope not in (ir.Scope.WARP, ir.Scope.BLOCK):
            self.fences.append(visit)

    # --- running ------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Walk the whole kernel."""
        state = State(phases=((self.entry, TRUE),), grid_phases=((self.entry, TRUE),))
        frame = Frame(self.kernel, "", ())
        numbered.begin(self, state)
        for param in self.kernel.params:
            self._bind(param, self.environment.argument(param, self.evaluator), state, frame)
        self.block(self.kernel.body, state, frame)
        if not state.dead:
            self._reach(self.exit, state)
        for array in self.evaluator.windows.escaped():
            self.disturb(Address(array, number(0)))

    def _bind(self, param: ir.Param, value: Value, state: State, frame: Frame) -> None:
        if param.memory:
            found = self._local_object(param.var, frame)
            write_cells(self, state, found, 0, param.var.type, value)
        else:
            state.registers[frame.prefix + param.var.name] = value

    def block(self, body: tuple[ir.Stmt, ...], state: State, frame: Frame) -> None:
        ending = frame.ending
        for position, stmt in enumerate(body):
            if state.dead:
                break
            if ending and isinstance(stmt, ir.Call | ir.If | ir.Loop):
                frame.ending = not isinstance(stmt, ir.Loop) and not _synchronises(body[position + 1 :])
            self.statement(stmt, state, frame)
            frame.ending = ending

    def statement(self, stmt: ir.Stmt, state: State, frame: Frame) -> None:
        self._steps += 1
        if self._steps > self._step_limit:
            raise WalkLimit
        match stmt:
            case ir.Declare():
                self._declare(stmt, frame)
            case ir.Assign():
                value = self.evaluator.value(stmt.value, state, frame)
                self.computed.append((value, stmt.span))
                state.registers[frame.prefix + stmt.target.name] = value
            case ir.Load() | ir.Store() | ir.AsyncCopy():
                execute_memory(self, stmt, state, frame)
            case ir.Atomic():
                execute_atomic(self, stmt, state, frame)
            case ir.If():
                self._if(stmt, state, frame)
            case ir.Loop():
                execute_loop(self, stmt, state, frame)
            case ir.Return() | ir.Break() | ir.Continue() | ir.Trap():
                self._leave(stmt, state, frame)
            case ir.Check():
                state.assume(self.evaluator.truth(stmt.cond, state, frame), "check")
            case ir.Barrier():
                self._barrier(stmt, state, frame)
            case ir.Fence():
                self.fence(stmt.scope, state)
            case ir.AsyncCommit():
                pipelines.commit(state)
            case ir.AsyncWait():
                pipelines.wait(self, stmt, state, frame)
            case ir.Warp():
                self._warp(stmt, state, frame)
            case ir.Call():
                self._call(stmt, state, frame)
            case ir.Launch():
                self.sync_unknown = self.sync_unknown or "a launch from the device"
            case ir.Unmodelled():
                self._hole(stmt, state, frame)
            case _:
                assert_never(stmt)

    def _declare(self, stmt: ir.Declare, frame: Frame) -> None:
        if stmt.storage is ir.Storage.REGISTER:
            return
        if stmt.storage in (ir.Storage.SHARED, ir.Storage.DYNAMIC_SHARED):
            key = (frame.function.id, stmt.var.name)
            if stmt.storage is ir.Storage.DYNAMIC_SHARED:
                self._objects[key] = self.environment.dynamic_shared(stmt.var)
            elif key not in self._objects:
                size = ir.size_of(stmt.var.type)
                self._objects[key] = MemoryObject(
                    stmt.var.name, "shared", stmt.var.type, None if size is None else number(size)
                )
        elif stmt.storage is ir.Storage.LOCAL:
            self._locals.pop(frame.prefix + stmt.var.name, None)
            self._local_object(stmt.var, frame)
        else:
            self._objects.setdefault(
                (frame.function.id, stmt.var.name), self.environment.static_object(stmt.var, stmt.storage)
            )

    def shared_shapes(self) -> set[tuple[int, ...]]:
        """The counts of the static shared arrays that were met, outermost first."""
        found = (o.type for o in self._objects.values() if o.memory == "shared")
        return {shape for type_ in found if (shape := tuple(_counts(type_)))}

    # --- control ------------------------------------------------------------------------------------------------------

    def _if(self, stmt: ir.If, state: State, frame: Frame) -> None:
        cond = self.evaluator.truth(stmt.cond, state, frame)
        settled = settled_parts(stmt, self, state, frame) if frame.depth == 0 else []
        first = self.serial
        if cond is TRUE or cond is FALSE:
            self.block(stmt.then if cond is TRUE else stmt.orelse, state, frame)
        else:
            self._branch(stmt, cond, state, frame)
        leaving = leaves_kernel(stmt)
        if not leaving or stmt in self.kernel.body:
            self.settled += (SettledGuard(each, first, None if leaving else self.serial) for each in settled)

    def _branch(self, stmt: ir.If, cond: Term, state: State, frame: Frame) -> None:
        balanced = _barriers_in(stmt.then) == _barriers_in(stmt.orelse) > 0
        base = state.copy()
        then, orelse = state.copy(), state.copy()
        then.path = (*base.path, Conjunct(cond, "branch"))
        orelse.path = (*base.path, Conjunct(negation(cond), "branch"))
        self.balanced += balanced
        self.block(stmt.then, then, frame)
        self.block(stmt.orelse, orelse, frame)
        self.balanced -= balanced
        fresh = symbol(f"{APPROXIMATE_PREFIX}join#{self.count()}", None, None, scope_of(cond))
        state.adopt(join(cond, then, orelse, base, fresh))

    def _leave(self, stmt: ir.Return | ir.Break | ir.Continue | ir.Trap, state: State, frame: Frame) -> None:
        if isinstance(stmt, ir.Return):
            value = None if stmt.value is None else self.evaluator.value(stmt.value, state, frame)
            if frame.depth == 0:
                self._reach(self.exit, state)
            frame.returns.append((state.copy(), value))
        elif isinstance(stmt, ir.Break) and frame.loops:
            frame.loops[-1].breaks.append(state.copy())
        elif isinstance(stmt, ir.Continue) and frame.loops:
            frame.loops[-1].continues.append(state.copy())
        elif isinstance(stmt, ir.Trap):
            self.traps.append(state.path)
        state.dead = True
        leaves_kernel = isinstance(stmt, ir.Trap) or (isinstance(stmt, ir.Return) and frame.final)
        if leaves_kernel and self.recording:
            self.exits.append((stmt.span, self.serial, state.path))
        state.left_by = "exit" if leaves_kernel else "branch"

    def merge(self, base: State, sides: list[State]) -> State:
        """One state of several that were walked from `base` along exclusive paths."""
        start = len(base.path)
        alive = [side for side in sides if not side.dead]
        if not alive:
            dead = base.copy()
            dead.dead = True
            return dead
        result = alive[-1]
        for side in reversed(alive[:-1]):
            cond = conjunction(*(c.term for c in side.path[start:]))
            merged = side.copy()
            merged.path = (*base.path, Conjunct(cond, "branch"))
            other = result.copy()
            other.path = (*base.path, Conjunct(negation(cond), "branch"))
            fresh = symbol(f"{APPROXIMATE_PREFIX}join#{self.count()}", None, None, "thread")
            path = _either_path(base, side, result)
            result = join(cond, merged, other, base, fresh)
            result.path = path
        return result

    # --- calls --------------------------------------------------------------------------------------------------------

    def _call(self, stmt: ir.Call, state: State, frame: Frame) -> None:
        callee = self.unit.functions.get(stmt.function)
        args = [self.evaluator.value(arg, state, frame) for arg in stmt.args]
        self.computed += ((arg, stmt.span) for arg in args)
        if callee is None or frame.depth >= CALL_DEPTH or callee.id in _active(frame):
            self._unknown_call(stmt, args, state, frame)
            return
        inner = Frame(
            callee,
            f"{frame.prefix}{callee.name}/{self.count()}:",
            (*frame.stack, stmt.span),
            frame.depth + 1,
            frame.ending,
            frame.ending,
        )
        bind_storage(self, callee, args)
        for param, value in zip(callee.params, args, strict=False):
            self._bind(param, value, state, inner)
        base = state.copy()
        self.block(callee.body, state, inner)
        self._return_from(stmt, base, state, inner, frame)

    def _return_from(self, stmt: ir.Call, base: State, state: State, inner: Frame, frame: Frame) -> None:
        result_name = frame.prefix + (stmt.target.name if stmt.target else "")
        for side, value in inner.returns:
            if value is not None and stmt.target is not None:
                side.registers[result_name] = value
        sides = [side for side, _ in inner.returns]
        if not state.dead:
            sides.append(state)
        merged = self.merge(base, sides)
        merged.registers = {n: v for n, v in merged.registers.items() if not n.startswith(inner.prefix)}
        exits = tuple(c for c in merged.path[len(base.path) :] if c.cause == "check")
        merged.path = base.path + exits
        state.adopt(merged)
        if stmt.target is not None and result_name not in state.registers and not state.dead:
            state.registers[result_name] = self.evaluator.fresh(
                f"{APPROXIMATE_PREFIX}{stmt.target.name}", stmt.target.type, "thread"
            )

    def _unknown_call(self, stmt: ir.Call, args: list[Value], state: State, frame: Frame) -> None:
        self._possible_barrier(stmt.span, f"call of {stmt.function} without a body", state)
        for value in args:
            forget(value, state)
            self.disturb(value)
        if stmt.target is not None:
            scope = "thread"
            state.registers[frame.prefix + stmt.target.name] = self.evaluator.fresh(
                f"{APPROXIMATE_PREFIX}{stmt.function}", stmt.target.type, scope
            )

    def _hole(self, stmt: ir.Unmodelled, state: State, frame: Frame) -> None:
        if stmt.may_sync:
            self._possible_barrier(stmt.span, stmt.reason, state, self._met_by(stmt, state, frame))
        use_storage(self, stmt, state, frame)
        if stmt.reason == ir.ADDRESS_AS_NUMBER and self._is_followed(stmt, state, frame):
            return
        for expr in stmt.reads:
            value = self.evaluator.value(expr, state, frame)
            forget(value, state)
            self.disturb(value)
            for array in self.evaluator.windows.within(value):
                self.disturb(Address(array, number(0)))
        for place in stmt.writes:
            if isinstance(place, ir.Variable) and frame.prefix + place.var.name in state.registers:
                state.registers[frame.prefix + place.var.name] = self.evaluator.fresh(
                    f"{APPROXIMATE_PREFIX}{place.var.name}", place.var.type, "thread"
                )
            else:
                value = self.evaluator.place(place, state, frame)
                forget(value, state)
                self.disturb(value)
        if stmt.may_exit:
            state.assume(flag(f"{APPROXIMATE_PREFIX}hole#{self.count()}", "thread"), "exit")

    def _is_followed(self, stmt: ir.Unmodelled, state: State, frame: Frame) -> bool:
        """The number of a pointer leads back to it."""
        return self.evaluator.windows.number_of(self.evaluator.value(stmt.reads[0], state, frame)) is not None

    # --- barriers and warps -------------------------------------------------------------------------------------------

    def new_point(self, span: Span | None, kind: str) -> BarrierPoint:
        self._points += 1
        return BarrierPoint(self._points, span, kind)

    def _reach(self, target: BarrierPoint, state: State) -> None:
        if self.recording:
            condition = state.condition()
            self.edges.extend(Edge(point, target, conjunction(condition, cond)) for point, cond in state.phases)

    def _barrier(self, stmt: ir.Barrier, state: State, frame: Frame) -> None:
        if stmt.object is not None and phases.touch(self, stmt, state, frame):
            return
        if stmt.scope is ir.Scope.BLOCK and stmt.mode == "arrive":
            state.arrived = len(self.accesses)
            return
        if stmt.scope is ir.Scope.WARP:
            pipelines.pass_barrier(self, state)
            if self.recording:
                size, members = groups_of(stmt.mask, self.environment)
                self.warp_barriers.append(
                    WarpBarrier(size, self.serial, state.path, tuple(self.loops), members=members)
                )
            if stmt.mask is not None:
                self._visit_warp("syncwarp", self.evaluator.value(stmt.mask, state, frame), (), stmt.span, state, frame)
            return
        if is_for_part(stmt):
            numbered.visit(self, stmt, state, frame)
            pipelines.pass_barrier(self, state)
            return
        whole, kind = self._kind_of(stmt, state, frame)
        former = state.phases
        point = self.new_point(stmt.span, kind)
        self._reach(point, state)
        if self.recording and whole:
            stack = (*frame.stack, stmt.span)
            self.visits.append(BarrierVisit(point, stmt.span, state.path, self.balanced > 0, stack, self.serial))
        state.phases = ((point, TRUE),)
        if stmt.scope is ir.Scope.GRID:
            state.grid_phases = ((point, TRUE),)
        state.epoch = (str(point.number), state.epoch[1])
        state.stale = {}
        phases.stretch(self, former, state)
        pipelines.pass_barrier(self, state)
        if stmt.target is not None:
            state.registers[frame.prefix + stmt.target.name] = self.evaluator.fresh(
                f"{MEMORY_PREFIX}barrier", stmt.target.type, "block"
            )

    def _warp(self, stmt: ir.Warp, state: State, frame: Frame) -> None:
        args = [self.evaluator.value(arg, state, frame) for arg in stmt.args]
        scope = "thread"
        mask = None if stmt.mask is None else self.evaluator.value(stmt.mask, state, frame)
        self._visit_warp(stmt.op, mask, tuple(args), stmt.span, state, frame, self._used(stmt, state, frame))
        if self.recording and stmt.mask is not None and args and isinstance(args[0], Term):
            handed, size = self.evaluator.read_for(args[0]), lanes_of(stmt.mask)
            if handed:
                self.warp_barriers.append(WarpBarrier(size, self.serial, state.path, tuple(self.loops), handed))
        uniform = join_scopes("launch", *(scope_of(arg) for arg in args[:1]))
        alike = uniform in ("launch", "block") or (bool(args) and is_of_warp(args[0], self.environment))
        if alike and stmt.op.startswith("shfl"):
            state.registers[frame.prefix + stmt.target.name] = args[0]
            return
        of_warp = mask is None or scope_of(mask) != "thread"
        if (stmt.op in ("ballot", "any", "all") or stmt.op.startswith("reduce")) and of_warp:
            scope = "warp"
        if stmt.op == "shfl" and _is_whole(args) and len(args) > 1 and scope_of(args[1]) != "thread":
            scope = "warp"
        result = self.evaluator.fresh(f"{MEMORY_PREFIX}{stmt.op}", stmt.target.type, scope)
        state.registers[frame.prefix + stmt.target.name] = result
        self._note_mask(stmt, mask, args, result, state)

    def _met_by(self, stmt: ir.Unmodelled, state: State, frame: Frame) -> str:
        """What tells what a hole waits for from other waits: the calls that lead there, and the operands.

        Threads that name different ones do not meet: each has a way of its own to the point.
        """
        values = [self.evaluator.value(expr, state, frame) for expr in stmt.reads]
        if any(scope_of(value) == "thread" for value in values):
            return f" for thread #{self.count()}"
        places = ":".join(f"{span.line}.{span.column}" for span in frame.stack)
        return f" from {places}"

    def _possible_barrier(self, span: Span, reason: str, state: State, met: str = "") -> None:
        """What may synchronise is taken to order everything: what races even so is a race, and nothing is proved."""
        self.possible_barriers.append(reason)
        point = self.new_point(span, f"possible at {span.line}:{span.column}{met}")
        self._reach(point, state)
        state.phases = ((point, TRUE),)
        state.grid_phases = ((point, TRUE),)
        state.epoch = (str(point.number), state.epoch[1])
        state.flights = ()  # it may wait for copies as well

    def _kind_of(self, stmt: ir.Barrier, state: State, frame: Frame) -> tuple[bool, str]:
        """Whether all threads of the block have to come, and what tells it from other barriers.

        A barrier for some threads only, or one that is split, is taken to order all: what races even so is a race.
        """
        if stmt.object is not None:
            whole = stmt.mode == "sync" and phases.counts_all(self, stmt.object, state, frame)
            self.partial_barriers |= not whole
            return whole, phases.kind_of(self, stmt.object, state, frame)
        number_of = None if stmt.id is None else self.evaluator.integer(stmt.id, state, frame)
        named = stmt.scope is ir.Scope.NAMED and not is_number(number_of or number(0), 0)
        if stmt.mode != "sync" or stmt.scope is ir.Scope.CLUSTER:
            self.partial_barriers = True
        whole = stmt.mode == "sync"
        if named:
            return whole, f"named {number_of}"
        return whole, ir.Scope.BLOCK.value if stmt.scope is ir.Scope.NAMED else stmt.scope.value

    def exchanged(self, left: Value, right: Value, result: Value) -> Value:
        """The result of a commutative operation; after exchanges across all five bits of the lane a warp shares it."""
        for own, other in ((left, right), (right, left)):
            known = self.butterflies.get(other) if isinstance(other, Term) else None
            if known is not None and known[0] is own and isinstance(result, Term):
                bits = self.symmetric.get(known[0], frozenset()) | {known[1]}
                if bits >= LANE_BITS:
                    low, high = interval(result)
                    return symbol(f"{MEMORY_PREFIX}exchanged#{self.count()}", low, high, "warp")
                self.symmetric[result] = bits
        return result

    def _visit_warp(
        self,
        op: str,
        mask: Value | None,
        args: tuple[Value, ...],
        span: Span,
        state: State,
        frame: Frame,
        used: Term = TRUE,
    ) -> None:
        if self.recording and self.recording_obligations and (mask is None or isinstance(mask, Term)):
            terms = tuple(arg if isinstance(arg, Term) else number(0) for arg in args)
            stack = (*frame.stack, span)
            self.warp_visits.append(WarpVisit(op, mask, terms, span, state.path, stack, used, self.serial))

    def _used(self, stmt: ir.Warp, state: State, frame: Frame) -> Term:
        """When the result matters to the thread."""
        guard = self._result_guards.of(stmt, frame.function)
        return TRUE if guard is None else self.evaluator.truth(guard, state, frame)

    def _note_mask(self, stmt: ir.Warp, mask: Value | None, args: list[Value], result: Value, state: State) -> None:
        if not isinstance(result, Term):
            return
        full = isinstance(mask, Number) and mask.value in (-1, FULL_MASK)
        if stmt.op == "activemask":
            self.active_masks.add(result)
        elif stmt.op == "ballot" and full and isinstance(args[0], Term):
            self.ballots[result] = conjunction(as_truth(args[0]), *(c.term for c in state.path))
        elif (
            stmt.op == "shfl_xor"
            and full
            and _is_whole(args)
            and isinstance(args[0], Term)
            and isinstance(args[1], Number)
        ):
            self.butterflies[result] = (args[0], args[1].value)


def _is_whole(shuffled: list[Value]) -> bool:
    """The third argument of a shuffle does not part the warp."""
    return len(shuffled) < 3 or (isinstance(shuffled[2], Number) and shuffled[2].value == WARP)


def _counts(type_: ir.Type) -> Iterator[int]:
    while isinstance(type_, ir.Array) and type_.count is not None:
        yield type_.count
        type_ = type_.element


def _active(frame: Frame) -> tuple[str, ...]:
    return (frame.function.id,) if frame.depth else ()


def _synchronises(body: tuple[ir.Stmt, ...]) -> bool:
    """Whether threads may wait for others in these statements, or in what they call."""
    return any(isinstance(stmt, _SYNCHRONISING) for stmt in statements(body))


def _barriers_in(body: tuple[ir.Stmt, ...]) -> int:
    """Block barriers that stand directly in a statement list."""
    return sum(isinstance(stmt, ir.Barrier) and stmt.scope is ir.Scope.BLOCK and stmt.mode == "sync" for stmt in body)


def _either_path(base: State, a: State, b: State) -> tuple[Conjunct, ...]:
    """The disjunction of two paths beyond the base, by cause where both agree, else as a check."""
    start = len(base.path)
    left = conjunction(*(c.term for c in a.path[start:]))
    right = conjunction(*(c.term for c in b.path[start:]))
    either = disjunction(left, right)
    if either is TRUE:
        return base.path
    causes = {c.cause for c in (*a.path[start:], *b.path[start:])}
    cause = "exit" if "exit" in causes else "check"
    return (*base.path, Conjunct(either, cause))
