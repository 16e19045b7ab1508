"""The variables that a loop carries as functions of its iteration number (SEMANTICS 11)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.symbolic.model import (
    APPROXIMATE_PREFIX,
    ITERATION_PREFIX,
    MEMORY_PREFIX,
    Address,
    Conjunct,
    MemoryObject,
    Value,
    join_scopes,
    rests_on,
    scope_of,
)
from cudalint.symbolic.walk import numbered
from cudalint.symbolic.walk.cycles import exchanged_pointers, number_in_turn, pointer_in_turn, repeated_numbers
from cudalint.symbolic.walk.iteration import run_body, silence, test
from cudalint.symbolic.walk.loop_text import assigned_names, declared_registers, holds_grid_barrier
from cudalint.symbolic.walk.members import Places, merge_places
from cudalint.symbolic.walk.state import State
from cudalint.term import (
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
    multiply,
    number,
    rewrite,
    scale,
    substitute,
    subtract,
    symbol,
    wrapped,
)

if TYPE_CHECKING:
    from cudalint.symbolic.walk.execute import Frame, Walk

_COUNT = re.compile(r"#(\d+)[^#]*$")  # the serial number of a made symbol or flag: `n#7`, `p#7 is null`


SEQUENCE_LIMIT = 34
MOST_ALTERNATIVES = 4  # of what one round sets a variable to
_INT_BITS = 32


@dataclass(frozen=True, slots=True)
class Carried:
    """A register that lives across iterations, with the symbol that stands for it in the probe."""

    name: str
    type: ir.Type
    initial: Value
    probe: Symbol | None  # None: no integer; it is only havocked


@dataclass(slots=True)
class ClosedForms:
    iteration: Symbol
    values: dict[str, Value]
    facts: list[Term]
    since: int  # symbols with a higher number were made in the probed iteration
    stale: Mapping[MemoryObject, frozenset[Places]]  # where an iteration may leave written behind its last barrier
    carried: list[Carried]
    steps: dict[str, tuple[Carried, Term, Term]] = field(default_factory=dict)  # initial value and step of affine ones

    def install(self, state: State, iteration: Symbol, dropped: list[tuple[MemoryObject, int]]) -> None:
        """Put the values of the k-th iteration into the state; memory that the body changes is unknown."""
        state.registers.update(self.values)
        state.stale = merge_places(state.stale, self.stale)
        for cell in dropped:
            state.cells.pop(cell, None)


def carried_registers(walk: Walk, loop: ir.Loop, base: State, frame: Frame) -> list[Carried]:
    result: list[Carried] = []
    inside = (*loop.pre, *loop.body, *loop.step)
    own = declared_registers(inside)
    names = {frame.prefix + n: t for n, t in assigned_names(inside).items() if n not in own}
    for key, type_ in sorted({**names, **numbered.carried(walk, loop)}.items()):
        initial = base.registers.get(key)
        if initial is None:
            continue
        integer = isinstance(initial, Address) or (isinstance(initial, Term) and isinstance(type_, ir.Int))
        low, high = ir.int_range(type_) if isinstance(type_, ir.Int) else (None, None)
        probe = (
            symbol(f"{APPROXIMATE_PREFIX}{key[len(frame.prefix) :]}#{walk.count()}", low, high, "launch")
            if integer
            else None
        )
        result.append(Carried(key, type_, initial, probe))
    return result


def closed_forms(
    walk: Walk, loop: ir.Loop, base: State, frame: Frame, carried: list[Carried], has_barrier: bool
) -> tuple[ClosedForms, list[tuple[MemoryObject, int]]]:
    """Probe the body until the scopes of what it carries are stable, then solve for each variable."""
    scopes = {c.name: scope_of(c.initial) for c in carried}
    dropped: list[tuple[MemoryObject, int]] = []
    iteration_scope = "thread"
    if has_barrier:
        iteration_scope = "launch" if holds_grid_barrier(walk.unit, loop) else "block"
    iteration = symbol(f"{ITERATION_PREFIX}{walk.count()}", 0, (1 << 40), iteration_scope)
    exchanged: dict[str, tuple[str, Value]] = {}
    for _ in range(5):
        probes = _scoped_probes(walk, carried, scopes, exchanged)
        since = walk.count()
        start, end, decided = _probe(walk, loop, base, frame, carried, probes, dropped, exchanged)
        if end is not None and not exchanged:
            exchanged = _exchanged(carried, start, end, iteration)
            if exchanged:
                continue
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
    forms = ClosedForms(iteration, {}, [], since, {} if end is None else end.stale, carried)
    known = dict.fromkeys((iteration, *(probe for probe in probes.values() if probe is not None)))
    _solve_repeated(carried, probes, end, forms)
    for c in carried:
        other, turns = exchanged.get(c.name, ("", None))
        if turns is not None and end is not None and end.registers[c.name] == start.registers[other]:
            forms.values[c.name] = turns
        elif c.name not in forms.values:
            _solve(walk, c, probes.get(c.name), end, iteration, known, scopes[c.name], forms)
    if end is not None:
        forms.facts += _kept_or_set(walk, probes, end, forms)
    return forms, dropped


def _kept_or_set(walk: Walk, probes: dict[str, Symbol | None], end: State, forms: ClosedForms) -> Iterator[Term]:
    """`if (x[c] > top) best = c;`: what it was at first, or what some round before this one has set it to."""
    iteration, carried = forms.iteration, {probe for probe in probes.values() if probe is not None}
    others: dict[Term, Term] = {
        probe: value
        for name, value in forms.values.items()
        if (probe := probes.get(name)) is not None
        and isinstance(value, Term)
        and not rests_on(value, APPROXIMATE_PREFIX)
    }
    for c in forms.carried:
        probe, after, now = probes.get(c.name), end.registers.get(c.name), forms.values.get(c.name)
        if (
            not isinstance(now, Symbol)
            or probe is None
            or not isinstance(after, Term)
            or not isinstance(c.initial, Term)
        ):
            continue
        ways = _alternatives(after)
        if probe not in ways or not 1 < len(ways) <= MOST_ALTERNATIVES:
            continue
        set_to = [way for way in ways if way is not probe]
        atoms = frozenset().union(*map(free_symbols, set_to))
        lost = any(atom not in others and (atom in carried or made_at(atom) > forms.since) for atom in atoms)
        if lost or any(rests_on(way, MEMORY_PREFIX) for way in set_to):
            continue
        earlier = symbol(f"{APPROXIMATE_PREFIX}round#{walk.count()}", 0, 1 << 40, "thread")
        then: dict[Term, Term] = {each: substitute(value, {iteration: earlier}) for each, value in others.items()}
        was_set = disjunction(*(equal(now, substitute(way, then)) for way in set_to))
        before = at_most(add(earlier, number(1)), iteration)
        yield disjunction(equal(now, c.initial), conjunction(before, was_set))


def _alternatives(term: Term) -> list[Term]:
    """What a choice chooses from."""
    if not isinstance(term, Choice):
        return [term]
    _, then, orelse = term.parts
    return list(dict.fromkeys((*_alternatives(then), *_alternatives(orelse))))


def _exchanged(carried: list[Carried], start: State, end: State, iteration: Symbol) -> dict[str, tuple[str, Value]]:
    """Pointers that change places in each round: whose place they take, and the value by the number of the round."""
    first = {c.name: c.initial for c in carried if isinstance(c.initial, Address)}
    found = exchanged_pointers(first, start.registers, end.registers)
    return {
        name: (turns[0], pointer_in_turn([first[each] for each in (name, *turns[:-1])], iteration))
        for name, turns in found.items()
    }


def _solve_repeated(
    carried: list[Carried], probes: dict[str, Symbol | None], end: State | None, forms: ClosedForms
) -> None:
    """Numbers that come again after a few rounds."""
    if end is None:
        return
    first: dict[Symbol, int] = {}
    after: dict[Symbol, Term] = {}
    for c in carried:
        probe, value = probes[c.name], end.registers.get(c.name)
        if probe is not None and isinstance(c.initial, Number) and isinstance(value, Term) and not is_truth(value):
            first[probe], after[probe] = c.initial.value, value
    found = repeated_numbers(first, after)
    for c in carried:
        probe = probes[c.name]
        if probe is not None and probe in found:
            forms.values[c.name] = number_in_turn(found[probe], forms.iteration)


def _scoped_probes(
    walk: Walk, carried: list[Carried], scopes: dict[str, str], exchanged: Collection[str]
) -> dict[str, Symbol | None]:
    probes: dict[str, Symbol | None] = {}
    for c in carried:
        if c.probe is None or c.name in exchanged:
            probes[c.name] = None
        else:
            name, low, high, _ = c.probe.parts
            probes[c.name] = symbol(name, low, high, scopes[c.name])
    return probes


def _probe(
    walk: Walk,
    loop: ir.Loop,
    base: State,
    frame: Frame,
    carried: list[Carried],
    probes: dict[str, Symbol | None],
    dropped: list[tuple[MemoryObject, int]],
    exchanged: dict[str, tuple[str, Value]],
) -> tuple[State, State | None, str]:
    """Run one iteration on the probe symbols; gives its start, its end and the scope of what decides its course."""
    state = base.copy()
    for cell in dropped:
        state.cells.pop(cell, None)
    for c in carried:
        known = exchanged.get(c.name)
        state.registers[c.name] = _probe_value(walk, c, probes[c.name]) if known is None else known[1]
    start = state.copy()
    returns = len(frame.returns)
    with silence(walk):
        cond = test(walk, loop, state, frame)
        state.path = (*base.path, Conjunct(cond, "loop"))
        if not state.dead:
            run_body(walk, loop, state, frame)
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
    walk: Walk,
    c: Carried,
    probe: Symbol | None,
    end: State | None,
    iteration: Symbol,
    known: dict[Symbol, None],
    scope: str,
    forms: ClosedForms,
) -> None:
    """The value of one carried variable in the k-th iteration."""
    value = None if end is None else end.registers.get(c.name)
    same_object = isinstance(value, Address) and isinstance(c.initial, Address) and value.object is c.initial.object
    after = value.offset if isinstance(value, Address) else value
    initial = c.initial.offset if isinstance(c.initial, Address) else c.initial
    begins_alike = (
        after is probe and probe is not None
    ) or after is initial  # unchanged, or set anew at the end of each
    if end is None or (begins_alike and (same_object or not isinstance(c.initial, Address))):
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
    walk: Walk,
    c: Carried,
    probe: Symbol,
    after: Term,
    initial: Term,
    iteration: Symbol,
    known: dict[Symbol, None],
    scope: str,
    forms: ClosedForms,
) -> Term:
    ideal = _unwrapped(after, probe)
    step = subtract(ideal, probe)
    changing = any(s in known or _made_since(s, forms.since) for s in free_symbols(step))
    if not changing and not rests_on(step, MEMORY_PREFIX):
        forms.steps[c.name] = (c, initial, step)
        value = add(initial, multiply(step, iteration))
        return wrapped(value, c.type.bits, c.type.signed) if isinstance(c.type, ir.Int) else value
    if isinstance(c.initial, Address) and probe not in free_symbols(step) and rests_on(initial, MEMORY_PREFIX):
        return add(initial, _moved_by(walk, c, _step_bounds(ideal, probe), iteration, scope, forms))
    factor = _factor(ideal, probe)
    low, high = ir.int_range(c.type) if isinstance(c.type, ir.Int) else (None, None)
    exact = factor is not None and isinstance(initial, Number)
    result = symbol(f"{'' if exact else APPROXIMATE_PREFIX}{c.name}#{walk.count()}", low, high, scope)
    if not exact:
        walk.first_rounds[result] = initial, iteration
    if rests_on(initial, MEMORY_PREFIX) or rests_on(after, MEMORY_PREFIX):
        walk.environment.from_memory.add(result)
    if rests_on(initial, MEMORY_PREFIX):
        walk.environment.begun_in_memory.add(result)
    if factor is not None and isinstance(initial, Number) and initial.value >= 0:
        members = _members(initial.value, factor, high or (1 << 62))
        forms.facts.append(disjunction(*(equal(result, number(m)) for m in members)))
        return symbol_with_range(result, min(members), max(members), forms)
    low_step, high_step = _step_bounds(ideal, probe)
    if low_step is not None and (low_step >= 0 or _is_signed(c)):
        forms.facts.append(at_most(add(initial, scale(iteration, min(low_step, 0))), result))
    if high_step is not None and (high_step <= 0 or _is_signed(c)):
        forms.facts.append(at_most(result, add(initial, scale(iteration, max(high_step, 0)))))
    lowest = interval(initial)[0]
    if factor is not None and factor < 0 and lowest is not None and lowest >= 0:
        forms.facts += [at_most(number(0), result), at_most(result, initial)]
    return result


def _moved_by(
    walk: Walk, c: Carried, bounds: tuple[int | None, int | None], iteration: Symbol, scope: str, forms: ClosedForms
) -> Term:
    """How far a pointer has come; where it began, at a place that memory tells, stays to be seen beside it."""
    total = symbol(f"{APPROXIMATE_PREFIX}{c.name}#{walk.count()}", None, None, scope)
    low, high = bounds
    if low is not None:
        forms.facts.append(at_most(scale(iteration, min(low, 0)), total))
    if high is not None:
        forms.facts.append(at_most(total, scale(iteration, max(high, 0))))
    return total


def _is_signed(c: Carried) -> bool:
    """A pointer counts as one: nothing of either wraps before an error."""
    return not isinstance(c.type, ir.Int) or (c.type.signed and c.type.bits >= _INT_BITS)


def symbol_with_range(old: Symbol, low: int, high: int, forms: ClosedForms) -> Term:
    """The symbol with tighter bounds, also in the facts that mention it."""
    tight = symbol(old.name, low, high, old.scope)
    forms.facts[:] = [rewrite(fact, lambda t: tight if t is old else None) for fact in forms.facts]
    return tight


def _unwrapped(term: Term, probe: Symbol) -> Term:
    """Steps are found on ideal values; what wraps is wrapped again where the closed form is built."""
    memo: dict[Term, Term] = {}

    def leaf(part: Term) -> Term | None:
        if isinstance(part, Wrapped) and probe in free_symbols(part):
            return rewrite(part.parts[0], leaf, memo)
        return None

    return rewrite(term, leaf, memo)


def _made_since(atom: Term, count: int) -> bool:
    """A symbol made inside the probed iteration: it differs from iteration to iteration."""
    return made_at(atom) > count


def made_at(atom: Term) -> int:
    """The count at which the walk made a symbol or flag; 0 where it did not: a value of the host (`run:n#2`) has its own."""
    name = str(atom.parts[0])
    host, colon, _ = name.removeprefix(APPROXIMATE_PREFIX).partition(":")
    of_host = bool(colon) and (name.startswith(APPROXIMATE_PREFIX) or ("/" not in host and "#" not in host))
    made = None if of_host and not name.startswith(MEMORY_PREFIX) else _COUNT.search(name)
    return int(made[1]) if made is not None else 0


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
