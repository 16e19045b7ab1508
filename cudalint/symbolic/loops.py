"""Loops in closed form (SEMANTICS 10 and 11): one generic iteration, its carried variables as functions of its number.

A short loop whose trip count is known is walked iteration by iteration. Any other is walked once for its k-th iteration,
with each carried variable v replaced by what a probe of the body finds:

    v' = v + d     v0 + d*k                     v' = v / c, v * c   a member of the sequence from v0
    v' = v         v0                           else                unknown, with the bounds that every step keeps

A loop that holds a barrier has one iteration number for the threads of a block, and its body is walked a second time, as
iteration k + 1, so that its head meets the tail of the iteration before. Any other loop has a number per thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.symbolic.model import (
    APPROXIMATE_PREFIX,
    MEMORY_PREFIX,
    Address,
    Conjunct,
    MemoryObject,
    Value,
    join_scopes,
    rests_on,
    scope_of,
)
from cudalint.symbolic.state import State, join
from cudalint.term import (
    FALSE,
    TRUE,
    Choice,
    Number,
    Quotient,
    Sum,
    Symbol,
    Term,
    Wrapped,
    add,
    at_most,
    conjunction,
    disjunction,
    equal,
    free_symbols,
    interval,
    is_truth,
    less,
    multiply,
    negation,
    number,
    rewrite,
    scale,
    subtract,
    symbol,
    wrapped,
)

if TYPE_CHECKING:
    from cudalint.symbolic.execute import Frame, Walk

UNROLL_LIMIT = 16
UNROLLED_STATEMENTS = 600
SEQUENCE_LIMIT = 34


@dataclass(frozen=True, slots=True)
class Carried:
    """A register that lives across iterations, with the symbol that stands for it in the probe."""

    name: str
    type: ir.Type
    initial: Value
    probe: Symbol | None  # None: no integer; it is only havocked


def execute_loop(walk: Walk, loop: ir.Loop, state: State, frame: Frame) -> None:
    """Walk the loop from `state`, which becomes the state behind it."""
    if _unrolled(walk, loop, state, frame):
        return
    _generic(walk, loop, state, frame)


# --- one iteration -----------------------------------------------------------------------------------------------------


def _test(walk: Walk, loop: ir.Loop, state: State, frame: Frame) -> Term:
    walk.block(loop.pre, state, frame)
    return FALSE if state.dead else walk.evaluator.truth(loop.cond, state, frame)


def _body(walk: Walk, loop: ir.Loop, state: State, frame: Frame) -> list[State]:
    """Run body and step in place; gives the states that break out."""
    from cudalint.symbolic.execute import LoopExits

    base = state.copy()
    exits = LoopExits()
    frame.loops.append(exits)
    walk.block(loop.body, state, frame)
    frame.loops.pop()
    if exits.continues:
        sides = exits.continues if state.dead else [*exits.continues, state]
        state.adopt(walk.merge(base, sides))
    if not state.dead:
        walk.block(loop.step, state, frame)
    return exits.breaks


# --- short loops with a known trip count -------------------------------------------------------------------------------


def _unrolled(walk: Walk, loop: ir.Loop, state: State, frame: Frame) -> bool:
    trips = _known_trips(walk, loop, state, frame)
    if trips is None or trips > UNROLL_LIMIT or trips * statement_count(loop.body) > UNROLLED_STATEMENTS:
        return False
    base = state.copy()
    breaks: list[State] = []
    for _ in range(trips):
        if loop.test_first:
            _test(walk, loop, state, frame)
        breaks += _body(walk, loop, state, frame)
        if state.dead:
            break
        if not loop.test_first:
            _test(walk, loop, state, frame)
    if loop.test_first and not state.dead:
        _test(walk, loop, state, frame)
    if breaks:
        state.adopt(walk.merge(base, breaks if state.dead else [*breaks, state]))
    return True


def _known_trips(walk: Walk, loop: ir.Loop, state: State, frame: Frame) -> int | None:
    """The number of iterations where the condition folds to a constant in each, walking only what it depends on."""
    names = _condition_slice(loop)
    if names is None:
        return None
    trial = state.copy()
    with _silence(walk):
        for trip in range(UNROLL_LIMIT + 2):
            if loop.test_first or trip:
                cond = _test(walk, loop, trial, frame)
                if cond is FALSE:
                    return trip
                if cond is not TRUE:
                    return None
            _run_slice(walk, (*loop.body, *loop.step), names, trial, frame)
    return UNROLL_LIMIT + 1


def _condition_slice(loop: ir.Loop) -> frozenset[str] | None:
    """The registers that decide the condition, if plain top-level assignments alone change them."""
    names = frozenset(_names_in(loop.cond))
    top: list[ir.Stmt] = [*loop.body, *loop.step]
    for _ in range(4):
        grown = names
        for stmt in top:
            if isinstance(stmt, ir.Assign) and stmt.target.name in names:
                grown |= frozenset(_names_in(stmt.value))
        if grown == names:
            break
        names = grown
    plain = [s.target.name for s in top if isinstance(s, ir.Assign)]
    everything = list(assigned_names((*loop.pre, *loop.body, *loop.step)))
    changed = [name for name in everything if name in names]
    return names if changed and len(changed) == sum(name in names for name in plain) else None


def _run_slice(walk: Walk, body: tuple[ir.Stmt, ...], names: frozenset[str], state: State, frame: Frame) -> None:
    for stmt in body:
        if isinstance(stmt, ir.Assign) and stmt.target.name in names:
            walk.statement(stmt, state, frame)


def _names_in(expr: ir.Expr) -> Iterator[str]:
    if isinstance(expr, ir.Var):
        yield expr.name
    for name in expr.__slots__:
        part = getattr(expr, name)
        for child in part if isinstance(part, tuple) else (part,):
            if hasattr(child, "__slots__") and hasattr(child, "type") and not isinstance(child, type):
                yield from _names_in(child)


# --- any loop ----------------------------------------------------------------------------------------------------------


def _generic(walk: Walk, loop: ir.Loop, state: State, frame: Frame) -> None:
    has_barrier = holds_barrier(walk, loop)
    base = state.copy()
    carried = _carried(walk, loop, base, frame)
    forms, dropped = _closed_forms(walk, loop, base, frame, carried, has_barrier)
    first = base.copy()
    zero = negation(_test(walk, loop, first, frame)) if loop.test_first else FALSE
    iteration = forms.iteration
    generic = base.copy()
    forms.install(generic, iteration, dropped)
    _assume_shape(walk, loop, generic, frame, forms, zero)
    if has_barrier:
        _enter_phases(walk, base, generic, forms)
    if generic.dead:
        state.adopt(first)
        return
    breaks = _body(walk, loop, generic, frame)
    after = generic.copy()
    if has_barrier and not generic.dead:
        _second_copy(walk, loop, generic, frame)
    _leave_loop(walk, loop, state, base, first, after, breaks, zero, frame)


def _assume_shape(walk: Walk, loop: ir.Loop, generic: State, frame: Frame, forms: ClosedForms, zero: Term) -> None:
    """The k-th iteration runs: its test was true (from the second on, for a loop that tests last)."""
    for fact in forms.facts:
        generic.assume(fact, "check")
    if loop.test_first:
        generic.assume(negation(zero), "loop")
        generic.assume(_before(walk, loop, generic, frame, forms), "check")
        generic.assume(_test(walk, loop, generic, frame), "loop")
        return
    later = generic.copy()
    with _silence(walk):
        cond = _test(walk, loop, later, frame)
    generic.assume(disjunction(equal(forms.iteration, number(0)), cond), "loop")


def _before(walk: Walk, loop: ir.Loop, generic: State, frame: Frame, forms: ClosedForms) -> Term:
    """The iteration before ran too, with values that had not wrapped: the first wrap is the one that counts."""
    former = generic.copy()
    ranges: list[Term] = []
    for name, (c, initial, step) in forms.steps.items():
        value = add(initial, multiply(step, subtract(forms.iteration, number(1))))
        former.registers[name] = Address(c.initial.object, value) if isinstance(c.initial, Address) else value
        if isinstance(c.type, ir.Int):
            low, high = ir.int_range(c.type)
            ranges.append(conjunction(at_most(number(low), value), at_most(value, number(high))))
    for name, value_now in forms.values.items():
        if name not in forms.steps:
            type_ = next((c.type for c in forms.carried if c.name == name), ir.VOID)
            former.registers[name] = walk.evaluator.fresh(f"{APPROXIMATE_PREFIX}former", type_, scope_of(value_now))
    with _silence(walk):
        cond = _test(walk, loop, former, frame)
    return disjunction(equal(forms.iteration, number(0)), conjunction(cond, *ranges))


def _enter_phases(walk: Walk, base: State, generic: State, forms: ClosedForms) -> None:
    head = walk.new_point(None, "head")
    walk.roots.append(head)
    first_iteration = equal(forms.iteration, number(0))
    entry = tuple((point, conjunction(cond, first_iteration)) for point, cond in base.phases)
    generic.phases = (*entry, (head, negation(first_iteration)))
    generic.epoch = (str(head.number), (*base.epoch[1], forms.iteration))


def _second_copy(walk: Walk, loop: ir.Loop, generic: State, frame: Frame) -> None:
    """Iteration k + 1 behind iteration k: only what its threads reach before its first barrier is new."""
    follower = generic.copy()
    outer = walk.recording_obligations, walk.skip_points_from
    walk.recording_obligations = False
    if walk.skip_points_from is None:
        walk.skip_points_from = walk.new_point(None, "copy").number
    visits, returns = len(walk.visits), len(frame.returns)
    cond = _test(walk, loop, follower, frame)
    follower.assume(cond, "loop")
    if not follower.dead:
        _body(walk, loop, follower, frame)
    del walk.visits[visits:]
    del frame.returns[returns:]
    walk.recording_obligations, walk.skip_points_from = outer


def _leave_loop(
    walk: Walk, loop: ir.Loop, state: State, base: State, first: State, after: State, breaks: list[State], zero: Term, frame: Frame
) -> None:  # fmt: skip
    """Behind the loop: it ran no iteration, or this was its last one, or it was left by a break."""
    if not after.dead:
        with _silence(walk):
            last = negation(_test(walk, loop, after, frame))
        after.assume(last, "check")
    sides = [_settled(base, side) for side in breaks]
    if not after.dead:
        sides.append(_settled(base, after))
    merged = walk.merge(base, sides) if sides else None
    if zero is FALSE or first.dead:
        result = merged if merged is not None else _nobody(base)
    elif merged is None or merged.dead or zero is TRUE:
        result = first
        result.assume(zero, "exit" if not sides and zero is not TRUE else "check")
    else:
        first.path = (*base.path, Conjunct(zero, "branch"))
        merged.path = (*base.path, Conjunct(negation(zero), "branch"), *merged.path[len(base.path) :])
        fresh = symbol(f"{APPROXIMATE_PREFIX}loop#{walk.count()}", None, None, "thread")
        result = join(zero, first, merged, base, fresh)
    state.adopt(result)


def _nobody(base: State) -> State:
    result = base.copy()
    result.dead = True
    return result


def _settled(base: State, side: State) -> State:
    """What held inside the last iteration still holds of its symbols, but it parts no threads any more."""
    start = len(base.path)
    kept = tuple(Conjunct(c.term, "exit" if c.cause == "exit" else "check") for c in side.path[start:])
    side.path = base.path + kept
    return side


# --- closed forms ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class ClosedForms:
    iteration: Symbol
    values: dict[str, Value]
    facts: list[Term]
    since: int  # symbols with a higher number were made in the probed iteration
    stale: frozenset[MemoryObject]  # what an iteration may leave written behind its last barrier
    carried: list[Carried]
    steps: dict[str, tuple[Carried, Term, Term]] = field(default_factory=dict)  # initial value and step of affine ones

    def install(self, state: State, iteration: Symbol, dropped: list[tuple[MemoryObject, int]]) -> None:
        """Put the values of the k-th iteration into the state; memory that the body changes is unknown."""
        state.registers.update(self.values)
        state.stale |= self.stale
        for cell in dropped:
            state.cells.pop(cell, None)


def _carried(walk: Walk, loop: ir.Loop, base: State, frame: Frame) -> list[Carried]:
    result: list[Carried] = []
    for name, type_ in sorted(assigned_names((*loop.pre, *loop.body, *loop.step)).items()):
        key = frame.prefix + name
        initial = base.registers.get(key)
        if initial is None:
            continue
        integer = isinstance(initial, Address) or (isinstance(initial, Term) and isinstance(type_, ir.Int))
        low, high = ir.int_range(type_) if isinstance(type_, ir.Int) else (None, None)
        probe = symbol(f"{APPROXIMATE_PREFIX}{name}#{walk.count()}", low, high, "launch") if integer else None
        result.append(Carried(key, type_, initial, probe))
    return result


def _closed_forms(
    walk: Walk, loop: ir.Loop, base: State, frame: Frame, carried: list[Carried], has_barrier: bool
) -> tuple[ClosedForms, list[tuple[MemoryObject, int]]]:
    """Probe the body until the scopes of what it carries are stable, then solve for each variable."""
    scopes = {c.name: scope_of(c.initial) for c in carried}
    dropped: list[tuple[MemoryObject, int]] = []
    for _ in range(4):
        probes = _scoped_probes(walk, carried, scopes)
        since = walk.count()
        start, end, decided = _probe(walk, loop, base, frame, carried, probes, dropped)
        lost = [cell for cell in start.cells if end is not None and end.cells.get(cell) != start.cells[cell]]
        grown = {
            c.name: join_scopes(
                scopes[c.name], *_end_scope(c, probes, end), decided if _changes(c, probes, end) else "launch"
            )
            for c in carried
        }
        if grown == scopes and not lost:
            break
        scopes = grown
        dropped += [cell for cell in lost if cell not in dropped]
    iteration_scope = "block" if has_barrier else "thread"
    iteration = symbol(f"k#{walk.count()}", 0, (1 << 40), iteration_scope)
    forms = ClosedForms(iteration, {}, [], since, frozenset() if end is None else end.stale, carried)
    known = dict.fromkeys(probe for probe in probes.values() if probe is not None)
    for c in carried:
        _solve(walk, c, probes.get(c.name), end, iteration, known, scopes[c.name], forms)
    return forms, dropped


def _scoped_probes(walk: Walk, carried: list[Carried], scopes: dict[str, str]) -> dict[str, Symbol | None]:
    probes: dict[str, Symbol | None] = {}
    for c in carried:
        if c.probe is None:
            probes[c.name] = None
        else:
            name, low, high, _ = c.probe.parts
            probes[c.name] = symbol(name, low, high, scopes[c.name])
    return probes


def _probe(
    walk: Walk, loop: ir.Loop, base: State, frame: Frame, carried: list[Carried], probes: dict[str, Symbol | None],
    dropped: list[tuple[MemoryObject, int]],
) -> tuple[State, State | None, str]:  # fmt: skip
    """Run one iteration on the probe symbols; gives its start, its end and the scope of what decides its course."""
    state = base.copy()
    for cell in dropped:
        state.cells.pop(cell, None)
    for c in carried:
        state.registers[c.name] = _probe_value(walk, c, probes[c.name])
    start = state.copy()
    returns = len(frame.returns)
    with _silence(walk):
        cond = _test(walk, loop, state, frame)
        state.path = (*base.path, Conjunct(cond, "loop"))
        if not state.dead:
            _body(walk, loop, state, frame)
    del frame.returns[returns:]
    if state.dead:
        return start, None, "launch"
    decided = join_scopes("launch", *(scope_of(c.term) for c in state.path[len(base.path) + 1 :]))
    return start, state, decided


def _probe_value(walk: Walk, c: Carried, probe: Symbol | None) -> Value:
    if probe is None:
        return walk.evaluator.fresh(f"{APPROXIMATE_PREFIX}{c.name}", c.type, "launch")
    if isinstance(c.initial, Address):
        return Address(c.initial.object, probe)
    return probe


def _end_scope(c: Carried, probes: dict[str, Symbol | None], end: State | None) -> list[str]:
    value = None if end is None else end.registers.get(c.name)
    return [] if value is None else [scope_of(value)]


def _changes(c: Carried, probes: dict[str, Symbol | None], end: State | None) -> bool:
    if end is None:
        return False
    value = end.registers.get(c.name)
    probe = probes[c.name]
    return (value.offset if isinstance(value, Address) else value) is not probe


def _solve(
    walk: Walk, c: Carried, probe: Symbol | None, end: State | None, iteration: Symbol, known: dict[Symbol, None], scope: str, forms: ClosedForms
) -> None:  # fmt: skip
    """The value of one carried variable in the k-th iteration."""
    value = None if end is None else end.registers.get(c.name)
    same_object = isinstance(value, Address) and isinstance(c.initial, Address) and value.object is c.initial.object
    after = value.offset if isinstance(value, Address) else value
    initial = c.initial.offset if isinstance(c.initial, Address) else c.initial
    if end is None or (after is probe and probe is not None and (same_object or not isinstance(c.initial, Address))):
        return
    if probe is None or not isinstance(after, Term) or not isinstance(initial, Term) or is_truth(after):
        forms.values[c.name] = walk.evaluator.fresh(f"{APPROXIMATE_PREFIX}{c.name}", c.type, scope)
        return
    if isinstance(c.initial, Address) and not same_object:
        forms.values[c.name] = walk.evaluator.fresh(f"{APPROXIMATE_PREFIX}{c.name}", c.type, "thread")
        return
    solved = _sequence(walk, c, probe, after, initial, iteration, known, scope, forms)
    forms.values[c.name] = Address(c.initial.object, solved) if isinstance(c.initial, Address) else solved


def _sequence(
    walk: Walk, c: Carried, probe: Symbol, after: Term, initial: Term, iteration: Symbol, known: dict[Symbol, None], scope: str, forms: ClosedForms
) -> Term:  # fmt: skip
    ideal = rewrite(after, lambda t: _unwrap(t, probe))
    step = subtract(ideal, probe)
    changing = any(s in known or _made_since(s, forms.since) for s in free_symbols(step))
    if not changing and not rests_on(step, MEMORY_PREFIX):
        forms.steps[c.name] = (c, initial, step)
        value = add(initial, multiply(step, iteration))
        return wrapped(value, c.type.bits, c.type.signed) if isinstance(c.type, ir.Int) else value
    factor = _factor(ideal, probe)
    low, high = ir.int_range(c.type) if isinstance(c.type, ir.Int) else (None, None)
    exact = factor is not None and isinstance(initial, Number)
    result = symbol(f"{'' if exact else APPROXIMATE_PREFIX}{c.name}#{walk.count()}", low, high, scope)
    if factor is not None and isinstance(initial, Number) and initial.value >= 0:
        members = _members(initial.value, factor, high or (1 << 62))
        forms.facts.append(disjunction(*(equal(result, number(m)) for m in members)))
        return symbol_with_range(result, min(members), max(members), forms)
    low_step, high_step = _step_bounds(ideal, probe)
    if low_step is not None and low_step >= 0:
        forms.facts.append(at_most(initial, result))
    if high_step is not None and high_step <= 0:
        forms.facts.append(at_most(result, initial))
    if factor is not None and factor < 0 and (interval(initial)[0] or 0) >= 0:
        forms.facts.append(at_most(number(0), result))
    return result


def symbol_with_range(old: Symbol, low: int, high: int, forms: ClosedForms) -> Term:
    """The symbol with tighter bounds, also in the facts that mention it."""
    tight = symbol(old.name, low, high, old.scope)
    forms.facts[:] = [rewrite(fact, lambda t: tight if t is old else None) for fact in forms.facts]
    return tight


def _unwrap(term: Term, probe: Symbol) -> Term | None:
    """Steps are found on ideal values; what wraps is wrapped again where the closed form is built."""
    if isinstance(term, Wrapped) and probe in free_symbols(term):
        return rewrite(term.parts[0], lambda t: _unwrap(t, probe))
    return None


def _made_since(atom: Term, count: int) -> bool:
    """A symbol made inside the probed iteration: it differs from iteration to iteration."""
    _, mark, made = str(atom.parts[0]).rpartition("#")
    return bool(mark) and int(made) > count


def _factor(after: Term, probe: Symbol) -> int | None:
    """c for v' = v*c, -c for v' = v/c."""
    if isinstance(after, Quotient) and after.parts[0] is probe and isinstance(after.parts[1], Number):
        return -after.parts[1].value
    if isinstance(after, Choice):  # C's division of a signed value
        sides = [_factor(side, probe) for side in after.parts[1:]]
        return next((side for side in sides if side is not None), None)
    if isinstance(after, Sum) and after.constant == 0 and len(after.monomials) == 1:
        monomial, coefficient = after.monomials[0]
        if monomial == (probe,) and coefficient > 1:
            return coefficient
    return None


def _members(initial: int, factor: int, high: int) -> list[int]:
    members = [initial]
    while len(members) < SEQUENCE_LIMIT:
        following = members[-1] * factor if factor > 0 else members[-1] // -factor
        if following in members or following > high:
            break
        members.append(following)
    return members


def _step_bounds(after: Term, probe: Symbol) -> tuple[int | None, int | None]:
    if isinstance(after, Choice):
        (l1, h1), (l2, h2) = _step_bounds(after.parts[1], probe), _step_bounds(after.parts[2], probe)
        return (
            None if l1 is None or l2 is None else min(l1, l2),
            None if h1 is None or h2 is None else max(h1, h2),
        )
    if isinstance(after, Quotient) and after.parts[0] is probe and isinstance(after.parts[1], Number):
        return None, 0
    return interval(subtract(after, probe))


# --- what a loop does, by its text -------------------------------------------------------------------------------------


def assigned_names(body: tuple[ir.Stmt, ...]) -> dict[str, ir.Type]:
    """Registers that the statements write."""
    names: dict[str, ir.Type] = {}
    for stmt in all_statements(body):
        target = getattr(stmt, "target", None)
        if isinstance(target, ir.Var):
            names[target.name] = target.type
        if isinstance(stmt, ir.Unmodelled):
            names.update({p.var.name: p.var.type for p in stmt.writes if isinstance(p, ir.Variable)})
    return names


def all_statements(body: tuple[ir.Stmt, ...]) -> Iterator[ir.Stmt]:
    for stmt in body:
        yield stmt
        if isinstance(stmt, ir.If):
            yield from all_statements(stmt.then)
            yield from all_statements(stmt.orelse)
        elif isinstance(stmt, ir.Loop):
            yield from all_statements((*stmt.pre, *stmt.body, *stmt.step))


def statement_count(body: tuple[ir.Stmt, ...]) -> int:
    return sum(1 for _ in all_statements(body))


def holds_barrier(walk: Walk, loop: ir.Loop) -> bool:
    """Whether a block or grid barrier can be reached inside, through calls too."""
    return _reaches_barrier(walk.unit, (*loop.pre, *loop.body, *loop.step), set())


def _reaches_barrier(unit: ir.Unit, body: tuple[ir.Stmt, ...], seen: set[str]) -> bool:
    for stmt in all_statements(body):
        if isinstance(stmt, ir.Barrier) and stmt.scope is not ir.Scope.WARP:
            return True
        if isinstance(stmt, ir.Call) and stmt.function in unit.functions and stmt.function not in seen:
            seen.add(stmt.function)
            if _reaches_barrier(unit, unit.functions[stmt.function].body, seen):
                return True
    return False


class _silence:
    """Nothing is recorded inside: a probe or a trial."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk

    def __enter__(self) -> None:
        self.before = self.walk.recording, len(self.walk.axioms), self.walk.sync_unknown
        self.walk.recording = False

    def __exit__(self, *_: object) -> None:
        self.walk.recording = self.before[0]
        del self.walk.axioms[self.before[1] :]


__all__ = ["assigned_names", "execute_loop", "less", "scale"]
