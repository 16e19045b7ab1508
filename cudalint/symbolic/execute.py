"""The symbolic thread walks a kernel: one pass over structured IR, branches joined, calls inlined.

What it leaves behind (accesses with their paths and barrier points, obligations, barriers visited) mentions thread
symbols; `races` and `barriers` make two threads of it by renaming them. Loops are in `loops`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import assert_never

from cudalint import ir
from cudalint.source import Span
from cudalint.symbolic import integers
from cudalint.symbolic.environment import Environment
from cudalint.symbolic.expressions import Evaluator, is_same_kind, leaves_of, members_of, part_of, place_type
from cudalint.symbolic.loops import execute_loop
from cudalint.symbolic.model import (
    APPROXIMATE_PREFIX,
    MEMORY_PREFIX,
    Access,
    Address,
    Aggregate,
    BarrierPoint,
    BarrierVisit,
    Conjunct,
    Edge,
    Either,
    MemoryObject,
    Obligation,
    Value,
    join_scopes,
    scope_of,
)
from cudalint.symbolic.state import State, join, merge_values
from cudalint.term import (
    FALSE,
    TRUE,
    Number,
    Term,
    add,
    apply,
    at_most,
    conjunction,
    disjunction,
    flag,
    interval,
    is_truth,
    less,
    negate,
    negation,
    number,
    quotient,
    remainder,
    symbol,
)

CALL_DEPTH = 24


class WalkLimit(Exception):
    """The kernel is larger than the budget of one walk."""


@dataclass(slots=True)
class LoopExits:
    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)


@dataclass(slots=True)
class Frame:
    """One inlined call. `prefix` keeps its registers apart from those of other calls."""

    function: ir.Function
    prefix: str
    stack: tuple[Span, ...]
    depth: int = 0
    returns: list[tuple[State, Value | None]] = field(default_factory=list)
    loops: list[LoopExits] = field(default_factory=list)


class Walk:
    """One kernel under one contract."""

    def __init__(self, unit: ir.Unit, kernel: ir.Function, environment: Environment, step_limit: int = 60_000) -> None:
        self.unit = unit
        self.kernel = kernel
        self.environment = environment
        self.evaluator = Evaluator(self)
        self.obligations: list[Obligation] = []
        self.accesses: list[Access] = []
        self.edges: list[Edge] = []
        self.visits: list[BarrierVisit] = []
        self.axioms: list[Term] = []
        self.notes: list[str] = []
        self.recording = True
        self.recording_obligations = True
        self.skip_points_from: int | None = None
        self.balanced = 0
        self.sync_unknown: str | None = None
        self.entry = BarrierPoint(0, None, "entry")
        self.exit = BarrierPoint(1, None, "exit")
        self.roots: list[BarrierPoint] = [self.entry]
        self._points = 2
        self._counter = 0
        self._steps = 0
        self._step_limit = step_limit
        self._objects: dict[tuple[str, str], MemoryObject] = {}
        self._locals: dict[str, MemoryObject] = {}

    # --- services for the evaluator -----------------------------------------------------------------------------------

    def count(self) -> int:
        self._counter += 1
        return self._counter

    def builtin(self, name: str) -> Term:
        return self.environment.builtin(name)

    def size_term(self, type_: ir.Type) -> Term:
        size = ir.size_of(type_)
        if size is not None:
            return number(size)
        name = type_.name if isinstance(type_, ir.Struct | ir.Unknown) else str(type_)
        return symbol(f"sizeof({name})", 1, 1 << 20)

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

    # --- running ------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Walk the whole kernel."""
        state = State(phases=((self.entry, TRUE),))
        frame = Frame(self.kernel, "", ())
        for param in self.kernel.params:
            self._bind(param, self.environment.argument(param, self.evaluator), state, frame)
        self.block(self.kernel.body, state, frame)
        if not state.dead:
            self._reach(self.exit, state)

    def _bind(self, param: ir.Param, value: Value, state: State, frame: Frame) -> None:
        if param.memory:
            found = self._local_object(param.var, frame)
            self.write_cells(state, found, 0, param.var.type, value)
        else:
            state.registers[frame.prefix + param.var.name] = value

    def block(self, body: tuple[ir.Stmt, ...], state: State, frame: Frame) -> None:
        for stmt in body:
            if state.dead:
                return
            self.statement(stmt, state, frame)

    def statement(self, stmt: ir.Stmt, state: State, frame: Frame) -> None:
        self._steps += 1
        if self._steps > self._step_limit:
            raise WalkLimit
        match stmt:
            case ir.Declare():
                self._declare(stmt, frame)
            case ir.Assign():
                state.registers[frame.prefix + stmt.target.name] = self.evaluator.value(stmt.value, state, frame)
            case ir.Load() | ir.Store() | ir.Atomic() | ir.AsyncCopy():
                self._memory(stmt, state, frame)
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
            case ir.Fence() | ir.AsyncCommit() | ir.AsyncWait():
                pass
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

    # --- control ------------------------------------------------------------------------------------------------------

    def _if(self, stmt: ir.If, state: State, frame: Frame) -> None:
        cond = self.evaluator.truth(stmt.cond, state, frame)
        if cond is TRUE or cond is FALSE:
            self.block(stmt.then if cond is TRUE else stmt.orelse, state, frame)
            return
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
        state.dead = True

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
        if callee is None or frame.depth >= CALL_DEPTH or callee.id in _active(frame):
            self._unknown_call(stmt, args, state, frame)
            return
        inner = Frame(
            callee, f"{frame.prefix}{callee.name}/{self.count()}:", (*frame.stack, stmt.span), frame.depth + 1
        )
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
        self.sync_unknown = self.sync_unknown or f"call of {stmt.function} without a body"
        for value in args:
            self._forget(value, state)
        if stmt.target is not None:
            scope = "thread"
            state.registers[frame.prefix + stmt.target.name] = self.evaluator.fresh(
                f"{APPROXIMATE_PREFIX}{stmt.function}", stmt.target.type, scope
            )

    def _hole(self, stmt: ir.Unmodelled, state: State, frame: Frame) -> None:
        if stmt.may_sync:
            self.sync_unknown = self.sync_unknown or stmt.reason
        for expr in stmt.reads:
            self._forget(self.evaluator.value(expr, state, frame), state)
        for place in stmt.writes:
            if isinstance(place, ir.Variable) and frame.prefix + place.var.name in state.registers:
                state.registers[frame.prefix + place.var.name] = self.evaluator.fresh(
                    f"{APPROXIMATE_PREFIX}{place.var.name}", place.var.type, "thread"
                )
            else:
                self._forget(self.evaluator.place(place, state, frame), state)
        if stmt.may_exit:
            state.assume(flag(f"{APPROXIMATE_PREFIX}hole#{self.count()}", "thread"), "exit")

    def _forget(self, value: Value, state: State) -> None:
        """Nothing is known any longer of the object that the pointer reaches."""
        if isinstance(value, Either):
            self._forget(value.then, state)
            self._forget(value.orelse, state)
        if isinstance(value, Address) and value.object is not None:
            found = value.object
            state.cells = {cell: v for cell, v in state.cells.items() if cell[0] is not found}
            state.stale |= {found}

    # --- barriers and warps -------------------------------------------------------------------------------------------

    def new_point(self, span: Span | None, kind: str) -> BarrierPoint:
        self._points += 1
        return BarrierPoint(self._points, span, kind)

    def _reach(self, target: BarrierPoint, state: State) -> None:
        if self.recording:
            condition = state.condition()
            self.edges.extend(Edge(point, target, conjunction(condition, cond)) for point, cond in state.phases)

    def _barrier(self, stmt: ir.Barrier, state: State, frame: Frame) -> None:
        if stmt.scope is ir.Scope.WARP:
            state.warp_epoch = self.count()
            return
        if stmt.scope in (ir.Scope.CLUSTER, ir.Scope.NAMED) or stmt.count is not None or stmt.mode != "sync":
            self.sync_unknown = self.sync_unknown or "a named or split barrier"
        point = self.new_point(stmt.span, stmt.scope.value)
        self._reach(point, state)
        if self.recording:
            self.visits.append(BarrierVisit(point, stmt.span, state.path, self.balanced > 0, (*frame.stack, stmt.span)))
        state.phases = ((point, TRUE),)
        state.epoch = (str(point.number), state.epoch[1])
        state.stale = frozenset()
        if stmt.target is not None:
            state.registers[frame.prefix + stmt.target.name] = self.evaluator.fresh(
                f"{MEMORY_PREFIX}barrier", stmt.target.type, "block"
            )

    def _warp(self, stmt: ir.Warp, state: State, frame: Frame) -> None:
        args = [self.evaluator.value(arg, state, frame) for arg in stmt.args]
        scope = "thread"
        uniform = join_scopes("launch", *(scope_of(arg) for arg in args[:1]))
        if uniform in ("launch", "block") and stmt.op.startswith("shfl"):
            state.registers[frame.prefix + stmt.target.name] = args[0]
            return
        if stmt.op in ("ballot", "any", "all", "activemask") or stmt.op.startswith("reduce"):
            scope = "warp"
        if stmt.op == "shfl" and len(args) > 1 and scope_of(args[1]) in ("launch", "block", "warp"):
            scope = "warp"
        state.registers[frame.prefix + stmt.target.name] = self.evaluator.fresh(
            f"{MEMORY_PREFIX}{stmt.op}", stmt.target.type, scope
        )

    # --- memory -------------------------------------------------------------------------------------------------------

    def _memory(self, stmt: ir.Load | ir.Store | ir.Atomic | ir.AsyncCopy, state: State, frame: Frame) -> None:
        if isinstance(stmt, ir.Load):
            self._load(stmt, state, frame)
        elif isinstance(stmt, ir.Store):
            self._store(stmt, state, frame)
        elif isinstance(stmt, ir.Atomic):
            self._atomic(stmt, state, frame)
        else:
            self.sync_unknown = self.sync_unknown or "asynchronous copy"
            size = self.evaluator.integer(stmt.bytes, state, frame)
            for pointer, kind in ((stmt.source, "read"), (stmt.destination, "write")):
                address = self.evaluator.value(pointer, state, frame)
                self._access(address, kind, size.value if isinstance(size, Number) else 1, stmt.span, state, frame)
                if kind == "write":
                    self._forget(address, state)

    def _load(self, stmt: ir.Load, state: State, frame: Frame) -> None:
        address = self.evaluator.place(stmt.place, state, frame)
        size = ir.size_of(stmt.target.type) or 1
        covered = self._dimensions(stmt.place, "read", stmt.span, state, frame)
        self._access(address, "read", size, stmt.span, state, frame, order=stmt.order.value, covered=covered)
        state.registers[frame.prefix + stmt.target.name] = self.read(state, address, stmt.target.type, stmt.order)

    def _store(self, stmt: ir.Store, state: State, frame: Frame) -> None:
        value = self.evaluator.value(stmt.value, state, frame)
        address = self.evaluator.place(stmt.place, state, frame)
        type_ = place_type(stmt.place)
        size = ir.size_of(type_) or 1
        covered = self._dimensions(stmt.place, "write", stmt.span, state, frame)
        self._access(address, "write", size, stmt.span, state, frame, value, stmt.order.value, covered=covered)
        self._write(state, address, type_, value)

    def _atomic(self, stmt: ir.Atomic, state: State, frame: Frame) -> None:
        address = self.evaluator.place(stmt.place, state, frame)
        type_ = place_type(stmt.place)
        covered = self._dimensions(stmt.place, "atomic", stmt.span, state, frame)
        self._access(address, "atomic", ir.size_of(type_) or 1, stmt.span, state, frame, covered=covered)
        self._forget(address, state)
        if stmt.target is not None:
            state.registers[frame.prefix + stmt.target.name] = self.evaluator.fresh(
                f"{MEMORY_PREFIX}{stmt.op}", stmt.target.type, "thread"
            )

    def read(self, state: State, address: Value, type_: ir.Type, order: ir.Order = ir.Order.PLAIN) -> Value:
        """The loaded value: what this thread stored, a function of the interval, or a fresh one."""
        if isinstance(address, Either):
            then = self.read(state, address.then, type_, order)
            orelse = self.read(state, address.orelse, type_, order)
            fresh = symbol(f"{APPROXIMATE_PREFIX}read#{self.count()}", None, None, "thread")
            merged = merge_values(address.cond, then, orelse, fresh)
            assert merged is not None
            return merged
        if not isinstance(address, Address) or address.object is None:
            return self.evaluator.fresh(f"{APPROXIMATE_PREFIX}read", type_, "thread")
        if isinstance(address.offset, Number):
            known = self._cell(state, address.object, address.offset.value, type_)
            if known is not None:
                return known
        return self._unknown_read(state, address, type_, order)

    def _cell(self, state: State, found: MemoryObject, offset: int, type_: ir.Type) -> Value | None:
        cell = state.cells.get((found, offset))
        if cell is not None and is_same_kind(cell[0], type_):
            return cell[1]
        if not isinstance(type_, ir.Struct | ir.Vector) or found.memory != "local":
            return None
        leaves: dict[int, tuple[ir.Type, Value]] = {}
        for inside, leaf_type in leaves_of(type_):
            leaf = state.cells.get((found, offset + inside))
            if leaf is None or not is_same_kind(leaf[0], leaf_type):
                return None
            leaves[inside] = leaf
        return Aggregate(type_, leaves)

    def _unknown_read(self, state: State, address: Address, type_: ir.Type, order: ir.Order) -> Value:
        found = address.object
        assert found is not None
        label = f"{MEMORY_PREFIX}{found.name}"
        if found.memory == "local":
            return self.evaluator.fresh(f"{APPROXIMATE_PREFIX}{found.name}", type_, "thread")
        if found in state.stale or order is ir.Order.VOLATILE:
            return self._in_values(found, self.evaluator.fresh(label, type_, "thread"))
        if found.memory == "global" and not found.read_only:
            return self._in_values(found, self.evaluator.fresh(label, type_, "thread"))
        args: tuple[Term, ...] = (address.offset,)
        if found.memory == "shared":
            blocks = tuple(self.builtin(f"blockIdx.{axis}") for axis in "xyz")
            label, args = f"{label}@{state.epoch[0]}", (*blocks, *state.epoch[1], address.offset)
        return self._in_values(found, self._function_read(label, args, type_))

    def _function_read(self, label: str, args: tuple[Term, ...], type_: ir.Type) -> Value:
        if isinstance(type_, ir.Int):
            low, high = ir.int_range(type_)
            return apply(label, args, low, high)
        if isinstance(type_, ir.Bool):
            return integers.as_truth(apply(label, args, 0, 1))
        if isinstance(type_, ir.Float):
            return apply(label, args)
        if isinstance(type_, ir.Pointer):
            return Address(self.environment.loaded_object(label, args, type_), number(0))
        scope = join_scopes("launch", *(scope_of(arg) for arg in args))
        return self.evaluator.fresh(label, type_, scope)

    def _in_values(self, found: MemoryObject, value: Value) -> Value:
        """A content fact (`values(idx) in [0, n)`) holds for every value read."""
        bounds = self.environment.values.get(found.name)
        if bounds is not None and isinstance(value, Term) and not is_truth(value):
            self.axioms.append(conjunction(at_most(bounds[0], value), less(value, bounds[1])))
        return value

    def _write(self, state: State, address: Value, type_: ir.Type, value: Value) -> None:
        if not isinstance(address, Address) or address.object is None:
            self._forget(address, state)
            return
        state.stale |= {address.object}
        if isinstance(address.offset, Number) and address.object.memory == "local":
            self.write_cells(state, address.object, address.offset.value, type_, value)
        elif address.object.memory == "local":
            found = address.object
            state.cells = {cell: v for cell, v in state.cells.items() if cell[0] is not found}

    def write_cells(self, state: State, found: MemoryObject, offset: int, type_: ir.Type, value: Value) -> None:
        """A store to thread-private memory at a constant offset."""
        size = ir.size_of(type_) or 1
        for cell in [c for c in state.cells if c[0] is found and c[1] < offset + size]:
            width = ir.size_of(state.cells[cell][0]) or 1
            if cell[1] + width > offset:
                del state.cells[cell]
        if isinstance(value, Aggregate):
            for inside, leaf in value.leaves.items():
                state.cells[(found, offset + inside)] = leaf
        else:
            state.cells[(found, offset)] = (type_, value)

    # --- obligations --------------------------------------------------------------------------------------------------

    def _access(
        self,
        address: Value,
        kind: str,
        size: int,
        span: Span,
        state: State,
        frame: Frame,
        value: Value | None = None,
        order: str = "plain",
        guard: tuple[Conjunct, ...] = (),
        covered: bool = False,
    ) -> None:
        if isinstance(address, Either):
            for cond, side in ((address.cond, address.then), (negation(address.cond), address.orelse)):
                inner = (*guard, Conjunct(cond, "branch"))
                self._access(side, kind, size, span, state, frame, value, order, inner, covered)
            return
        if not isinstance(address, Address) or address.object is None or not self.recording:
            return
        found, path = address.object, state.path + guard
        if found.memory != "local" and not self._already_compared(state):
            stack = (*frame.stack, span)
            self.accesses.append(
                Access(
                    found, address.offset, size, kind, span, path, state.phases, state.warp_epoch, stack, value, order
                )
            )
        if self.recording_obligations and not covered:
            self._oblige(address, kind, size, span, path, frame)

    def _already_compared(self, state: State) -> bool:
        start = self.skip_points_from
        return start is not None and all(point.number > start for point, _ in state.phases)

    def _oblige(
        self, address: Address, kind: str, size: int, span: Span, path: tuple[Conjunct, ...], frame: Frame
    ) -> None:
        found = address.object
        assert found is not None
        lower = number(0) if found.before is None else negate(found.before)
        holds = at_most(lower, address.offset)
        if found.size is not None:
            holds = conjunction(holds, at_most(add(address.offset, number(size)), found.size))
        extent = None if found.size is None else quotient(found.size, number(size))
        index = quotient(address.offset, number(size))
        self.obligations.append(
            Obligation(
                "bounds", kind, found, span, path, holds, index, extent, size, (*frame.stack, span),
                root=f"{found.name}:{kind}",
            )
        )  # fmt: skip

    def _dimensions(self, place: ir.Place, kind: str, span: Span, state: State, frame: Frame) -> bool:
        """Each dimension of a declared array has its own bound; True where together they imply the byte range."""
        covered = True
        while not isinstance(place, ir.Variable):
            if isinstance(place, ir.Element):
                return False
            if isinstance(place, ir.Index):
                base = place_type(place.base)
                count = base.count if isinstance(base, ir.Array) else None
                if count is None:
                    covered = False
                else:
                    self._dimension(place, count, kind, span, state, frame)
            place = place.base
        found = self.object_of(place.var, frame)
        return covered and found.size is not None

    def _dimension(self, place: ir.Index, count: int, kind: str, span: Span, state: State, frame: Frame) -> None:
        if not (self.recording and self.recording_obligations):
            return
        index = self.evaluator.integer(place.index, state, frame)
        root_var: ir.Place = place
        while not isinstance(root_var, ir.Variable):
            if isinstance(root_var, ir.Element):
                return
            root_var = root_var.base
        found = self.object_of(root_var.var, frame)
        holds = integers.between(0, index, count - 1)
        unit = ir.size_of(place.type) or 1
        self.obligations.append(
            Obligation(
                "dimension", kind, found, span, state.path, holds, index, number(count), unit, (*frame.stack, span),
                root=f"{found.name}:{kind}",
            )
        )  # fmt: skip


def _active(frame: Frame) -> tuple[str, ...]:
    return (frame.function.id,) if frame.depth else ()


def _barriers_in(body: tuple[ir.Stmt, ...]) -> int:
    """Block barriers that stand directly in a statement list."""
    return sum(isinstance(stmt, ir.Barrier) and stmt.scope is ir.Scope.BLOCK for stmt in body)


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


__all__ = ["Frame", "Walk", "WalkLimit", "interval", "leaves_of", "members_of", "part_of", "remainder"]
