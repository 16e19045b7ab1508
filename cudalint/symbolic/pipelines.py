"""Asynchronous copies to shared memory: from their issue to the wait of their own thread they may write at any time.

A copy in flight is recorded as a write again in each barrier interval that it reaches, so that a read there races with it; a
read by the issuing thread itself before its wait is noted apart. What was in flight before a loop of unknown length is not followed
into it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.symbolic.model import Access, EarlyRead
from cudalint.symbolic.state import State
from cudalint.term import Number

if TYPE_CHECKING:
    from cudalint.symbolic.execute import Frame, Walk

IN_FLIGHT = "in flight"


def issue(copy: Access, state: State) -> None:
    """The copy joins the group that is not committed yet."""
    *closed, newest = state.flights or ((),)
    state.flights = (*closed, (*newest, copy))


def commit(state: State) -> None:
    """The group is closed; later copies belong to the next one."""
    state.flights = (*(state.flights or ((),)), ())


def wait(walk: Walk, stmt: ir.AsyncWait, state: State, frame: Frame) -> None:
    """All but the newest `pending` groups have arrived; copies that nobody committed are only waited for by a wait for all."""
    pending = walk.evaluator.integer(stmt.pending, state, frame)
    if not isinstance(pending, Number) or pending.value <= 0 or not state.flights:
        state.flights = ()
        return
    *closed, newest = state.flights
    state.flights = (*closed[-pending.value :], newest)


def pass_barrier(walk: Walk, state: State) -> None:
    """What is still in flight writes in the next interval too."""
    for copy in _in_flight(state):
        if walk.recording:
            again = replace(copy, phases=state.phases, order=IN_FLIGHT, serial=walk.serial, path=state.path)
            walk.accesses.append(again)


def note_read(walk: Walk, access: Access, state: State) -> None:
    """The issuing thread itself reads before its wait."""
    walk.early_reads += [EarlyRead(copy, access) for copy in _in_flight(state) if copy.object is access.object]


def _in_flight(state: State) -> list[Access]:
    return [copy for group in state.flights for copy in group]
