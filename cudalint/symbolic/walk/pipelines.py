"""Asynchronous copies to shared memory: from their issue to the wait of their own thread they may write at any time.

A copy in flight is recorded as a write again in each barrier interval that it reaches, so that a read there races with it; a
read by the issuing thread itself before its wait is noted apart. What is in flight may depend on the way: a state holds one queue
of groups for each, under its condition. Into a loop that waits they go with its first iteration.

if (k + 1 < n) { copy(next); commit; }  wait_prior(1);      k + 1 < n: [next]      !(k + 1 < n): [this one], which is read now
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.symbolic.model import Access, Conjunct, Path
from cudalint.symbolic.walk.flights import EarlyRead, Queue
from cudalint.symbolic.walk.loop_text import waits_for_copies
from cudalint.symbolic.walk.numbered import rounds
from cudalint.symbolic.walk.state import State
from cudalint.term import Number, Term, equal, negation, number

if TYPE_CHECKING:
    from cudalint.symbolic.walk.execute import Frame, Walk

IN_FLIGHT = "in flight"


def issue(copy: Access, state: State, bound: bool = False) -> None:
    """The copy joins the group that is not committed yet, or waits for the phase of a barrier."""
    if bound:
        state.flights = tuple(replace(q, bound=(*q.bound, copy)) for q in _queues(state))
        return
    made: list[Queue] = []
    for queue in _queues(state):
        *closed, newest = queue.groups or ((),)
        made.append(replace(queue, groups=(*closed, (*newest, copy))))
    state.flights = tuple(made)


def commit(state: State) -> None:
    """The group is closed; later copies belong to the next one."""
    state.flights = tuple(replace(q, groups=(*(q.groups or ((),)), ())) for q in _queues(state))


def wait(walk: Walk, stmt: ir.AsyncWait, state: State, frame: Frame) -> None:
    """All but the newest `pending` groups have arrived; copies that nobody committed are only waited for by a wait for all."""
    if not state.flights:
        return
    pending = None if stmt.pending is None else walk.evaluator.integer(stmt.pending, state, frame)
    if pending is not None and (not isinstance(pending, Number) or pending.value <= 0):
        _keep(state, [replace(q, groups=(), lost=False) for q in state.flights])
        return
    made: list[Queue] = []
    for queue in state.flights:
        *closed, newest = queue.groups or ((),)
        left = closed[1:] if pending is None else closed[-pending.value :]
        made.append(replace(queue, groups=(*left, newest)))
    _keep(state, made)


def complete_phase(walk: Walk, state: State) -> None:
    """The copies that a barrier counts have arrived, whoever issued them."""
    if walk.recording:
        walk.phase_waits.append(walk.serial)
    _keep(state, [replace(q, bound=()) for q in state.flights])


def pass_barrier(walk: Walk, state: State) -> None:
    """What is still in flight writes in the next interval too."""
    if not walk.recording:
        return
    walk.partial_barriers |= any(queue.lost for queue in state.flights)
    for copy, way in _in_flight(walk, state):
        if copy in walk.watched:
            walk.unfollowed.add(copy.object)
        again = _in_interval(walk, copy, state, way)
        walk.accesses.append(replace(again, serial=walk.serial))


def note_read(walk: Walk, access: Access, state: State) -> None:
    """The issuing thread itself reads before its wait."""
    for copy, way in _in_flight(walk, state):
        if copy.object is access.object:
            under_way = _in_interval(walk, copy, state, way)
            walk.early_reads.append(EarlyRead(under_way, access))
            if under_way not in walk.under_way:
                walk.under_way.add(under_way)
                walk.accesses.append(under_way)  # for the others, who read at the same time


def _in_interval(walk: Walk, copy: Access, state: State, way: Path) -> Access:
    """The copy as a write between the barriers of the state."""
    return replace(
        copy, path=way, phases=state.phases, grid_phases=state.grid_phases, order=IN_FLIGHT, rounds=rounds(walk, state)
    )


def into_loop(walk: Walk, loop: ir.Loop, state: State, iteration: Term) -> tuple[Queue, ...]:
    """What is in flight when an iteration begins; what earlier iterations left is not known."""
    if not state.flights or not waits_for_copies(walk.unit, loop):
        return state.flights
    first = equal(iteration, number(0))
    begun = [replace(q, path=(*q.path, Conjunct(first, "branch"))) for q in state.flights]
    return (*begun, Queue((Conjunct(negation(first), "branch"),)))


def watch(state: State) -> frozenset[Access]:
    """What is under way when the next iteration begins: where it passes a barrier of that one, it is not followed further."""
    return frozenset(copy for q in state.flights for group in (*q.groups, q.bound) for copy in group)


def _queues(state: State) -> tuple[Queue, ...]:
    return state.flights or (Queue(),)


def _keep(state: State, queues: list[Queue]) -> None:
    state.flights = tuple(queues) if any(map(_has_groups, queues)) else ()


def _has_groups(queue: Queue) -> bool:
    return bool(queue.groups or queue.bound or queue.lost)


def _in_flight(walk: Walk, state: State) -> list[tuple[Access, Path]]:
    """The copies, with the way of the threads for which they are under way."""
    last_wait = walk.phase_waits[-1] if walk.phase_waits else -1
    found: list[tuple[Access, Path]] = []
    for queue in state.flights:
        bound = [copy for copy in queue.bound if copy.serial > last_wait]
        for copy in [*bound, *(copy for group in queue.groups for copy in group)]:
            way = dict.fromkeys((*state.path, *queue.path, *copy.path))
            found.append((copy, tuple(way)))
    return found
