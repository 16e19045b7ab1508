"""Loops of host code: run once, unrolled where every test is decided, else one arbitrary iteration.

What a loop writes is unknown in and behind it; a counter keeps the range from its start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.symbolic.host.evaluate import Frame
from cudalint.symbolic.host.recurrence import recurrence_of
from cudalint.symbolic.host.scan import (
    Counter,
    assigned_registers,
    counter_of,
    is_small,
    leaves,
    matters,
    runs_once,
)
from cudalint.symbolic.host.state import State, join_exits
from cudalint.symbolic.host.values import HostObject, Value, is_lost
from cudalint.symbolic.model import LOOSELY_KNOWN
from cudalint.term import FALSE, TRUE, Any_, IsZero, Term, at_most, equal, negation, number, remainder, subtract

if TYPE_CHECKING:
    from cudalint.symbolic.host.walk import Walk

LONGEST_UNROLLED = 16
_TRIALS = 3


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
    if not stmt.test_first or leaves(stmt.body) or not walk.may_unroll():
        return False
    if not (matters(stmt.body, walk.matters) or is_small(stmt.body)):
        return False
    trial, launches, returns = state.copy(), len(walk.launches), len(frame.returns)
    for _ in range(LONGEST_UNROLLED + 1):
        walk.statements(stmt.pre, trial, frame)
        cond = FALSE if trial.end else walk.evaluator.truth(stmt.cond, trial, frame)
        if cond is FALSE:
            state.adopt(trial)
            return True
        if cond is not TRUE:
            break
        walk.statements(stmt.body, trial, frame)
        if not trial.end:
            walk.statements(stmt.step, trial, frame)
    del walk.launches[launches:]
    del frame.returns[returns:]
    return False


def _repeated(walk: Walk, stmt: ir.Loop, state: State, frame: Frame) -> None:
    """An arbitrary iteration, then whatever holds behind the loop."""
    if walk.writes:
        _once(walk, stmt, state, frame)
        return
    counter = counter_of(stmt)
    start = state.registers.get(frame.prefix + counter.name) if counter else None
    _forget_assigned(walk, stmt, state, frame)
    if counter is not None and isinstance(start, Term):
        if not leaves(stmt.body):  # it takes every value of its range
            name = f"{walk.evaluator.named(counter.name)}#{walk.world.count()}"
            state.registers[frame.prefix + counter.name] = walk.world.unknown(name, counter.type)
        _bound_counter(counter, start, state, frame)
    inside = state.copy()
    walk.statements(stmt.pre, inside, frame)
    if stmt.test_first and not inside.end:
        inside.assume(walk.evaluator.truth(stmt.cond, inside, frame), "branch")
    left = _iteration(walk, stmt.body, inside, frame)
    walk.statements(stmt.pre, state, frame)
    if not left and not state.end:
        state.assume(negation(walk.evaluator.truth(stmt.cond, state, frame)), "lasting")


def _once(walk: Walk, stmt: ir.Loop, state: State, frame: Frame) -> None:
    """A loop inside a trial run: one iteration notes what it writes, and that is unknown behind it."""
    _forget_registers(walk, stmt, state, frame)
    for object_, fields in sorted(_trial(walk, stmt, state, frame), key=lambda place: (place[0].name, place[1])):
        walk.note_written(object_, fields)
        state.havoc_fields(object_, fields)


def _forget_assigned(walk: Walk, stmt: ir.Loop, state: State, frame: Frame) -> None:
    """Registers that the loop assigns by its text, memory by trial runs that note what they write."""
    _forget_registers(walk, stmt, state, frame)
    for attempt in range(_TRIALS):
        written = _trial(walk, stmt, state, frame)
        if attempt == _TRIALS - 1 and written:
            written = {(cell[0], ()) for cell in state.cells}
        if not written:
            return
        for object_, fields in sorted(written, key=lambda place: (place[0].name, place[1])):
            walk.note_written(object_, fields)
            walk.world.because = "written in a loop"
            state.havoc_fields(object_, fields)


def _forget_registers(walk: Walk, stmt: ir.Loop, state: State, frame: Frame) -> None:
    starts = dict(state.registers)
    for name, type_ in sorted(assigned_registers((*stmt.pre, *stmt.body, *stmt.step)).items()):
        if frame.prefix + name in state.registers:
            lost = walk.world.lost(walk.evaluator.named(name), type_, f"`{name}` is assigned in a loop")
            state.registers[frame.prefix + name] = lost
            _follow(walk, stmt, name, starts[frame.prefix + name], type_, state, frame)


def _follow(walk: Walk, stmt: ir.Loop, name: str, start: Value, type_: ir.Type, state: State, frame: Frame) -> None:
    """What is known of a register that the loop halves, doubles, counts up or down."""
    found = recurrence_of(stmt, name) if isinstance(start, Term) and isinstance(type_, ir.Int) else None
    if found is None:
        return
    assert isinstance(start, Term)
    label = f"{walk.evaluator.named(name)}#{walk.world.count()}"
    value = walk.world.unknown(label, type_)
    assert isinstance(value, Term)
    if not any(_is_list(fact) for fact in found.facts(start, value)):
        value = walk.world.unknown(label + LOOSELY_KNOWN, type_)
    assert isinstance(value, Term)
    state.registers[frame.prefix + name] = value
    for fact in found.facts(start, value):
        state.assume(fact, "lasting")


def _is_list(fact: Term) -> bool:
    """All values are told one by one."""
    return isinstance(fact, IsZero) or (isinstance(fact, Any_) and all(isinstance(p, IsZero) for p in fact.parts[0]))


def _trial(walk: Walk, stmt: ir.Loop, state: State, frame: Frame) -> set[tuple[HostObject, tuple[str, ...]]]:
    """The places with known content that one run from this state changes."""
    trial, launches, returns = state.copy(), len(walk.launches), len(frame.returns)
    walk.writes.append(set())
    walk.statements(stmt.pre, trial, frame)
    _iteration(walk, stmt.body, trial, frame)
    trial.end = None
    walk.statements(stmt.step, trial, frame)
    written = walk.writes.pop()
    del walk.launches[launches:]
    del frame.returns[returns:]
    return {
        (object_, fields)
        for object_, fields in written
        if any(
            cell[0] is object_ and cell[1][: len(fields)] == fields[: len(cell[1])] and not is_lost(content)
            for cell, (_, content) in state.cells.items()
        )
    }


def _bound_counter(counter: Counter, start: Term, state: State, frame: Frame) -> None:
    """The counter has only moved one way from where it started, in whole steps."""
    value = state.registers.get(frame.prefix + counter.name)
    if not isinstance(value, Term):
        return
    state.assume(at_most(start, value) if counter.step > 0 else at_most(value, start), "lasting")
    if abs(counter.step) > 1:
        moved = remainder(subtract(value, start), number(abs(counter.step)))
        state.assume(equal(moved, number(0)), "lasting")
