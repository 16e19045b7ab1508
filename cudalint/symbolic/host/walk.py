"""Host code walked once, from a root function down to every launch; branches joined, calls inlined, short loops unrolled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import assert_never

from cudalint import ir
from cudalint.analysis.operators import DECLARED, Written
from cudalint.symbolic.host.asserted import assert_behind
from cudalint.symbolic.host.cells import OF_CONTENTS
from cudalint.symbolic.host.columns import maker_of
from cudalint.symbolic.host.contents import forget_contents, forget_launched
from cudalint.symbolic.host.counted import Counted
from cudalint.symbolic.host.demands import Demand, block_demand, shared_demands
from cudalint.symbolic.host.described import described
from cudalint.symbolic.host.elements import Elements, one_of
from cudalint.symbolic.host.evaluate import Evaluator, Frame, is_dim3
from cudalint.symbolic.host.joins import join, join_exits, merge_values
from cudalint.symbolic.host.launched import LaunchRecord, Told, functions_of
from cudalint.symbolic.host.library import Library
from cudalint.symbolic.host.linked import Linked, Node
from cudalint.symbolic.host.loops import UNROLLED_STEPS, Pass, run_loop
from cudalint.symbolic.host.names import class_name, pointee_of, simple_name
from cudalint.symbolic.host.own_files import OwnFiles
from cudalint.symbolic.host.owned import owned
from cudalint.symbolic.host.packed import read_arguments
from cudalint.symbolic.host.prepared import Filled, first_value_name, is_first_value, prepared
from cudalint.symbolic.host.retyped import Retyped, retyped
from cudalint.symbolic.host.scan import overlapped, result_name, turning_back
from cudalint.symbolic.host.spanned import spanned
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.symbols import Symbols
from cudalint.symbolic.host.text import has_window_quotient
from cudalint.symbolic.host.values import (
    OPAQUE,
    Address,
    Either,
    FunctionValue,
    HostObject,
    Record,
    Tensor,
    Value,
    addresses,
    is_tensor_type,
    is_vector_type,
)
from cudalint.symbolic.host.world import World, place_name
from cudalint.symbolic.host_vocabulary import words
from cudalint.symbolic.walk import integers
from cudalint.term import (
    FALSE,
    TRUE,
    Flag,
    Not,
    Symbol,
    Term,
    conjunction,
    equal,
    interval,
    is_number,
    negation,
    number,
    symbol,
)

Place = tuple[HostObject, tuple[str, ...]]
CALL_DEPTH = 16
LAUNCHES = 512
STEPS, STEPS_OF_MAIN = 40_000, 120_000  # what all of a program's launches are reached from is worth more
_LAMBDA = "(lambda at "  # what it gets was chosen by nobody: a function elsewhere may call it
LONGEST_ASIDE = 2_500  # steps of a call that leads to none of the launches that are asked about


class HostLimit(Exception):
    """The root is larger than the budget of one walk."""


class _LongAside(Exception):
    """A call that leads to no launch is larger than its budget."""


class Walk:
    """One root function under unknown arguments."""

    def __init__(self, linked: Linked, root: Node, step_limit: int | None = None, filled: Filled | None = None) -> None:
        self.linked, self.root, self._unit = linked, linked.function(root), root[0]
        self._filled = filled
        self.world = World()
        self.evaluator = Evaluator(self.world, linked.globals, simple_name(self.root.name))
        self.library = Library(self.world, self.evaluator)
        self.symbols = Symbols(linked, self.evaluator)
        self._elements = Elements()
        self.files = OwnFiles(self.root)
        self.launches: list[LaunchRecord] = []
        self.demands: list[Demand | Counted | Retyped] = []
        self.caller = self.root.name  # the host function whose text is being walked
        self.matters = linked.matters
        self.entered: set[Node] = {root}
        self.prepared_by: list[str] = []  # functions that are taken to have run before the root
        self._steps, self._step_limit = 0, step_limit or (STEPS_OF_MAIN if self.root.name == "main" else STEPS)
        self._aside_limit: int | None = None  # of steps, while a call is walked that leads to no launch
        self._long_asides: set[Node] = set()
        self.cut: set[Node] = set()  # what leads to launches and was not entered again: calls of itself, and deep ones
        self.result_name = ""  # of the call at hand, as its reader would name it
        self.pass_ = Pass.NO_LOOP
        self.writes: list[set[Place]] = []
        self.member_types: dict[
            Place, ir.Type | None
        ] = {}  # of members that were written; None where others lie around them
        self._written_by: dict[tuple[Node, tuple[tuple[Place, ...], ...]], set[Place]] = {}

    def run(self) -> list[LaunchRecord]:
        """All launches that the root reaches; HostLimit when the budget ends."""
        state, frame = State(self.world), Frame(self.root, "", unit=self._unit)
        self._globals(state)
        given = [self.world.unknown(self.evaluator.named(p.var.name), p.var.type) for p in self.root.params]
        if self._filled is not None:
            given, self.prepared_by = prepared(self, self._filled, given, state, frame)
        self.symbols.forget_all(state)
        for param, value in zip(self.root.params, given):
            self._bind(param, value, state, frame)
        self.world.outputs = self._outputs(self.root, given, state)
        state.doubt = turning_back(self.root)
        self.statements(self.root.body, state, frame)
        return self.launches

    def tried(self, node: Node, args: list[Value], state: State, frame: Frame, steps: int) -> Value | None:
        """What a function gives and does within some steps; None where it takes more, or never comes back."""
        trial = state.copy()
        self._aside_limit = self._steps + steps
        try:
            result = self._inline(node, args, trial, frame)
        except _LongAside:
            return None
        finally:
            self._aside_limit = None
        if trial.end:
            return None
        state.adopt(trial)
        return OPAQUE if result is None else result

    def start_anew(self) -> None:
        """What ran before the root was no part of it."""
        self._steps, self.launches, self.demands, self.entered = 0, [], [], {(self._unit, self.root.id)}

    @contextmanager
    def passing(self, pass_: Pass) -> Iterator[None]:
        """What is walked inside is of this pass, also where it ends early."""
        before, self.pass_ = self.pass_, pass_
        try:
            yield
        finally:
            self.pass_ = before

    @property
    def steps(self) -> int:
        """How many statements were walked."""
        return self._steps

    def may_unroll(self) -> bool:
        """Unrolling stops early in the budget, so that the rest of the root is reached."""
        return self._steps < UNROLLED_STEPS

    def _globals(self, state: State) -> None:
        """Host variables with a constant initialiser that no function of the unit writes."""
        for name, declared in sorted(self.linked.globals.items()):
            object_ = self.evaluator.globals[name] = HostObject(name, "variable")
            type_, init = declared.var.type, declared.init
            written = name in self.linked.written and not declared.const
            if written or declared.storage in (ir.Storage.SHARED, ir.Storage.DYNAMIC_SHARED):
                continue
            if declared.held is not None:
                held = self.evaluator.value(declared.held, state, Frame(self.root, ""))
                state.write(Address(object_, number(0)), type_, held)
            if init is None:
                continue
            if isinstance(type_, ir.Struct):
                for member, value in zip(type_.fields, init):
                    if isinstance(member.type, ir.Int):
                        state.write(Address(object_, number(0), (member.name,)), member.type, number(int(value)))
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
            assert isinstance(address, Address) and address.object is not None
            if frame.depth:  # the caller gives it: what is not known of it is not an input
                state.versions[address.object] = f"~#{self.world.count()}"
                self.world.explain(state.versions[address.object], f"`{param.var.name}` of a call")
            state.write(address, param.var.type, value)
        else:
            state.registers[frame.prefix + param.var.name] = value

    # --- statements ---------------------------------------------------------------------------------------------------

    def statements(self, body: tuple[ir.Stmt, ...], state: State, frame: Frame) -> None:
        """Walk in order, changing `state` in place, until it ends."""
        for position, stmt in enumerate(body):
            if state.end:
                return
            self.result_name = result_name(stmt, body[position + 1 : position + 2])
            self._steps += 1
            if self._steps > self._step_limit:
                raise HostLimit(self.root.name)
            if self._aside_limit is not None and self._steps > self._aside_limit:
                raise _LongAside
            self._statement(stmt, state, frame)

    def _statement(self, stmt: ir.Stmt, state: State, frame: Frame) -> None:
        self.world.because = ""
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
                value = self.evaluator.value(stmt.value, state, frame)
                self._set(stmt.target, self._with_name(stmt.target, value, state), state, frame)
            case ir.Load():
                pointer = self.evaluator.place(stmt.place, state, frame)
                self._is_followed(pointer, state)
                known = self.library.device_property(stmt.place, pointer, stmt.target.type)
                if known is not None:
                    self._set(stmt.target, known, state, frame)
                    return
                value = self.read(pointer, stmt.target.type, state, stmt.target.name)
                value = owned(stmt.place, pointer, described(stmt.place, pointer, value, state), state)
                value = spanned(stmt.place, pointer, value, state)
                self._set(stmt.target, self.library.copied_property(stmt.place, value), state, frame)
            case ir.Store():
                value = self.evaluator.value(stmt.value, state, frame)
                if isinstance(stmt.place, ir.Variable):
                    value = self._with_name(stmt.place.var, value, state)
                pointer, type_ = self.evaluator.place(stmt.place, state, frame), _stored_type(stmt)
                self.store(pointer, type_, self.library.vectors.kept_apart(pointer, type_, value, state), state)
                self._forget_overlapped(stmt.place, pointer, state)
            case ir.Atomic():
                self.forget(self.evaluator.place(stmt.place, state, frame), state)
                if stmt.target is not None:
                    self._set(stmt.target, self.world.lost(stmt.target.name, stmt.target.type), state, frame)
            case ir.AsyncCopy():
                pass
            case _:
                assert_never(stmt)

    def _forget_overlapped(self, place: ir.Place, pointer: Value, state: State) -> None:
        """The other members of a union have other values once one is written."""
        names = overlapped(place)
        for address in addresses(pointer) if names else ():
            for name in names:
                member = (*address.fields[:-1], name)
                if address.object is not None and any(c[1] == member for c in state.cells.of(address.object)):
                    self.note_written(address.object, member)
                    state.havoc_fields(address.object, member)

    def _is_followed(self, pointer: Value, state: State) -> None:
        """What the code reads through is not null from there on: `dst ? dst->ne[0] : 0` behind `dst->src[0]`."""
        if isinstance(pointer, Address) and pointer.object is not None and pointer.object.kind == "input":
            state.assume(negation(self.evaluator.is_null(pointer)), "lasting")

    def _with_name(self, target: ir.Var, value: Value, state: State) -> Value:
        """A quotient of sizes gets the name of the variable that it is kept in, and an equation says what it is.

        `OH = (H + 2*pad - KH) / stride + 1` goes into products with other sizes, where a solver needs a name.
        """
        if not (isinstance(target.type, ir.Int) and isinstance(value, Term) and has_window_quotient(value)):
            return value
        if "." in target.name or value.kind == "symbol":
            return value
        size = integers.as_integer(value)
        kept = symbol(self.world.name_for(self.evaluator.named(target.name)), *interval(size))
        state.assume(equal(kept, size), "lasting")
        return kept

    def _declare(self, stmt: ir.Declare, state: State, frame: Frame) -> None:
        if stmt.storage is ir.Storage.REGISTER:
            return
        name = self.evaluator.named(stmt.var.name)
        size = ir.size_of(stmt.var.type)
        object_ = HostObject(name, "variable", None if size is None else number(size))
        frame.variables[stmt.var.name] = object_
        state.versions[object_] = f"~#{self.world.count()}"
        self.world.explain(state.versions[object_], f"`{stmt.var.name}` is not initialised")
        if is_dim3(stmt.var.type):
            for axis in "xyz":
                state.write(Address(object_, number(0), (axis,)), ir.UINT32, number(1))

    def read(self, pointer: Value, type_: ir.Type, state: State, name: str) -> Value:
        """The value behind a pointer."""
        if isinstance(pointer, Address):
            element = self._elements.read(pointer, type_, state) or one_of(pointer, type_, state)
            return state.read(pointer, type_) if element is None else element
        if isinstance(pointer, Either):
            then, orelse = self.read(pointer.then, type_, state, name), self.read(pointer.orelse, type_, state, name)
            return merge_values(self.world, pointer.cond, then, orelse, self.evaluator.named(name), type_)
        return self.world.lost(self.evaluator.named(name), type_, "read through an unknown pointer")

    def store(self, pointer: Value, type_: ir.Type, value: Value, state: State) -> None:
        """Write through a pointer; an unknown one of two is forgotten in both."""
        if isinstance(pointer, Address):
            self._write(pointer, type_, value, state)
        else:
            self.forget(pointer, state)

    def _write(self, address: Address, type_: ir.Type, value: Value, state: State) -> None:
        if address.object is not None:
            self.note_written(address.object, address.fields)
            self.member_types[address.object, address.fields] = type_ if is_number(address.offset, 0) else None
            if self.world.preparing and is_first_value(address, type_, value):
                value = self.world.unknown(first_value_name(place_name(address, type_), value), type_)
        state.write(address, type_, value)

    def forget(self, pointer: Value, state: State, approximate: bool = True) -> None:
        """Everything that the pointer may point into may have been written."""
        for address in addresses(pointer):
            if address.object is not None:
                self.note_written(address.object)
                state.havoc(address.object, approximate)

    def note_written(self, object_: HostObject, fields: tuple[str, ...] = ()) -> None:
        """Loops ask which places a run writes."""
        for written in self.writes:
            written.add((object_, fields))

    # --- control ------------------------------------------------------------------------------------------------------

    def _control(self, stmt: ir.ControlStmt, state: State, frame: Frame) -> None:
        match stmt:
            case ir.If():
                self._if(stmt, state, frame)
            case ir.Loop():
                run_loop(self, stmt, state, frame)
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
                self._checked(cond, state, frame)
                if stmt.origin == "assert":
                    assert_behind(self.launches, cond, state)
            case ir.Trap():
                state.end = "lasting"
            case _:
                assert_never(stmt)

    def _if(self, stmt: ir.If, state: State, frame: Frame) -> None:
        said = cond = self.evaluator.truth(stmt.cond, state, frame)
        if isinstance(cond, Flag | Not):
            cond = TRUE if _holds(cond, state) else FALSE if _holds(negation(cond), state) else cond
        if any(map(_ends_the_program, stmt.then)):
            self._checked(negation(said), state, frame)
        if cond is TRUE or cond is FALSE:
            self.statements(stmt.then if cond is TRUE else stmt.orelse, state, frame)
            return
        then, orelse = state.copy(), state.copy()
        then.assume(cond, "branch")
        orelse.assume(negation(cond), "branch")
        self.statements(stmt.then, then, frame)
        self.statements(stmt.orelse, orelse, frame)
        state.adopt(join(cond, then, orelse, state))

    def _checked(self, cond: Term, state: State, frame: Frame) -> None:
        """What a check makes sure of is no mere declaration where it is declared as well."""
        if not frame.declares:
            self.world.note_checked(cond, frozenset(known.term for known in state.path if known.cause != "lasting"))

    # --- calls and launches -------------------------------------------------------------------------------------------

    def _call(self, stmt: ir.CallStmt, state: State, frame: Frame) -> None:
        match stmt:
            case ir.Call():
                self._call_function(stmt, state, frame)
            case ir.Launch():
                self._launch(stmt, state, frame)
            case ir.Unmodelled():
                self.world.because = stmt.reason
                if stmt.reason == ir.HANDLER or (stmt.reason == ir.LEAVING_HANDLER and frame.depth):
                    state.doubt = state.doubt or stmt.reason
                read = [self.evaluator.value(each, state, frame) for each in stmt.reads] if self.files.program else []
                for place in stmt.writes:
                    self._forget_place(place, state, frame)
                    result = (
                        state.registers.get(frame.prefix + place.var.name) if isinstance(place, ir.Variable) else None
                    )
                    self.files.note_made([each.type for each in stmt.reads], read, result)
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
        name = self.result_name
        called, written = stmt.function, stmt.args
        if called == "(*)" and isinstance(args[0], FunctionValue):
            called, args, written = args[0].function, args[1:], stmt.args[1:]
        node = self.linked.callee(called, written, frame.unit)
        callee = self.linked.function(node) if node is not None else None
        if callee is not None and self.linked.is_guessed(called, frame.unit):
            args = [self.read(arg, p.var.type, state, p.var.name) for arg, p in zip(args, callee.params)]
        self.world.because = f"call of {simple_name(stmt.function)}"
        self.caller = frame.function.name
        may_enter = callee is not None and self._may_enter(callee, frame)
        if node is not None and not may_enter and node in (self.linked.leading or ()):
            self.cut.add(node)
        documented = simple_name(called) in words().view_bytes  # it adds up in a loop what is known at once
        if node is None or callee is None or not may_enter or documented or maker_of(stmt) is not None:
            result = self.library.call(stmt, args, state, self)
        elif self._aside_limit is not None or self._leads(node, args, frame):
            result = self._entered(node, args, state, frame)
        else:
            result = self._aside(stmt, node, args, state, frame)
        if stmt.target is not None and not state.end:
            if result is None:
                why = f"result of {simple_name(stmt.function)}"
                result = self.world.lost(self.evaluator.named(name), stmt.target.type, why)
            self._set(stmt.target, result, state, frame)
        self.files.note(stmt, args, result)

    def _may_enter(self, callee: ir.Function, frame: Frame) -> bool:
        return (
            callee.role is not ir.Role.KERNEL
            and (bool(callee.body) or _leaves_its_object(callee))
            and frame.depth < CALL_DEPTH
            and f"/{callee.id}/" not in f"/{frame.prefix}"
        )

    def _leads(self, node: Node, args: list[Value], frame: Frame) -> bool:
        """Whether a call leads to a launch that is asked about, itself or by a function that it gets (`bench(run, ...)`)."""
        leading = self.linked.leading
        if leading is None or node in leading:
            return True
        given = (self.linked.callee(arg.function, (), frame.unit) for arg in args if isinstance(arg, FunctionValue))
        return any(each in leading for each in given)

    def _entered(self, node: Node, args: list[Value], state: State, frame: Frame) -> Value | None:
        return self._tried(node, args, state, frame) if self.writes else self._inline(node, args, state, frame)

    def _aside(self, stmt: ir.Call, node: Node, args: list[Value], state: State, frame: Frame) -> Value | None:
        """A call that leads to no launch is followed for some steps, for its result and what it writes."""
        if node not in self._long_asides:
            trial, trials = state.copy(), len(self.writes)
            self._aside_limit = self._steps + LONGEST_ASIDE
            try:
                result = self._entered(node, args, trial, frame)
                state.adopt(trial)
                return result
            except _LongAside:
                self._long_asides.add(node)
                del self.writes[trials:]
            finally:
                self._aside_limit = None
        self.world.because = f"long call of {simple_name(stmt.function)}"
        written = self.linked.written_by(node)
        for name, object_ in self.evaluator.globals.items():
            if name in written:
                self.forget(Address(object_, number(0)), state)
        constant = () if self.linked.stores_elsewhere(node) else stmt.constant
        return self.library.call(replace(stmt, constant=constant), args, state, self)

    def _tried(self, callee: Node, args: list[Value], state: State, frame: Frame) -> Value | None:
        """A call inside a trial run, where only what it writes is of interest: walked once for the same objects."""
        key = (callee, tuple(_pointed(arg) for arg in args))
        if key not in self._written_by:
            self.writes.append(set())
            result = self._inline(callee, args, state, frame)
            self._written_by[key] = self.writes.pop()
            return result
        for object_, fields in sorted(self._written_by[key], key=lambda place: (place[0].name, place[1])):
            self.note_written(object_, fields)
            if fields in OF_CONTENTS:
                forget_contents(object_, state)
            else:
                state.havoc_fields(object_, fields)
        return None

    def _inline(self, node: Node, args: list[Value], state: State, frame: Frame) -> Value | None:
        self.entered.add(node)
        callee = self.linked.function(node)
        prefix = f"{frame.prefix}{callee.id}/{self.world.count()}/"
        declares = frame.declares or simple_name(callee.name).startswith(DECLARED)
        inner = Frame(callee, prefix, depth=frame.depth + 1, unit=node[0], declares=declares)
        base = state.copy()
        for param, arg in zip(callee.params, args):
            if isinstance(arg, Symbol) and not callee.id.startswith(_LAMBDA):
                self.world.passed.add(arg.name)
            if isinstance(arg, Record) and not isinstance(param.var.type, ir.Struct | ir.Vector | ir.Array):
                arg = self.world.lost(self.evaluator.named(param.var.name), param.var.type, "an argument of any kind")
            self._bind(param, arg, state, inner)
        for param in callee.params[len(args) :]:
            self._bind(param, self.world.lost(self.evaluator.named(param.var.name), param.var.type), state, inner)
        before_call = self.world.outputs
        self.world.outputs = {**before_call, **self._outputs(callee, args, state)}
        state.doubt = state.doubt or turning_back(callee)
        self.statements(callee.body, state, inner)
        self.world.outputs = before_call
        exits = [s for s, _ in inner.returns] + ([] if state.end else [state.copy()])
        result = self._returned(inner, base)
        state.adopt(join_exits(exits, base))
        if simple_name(callee.name).startswith(DECLARED):
            before = {known.term for known in base.path}
            span = self.linked.declared_at(node)
            self.world.declared |= {c.term: span for c in state.path if c.term not in before}
        for name in [n for n in state.registers if n.startswith(inner.prefix)]:
            del state.registers[name]
        return result

    def _outputs(self, function: ir.Function, args: list[Value], state: State) -> dict[str, Written]:
        """The buffers that the schema of the operator says are written, by their names."""
        found: dict[str, Written] = {}
        for each in self.linked.written_in_schema(function):
            value, type_ = args[each.place], function.params[each.place].var.type
            if isinstance(value, Address) and isinstance(type_, ir.Pointer):
                value = state.read(value, type_.element)
            if isinstance(value, Tensor):
                found[value.storage] = each
        return found

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
        shown = tuple(self.evaluator.value(arg, state, frame) for arg in stmt.args)
        pointers, buffer = (
            None if e is None else self.evaluator.value(e, state, frame) for e in (stmt.pointers, stmt.buffer)
        )
        for name, cond in functions_of(self.evaluator.value(stmt.kernel, state, frame), TRUE):
            function = self.linked.launched(name, stmt, frame.unit)
            if function is None:
                continue
            if len(self.launches) >= LAUNCHES:
                raise HostLimit(self.root.name)
            path = tuple(c.term for c in state.path) + (() if cond is TRUE else (cond,))
            kernel = self.linked.units[0].functions[function]
            packed = pointers is not None or buffer is not None
            args = read_arguments(kernel, pointers, buffer, shown, state, self) if packed else shown
            self.demands.append(block_demand(stmt, frame.function.name, kernel, block, args, path))
            self.demands += shared_demands(stmt, frame.function.name, kernel, shared, path)
            self.demands += retyped(stmt, frame.function.name, kernel, args, path)
            placed = tuple(self.symbols.facts(kernel, self.linked.units[0], state, stmt.span))
            fitting = self.world.fitting.intersection(path)
            told = Told(self.world.declared_on(path), self.world.outputs, placed, frozenset(fitting))
            reached = (path, state.copy(), told, state.doubt, self.pass_ is Pass.FIRST_ITERATION)
            self.launches.append(
                LaunchRecord(function, stmt, frame.function.name, grid, block, shared, args, *reached)  # type: ignore[arg-type]
            )
            for object_, mark in forget_launched(kernel, args, state):
                self.note_written(object_, mark)
            for object_ in self.symbols.forget_launched(kernel, state):
                self.note_written(object_, OF_CONTENTS[0])


def _leaves_its_object(function: ir.Function) -> bool:
    """An empty constructor without arguments of a class that no library knows."""
    if len(function.params) != 1 or simple_name(function.name) != class_name(function.name):
        return False
    made = pointee_of(function.params[0].var.type)
    return not is_vector_type(made) and not is_tensor_type(made)


def _ends_the_program(stmt: ir.Stmt) -> bool:
    return isinstance(stmt, ir.Trap) or (isinstance(stmt, ir.Call) and simple_name(stmt.function) in words().no_return)


def _holds(cond: Term, state: State) -> bool:
    """The condition is on the path as it is."""
    return any(known.term is cond for known in state.path)


def _pointed(value: Value) -> tuple[Place, ...]:
    """The objects that an argument leads to directly."""
    if isinstance(value, Record):
        return tuple(place for _, member in value.members.values() for place in _pointed(member))
    return tuple((a.object, a.fields) for a in addresses(value) if a.object is not None)


def _stored_type(stmt: ir.Store) -> ir.Type:
    return stmt.place.var.type if isinstance(stmt.place, ir.Variable) else stmt.place.type
