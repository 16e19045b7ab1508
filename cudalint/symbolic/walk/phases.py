"""Barriers that are objects in shared memory (`cuda::barrier`, mbarrier): who has set them up, who arrives, who waits.

Setting one up is a plain store to it, arriving and waiting are atomic: without a barrier between the two they race. Where it
counts as many arrivals as the block has threads, arriving and waiting at once is a barrier of the block. Of a split one, what a
thread does between its arrival and its wait belongs to the interval before and to the one behind.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.symbolic.model import Access, Address, CountedVisit, MemoryObject, scope_of
from cudalint.symbolic.walk import pipelines
from cudalint.symbolic.walk.accesses import record_access
from cudalint.symbolic.walk.state import Phases, State
from cudalint.term import Number, Term, ideal, multiply, symbol

if TYPE_CHECKING:
    from cudalint.symbolic.walk.execute import Frame, Walk

PHASE = "phase"
SET_UP = "set up"
BYTES = 8  # of a barrier (PTX ISA, "mbarrier")


def touch(walk: Walk, stmt: ir.Barrier, state: State, frame: Frame) -> bool:
    """Record what the statement does to the object; True where that is all: it has been set up."""
    assert stmt.object is not None
    address = walk.evaluator.value(stmt.object, state, frame)
    found = address.object if isinstance(address, Address) else None
    if stmt.mode == "init":
        count = None if stmt.count is None else walk.evaluator.integer(stmt.count, state, frame)
        record_access(walk, address, "write", BYTES, stmt.span, state, frame, count, SET_UP, covered=True)
        if found is not None and count is not None:
            walk.phase_counts.setdefault(found, set()).add(ideal(count))
        return True
    record_access(walk, address, "atomic", BYTES, stmt.span, state, frame, order="acq_rel", covered=True)
    if stmt.mode in ("wait", "sync"):
        pipelines.complete_phase(walk, state)
    if stmt.mode != "sync" and found is not None:
        walk.split_phases.add(kind_of_object(found))
        walk.partial_barriers = True
    if stmt.mode in ("arrive", "sync") and isinstance(address, Address) and found is not None:
        _count(walk, stmt, address, found, state)
    return False


def _count(walk: Walk, stmt: ir.Barrier, address: Address, found: MemoryObject, state: State) -> None:
    """An arrival of one thread at a barrier that waits for a number of them; at which of an array may not be known."""
    counts = walk.phase_counts.get(found, set())
    only = next(iter(counts)) if len(counts) == 1 else None
    if not walk.recording or not isinstance(only, Number):
        return
    at = address.offset.value if isinstance(address.offset, Number) else None
    name = symbol(f"{found.name}+{at}", None, None, "launch")
    inside = stmt.count is not None or any(c.cause == "loop" for c in state.path)
    count = None if at is None else only.value
    walk.counted.append(CountedVisit(name, count, stmt.span, state.path, inside, walk.serial, kind_of_object(found)))


def kind_of(walk: Walk, bar: ir.Expr, state: State, frame: Frame) -> str:
    """The kind of the barriers of the object that a name or place stands for."""
    address = walk.evaluator.value(bar, state, frame)
    found = address.object if isinstance(address, Address) else None
    return PHASE if found is None else kind_of_object(found)


def kind_of_object(found: MemoryObject) -> str:
    """What tells the barriers of this object from all others."""
    return f"{PHASE} of {found.name}"


def is_followed(walk: Walk, kind: str) -> bool:
    """Nothing that is not understood may arrive at the barrier."""
    return not walk.possible_barriers and all(kind_of_object(found) != kind for found in walk.disturbed)


def counts_all(walk: Walk, bar: ir.Expr, state: State, frame: Frame) -> bool:
    """It waits for as many arrivals as the block has threads, and all come to the same one."""
    address = walk.evaluator.value(bar, state, frame)
    if not isinstance(address, Address) or address.object is None or scope_of(address.offset) == "thread":
        return False
    counts = walk.phase_counts.get(address.object, set())
    return bool(counts) and all(count is _threads(walk) for count in counts)


def _threads(walk: Walk) -> Term:
    return ideal(reduce(multiply, (walk.environment.builtin(f"blockDim.{axis}") for axis in "xyz")))


def stretch(walk: Walk, former: Phases, state: State) -> None:
    """What the thread did since it arrived may happen behind the wait of others as well."""
    start, state.arrived = state.arrived, None
    if start is None or not walk.recording:
        return
    again = [a for a in walk.accesses[start:] if a.phases == former and _is_of_memory(a)]
    walk.accesses += (replace(a, phases=state.phases, serial=walk.serial) for a in again)


def _is_of_memory(access: Access) -> bool:
    return access.object.memory in ("shared", "global") and access.order not in (SET_UP, "acq_rel")
