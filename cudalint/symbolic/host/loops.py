"""Loops of host code: run once, unrolled where every test is decided, else one arbitrary iteration, and the first for launches.

What a loop writes is unknown in and behind it; a counter keeps the range from its start.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from cudalint import ir
from cudalint.ir.walk import statements
from cudalint.symbolic.host.cells import OF_CONTENTS, Cell, Content
from cudalint.symbolic.host.contents import filled_by_loop, forget_contents
from cudalint.symbolic.host.elements import filled
from cudalint.symbolic.host.evaluate import Frame
from cudalint.symbolic.host.joins import join_exits
from cudalint.symbolic.host.launched import is_loose
from cudalint.symbolic.host.loop_bounds import bound_counter, bound_last_factor, bound_last_step, ends_where_asked
from cudalint.symbolic.host.recurrence import as_register, constant_of, place_text, recurrence_of
from cudalint.symbolic.host.scan import (
    assigned_registers,
    counter_of,
    is_plain,
    is_short,
    is_small,
    leaves,
    matters,
    runs_once,
)
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.steady import keep_steady
from cudalint.symbolic.host.text import is_large
from cudalint.symbolic.host.values import (
    APPROXIMATE,
    NULL,
    Address,
    Either,
    HostObject,
    Reference,
    Value,
    addresses,
    is_lost,
)
from cudalint.symbolic.model import LOOSELY_KNOWN
from cudalint.term import (
    FALSE,
    TRUE,
    Any_,
    IsZero,
    Number,
    Symbol,
    Term,
    free_symbols,
    negation,
    number,
)

if TYPE_CHECKING:
    from cudalint.symbolic.host.walk import Walk


class Pass(Enum):
    """What of the loops around a statement is walked."""

    NO_LOOP = "no loop"
    ANY_ITERATION = "any iteration"
    FIRST_ITERATION = "first iteration"


LONGEST_UNROLLED, LONGEST_SMALL = 16, 32
FEW_ROUNDS = 8  # of a loop that is longer than a small one
UNROLLED_STEPS = 15_000
_TRIALS = 3
_AGAIN = 4  # times the steps of a loop: in its first iteration those inside are walked again, too
_LONGEST_TURN = 4
Holder: TypeAlias = str | tuple[HostObject, tuple[str, ...], Term]  # a register or a cell of memory


def run_loop(walk: Walk, stmt: ir.Loop, state: State, frame: Frame) -> None:
    """Change `state` to the one behind the loop."""
    if runs_once(stmt):
        _iteration(walk, stmt.body, state, frame)
    elif not _unrolled(walk, stmt, state, frame):
        _repeated(walk, stmt, state, frame)


def _iteration(walk: Walk, body: tuple[ir.Stmt, ...], state: State, frame: Frame) -> bool:
    """One run of a body that may leave early; whether it may have left by `break`."""
    base = state.copy()
    frame.breaks.append([])
    frame.continues.append([])
    walk.statements(body, state, frame)
    breaks, continues = frame.breaks.pop(), frame.continues.pop()
    exits = [*breaks, *continues, *([] if state.end else [state.copy()])]
    if exits:
        state.adopt(join_exits(exits, base))
    return bool(breaks)


def _unrolled(walk: Walk, stmt: ir.Loop, state: State, frame: Frame) -> bool:
    """Run a loop of few iterations whose tests are all decided; False (and nothing changed) if it is another."""
    if not walk.may_unroll():
        return False
    short = partial(_is_short_call, walk, frame)
    small = is_small(stmt.body, short)
    few = small or (_ends_soon(stmt) and is_plain(stmt.body, short))
    if not few and not matters(stmt.body, walk.matters):
        return False
    trial, launches, returns = state.copy(), len(walk.launches), len(frame.returns)
    left: list[State] = []
    if not stmt.test_first:
        left += _turn(walk, stmt.body, trial, frame)
        if not trial.end:
            walk.statements(stmt.step, trial, frame)
    for turn in range((LONGEST_SMALL if small else LONGEST_UNROLLED) + 1):
        walk.statements(stmt.pre, trial, frame)
        cond = FALSE if trial.end else walk.evaluator.truth(stmt.cond, trial, frame)
        if cond is FALSE:
            exits = [*left, *([] if trial.end else [trial])]
            state.adopt(join_exits(exits, state) if left else trial)
            return True
        if cond is not TRUE or (turn == LONGEST_UNROLLED and _holds_large(stmt, trial, frame)):
            break
        left += _turn(walk, stmt.body, trial, frame)
        if not trial.end:
            walk.statements(stmt.step, trial, frame)
    del walk.launches[launches:]
    del frame.returns[returns:]
    return False


def _ends_soon(stmt: ir.Loop) -> bool:
    """`d < 2`: the rounds are a few by what is written."""
    end = stmt.cond.right if isinstance(stmt.cond, ir.Binary) else None
    while isinstance(end, ir.Cast):
        end = end.operand
    return isinstance(end, ir.Const) and isinstance(end.value, int) and 0 < end.value <= FEW_ROUNDS


def _is_short_call(walk: Walk, frame: Frame, call: ir.Call) -> bool:
    node = walk.linked.callee(call.function, call.args, frame.unit)
    return node is not None and bool(body := walk.linked.function(node).body) and is_short(body)


def _holds_large(stmt: ir.Loop, state: State, frame: Frame) -> bool:
    """What the loop computes is too large to be told: a choice in each iteration."""
    held = [state.registers.get(frame.prefix + name) for name in assigned_registers((*stmt.body, *stmt.step))]
    held += [value for _, value in state.cells.values()]
    return any(is_large(v if isinstance(v, Term) else v.offset) for v in held if isinstance(v, Term | Address))


def _turn(walk: Walk, body: tuple[ir.Stmt, ...], state: State, frame: Frame) -> list[State]:
    """One run of a body, up to where the next one begins; the states that have left the loop by `break`."""
    base = state.copy()
    frame.breaks.append([])
    frame.continues.append([])
    walk.statements(body, state, frame)
    breaks, continues = frame.breaks.pop(), frame.continues.pop()
    if continues:
        state.adopt(join_exits([*continues, *([] if state.end else [state.copy()])], base))
    return breaks


def _repeated(walk: Walk, stmt: ir.Loop, state: State, frame: Frame) -> None:
    """An arbitrary iteration, then whatever holds behind the loop."""
    if walk.writes:
        _once(walk, stmt, state, frame)
        return
    counter = counter_of(stmt)
    start = state.registers.get(frame.prefix + counter.name) if counter else None
    entering, begun, pass_ = state.copy(), walk.steps, walk.pass_
    turns = _turns(walk, stmt, state, frame)
    starts = dict(state.registers)
    _forget_assigned(walk, stmt, state, frame)
    _take_turns(walk, turns, state, frame)
    if counter is not None and isinstance(start, Term):
        if not leaves(stmt.body):  # it takes every value of its range
            name = f"{walk.evaluator.named(counter.name)}#{walk.world.count()}"
            state.registers[frame.prefix + counter.name] = walk.world.unknown(name, counter.type)
        bound_counter(counter, start, state, frame)
    inside = state.copy()
    walk.statements(stmt.pre, inside, frame)
    cond = walk.evaluator.truth(stmt.cond, inside, frame) if stmt.test_first and not inside.end else TRUE
    if stmt.test_first and not inside.end:
        inside.assume(cond, "branch")
    before, changed = state.copy(), _changed(stmt, starts, state, frame)
    number_ = inside.registers.get(frame.prefix + counter.name) if counter is not None and counter.step == 1 else None
    outer, walk.world.noted, depth = walk.world.noted, [], len(inside.path)
    launches, versions = len(walk.launches), dict(inside.versions)
    with walk.passing(Pass.ANY_ITERATION):
        left = _iteration(walk, stmt.body, inside, frame)
    noted, walk.world.noted = walk.world.noted, outer
    if outer is not None:
        outer.extend(noted)
    if isinstance(number_, Symbol) and isinstance(start, Term) and not left and not inside.end:
        if len(walk.launches) == launches:
            unknown = {o for o, version in inside.versions.items() if versions.get(o, "") != version}
            filled_by_loop([s for s in noted if s.address.object not in unknown], number_, start, cond, depth, state)
    if not inside.end:
        state.cells |= dict(filled(before, inside, changed))
    walk.statements(stmt.pre, state, frame)
    if not left and not state.end:
        state.assume(negation(walk.evaluator.truth(stmt.cond, state, frame)), "lasting")
        if counter is not None and isinstance(start, Term):
            bound_last_step(walk, stmt, counter, start, state, frame)
        bound_last_factor(walk, stmt, starts, state, frame)
    if pass_ is not Pass.ANY_ITERATION and len(walk.launches) > launches:
        _launch_first(walk, stmt, entering, frame, launches, walk.steps - begun)


def _launch_first(walk: Walk, stmt: ir.Loop, state: State, frame: Frame, launches: int, steps: int) -> None:
    """Beside what an arbitrary iteration launches, what the first one does: of that all is known that was before the loop.

    In the first iteration of a loop around this one, that alone.
    """
    if walk.pass_ is Pass.FIRST_ITERATION:
        del walk.launches[launches:]
    elif not any(map(is_loose, walk.launches[launches:])):
        return
    if walk.steps + _AGAIN * steps > UNROLLED_STEPS:
        return
    walk.statements(stmt.pre, state, frame)
    cond = walk.evaluator.truth(stmt.cond, state, frame) if stmt.test_first and not state.end else TRUE
    if cond is FALSE or state.end:
        return
    state.assume(cond, "branch")
    noted, returns, demands = walk.world.noted, len(frame.returns), len(walk.demands)
    walk.world.noted = []
    with walk.passing(Pass.FIRST_ITERATION):
        _iteration(walk, stmt.body, state, frame)
    walk.world.noted = noted
    del frame.returns[returns:]
    del walk.demands[demands:]


def _changed(stmt: ir.Loop, starts: Mapping[str, Value], state: State, frame: Frame) -> frozenset[Term]:
    """What the registers that the loop assigns consist of in an arbitrary iteration, beside what they began with."""
    names = [frame.prefix + name for name in assigned_registers((*stmt.pre, *stmt.body, *stmt.step))]
    now = frozenset(a for n in names if isinstance(v := state.registers.get(n), Term) for a in free_symbols(v))
    return now - frozenset(a for n in names if isinstance(v := starts.get(n), Term) for a in free_symbols(v))


def _turns(walk: Walk, stmt: ir.Loop, state: State, frame: Frame) -> list[dict[Holder, Reference]]:
    """What pointers hold that the loop passes around (`swap(x, y)`), iteration by iteration, until they are as before it."""
    first = _pointers(walk, stmt, state, frame)
    if len(first) < 2:
        return []
    forgotten = state.copy()
    _forget_assigned(walk, stmt, forgotten, frame)
    turns, kept = [first], first
    while len(kept) > 1 and len(turns) <= _LONGEST_TURN:
        known = list(kept.values())
        after = _after_one_run(walk, stmt, forgotten, frame, kept)
        following: dict[Holder, Reference] = {
            h: v for h, v in after.items() if isinstance(v, Address | Either) and v in known
        }
        if set(following) != set(kept):
            first = {holder: first[holder] for holder in following}
            turns, kept = [first], first
            continue
        if following == first:
            return turns if len(turns) > 1 else []
        turns, kept = [*turns, following], following
    return []


def _pointers(walk: Walk, stmt: ir.Loop, state: State, frame: Frame) -> dict[Holder, Reference]:
    """Variables that the loop writes and that point into an allocation when it begins."""
    names = assigned_registers((*stmt.pre, *stmt.body, *stmt.step))
    held: dict[Holder, Value] = {
        n: state.registers[n] for n in (frame.prefix + name for name in names) if n in state.registers
    }
    pointers = _into_allocations(held)
    cells = _into_allocations({cell: content for cell, (_, content) in state.cells.items()})
    if not cells or len(pointers) + len(cells) < 2:
        return pointers
    written = _trial(walk, stmt, state, frame)
    return pointers | {cell: address for cell, address in cells.items() if (cell[0], cell[1]) in written}


def _into_allocations(held: Mapping[Holder, Value]) -> dict[Holder, Reference]:
    pointers = {holder: value for holder, value in held.items() if isinstance(value, Address | Either)}
    return {h: value for h, value in pointers.items() if all(map(_is_allocated, addresses(value) or [NULL]))}


def _is_allocated(address: Address) -> bool:
    return address.object is not None and address.object.kind == "allocation"


def _after_one_run(
    walk: Walk, stmt: ir.Loop, forgotten: State, frame: Frame, held: dict[Holder, Reference]
) -> dict[Holder, Value | None]:
    trial = forgotten.copy()
    for holder, address in held.items():
        _hold(trial, holder, address)
    _run_once(walk, stmt, trial, frame)
    cells = {cell: content for cell, (_, content) in trial.cells.items()}
    return {h: trial.registers.get(h) if isinstance(h, str) else cells.get(h) for h in held}


def _hold(state: State, holder: Holder, value: Value) -> None:
    if isinstance(holder, str):
        state.registers[holder] = value
    else:
        state.cells[holder] = (ir.Pointer(ir.VOID), value)


def _take_turns(walk: Walk, turns: list[dict[Holder, Reference]], state: State, frame: Frame) -> None:
    """In an arbitrary iteration it is the turn of one of the lists, the same for all pointers."""
    if not turns:
        return
    held: dict[Holder, Reference] = dict(turns[-1])
    for turn in turns[:-1]:
        name = f"{walk.evaluator.named('turn')}#{walk.world.count()}"
        cond = walk.world.unknown(name, ir.BOOL)
        assert isinstance(cond, Term)
        held = {holder: Either(cond, turn[holder], value) for holder, value in held.items()}
    for holder, value in held.items():
        _hold(state, holder, value)


def _once(walk: Walk, stmt: ir.Loop, state: State, frame: Frame) -> None:
    """A loop inside a trial run: one iteration notes what it writes, and that is unknown behind it."""
    _forget_registers(walk, stmt, state, frame)
    for object_, fields in sorted(_trial(walk, stmt, state, frame), key=lambda place: (place[0].name, place[1])):
        walk.note_written(object_, fields)
        _forget_place(walk, object_, fields, state)


def _forget_assigned(walk: Walk, stmt: ir.Loop, state: State, frame: Frame) -> None:
    """Registers that the loop assigns by its text, memory by trial runs that note what they write."""
    _forget_registers(walk, stmt, state, frame)
    before = dict(state.cells)
    _forget_memory(walk, stmt, state, frame)
    _follow_members(walk, stmt, before, state, frame)
    keep_steady(before, state, lambda trial: _run_once(walk, stmt, trial, frame))


def _forget_memory(walk: Walk, stmt: ir.Loop, state: State, frame: Frame) -> None:
    for attempt in range(_TRIALS):
        written = _trial(walk, stmt, state, frame)
        if attempt == _TRIALS - 1 and written:
            written = {(cell[0], ()) for cell in state.cells}
        if not written:
            return
        for object_, fields in sorted(written, key=lambda place: (place[0].name, place[1])):
            walk.note_written(object_, fields)
            walk.world.because = "written in a loop"
            _forget_place(walk, object_, fields, state)


def _forget_registers(walk: Walk, stmt: ir.Loop, state: State, frame: Frame) -> None:
    starts = dict(state.registers)
    for name, type_ in sorted(assigned_registers((*stmt.pre, *stmt.body, *stmt.step)).items()):
        if frame.prefix + name in state.registers:
            lost = walk.world.lost(walk.evaluator.named(name), type_, f"`{name}` is assigned in a loop")
            state.registers[frame.prefix + name] = lost
            _follow(walk, stmt, name, starts[frame.prefix + name], type_, state, frame)


def _follow(walk: Walk, stmt: ir.Loop, name: str, start: Value, type_: ir.Type, state: State, frame: Frame) -> None:
    """What is known of a register that the loop halves, doubles, counts up or down, or sets to what it is."""
    if isinstance(start, Number) and constant_of(stmt, name) == start.value:
        state.registers[frame.prefix + name] = start
        return
    found = recurrence_of(stmt, name) if isinstance(start, Term) and isinstance(type_, ir.Int) else None
    if found is None:
        return
    assert isinstance(start, Term)
    label = f"{walk.evaluator.named(name)}#{walk.world.count()}"
    value = walk.world.unknown(label, type_)
    assert isinstance(value, Term)
    if not any(_is_list(fact) for fact in found.facts(start, value)) and not ends_where_asked(stmt, name, start):
        value = walk.world.unknown(label + LOOSELY_KNOWN, type_)
    assert isinstance(value, Term)
    state.registers[frame.prefix + name] = value
    for fact in found.facts(start, value):
        state.assume(fact, "lasting")


def _follow_members(walk: Walk, stmt: ir.Loop, before: Mapping[Cell, Content], state: State, frame: Frame) -> None:
    """As registers: integer members of variables (`grid.x >>= 1`) that the loop writes by their names alone."""
    for place in dict.fromkeys(_stored_members((*stmt.pre, *stmt.body, *stmt.step))):
        object_ = frame.variables.get(place.base.var.name) if isinstance(place.base, ir.Variable) else None
        if object_ is None:
            continue
        cell = (object_, (place.name,), number(0))
        _, start = before.get(cell, (place.type, None))
        named = as_register(stmt, place)
        if named is not None and isinstance(start, Number) and constant_of(named, place_text(place)) == start.value:
            state.cells[cell] = (place.type, start)
            continue
        found = recurrence_of(named, place_text(place)) if named is not None and isinstance(start, Term) else None
        if found is None or cell not in state.cells or not is_lost(state.cells[cell][1]):
            continue
        assert isinstance(start, Term)
        label = f"{walk.evaluator.named(place_text(place))}#{walk.world.count()}"
        value = walk.world.unknown(label, place.type)
        assert isinstance(value, Term)
        facts = found.facts(start, value)
        if not any(map(_is_list, facts)):
            value = walk.world.unknown(label + LOOSELY_KNOWN, place.type)
            assert isinstance(value, Term)
            facts = found.facts(start, value)
        state.cells[cell] = (place.type, value)
        for fact in facts:
            state.assume(fact, "lasting")


def _stored_members(body: tuple[ir.Stmt, ...]) -> Iterator[ir.Field]:
    for stmt in statements(body):
        if isinstance(stmt, ir.Store) and isinstance(stmt.place, ir.Field) and isinstance(stmt.place.base, ir.Variable):
            if isinstance(stmt.place.type, ir.Int):
                yield stmt.place


def _is_list(fact: Term) -> bool:
    """All values are told one by one."""
    return isinstance(fact, IsZero) or (isinstance(fact, Any_) and all(isinstance(p, IsZero) for p in fact.parts[0]))


def _trial(walk: Walk, stmt: ir.Loop, state: State, frame: Frame) -> set[tuple[HostObject, tuple[str, ...]]]:
    """The places with known content that one run from this state changes."""
    written = _run_once(walk, stmt, state.copy(), frame)
    for object_, fields in written:
        if fields in OF_CONTENTS:
            forget_contents(object_, state)
    written = {place for place in written if place[1] not in OF_CONTENTS}
    inputs = {o for o, _ in written if o.kind == "input" and not o.name.startswith(APPROXIMATE)}
    given = inputs | set(walk.evaluator.globals.values())
    return {(object_, fields) for object_, fields in written if _is_known(object_, fields, state, given)}


def _is_known(object_: HostObject, fields: tuple[str, ...], state: State, given: Set[HostObject]) -> bool:
    """Whether something is known of a place, if only that it holds what it held at first.

    `given` objects held something before the walk; what is declared in the loop did not.
    """
    below = [
        (cell[1], state.cells[cell][1])
        for cell in state.cells.of(object_)
        if cell[1][: len(fields)] == fields[: len(cell[1])]
    ]
    if any(not is_lost(content) for _, content in below):
        return True
    if bool(fields) and any(place == fields for place, _ in below):
        return False
    before = object_ in given or (object_.kind != "allocation" and state.cells.holds(object_))
    return before and not state.versions.get(object_, "").startswith(APPROXIMATE)


def _forget_place(walk: Walk, object_: HostObject, fields: tuple[str, ...], state: State) -> None:
    """A member that is written, of an object that came from elsewhere, is lost alone."""
    type_ = walk.member_types.get((object_, fields)) if fields else None
    inside = any(c[1][: len(fields)] == fields for c in state.cells.of(object_))
    if inside or not isinstance(type_, ir.Int | ir.Bool | ir.Pointer):
        state.havoc_fields(object_, fields)
        return
    name = ".".join((object_.name.removeprefix(APPROXIMATE), *fields))
    state.cells[(object_, fields, number(0))] = (type_, walk.world.lost(name, type_))


def _run_once(walk: Walk, stmt: ir.Loop, trial: State, frame: Frame) -> set[tuple[HostObject, tuple[str, ...]]]:
    """Change the state to the one after an iteration; nothing is launched and nobody returns. The places it writes."""
    launches, returns = len(walk.launches), len(frame.returns)
    walk.writes.append(set())
    walk.statements(stmt.pre, trial, frame)
    _iteration(walk, stmt.body, trial, frame)
    trial.end = None
    walk.statements(stmt.step, trial, frame)
    written = walk.writes.pop()
    del walk.launches[launches:]
    del frame.returns[returns:]
    return written
