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
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.ir.walk import registers_read
from cudalint.symbolic.model import (
    APPROXIMATE_PREFIX,
    MEMORY_PREFIX,
    Address,
    AwaitedRounds,
    Conjunct,
    Unparted,
    rests_on,
    scope_of,
)
from cudalint.symbolic.walk import numbered, pipelines
from cudalint.symbolic.walk.closed_forms import ClosedForms, carried_registers, closed_forms, made_at
from cudalint.symbolic.walk.equal_ends import not_passed
from cudalint.symbolic.walk.iteration import passed_exits, run_body, silence, test
from cudalint.symbolic.walk.loop_text import (
    all_statements,
    assigned_names,
    holds_barrier,
    holds_grid_barrier,
    reads_no_memory,
    statement_count,
    waits_for_copies,
)
from cudalint.symbolic.walk.signals import learned
from cudalint.symbolic.walk.state import State, join
from cudalint.term import (
    FALSE,
    TRUE,
    Term,
    Wrapped,
    add,
    at_most,
    conjunction,
    disjunction,
    equal,
    free_symbols,
    multiply,
    negation,
    number,
    subterms,
    subtract,
    symbol,
)

if TYPE_CHECKING:
    from cudalint.symbolic.walk.execute import Frame, Walk

UNROLL_LIMIT = 16
UNROLLED_STATEMENTS = 600
UNROLLED_COPIES = 32  # of one statement, over all loops around it
INT_BITS = 32  # narrower values wrap by conversion, which is defined


def execute_loop(walk: Walk, loop: ir.Loop, state: State, frame: Frame) -> None:
    """Walk the loop from `state`, which becomes the state behind it."""
    if _unrolled(walk, loop, state, frame):
        return
    _generic(walk, loop, state, frame)


# --- short loops with a known trip count -------------------------------------------------------------------------------


def _unrolled(walk: Walk, loop: ir.Loop, state: State, frame: Frame) -> bool:
    trips = _known_trips(walk, loop, state, frame)
    if trips is None or trips > UNROLL_LIMIT or trips * statement_count(loop.body) > UNROLLED_STATEMENTS:
        return False
    if trips * walk.copies > UNROLLED_COPIES and trips > 1:
        return False
    walk.copies *= max(trips, 1)
    _iterations(walk, loop, state, frame, trips)
    walk.copies //= max(trips, 1)
    return True


def _iterations(walk: Walk, loop: ir.Loop, state: State, frame: Frame, trips: int) -> None:
    base = state.copy()
    breaks: list[State] = []
    for _ in range(trips):
        if loop.test_first:
            test(walk, loop, state, frame)
        breaks += run_body(walk, loop, state, frame)
        if state.dead:
            break
        if not loop.test_first:
            test(walk, loop, state, frame)
    if loop.test_first and not state.dead:
        test(walk, loop, state, frame)
    if breaks:
        state.adopt(walk.merge(base, breaks if state.dead else [*breaks, state]))


def _known_trips(walk: Walk, loop: ir.Loop, state: State, frame: Frame) -> int | None:
    """The number of iterations where the condition folds to a constant in each, walking only what it depends on."""
    names = _condition_slice(walk.unit, loop)
    if names is None:
        return None
    trial = state.copy()
    with silence(walk):
        for trip in range(UNROLL_LIMIT + 2):
            if loop.test_first or trip:
                cond = test(walk, loop, trial, frame)
                if cond is FALSE:
                    return trip
                if cond is not TRUE:
                    return None
            _run_slice(walk, (*loop.body, *loop.step), names, trial, frame)
    return UNROLL_LIMIT + 1


def _condition_slice(unit: ir.Unit, loop: ir.Loop) -> frozenset[str] | None:
    """The registers that decide the condition, if plain top-level assignments alone change them.

    What is computed before each test (`i < rank()`) is computed anew there, unless it comes from memory.
    """
    names = frozenset(_names_in(loop.cond))
    computed = loop.pre if reads_no_memory(unit, loop.pre) else ()
    names |= frozenset[str]().union(*(registers_read(stmt) for stmt in all_statements(computed)))
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
    everything = list(assigned_names((*(() if computed else loop.pre), *loop.body, *loop.step)))
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
    has_barrier = holds_barrier(walk.unit, loop)
    base = state.copy()
    start = walk.count()
    carried = carried_registers(walk, loop, base, frame)
    forms, dropped = closed_forms(walk, loop, base, frame, carried, has_barrier)
    first = base.copy()
    zero = negation(test(walk, loop, first, frame)) if loop.test_first else FALSE
    iteration = forms.iteration
    generic = base.copy()
    generic.flights = pipelines.into_loop(walk, loop, base, iteration)
    forms.install(generic, iteration, dropped)
    own = [] if has_barrier else [forms.iteration]
    walk.loops += own
    _assume_shape(walk, loop, generic, frame, forms, zero)
    if numbered.carried(walk, loop):
        numbered.new_interval(walk, generic)
    if has_barrier:
        _enter_phases(walk, base, generic, forms, holds_grid_barrier(walk.unit, loop))
    if generic.dead:
        del walk.loops[len(walk.loops) - len(own) :]
        state.adopt(first)
        return
    begun, first_step, entered = {point for point, _ in generic.phases}, walk.serial, generic.path
    breaks = run_body(walk, loop, generic, frame)
    if walk.recording and not generic.dead:
        signals = learned(walk, entered, generic.path)
        if signals:
            walk.awaited.append(AwaitedRounds(forms.iteration, (first_step, walk.serial), signals))
    again = None if loop.test_first or generic.dead else test(walk, loop, generic, frame)
    del walk.loops[len(walk.loops) - len(own) :]
    walk.made_in.update({number_: (start, walk.count()) for number_ in own})
    after = generic.copy()
    if not has_barrier and waits_for_copies(walk.unit, loop):
        walk.unfollowed.update(copy.object for copy in pipelines.watch(generic))
    if has_barrier and not generic.dead:
        last_step = walk.serial
        left = _second_copy(walk, loop, generic, again, frame)
        waiting = disjunction(*(cond for point, cond in left.phases if point in begun))
        if not left.dead and waiting is not FALSE and walk.recording:
            way = conjunction(left.condition(), waiting)
            walk.unparted.append(Unparted((first_step, last_step), (start, walk.count()), way))
    _leave_loop(walk, loop, state, base, first, after, again, breaks, zero, frame)


def _assume_shape(walk: Walk, loop: ir.Loop, generic: State, frame: Frame, forms: ClosedForms, zero: Term) -> None:
    """The k-th iteration runs: its test was true (from the second on, for a loop that tests last)."""
    for fact in forms.facts:
        generic.assume(fact, "check")
    if loop.test_first:
        generic.assume(negation(zero), "loop")
    first = equal(forms.iteration, number(0))
    cond, rest = _before(walk, loop, generic, frame, forms)
    generic.assume(disjunction(first, cond), "check" if loop.test_first else "loop")
    generic.assume(disjunction(first, rest), "check")
    for fact in not_passed([cond, rest], forms.iteration, lambda s: made_at(s) <= forms.since):
        generic.assume(disjunction(first, fact), "check")
    if loop.test_first:
        generic.assume(test(walk, loop, generic, frame), "loop")


def _before(walk: Walk, loop: ir.Loop, generic: State, frame: Frame, forms: ClosedForms) -> tuple[Term, Term]:
    """The test by which the iteration before led on to this one, and what else is known of it.

    It was not left, and neither its values nor the test had wrapped: the first wrap is the one that counts.
    """
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
    with silence(walk):
        cond = test(walk, loop, former if loop.test_first else generic.copy(), frame)
        entered = len(former.path)
        passed_exits(walk, loop, former, frame)
    stayed = [c.term for c in former.path[entered:] if not _of_contents(c.term)]
    wraps = [part for term in (cond, *stayed) for part in _signed_wraps(term) if forms.iteration in free_symbols(part)]
    return cond, conjunction(*stayed, *map(_fits, wraps), *ranges)


def _of_contents(term: Term) -> bool:
    return rests_on(term, MEMORY_PREFIX) or rests_on(term, APPROXIMATE_PREFIX)


def _signed_wraps(term: Term) -> list[Wrapped]:
    return [t for t in subterms([term]) if isinstance(t, Wrapped) and t.parts[1] >= INT_BITS and t.parts[2]]


def _fits(term: Wrapped) -> Term:
    inner, bits, _ = term.parts
    limit = 1 << (bits - 1)
    return conjunction(at_most(number(-limit), inner), at_most(inner, number(limit - 1)))


def _enter_phases(walk: Walk, base: State, generic: State, forms: ClosedForms, of_grid: bool) -> None:
    head = walk.new_point(None, "head")
    walk.roots.append(head)
    first_iteration = equal(forms.iteration, number(0))
    entry = tuple((point, conjunction(cond, first_iteration)) for point, cond in base.phases)
    generic.phases = (*entry, (head, negation(first_iteration)))
    if of_grid:
        entered = tuple((point, conjunction(cond, first_iteration)) for point, cond in base.grid_phases)
        generic.grid_phases = (*entered, (head, negation(first_iteration)))
    generic.epoch = (str(head.number), (*base.epoch[1], forms.iteration))


def _second_copy(walk: Walk, loop: ir.Loop, generic: State, again: Term | None, frame: Frame) -> State:
    """Iteration k + 1 behind iteration k: only what its threads reach before its first barrier is new.

    `again` is the test at the end of iteration k, for a loop that tests last. Returns the state behind iteration k + 1.
    """
    follower = generic.copy()
    outer = walk.recording_obligations, walk.skip_points_from
    walk.recording_obligations = False
    if walk.skip_points_from is None:
        walk.skip_points_from = walk.new_point(None, "copy").number
    visits, returns = len(walk.visits), len(frame.returns)
    watched, walk.watched = walk.watched, walk.watched | pipelines.watch(follower)
    follower.assume(test(walk, loop, follower, frame) if again is None else again, "loop")
    if not follower.dead:
        run_body(walk, loop, follower, frame)
    if again is not None and not follower.dead:
        test(walk, loop, follower, frame)
    walk.watched = watched
    del walk.visits[visits:]
    del frame.returns[returns:]
    walk.recording_obligations, walk.skip_points_from = outer
    return follower


def _leave_loop(
    walk: Walk, loop: ir.Loop, state: State, base: State, first: State, after: State, again: Term | None,
    breaks: list[State], zero: Term, frame: Frame,
) -> None:  # fmt: skip
    """Behind the loop: it ran no iteration, or this was its last one, or it was left by a break."""
    if not after.dead:
        with silence(walk):
            cond = test(walk, loop, after, frame) if again is None else again
        after.assume(negation(cond), "check")
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
