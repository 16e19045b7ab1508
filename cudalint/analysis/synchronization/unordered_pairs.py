"""Pairs of accesses to shared memory that no barrier separates, in one interval or across the rounds of a loop."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

from cudalint.analysis.synchronization.passed_barriers import Passing
from cudalint.analysis.text.shared_events import Event, Events
from cudalint.analysis.text.shared_names import zero_at
from cudalint.analysis.text.text_program import Body
from cudalint.ir.syntax import Syntax

_ENDLESS = re.compile(r"^(0|false)$")


def unordered_pairs(found: Events, body: Body) -> Iterator[tuple[Event, Event, Syntax | None, bool]]:
    """Accesses to one array in one interval; with the loop where the second is of its next round.

    The last part tells whether only threads of different warps are without order.
    """
    passing = Passing(found, body)
    for a, b in combinations(found.accesses, 2):
        if may_race(a, b) and passing.passes(a.barriers, b.barriers, (*a.guards, *b.guards), None):
            yield a, b, None, passing.across_warps(a.barriers, b.barriers) or _is_exchanged(a, b)
    for loop in found.loops:
        condition = loop.node.child("condition")
        if loop.first_barrier == loop.last_barrier or (condition is not None and _ENDLESS.match(condition.text)):
            continue
        inside = found.accesses[loop.first_event : loop.last_event]
        head = [e for e in inside if passing.passes(loop.first_barrier, e.barriers, e.guards, loop.node)]
        tail = [e for e in inside if passing.passes(e.barriers, loop.last_barrier, e.guards, loop.node)]
        for late, early in product(tail, head):
            if may_race(late, early):
                way = (late.barriers, loop.last_barrier), (loop.first_barrier, early.barriers)
                yield late, early, loop.node, any(passing.across_warps(*part) for part in way)


def _is_exchanged(a: Event, b: Event) -> bool:
    """The lanes of a warp have handed over what they read before any of them writes."""
    return (a.kind, b.kind) == ("read", "write") and a.shuffles < b.shuffles


def may_race(a: Event, b: Event) -> bool:
    """One of them writes, or all add up before one that reads: a read before that is a hint."""
    return _overlap(a, b) and ("write" in (a.kind, b.kind) or (a.kind, b.kind) == ("atomic", "read"))


def _overlap(a: Event, b: Event) -> bool:
    """They are of the same place, or one is a member of the other."""
    if a.array == b.array or a.handed or b.handed:
        return a.array == b.array
    return a.array.startswith(f"{b.array}.") or b.array.startswith(f"{a.array}.")


def alike(a: Event, b: Event) -> tuple[Event, Event]:
    """`atomicAdd(total, x)` is of `total[0]`."""
    shorter, longer = sorted((a, b), key=lambda event: len(event.indices))
    if shorter.kind == "atomic" and not shorter.indices and len(longer.indices) == 1:
        whole = replace(shorter, indices=(zero_at(shorter.node),))
        return (whole, b) if shorter is a else (a, whole)
    return a, b


def excluded(a: Event, b: Event) -> bool:
    """They stand in two branches of one condition."""
    branches = {id(guard.owner): guard.holds for guard in a.guards}
    return any(branches.get(id(guard.owner), guard.holds) != guard.holds for guard in b.guards)
