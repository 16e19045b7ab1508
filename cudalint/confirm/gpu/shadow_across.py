"""Races of global memory between blocks.

Two accesses of one byte by threads of different blocks race when at least one writes and not both are strong (atomic or
volatile, for more than one block), unless a chain of blocks hands over what came first: a fence behind it, a strong write behind
that, and a strong read of the same address by the next block that may have come later; inside a block barriers lead from one to
the next, or one warp does both. A record stands before what it tells of, so that a read
may have happened until the next record of its thread: in doubt blocks are in order, and nothing is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from cudalint.confirm.gpu import prelude
from cudalint.confirm.gpu.shadow import MAX_GROUPS, WARP, Conflict, Records, of_memory, units_of

MOST_PAIRS = 64  # of two sites at one place
MOST_STEPS = 1 << 18  # of all questions of order; beyond them blocks are taken to be in order
MOST_EVENTS = 1 << 16  # fences and strong accesses; of more than these only the fences count
MOST_FENCES = 16  # behind one access
END = 1 << 62


def across(records: Records) -> list[Conflict]:
    """One conflict for each pair of sites and kind."""
    position = np.flatnonzero((records["kind"] <= prelude.ATOMIC) & (records["flags"] & prelude.OUTSIDE != 0))
    accesses = of_memory(records[position])
    if len(accesses) == 0 or int(accesses["slot"].max()) == int(accesses["slot"].min()):
        return []
    expanded, units, rows = units_of(accesses)
    order = np.lexsort((rows, units))
    expanded, units, sequence = expanded[order], units[order], position[rows[order]]
    starts = np.flatnonzero(np.concatenate([[True], units[1:] != units[:-1]]))
    written = np.maximum.reduceat(expanded["kind"] >= prelude.WRITE, starts)
    several = np.maximum.reduceat(expanded["slot"], starts) != np.minimum.reduceat(expanded["slot"], starts)
    plain = np.maximum.reduceat(~_is_strong_outside(expanded), starts)
    ends = np.append(starts[1:], len(expanded))
    order_of_blocks = Order(records)
    found: dict[tuple[tuple[int, ...], str], Conflict] = {}
    for group in np.flatnonzero(written & several & plain)[:MAX_GROUPS]:
        part = slice(starts[group], ends[group])
        for conflict in _conflicts(expanded[part], sequence[part], order_of_blocks, found):
            found.setdefault((conflict.sites, conflict.kind), conflict)
    return [found[key] for key in sorted(found)]


def _conflicts(
    group: Records, sequence: npt.NDArray[Any], order: Order, found: dict[tuple[tuple[int, ...], str], Conflict]
) -> list[Conflict]:
    """Conflicts of pairs of sites that have none yet, of the accesses of one place in their sequence."""
    some: dict[tuple[int, int, int], list[tuple[int, Any]]] = {}
    keys = np.stack([group["site"], group["kind"], _is_strong_outside(group)], axis=1)
    for key in np.unique(keys, axis=0).tolist():
        some[tuple(key)] = _kept(np.flatnonzero((keys == key).all(axis=1)), group, sequence)
    made = []
    for first, second in [*combinations(sorted(some), 2), *((key, key) for key in sorted(some))]:
        kind = _kind(first[1:], second[1:])
        sites = tuple(sorted({first[0], second[0]}))
        if kind is None or (sites, kind) in found:
            continue
        pair = _unordered(some[first], some[second], order)
        if pair is not None:
            a, b = pair
            threads = int(a["thread"]), int(b["thread"])
            made.append(Conflict(kind, sites, int(a["slot"]), threads, int(a["address"]), int(b["slot"])))
    return made


def _kind(first: tuple[int, int], second: tuple[int, int]) -> str | None:
    """What two accesses are to each other, each told by its kind and its strength; None where they are no race."""
    kinds = {first[0], second[0]}
    if kinds == {prelude.READ} or (first[1] and second[1]):
        return None
    return "stores" if prelude.WRITE in kinds and kinds <= {prelude.WRITE, prelude.ATOMIC} else "race"


def _kept(rows: npt.NDArray[Any], group: Records, sequence: npt.NDArray[Any]) -> list[tuple[int, Any]]:
    """The first and the last access of each block: those are the least in order with what other blocks do."""
    slots = group["slot"][rows]
    _, first = np.unique(slots, return_index=True)
    _, last = np.unique(slots[::-1], return_index=True)
    chosen = np.unique(np.concatenate([rows[first], rows[len(rows) - 1 - last]]))
    return [(int(sequence[row]), group[row]) for row in chosen]


def _unordered(first: list[tuple[int, Any]], second: list[tuple[int, Any]], order: Order) -> tuple[Any, Any] | None:
    """Two accesses of different blocks that nothing orders; those that are near to each other first."""
    pairs = [(abs(at - other), at, other, a, b) for at, a in first for other, b in second if a["slot"] != b["slot"]]
    for _, at, other, a, b in sorted(pairs, key=lambda pair: pair[:3])[:MOST_PAIRS]:
        early, late = ((at, a), (other, b)) if at < other else ((other, b), (at, a))
        before, behind = (Event(n, int(row["thread"]), int(row["interval"])) for n, row in (early, late))
        if not order.holds(int(early[1]["slot"]), before, int(late[1]["slot"]), behind):
            return a, b
    return None


@dataclass(frozen=True, slots=True)
class Event:
    """A record: its number, the thread and the barrier interval; `later` is the number of the thread's next record."""

    at: int
    thread: int
    interval: int
    later: int = END

    def leads_to(self, other: Event) -> bool:
        """Whether the block orders them: a barrier stands between, or one warp does both."""
        return other.at > self.at and (other.interval > self.interval or other.thread // WARP == self.thread // WARP)


@dataclass(slots=True)
class _Block:
    """What orders a block: its fences, and by address its strong writes and reads."""

    fences: list[Event]
    writes: dict[int, list[Event]]
    reads: dict[int, list[Event]]


class Order:
    """The order of blocks that fences and strong accesses may make."""

    def __init__(self, records: Records) -> None:
        self._blocks: dict[int, _Block] = {}
        self._left = MOST_STEPS
        self._many = False
        fences = records["kind"] == prelude.FENCE
        if not fences.any():
            return
        strong = (records["kind"] <= prelude.ATOMIC) & _is_strong_outside(records)
        chosen = np.flatnonzero(strong | fences)
        self._many = len(chosen) > MOST_EVENTS
        following = _following(records)
        for at in (np.flatnonzero(fences) if self._many else chosen).tolist():
            row = records[at]
            block = self._blocks.setdefault(int(row["slot"]), _Block([], {}, {}))
            event = Event(at, int(row["thread"]), int(row["interval"]), int(following[at]))
            kind, address = int(row["kind"]), int(row["address"])
            if kind == prelude.FENCE:
                block.fences.append(event)
                continue
            if kind != prelude.READ:
                block.writes.setdefault(address, []).append(event)
            if kind != prelude.WRITE:
                block.reads.setdefault(address, []).append(event)

    def holds(self, first: int, before: Event, second: int, behind: Event) -> bool:
        """Whether what one block did may be known to another one, at the second event."""
        known, waiting = {first: before}, [first]
        while waiting:
            slot = waiting.pop(0)
            if (block := self._blocks.get(slot)) is None:
                continue
            fences = [fence for fence in block.fences if known[slot].leads_to(fence)][:MOST_FENCES]
            if fences and self._many:
                return True
            for other in sorted(self._blocks) if fences else ():
                if other in known:
                    continue
                taken = self._taken(block, fences, self._blocks[other], behind.at)
                if self._left < 0 or (other == second and any(event.leads_to(behind) for event in taken)):
                    return True
                if taken and other != second:
                    known[other] = taken[0]
                    waiting.append(other)
        return False

    def _taken(self, block: _Block, fences: list[Event], other: _Block, until: int) -> list[Event]:
        """The strong reads of the other block that may give it what this one wrote before one of the fences."""
        found = []
        for address in sorted(block.writes.keys() & other.reads.keys()):
            self._left -= len(fences)
            writes = [w for w in block.writes[address] if w.at < until and any(f.leads_to(w) for f in fences)]
            if writes:
                found += [read for read in other.reads[address] if read.at < until and read.later > writes[0].at]
        return sorted(found, key=lambda event: event.at)


def _is_strong_outside(records: Records) -> npt.NDArray[np.bool_]:
    """Strong for other blocks, too."""
    wide = prelude.OUTSIDE | prelude.STRONG
    strong: npt.NDArray[np.bool_] = records["flags"] & (wide | prelude.NARROW) == wide
    return strong


def _following(records: Records) -> npt.NDArray[Any]:
    """The place of the next record of the same thread; END behind the last."""
    keys = records["slot"].astype(np.int64) << np.int64(16) | records["thread"]
    order = np.argsort(keys, kind="stable")
    following = np.full(len(records), END)
    same = keys[order][1:] == keys[order][:-1]
    following[order[:-1][same]] = order[1:][same]
    return following
