"""Barriers with a number, for part of a block (PTX `bar.sync 1, 64`): how often a thread has come to each.

Such a barrier parts no interval, since other threads of the block pass it by. Two counts go with the state instead: the arrivals
of the thread at the barrier, and the round of it that the thread has last waited for. Round k ends when all have come k + 1 times:

    bar.sync 1;  s[t] = v;  bar.sync 1;        arrived 1, waited 1 at the store
    bar.arrive 1;                              arrived 3, waited 2 behind it
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.symbolic.model import CountedVisit, Rounds, Value
from cudalint.symbolic.walk.loop_text import is_for_part, reached_statements
from cudalint.symbolic.walk.state import State
from cudalint.term import Number, Term, add, number, subtract

if TYPE_CHECKING:
    from cudalint.symbolic.walk.execute import Frame, Walk

CHOSEN = "*"  # barriers whose number is no constant
_ARRIVED, _SINCE = "%arrived at ", "%arrived without waiting at "
_COUNT = ir.Int(64, True)
_OF_COUNTS = "~"  # ends the name of an interval whose last values are the counts


def numbers_used(unit: ir.Unit, kernel: ir.Function) -> tuple[str, ...]:
    """The barriers that are counted: those that the kernel names as constants, and what it computes."""
    found = [s.id for s in reached_statements(unit, kernel.body) if isinstance(s, ir.Barrier) and is_for_part(s)]
    if not found:
        return ()
    if all(isinstance(each, ir.Const) for each in found):
        return tuple(sorted({str(each.value) for each in found if isinstance(each, ir.Const)}))
    return (*(str(each) for each in range(16)), CHOSEN)


def begin(walk: Walk, state: State) -> None:
    """Nobody has come to any of them."""
    for name in walk.numbered:
        state.registers[_ARRIVED + name] = state.registers[_SINCE + name] = number(0)


def carried(walk: Walk, loop: ir.Loop) -> dict[str, ir.Type]:
    """The counts that an iteration may change."""
    if not walk.numbered or not any(map(is_for_part, reached_statements(walk.unit, (loop,)))):
        return {}
    return {prefix + name: _COUNT for name in walk.numbered for prefix in (_ARRIVED, _SINCE)}


def rounds(walk: Walk, state: State) -> tuple[Rounds, ...]:
    """Where the thread stands at each barrier."""
    found: list[Rounds] = []
    for name in walk.numbered:
        arrived, since = _term(state.registers[_ARRIVED + name]), _term(state.registers[_SINCE + name])
        found.append(Rounds(name, arrived, subtract(arrived, since)))
    return tuple(found)


def _term(value: Value) -> Term:
    assert isinstance(value, Term)
    return value


def visit(walk: Walk, stmt: ir.Barrier, state: State, frame: Frame) -> None:
    """One thread comes, and waits or goes on."""
    assert stmt.id is not None and stmt.count is not None
    given, asked = (walk.evaluator.integer(each, state, frame) for each in (stmt.id, stmt.count))
    name = str(given.value) if isinstance(given, Number) and str(given.value) in walk.numbered else CHOSEN
    if walk.recording:
        inside = any(c.cause == "loop" for c in state.path)
        count = asked.value if isinstance(asked, Number) else None
        walk.counted.append(
            CountedVisit(
                given, count, stmt.span, state.path, inside, walk.serial, "", stmt.mode, name, rounds(walk, state),
                tuple(walk.loops),
            )
        )  # fmt: skip
    if name in walk.numbered:
        for prefix in (_ARRIVED, _SINCE):
            state.registers[prefix + name] = add(_term(state.registers[prefix + name]), number(1))
        if stmt.mode == "sync":
            state.registers[_SINCE + name] = number(0)
    new_interval(walk, state)


def new_interval(walk: Walk, state: State) -> None:
    """What others of the group have written is seen from here on: loads are functions of the rounds of the thread."""
    name, values = state.epoch
    kept = values[: -2 * len(walk.numbered)] if name.endswith(_OF_COUNTS) else values
    counts = (each for found in rounds(walk, state) for each in (found.arrived, found.waited))
    state.epoch = (f"{walk.new_point(None, 'numbered').number}{_OF_COUNTS}", (*kept, *counts))
