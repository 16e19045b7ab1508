"""Values that are used although nothing set them: on no path, or not on one branch of a condition that the use does not have.

The walk is over the structure of the IR and keeps, for each variable, why it may have no value:

    NEVER      nothing has set it on any path to here
    SOMETIMES  a condition above set it in one branch only, and nothing since then could be tied to that condition
    SPREAD     a lane may have got it, by a warp exchange, from a lane on the other side of such a condition

A copy of such a value is like the value; a use is what leaves the thread (a store, an atomic), decides a branch, or addresses
memory. As in clang's -Wsometimes-uninitialized, what is set in some iteration, in one of several alternatives without a last
one, or read under a further condition is left alone, since the conditions may belong together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import chain

from cudalint import ir
from cudalint.analysis.initialisation import loop_bodies
from cudalint.ir import walk
from cudalint.source import Span

DEEPEST = 8  # calls inside calls
_TO_LOWER_LANES = frozenset(
    {"shfl_down", "shfl_xor", "reduce_add", "reduce_min", "reduce_max", "reduce_and", "reduce_or", "reduce_xor"}
)
_REDUCES = re.compile(r"cub::(Block|Warp)Reduce(<.*>)?::(Sum|Reduce)")
_OF_THE_THREAD = ("threadIdx", "laneid", "warpid")


class Lack(Enum):
    NEVER = "never"
    SOMETIMES = "sometimes"
    SPREAD = "spread"


@dataclass(frozen=True, slots=True)
class Unset:
    """Why a value may be none: the variable that it began in, and the condition that set it on one side only."""

    lack: Lack
    variable: str
    declared: Span
    condition: Span | None = None
    varies: bool = False  # threads of a warp may differ on the condition
    decided: frozenset[str] = frozenset()  # the variables that the condition reads
    read: Span | None = None  # where it was first taken from the variable


@dataclass(frozen=True, slots=True)
class UnsetUse:
    """A use of a value that `unset` describes; `span` is where the value was read first, `use` where it mattered."""

    unset: Unset
    span: Span
    use: Span


State = dict[str, Unset]


def unset_uses(kernel: ir.Function, unit: ir.Unit) -> list[UnsetUse]:
    """Every variable of the kernel and of what it calls that is used without a value: one use of each."""
    found: dict[Span, UnsetUse] = {}
    _Walk(unit, found, {}).function(kernel, ())
    return [found[declared] for declared in sorted(found)]


Results = dict[tuple[str, tuple[Unset | None, ...]], Unset | None]


@dataclass
class _Walk:
    """One function under what is known of its arguments."""

    unit: ir.Unit
    found: dict[Span, UnsetUse]
    results: Results
    depth: int = 0
    own: set[str] = field(default_factory=set)  # registers and local memory
    arrays: set[str] = field(default_factory=set)
    varying: set[str] = field(default_factory=set)
    parameters: frozenset[str] = frozenset()  # of the kernel
    rewritten: frozenset[str] = frozenset()  # set in some iteration of a loop around, and declared outside it
    counters: frozenset[str] = frozenset()  # of the loops around that run a constant number of times
    returned: list[Unset | None] = field(default_factory=list)
    conditions: list[Span] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)  # what temporaries were read from
    left: list[tuple[Span | None, State]] = field(default_factory=list)  # where `continue` or `break` ends an iteration

    def function(self, function: ir.Function, given: tuple[Unset | None, ...]) -> Unset | None:
        """What is known of the result."""
        names = [p.var.name for p in function.params]
        if not self.depth:
            self.parameters = frozenset(names) - walk.written(function.body)
        state = {name: unset for name, unset in zip(names, given) if unset is not None}
        self.varying |= {p.var.name for p in function.params} if self.depth else set()
        self.block(function.body, state)
        if not self.returned or any(unset is None for unset in self.returned):
            return None
        return self.returned[0]

    def block(self, body: Iterable[ir.Stmt], state: State) -> bool:
        """Changes the state to that behind the statements; False where none of the paths gets there."""
        return all(self.statement(stmt, state) for stmt in body)

    def statement(self, stmt: ir.Stmt, state: State) -> bool:
        match stmt:
            case ir.Declare():
                self.declare(stmt, state)
            case ir.If():
                return self.branch(stmt, state)
            case ir.Loop():
                self.loop(stmt, state)
            case ir.Return():
                if stmt.value is not None:
                    value = self.value(stmt.value, state, stmt.span)
                    self.returned.append(value if not self.conditions or _stays(value) else None)
                return False
            case ir.Break() | ir.Continue():
                self.left.append((self.conditions[-1] if self.conditions else None, dict(state)))
                return False
            case ir.Trap():
                return False
            case ir.Check():
                self.forget_conditions(state)
            case _:
                self.simple(stmt, state)
        return True

    def declare(self, stmt: ir.Declare, state: State) -> None:
        name = stmt.var.name
        self.rewritten -= {name}
        state.pop(name, None)
        if isinstance(stmt.var.type, ir.Array):
            self.arrays.add(name)
        if stmt.storage in (ir.Storage.REGISTER, ir.Storage.LOCAL):
            self.own.add(name)
            if is_plain(stmt.var.type):
                state[name] = Unset(Lack.NEVER, name.partition(".")[0], stmt.span)

    def simple(self, stmt: ir.Stmt, state: State) -> None:
        """A statement without others inside."""
        result: Unset | None = None
        varies = any(self.differs(e) for e in walk.evaluated(stmt))
        for place in () if isinstance(stmt, ir.Unmodelled) else walk.places(stmt):
            for operand in walk.place_operands(place):
                self.used(self.value(operand, state, stmt.span), stmt.span)
        match stmt:
            case ir.Assign():
                result = self.value(stmt.value, state, stmt.span)
            case ir.Load():
                self.sources.update(_loads((stmt,)))
                result = self.loaded(stmt, state)
                varies = True
            case ir.Store():
                self.store(stmt, state)
            case ir.Atomic():
                for argument in stmt.args:
                    self.used(self.value(argument, state, stmt.span), stmt.span)
            case ir.Warp():
                result = self.exchanged(stmt, state)
            case ir.Call():
                result = self.call(stmt, state)
                varies = True
            case ir.Unmodelled():
                self.reduced(stmt, state)
                for place in stmt.writes:
                    root = walk.root(place)
                    if root is not None:
                        state.pop(root.name, None)
                if stmt.may_exit:
                    self.forget_conditions(state)
            case _:
                pass
        self.escape(stmt, state)
        target = walk.target(stmt)
        if target is not None:
            self.varying |= {target.name} if varies else set()
            _set(state, target.name, result)

    def loaded(self, stmt: ir.Load, state: State) -> Unset | None:
        """Of an array of which some elements have no value, one that the loop's counter or a constant names."""
        root = walk.root(stmt.place)
        found = state.get(root.name) if root is not None else None
        if found is not None and found.lack is Lack.SOMETIMES and root.name in self.arrays:  # type: ignore[union-attr]
            if not all(
                isinstance(i, ir.Const) or loop_bodies.named(i) in self.counters
                for i in walk.place_operands(stmt.place)
            ):
                return None
        return _read(found, stmt.span)

    def store(self, stmt: ir.Store, state: State) -> None:
        root = walk.root(stmt.place)
        value = self.value(stmt.value, state, stmt.span)
        if root is None or root.name not in self.own:
            self.used(value, stmt.span)
        elif not isinstance(root.type, ir.Array):
            _set(state, root.name, value)
        elif value is None or value.lack is Lack.SPREAD or root.name not in state:
            state.pop(root.name, None)
        elif value.declared == state[root.name].declared:
            if value.lack is Lack.NEVER:
                state[root.name] = value  # added to itself
        elif value.lack is not Lack.NEVER:
            state.pop(root.name, None)

    def exchanged(self, stmt: ir.Warp, state: State) -> Unset | None:
        value = self.value(stmt.args[0], state, stmt.span) if stmt.args else None
        if value is None or value.lack is Lack.NEVER:
            return value
        goes_down = stmt.op in _TO_LOWER_LANES and (value.varies or value.lack is Lack.SPREAD)
        return replace(value, lack=Lack.SPREAD) if goes_down else None

    def reduced(self, stmt: ir.Unmodelled, state: State) -> None:
        """A reduction over the whole block takes what every thread has, unless it is told how many of them count."""
        if _REDUCES.fullmatch(stmt.reason) is None or any(isinstance(each.type, ir.Int) for each in stmt.reads[1:]):
            return
        value = self.value(stmt.reads[0], state, stmt.span) if stmt.reads else None
        if value is not None and value.lack is Lack.SOMETIMES and value.varies:
            self.used(replace(value, lack=Lack.SPREAD), stmt.span)

    def call(self, stmt: ir.Call, state: State) -> Unset | None:
        callee = self.unit.functions.get(stmt.function)
        if callee is None or self.depth >= DEEPEST:
            return None
        given = tuple(self.value(argument, state, stmt.span) for argument in stmt.args)
        key = stmt.function, given
        if key not in self.results:
            self.results[key] = None
            inner = _Walk(self.unit, self.found, self.results, self.depth + 1)
            self.results[key] = inner.function(callee, given)
        return self.results[key]

    def escape(self, stmt: ir.Stmt, state: State) -> None:
        """What has its address taken may be set by anybody."""
        for expr in walk.evaluated(stmt):
            if isinstance(expr, ir.AddressOf):
                root = walk.root(expr.place)
                if root is not None:
                    state.pop(root.name, None)

    # --- control -------------------------------------------------------------------------------------------------------

    def branch(self, stmt: ir.If, state: State) -> bool:
        decides = self.value(stmt.cond, state, stmt.span)
        if decides is None or decides.lack is not Lack.SOMETIMES or not self.sets_own_only(stmt):
            self.used(decides, stmt.span)
        if isinstance(stmt.cond, ir.Const):
            return self.block(stmt.then if stmt.cond.value else stmt.orelse, state)
        before = dict(state)
        common = not self.differs_anywhere(stmt.cond)
        inside = {
            name: unset
            for name, unset in state.items()
            if self.survives_condition(name, unset) or (common and self.is_told_apart(name, unset))
        }
        then = _without_turns(inside, stmt.then, stmt.orelse)
        orelse = _without_turns(inside, stmt.orelse, stmt.then)
        self.conditions.append(stmt.span)
        goes_on, goes_else = self.block(stmt.then, then), self.block(stmt.orelse, orelse)
        self.conditions.pop()
        written = walk.written((*stmt.then, *stmt.orelse))
        state.clear()
        if goes_on and goes_else:
            state.update(self.joined(stmt, before, then, orelse))
            state.update({n: u for n, u in before.items() if n not in written and n not in inside})
            self.varying |= written if self.differs_anywhere(stmt.cond) else set()
            return True
        state.update(then if goes_on else orelse)
        return goes_on or goes_else

    def sets_own_only(self, stmt: ir.If) -> bool:
        """Nothing but the thread's own values comes of the branches: a thread that lacks the value may have no use for them."""
        for inner in walk.statements((*stmt.then, *stmt.orelse)):
            root = walk.root(inner.place) if isinstance(inner, ir.Store) else None
            if isinstance(inner, ir.Store) and (root is None or root.name not in self.own):
                return False
            if not isinstance(inner, ir.Store | ir.Assign | ir.If | ir.Loop | ir.Declare):
                return False
        return True

    def survives_condition(self, name: str, unset: Unset) -> bool:
        return _stays(unset) and not (unset.lack is Lack.NEVER and name in self.rewritten)

    def is_told_apart(self, name: str, unset: Unset) -> bool:
        """Some threads have set it: no condition that is the same for all of them says which."""
        return unset.lack is Lack.SOMETIMES and unset.varies and name not in self.rewritten and name not in self.arrays

    def joined(self, stmt: ir.If, before: State, then: State, orelse: State) -> State:
        """What both branches agree on, and what one of them alone has set."""
        found: State = {}
        varies = self.differs_anywhere(stmt.cond)
        is_chain = any(isinstance(inner, ir.If) for inner in stmt.orelse[-1:])
        for name in chain(then, (n for n in orelse if n not in then)):
            one, other = then.get(name), orelse.get(name)
            left = one or other
            assert left is not None
            if one is not None and other is not None:
                found[name] = self.both(stmt, one, other)
            elif left.lack is Lack.NEVER and before.get(name) == left and not is_chain:
                decided = self.read_by(stmt.cond)
                found[name] = replace(left, lack=Lack.SOMETIMES, condition=stmt.span, varies=varies, decided=decided)
        return found

    def both(self, stmt: ir.If, one: Unset, other: Unset) -> Unset:
        """What no branch has set for certain: where a condition inside of one of them did, some path has."""
        partly = next((u for u in (one, other) if u.lack is Lack.SOMETIMES), None)
        if partly is None or one.lack is other.lack or Lack.SPREAD in (one.lack, other.lack):
            return _surest((one, other)) or one
        varies = partly.varies or self.differs_anywhere(stmt.cond)
        return replace(partly, varies=varies, decided=partly.decided | self.read_by(stmt.cond))

    def loop(self, stmt: ir.Loop, state: State) -> None:
        """Once through the body: it is taken to run, and what some iteration may set is set behind it."""
        body = (*stmt.pre, *stmt.body, *stmt.step)
        written, always, counter = walk.written(body), loop_bodies.always_assigned(body), loop_bodies.counter(stmt)
        self.sources.update(_loads(stmt.pre))
        asked = self.read_by(stmt.cond) if stmt.test_first else frozenset()
        if counter is None:  # how far the loop goes may depend on what is set
            told = asked <= self.parameters | walk.written(stmt.step)
            moved = loop_bodies.moved(body) if told else frozenset[str]()
            for name in [n for n, u in state.items() if u.lack is Lack.SOMETIMES and n in self.arrays]:
                if not told or name in moved:
                    del state[name]
        tied = {n: u for n, u in state.items() if u.lack is Lack.SOMETIMES and u.decided & asked}
        for name in tied:  # `if (a) x = 1; while (a) use(x);`
            del state[name]
        outer = {n: u for n, u in state.items() if u.lack is Lack.SOMETIMES}
        filled = {n: state[n] for n in loop_bodies.filled(body, counter) if n in state and state[n].lack is Lack.NEVER}
        sought = {n: (state[n], end) for n, end in loop_bodies.searched(stmt).items() if _is_never(state.get(n))}
        around = self.rewritten, self.counters, self.left, self.conditions
        self.rewritten = self.rewritten.union(written.difference(loop_bodies.only_updated(body))).difference(filled)
        self.counters, self.left, self.conditions = self.counters | {counter or ""}, [], []
        if stmt.test_first:
            self.test(stmt, state)
            if counter is None:  # `while (top > 0) use(stack[--top]);`: not before another round has set it
                for name in [n for n in self.arrays & around[0] if _is_never(state.get(n))]:
                    del state[name]
        if self.block(stmt.body, state):
            self.left.append((None, dict(state)))
            self.block(stmt.step, state)
            if not stmt.test_first:
                self.test(stmt, state)
        ends = self.left
        self.rewritten, self.counters, self.left, self.conditions = around
        kept = {n: u for n, u in state.items() if n in always or n not in written}
        state.clear()
        state.update(
            {n: u for n, u in kept.items() if u.lack is not Lack.SOMETIMES or n in always or u == outer.get(n)}
        )
        for name, before in filled.items():
            _set(state, name, _partly(name, before, ends))
        state.update({n: u for n, u in tied.items() if n not in written})
        for name, (unset, end) in sought.items():
            decided = self.read_by(end.cond)
            state[name] = replace(unset, lack=Lack.SOMETIMES, condition=end.span, decided=decided)

    def test(self, stmt: ir.Loop, state: State) -> None:
        self.block(stmt.pre, state)
        self.used(self.value(stmt.cond, state, stmt.span), stmt.span)

    def forget_conditions(self, state: State) -> None:
        """Behind what only some paths pass, conditions may be tied to those above."""
        for name in [n for n, u in state.items() if not self.survives_condition(n, u)]:
            del state[name]

    # --- values --------------------------------------------------------------------------------------------------------

    def value(self, expr: ir.Expr, state: Mapping[str, Unset], span: Span) -> Unset | None:
        """What is known of an expression's value: an operand that has none is enough."""
        match expr:
            case ir.Var():
                return _read(state.get(expr.name), span)
            case ir.Select():
                arms = self.value(expr.then, state, span), self.value(expr.orelse, state, span)
                if all(arm is not None and arm.lack is Lack.NEVER for arm in arms):
                    return arms[0]
                return self.chosen(expr, state, span) or self.value(expr.cond, state, span)
            case ir.Binary(op=ir.BinaryOp.LOGICAL_AND | ir.BinaryOp.LOGICAL_OR):
                left = self.value(expr.left, state, span)
                return None if self.is_asked_for(left, expr) else left
            case ir.AddressOf():
                return None
            case _:
                return _surest(self.value(e, state, span) for e in walk.subexpressions(expr))

    def is_asked_for(self, value: Unset | None, expr: ir.Binary) -> bool:
        """`(key != before) && i < n`: false for the threads that have no key, whatever stands there."""
        if value is None or value.lack is not Lack.SOMETIMES or expr.op is not ir.BinaryOp.LOGICAL_AND:
            return False
        return bool(value.decided) and value.decided <= self.read_by(expr.right)

    def chosen(self, expr: ir.Select, state: Mapping[str, Unset], span: Span) -> Unset | None:
        """An operand that no path has set, where the condition may choose it: `n > 0 ? sum / n : 0`."""
        if not any(isinstance(part, ir.Var | ir.Builtin) for part in walk.expressions(expr.cond)):
            return None
        never = {n: u for n, u in state.items() if u.lack is Lack.NEVER and self.survives_condition(n, u)}
        return _surest(self.value(arm, never, span) for arm in (expr.then, expr.orelse)) if never else None

    def differs(self, expr: ir.Expr) -> bool:
        if isinstance(expr, ir.Builtin):
            return expr.name.startswith(_OF_THE_THREAD)
        return isinstance(expr, ir.Var) and expr.name in self.varying

    def differs_anywhere(self, expr: ir.Expr) -> bool:
        return any(self.differs(e) for e in walk.expressions(expr))

    def read_by(self, condition: ir.Expr) -> frozenset[str]:
        """The variables that a condition reads, by their own names."""
        names = (e.name for e in walk.expressions(condition) if isinstance(e, ir.Var))
        return frozenset(self.sources.get(name, name) for name in names)

    def used(self, value: Unset | None, use: Span) -> None:
        if value is not None:
            self.found.setdefault(value.declared, UnsetUse(value, value.read or use, use))


def _surest(values: Iterable[Unset | None]) -> Unset | None:
    """The one that further conditions say least about."""
    order = (Lack.NEVER, Lack.SPREAD, Lack.SOMETIMES)
    return min((v for v in values if v is not None), key=lambda v: order.index(v.lack), default=None)


def _loads(body: Iterable[ir.Stmt]) -> dict[str, str]:
    """Temporaries, and the variables of the thread that they are read from."""
    loads = ((stmt.target.name, walk.root(stmt.place)) for stmt in body if isinstance(stmt, ir.Load))
    return {name: root.name for name, root in loads if root is not None}


def _without_turns(state: State, branch: tuple[ir.Stmt, ...], other: tuple[ir.Stmt, ...]) -> State:
    """What a branch begins with: what it reads and the other one sets may have been set when the other had its turn."""
    turns = walk.written(other) & state.keys()
    if turns:
        turns &= _names_read(branch)
    return {name: unset for name, unset in state.items() if name not in turns}


def _names_read(body: tuple[ir.Stmt, ...]) -> frozenset[str]:
    found: set[str] = set()
    for stmt in walk.statements(body):
        found |= walk.registers_read(stmt)
        root = walk.root(stmt.place) if isinstance(stmt, ir.Load) else None
        found |= {root.name} if root is not None else set()
    return frozenset(found)


def _partly(name: str, before: Unset, ends: list[tuple[Span | None, State]]) -> Unset | None:
    """What is known of an array behind a loop whose iterations set an element each, from the ways in which they end."""
    for condition, state in ends:
        unset = state.get(name)
        if unset is None:
            continue
        where = condition or unset.condition
        return unset if where is None else replace(before, lack=Lack.SOMETIMES, condition=where)
    return None


def _set(state: State, name: str, value: Unset | None) -> None:
    if value is None:
        state.pop(name, None)
    else:
        state[name] = value


def _read(value: Unset | None, span: Span) -> Unset | None:
    return replace(value, read=span) if value is not None and value.read is None else value


def _is_never(value: Unset | None) -> bool:
    return value is not None and value.lack is Lack.NEVER


def _stays(value: Unset | None) -> bool:
    """Whether a further condition cannot be what decides that the value is there."""
    return value is not None and value.lack is not Lack.SOMETIMES


def is_plain(type_: ir.Type) -> bool:
    """A type whose objects have no value until one is given."""
    if isinstance(type_, ir.Array | ir.Vector):
        return is_plain(type_.element)
    return isinstance(type_, ir.Int | ir.Float | ir.Bool | ir.Pointer)
