"""Host code walked once, from a root function down to every launch; branches joined, calls inlined, short loops unrolled.

What a loop assigns is unknown in and behind it; a counted loop keeps the range of its counter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from cudalint import ir
from cudalint.ir import BinaryOp
from cudalint.symbolic.host.evaluate import Evaluator, Frame, is_dim3
from cudalint.symbolic.host.library import Library
from cudalint.symbolic.host.state import State, World, join, join_exits, merge_values
from cudalint.symbolic.host.values import Address, Either, FunctionValue, HostObject, Value, addresses
from cudalint.term import (
    FALSE,
    TRUE,
    Term,
    at_most,
    conjunction,
    equal,
    negation,
    number,
    remainder,
    subtract,
)

CALL_DEPTH = 16
LONGEST_UNROLLED = 16
LAUNCHES = 512


class HostLimit(Exception):
    """The root is larger than the budget of one walk."""


@dataclass(frozen=True, slots=True)
class LaunchRecord:
    """One launch as reached: values of its operands and the conditions on the way."""

    kernel: str
    launch: ir.Launch
    function: str  # the host function whose text holds the launch
    grid: tuple[Term, Term, Term]
    block: tuple[Term, Term, Term]
    shared: Term
    args: tuple[Value, ...]
    path: tuple[Term, ...]
    state: State


class Walk:
    """One root function under unknown arguments."""

    def __init__(self, unit: ir.Unit, root: ir.Function, step_limit: int = 40_000) -> None:
        self.unit, self.root = unit, root
        self.world = World()
        self.evaluator = Evaluator(self.world, unit, root.name)
        self.library = Library(self.world, self.evaluator)
        self.launches: list[LaunchRecord] = []
        self._steps, self._step_limit = 0, step_limit
        self._recording = True
        self._written: list[set[HostObject]] = []

    def run(self) -> list[LaunchRecord]:
        """All launches that the root reaches; HostLimit when the budget ends."""
        state, frame = State(self.world), Frame(self.root, "")
        self._globals(state)
        for param in self.root.params:
            name = param.var.name
            value = self.world.unknown(self.evaluator.named(name), param.var.type)
            self._bind(param, value, state, frame)
        self.statements(self.root.body, state, frame)
        return self.launches

    def _globals(self, state: State) -> None:
        """Host variables with a constant initialiser that no function of the unit writes."""
        written = _written_globals(self.unit)
        for name, declared in sorted(self.unit.globals.items()):
            object_ = self.evaluator.globals[name] = HostObject(name, "variable")
            type_, init = declared.var.type, declared.init
            if init is None or name in written or declared.storage in (ir.Storage.SHARED, ir.Storage.DYNAMIC_SHARED):
                continue
            element = type_.element if isinstance(type_, ir.Array) else type_
            size = ir.size_of(element)
            if isinstance(element, ir.Int) and size is not None:
                for position, value in enumerate(init[:256]):
                    cell = Address(object_, number(position * size))
                    state.write(cell, element, number(int(value)))

    def _bind(self, param: ir.Param, value: Value, state: State, frame: Frame) -> None:
        if param.memory:
            address = self.evaluator.place(ir.Variable(param.var), state, frame)
            assert isinstance(address, Address)
            state.write(address, param.var.type, value)
        else:
            state.registers[frame.prefix + param.var.name] = value

    # --- statements ---------------------------------------------------------------------------------------------------

    def statements(self, body: tuple[ir.Stmt, ...], state: State, frame: Frame) -> None:
        """Walk in order, changing `state` in place, until it ends."""
        for stmt in body:
            if state.end:
                return
            self._steps += 1
            if self._steps > self._step_limit:
                raise HostLimit(self.root.name)
            self._statement(stmt, state, frame)

    def _statement(self, stmt: ir.Stmt, state: State, frame: Frame) -> None:
        match stmt:
            case ir.Declare() | ir.Assign() | ir.Load() | ir.Store() | ir.Atomic() | ir.AsyncCopy():
                self._memory(stmt, state, frame)
            case ir.If() | ir.Loop() | ir.Return() | ir.Break() | ir.Continue() | ir.Check() | ir.Trap():
                self._control(stmt, state, frame)
            case ir.Call() | ir.Launch() | ir.Unmodelled():
                self._call(stmt, state, frame)
            case ir.Warp():
                self._set(stmt.target, self.world.lost(stmt.target.name, stmt.target.type), state, frame)
            case ir.Barrier() | ir.Fence() | ir.AsyncCommit() | ir.AsyncWait():
                pass
            case _:
                assert_never(stmt)

    def _set(self, target: ir.Var, value: Value, state: State, frame: Frame) -> None:
        object_ = frame.variables.get(target.name)
        if object_ is not None:
            self._write(Address(object_, number(0)), target.type, value, state)
        else:
            state.registers[frame.prefix + target.name] = value

    # --- memory -------------------------------------------------------------------------------------------------------

    def _memory(self, stmt: ir.MemoryStmt, state: State, frame: Frame) -> None:
        match stmt:
            case ir.Declare():
                self._declare(stmt, state, frame)
            case ir.Assign():
                self._set(stmt.target, self.evaluator.value(stmt.value, state, frame), state, frame)
            case ir.Load():
                pointer = self.evaluator.place(stmt.place, state, frame)
                self._set(stmt.target, self.read(pointer, stmt.target.type, state, stmt.target.name), state, frame)
            case ir.Store():
                value = self.evaluator.value(stmt.value, state, frame)
                self.store(self.evaluator.place(stmt.place, state, frame), _stored_type(stmt), value, state)
            case ir.Atomic():
                self.forget(self.evaluator.place(stmt.place, state, frame), state)
                if stmt.target is not None:
                    self._set(stmt.target, self.world.lost(stmt.target.name, stmt.target.type), state, frame)
            case ir.AsyncCopy():
                pass
            case _:
                assert_never(stmt)

    def _declare(self, stmt: ir.Declare, state: State, frame: Frame) -> None:
        if stmt.storage is ir.Storage.REGISTER:
            return
        name = self.evaluator.named(stmt.var.name)
        size = ir.size_of(stmt.var.type)
        object_ = HostObject(name, "variable", None if size is None else number(size))
        frame.variables[stmt.var.name] = object_
        state.versions[object_] = f"~#{self.world.count()}"
        if is_dim3(stmt.var.type):
            for axis in "xyz":
                state.write(Address(object_, number(0), (axis,)), ir.UINT32, number(1))

    def read(self, pointer: Value, type_: ir.Type, state: State, name: str) -> Value:
        """The value behind a pointer."""
        if isinstance(pointer, Address):
            return self.library.property_value(pointer, type_) or state.read(pointer, type_)
        if isinstance(pointer, Either):
            then, orelse = self.read(pointer.then, type_, state, name), self.read(pointer.orelse, type_, state, name)
            return merge_values(self.world, pointer.cond, then, orelse, self.evaluator.named(name), type_)
        return self.world.lost(self.evaluator.named(name), type_)

    def store(self, pointer: Value, type_: ir.Type, value: Value, state: State) -> None:
        """Write through a pointer; an unknown one of two is forgotten in both."""
        if isinstance(pointer, Address):
            self._write(pointer, type_, value, state)
        else:
            self.forget(pointer, state)

    def _write(self, address: Address, type_: ir.Type, value: Value, state: State) -> None:
        self._log(address.object)
        state.write(address, type_, value)

    def forget(self, pointer: Value, state: State, approximate: bool = True) -> None:
        """Everything that the pointer may point into may have been written."""
        for address in addresses(pointer):
            if address.object is not None:
                self._log(address.object)
                state.havoc(address.object, approximate)

    def _log(self, object_: HostObject | None) -> None:
        if object_ is not None:
            for written in self._written:
                written.add(object_)

    # --- control ------------------------------------------------------------------------------------------------------

    def _control(self, stmt: ir.ControlStmt, state: State, frame: Frame) -> None:
        match stmt:
            case ir.If():
                self._if(stmt, state, frame)
            case ir.Loop():
                self._loop(stmt, state, frame)
            case ir.Return():
                value = None if stmt.value is None else self.evaluator.value(stmt.value, state, frame)
                frame.returns.append((state.copy(), value))
                state.end = "left"
            case ir.Break() | ir.Continue():
                stack = frame.breaks if isinstance(stmt, ir.Break) else frame.continues
                if stack:
                    stack[-1].append(state.copy())
                state.end = "left"
            case ir.Check():
                cond = self.evaluator.truth(stmt.cond, state, frame)
                state.assume(cond, "lasting")
            case ir.Trap():
                state.end = "lasting"
            case _:
                assert_never(stmt)

    def _if(self, stmt: ir.If, state: State, frame: Frame) -> None:
        cond = self.evaluator.truth(stmt.cond, state, frame)
        if cond is TRUE or cond is FALSE:
            self.statements(stmt.then if cond is TRUE else stmt.orelse, state, frame)
            return
        then, orelse = state.copy(), state.copy()
        then.assume(cond, "branch")
        orelse.assume(negation(cond), "branch")
        self.statements(stmt.then, then, frame)
        self.statements(stmt.orelse, orelse, frame)
        _adopt(state, join(cond, then, orelse, state))

    # --- loops --------------------------------------------------------------------------------------------------------

    def _loop(self, stmt: ir.Loop, state: State, frame: Frame) -> None:
        if _runs_once(stmt):
            self._once(stmt, state, frame)
        elif not self._unrolled(stmt, state, frame):
            self._repeated(stmt, state, frame)

    def _once(self, stmt: ir.Loop, state: State, frame: Frame) -> None:
        """A `switch` or `do { } while (0)`."""
        self._iteration(stmt.body, state, frame)

    def _iteration(self, body: tuple[ir.Stmt, ...], state: State, frame: Frame) -> bool:
        """One run of a body that may leave early; whether it may have left by `break`."""
        base = state.copy()
        frame.breaks.append([])
        frame.continues.append([])
        self.statements(body, state, frame)
        breaks, continues = frame.breaks.pop(), frame.continues.pop()
        exits = [*breaks, *continues, *([] if state.end else [state.copy()])]
        if exits:
            _adopt(state, join_exits(exits, base))
        return bool(breaks)

    def _unrolled(self, stmt: ir.Loop, state: State, frame: Frame) -> bool:
        """Run a loop of few iterations whose tests are all decided; False (and nothing changed) if it is another."""
        if not stmt.test_first or _leaves(stmt.body):
            return False
        trial, saved = state.copy(), (len(self.launches), len(frame.returns), self._steps)
        for _ in range(LONGEST_UNROLLED + 1):
            self.statements(stmt.pre, trial, frame)
            cond = FALSE if trial.end else self.evaluator.truth(stmt.cond, trial, frame)
            if cond is FALSE:
                _adopt(state, trial)
                return True
            if cond is not TRUE:
                break
            self.statements(stmt.body, trial, frame)
            if not trial.end:
                self.statements(stmt.step, trial, frame)
        del self.launches[saved[0] :]
        del frame.returns[saved[1] :]
        return False

    def _repeated(self, stmt: ir.Loop, state: State, frame: Frame) -> None:
        """An arbitrary iteration, then whatever holds behind the loop."""
        counter = _counter_of(stmt)
        start = state.registers.get(frame.prefix + counter.name) if counter else None
        self._forget_assigned(stmt, state, frame)
        inside = state.copy()
        if counter is not None and isinstance(start, Term):
            self._bound_counter(counter, start, state, frame)
            self._bound_counter(counter, start, inside, frame)
        self.statements(stmt.pre, inside, frame)
        if stmt.test_first and not inside.end:
            inside.assume(self.evaluator.truth(stmt.cond, inside, frame), "branch")
        left = self._iteration(stmt.body, inside, frame)
        self.statements(stmt.pre, state, frame)
        if not left and not state.end:
            state.assume(negation(self.evaluator.truth(stmt.cond, state, frame)), "lasting")

    def _forget_assigned(self, stmt: ir.Loop, state: State, frame: Frame) -> None:
        """Registers that the loop assigns by their text, memory by a trial run that notes what it writes."""
        for name, type_ in sorted(assigned_registers(stmt).items()):
            if frame.prefix + name in state.registers:
                state.registers[frame.prefix + name] = self.world.lost(self.evaluator.named(name), type_)
        for _ in range(3):
            written = self._trial(stmt, state, frame)
            fresh = sorted((o for o in written if o in _known_objects(state)), key=lambda o: o.name)
            if not fresh:
                return
            for object_ in fresh:
                state.havoc(object_)

    def _trial(self, stmt: ir.Loop, state: State, frame: Frame) -> set[HostObject]:
        """What one run from this state writes that is known before it."""
        trial, launches, returns = state.copy(), len(self.launches), len(frame.returns)
        self._written.append(set())
        before = list(state.cells)
        self.statements(stmt.pre, trial, frame)
        self._iteration(stmt.body, trial, frame)
        trial.end = None
        self.statements(stmt.step, trial, frame)
        written = self._written.pop()
        del self.launches[launches:]
        del frame.returns[returns:]
        return {cell[0] for cell in before if cell[0] in written}

    def _bound_counter(self, counter: Counter, start: Term, state: State, frame: Frame) -> None:
        """The counter has only moved one way from where it started, in whole steps."""
        value = state.registers.get(frame.prefix + counter.name)
        if not isinstance(value, Term):
            return
        state.assume(at_most(start, value) if counter.step > 0 else at_most(value, start), "lasting")
        if abs(counter.step) > 1:
            moved = remainder(subtract(value, start), number(abs(counter.step)))
            state.assume(equal(moved, number(0)), "lasting")

    # --- calls and launches -------------------------------------------------------------------------------------------

    def _call(self, stmt: ir.CallStmt, state: State, frame: Frame) -> None:
        match stmt:
            case ir.Call():
                self._call_function(stmt, state, frame)
            case ir.Launch():
                self._launch(stmt, state, frame)
            case ir.Unmodelled():
                for place in stmt.writes:
                    self._forget_place(place, state, frame)
            case _:
                assert_never(stmt)

    def _forget_place(self, place: ir.Place, state: State, frame: Frame) -> None:
        if isinstance(place, ir.Variable) and place.var.name not in frame.variables:
            if frame.prefix + place.var.name in state.registers:
                lost = self.world.lost(self.evaluator.named(place.var.name), place.var.type)
                state.registers[frame.prefix + place.var.name] = lost
            return
        self.forget(self.evaluator.place(place, state, frame), state)

    def _call_function(self, stmt: ir.Call, state: State, frame: Frame) -> None:
        args = [self.evaluator.value(arg, state, frame) for arg in stmt.args]
        callee = self.unit.functions.get(stmt.function)
        if callee is not None and callee.role is not ir.Role.KERNEL and self._may_enter(callee, frame):
            result = self._inline(callee, args, state, frame)
        else:
            result = self.library.call(stmt, args, state, self)
        if stmt.target is not None and not state.end:
            if result is None:
                result = self.world.lost(self.evaluator.named(stmt.target.name), stmt.target.type)
            self._set(stmt.target, result, state, frame)

    def _may_enter(self, callee: ir.Function, frame: Frame) -> bool:
        return bool(callee.body) and frame.depth < CALL_DEPTH and f"/{callee.id}/" not in f"/{frame.prefix}"

    def _inline(self, callee: ir.Function, args: list[Value], state: State, frame: Frame) -> Value | None:
        inner = Frame(callee, f"{frame.prefix}{callee.id}/{self.world.count()}/", depth=frame.depth + 1)
        base = state.copy()
        for param, arg in zip(callee.params, args):
            self._bind(param, arg, state, inner)
        for param in callee.params[len(args) :]:
            self._bind(param, self.world.lost(self.evaluator.named(param.var.name), param.var.type), state, inner)
        self.statements(callee.body, state, inner)
        exits = [s for s, _ in inner.returns] + ([] if state.end else [state.copy()])
        result = self._returned(inner, base)
        _adopt(state, join_exits(exits, base))
        for name in [n for n in state.registers if n.startswith(inner.prefix)]:
            del state.registers[name]
        return result

    def _returned(self, inner: Frame, base: State) -> Value | None:
        """The value of the call: a choice between the values of its returns."""
        values = [(s, v) for s, v in inner.returns if v is not None]
        if not values:
            return None
        result = values[-1][1]
        for state, value in reversed(values[:-1]):
            guard = TRUE
            for conjunct in state.path[len(base.path) :]:
                if conjunct.cause != "lasting":
                    guard = conjunction(guard, conjunct.term)
            assert value is not None and result is not None
            name = self.evaluator.named(inner.function.name)
            result = merge_values(self.world, guard, value, result, name, inner.function.result)
        return result

    def _launch(self, stmt: ir.Launch, state: State, frame: Frame) -> None:
        integer = self.evaluator.integer
        grid = tuple(integer(dim, state, frame) for dim in stmt.grid)
        block = tuple(integer(dim, state, frame) for dim in stmt.block)
        shared = integer(stmt.shared, state, frame)
        args = tuple(self.evaluator.value(arg, state, frame) for arg in stmt.args)
        kernel = self.evaluator.value(stmt.kernel, state, frame)
        for function, cond in _functions(kernel, TRUE):
            if len(self.launches) >= LAUNCHES:
                raise HostLimit(self.root.name)
            path = tuple(c.term for c in state.path) + (() if cond is TRUE else (cond,))
            self.launches.append(
                LaunchRecord(function, stmt, frame.function.name, grid, block, shared, args, path, state.copy())  # type: ignore[arg-type]
            )


def _functions(kernel: Value, cond: Term) -> list[tuple[str, Term]]:
    """The functions that a kernel operand may be, each under its condition."""
    if isinstance(kernel, FunctionValue):
        return [(kernel.function, cond)]
    if isinstance(kernel, Either):
        then = _functions(kernel.then, conjunction(cond, kernel.cond))
        return then + _functions(kernel.orelse, conjunction(cond, negation(kernel.cond)))
    return []


def _adopt(state: State, other: State) -> None:
    for name in State.__slots__:
        setattr(state, name, getattr(other, name))


def _stored_type(stmt: ir.Store) -> ir.Type:
    return stmt.place.var.type if isinstance(stmt.place, ir.Variable) else stmt.place.type


def _known_objects(state: State) -> set[HostObject]:
    return {cell[0] for cell in state.cells}


# --- the shape of loops ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Counter:
    name: str
    step: int


def _runs_once(stmt: ir.Loop) -> bool:
    return not stmt.test_first and isinstance(stmt.cond, ir.Const) and not stmt.cond.value


def _counter_of(stmt: ir.Loop) -> Counter | None:
    """The register that only the step changes, by a constant."""
    if len(stmt.step) != 1 or not isinstance(stmt.step[0], ir.Assign):
        return None
    step = stmt.step[0]
    moved = step.value
    while isinstance(moved, ir.Cast):
        moved = moved.operand
    if not isinstance(moved, ir.Binary) or moved.op not in (BinaryOp.ADD, BinaryOp.SUBTRACT):
        return None
    left, right = _uncast(moved.left), _uncast(moved.right)
    if left != step.target or not isinstance(right, ir.Const) or not isinstance(right.value, int) or not right.value:
        return None
    inside: dict[str, ir.Type] = {}
    _assigned((*stmt.pre, *stmt.body), inside)
    if step.target.name in inside:
        return None
    return Counter(step.target.name, right.value if moved.op is BinaryOp.ADD else -right.value)


def _uncast(expr: ir.Expr) -> ir.Expr:
    while isinstance(expr, ir.Cast):
        expr = expr.operand
    return expr


def assigned_registers(stmt: ir.Loop) -> dict[str, ir.Type]:
    """Registers that the loop's statements assign, with their types."""
    found: dict[str, ir.Type] = {}
    _assigned((*stmt.pre, *stmt.body, *stmt.step), found)
    return found


def _assigned(body: tuple[ir.Stmt, ...], found: dict[str, ir.Type]) -> None:
    for stmt in body:
        if isinstance(stmt, ir.Assign | ir.Load | ir.Call | ir.Atomic | ir.Warp) and stmt.target is not None:
            found[stmt.target.name] = stmt.target.type
        elif isinstance(stmt, ir.Unmodelled):
            found.update({p.var.name: p.var.type for p in stmt.writes if isinstance(p, ir.Variable)})
        for part in inner_bodies(stmt):
            _assigned(part, found)


def inner_bodies(stmt: ir.Stmt) -> tuple[tuple[ir.Stmt, ...], ...]:
    """The statement lists inside a statement."""
    if isinstance(stmt, ir.If):
        return stmt.then, stmt.orelse
    if isinstance(stmt, ir.Loop):
        return stmt.pre, stmt.body, stmt.step
    return ()


def _leaves(body: tuple[ir.Stmt, ...]) -> bool:
    """Whether a `break` or `continue` of this loop, or a return, stands in the body."""
    for stmt in body:
        if isinstance(stmt, ir.Break | ir.Continue | ir.Return):
            return True
        if isinstance(stmt, ir.If) and (_leaves(stmt.then) or _leaves(stmt.orelse)):
            return True
        if isinstance(stmt, ir.Loop) and _returns(stmt.body):
            return True
    return False


def _returns(body: tuple[ir.Stmt, ...]) -> bool:
    return any(isinstance(s, ir.Return) or any(_returns(part) for part in inner_bodies(s)) for s in body)


def _written_globals(unit: ir.Unit) -> set[str]:
    """Globals that some function of the unit stores to or whose address it passes on."""
    found: set[str] = set()
    for function in unit.functions.values():
        if function.role is not ir.Role.KERNEL:
            _note_globals(function.body, unit, found)
    return found


def _note_globals(body: tuple[ir.Stmt, ...], unit: ir.Unit, found: set[str]) -> None:
    for stmt in body:
        if isinstance(stmt, ir.Store | ir.Atomic):
            found.update(_roots(stmt.place))
        elif isinstance(stmt, ir.Unmodelled):
            for place in stmt.writes:
                found.update(_roots(place))
        elif isinstance(stmt, ir.Call | ir.Launch):
            for arg in stmt.args:
                found.update(_address_roots(arg))
        for part in inner_bodies(stmt):
            _note_globals(part, unit, found)


def _roots(place: ir.Place) -> set[str]:
    if isinstance(place, ir.Variable):
        return {place.var.name}
    if isinstance(place, ir.Element):
        return _address_roots(place.pointer)
    return _roots(place.base)


def _address_roots(expr: ir.Expr) -> set[str]:
    if isinstance(expr, ir.AddressOf):
        return _roots(expr.place)
    if isinstance(expr, ir.Cast | ir.Bitcast):
        return _address_roots(expr.operand)
    if isinstance(expr, ir.Offset):
        return _address_roots(expr.pointer)
    return set()
