"""What the records of an instrumented run say of a block: races of a barrier interval, reads of what nobody set, barriers that
not all threads reach. (`shadow_across.py`: between blocks; `shadow_warps.py`: the lanes of a warp.)

Two accesses of one byte race when they are of different threads of a block, in the same barrier interval (the same number
of arrivals before them), at least one writes and not both are atomic (in global memory: or volatile); inside a warp `__syncwarp`
orders them too where its mask names both lanes, and a shuffle what is read before it. The k-th arrivals of a block belong
together: when they are at several sites, or a thread has no k-th arrival, the barrier is divergent; a thread that has returned
before is told apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from cudalint.confirm.gpu import prelude

MAX_GROUPS = 20_000
WARP = 32
FULL = (1 << WARP) - 1
Records = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Conflict:
    """`kind` is race, stores (a race unless both store the same), uninitialised, divergence, exit_before_barrier, warp_mask
    or absent_lane (a shuffle asks it).

    `sites` are indices of the plan's sites; `other` is the slot of the second thread where that is of another block.
    """

    kind: str
    sites: tuple[int, ...]
    slot: int
    threads: tuple[int, ...]
    address: int = 0
    other: int | None = None


def of_memory(records: Records) -> Records:
    return records[records["kind"] <= prelude.ATOMIC]


class Parts:
    """The warps in which a `__syncwarp` names some lanes only: there its mask says whom it puts in order."""

    def __init__(self, records: Records) -> None:
        syncs = records[(records["kind"] == prelude.MEET) & (records["flags"] & prelude.SYNC != 0)]
        narrow = syncs[syncs["address"] != np.uint64(FULL)]
        self.warps = {(int(row["slot"]), int(row["thread"]) // WARP) for row in narrow}
        self._masks: dict[tuple[int, int], list[int]] = {}
        for row in syncs:
            if (int(row["slot"]), int(row["thread"]) // WARP) in self.warps:
                self._masks.setdefault((int(row["slot"]), int(row["thread"])), []).append(int(row["address"]))

    def order(self, a: Any, b: Any) -> bool:
        """Whether the two lanes met between their accesses."""
        return self._met(a, b) != self._met(b, a)

    def _met(self, mine: Any, other: Any) -> int:
        """How often the lane has met the other one before its access."""
        masks = self._masks.get((int(mine["slot"]), int(mine["thread"])), [])
        return sum(mask >> int(other["thread"]) % WARP & 1 for mask in masks[: int(mine["phase"])])


def races(records: Records) -> list[Conflict]:
    """One conflict for each pair of sites and kind."""
    found: dict[tuple[int, int, str], Conflict] = {}
    accesses, parts = of_memory(records), Parts(records)
    outside = accesses["flags"] & prelude.OUTSIDE != 0
    for part in (accesses[~outside], accesses[outside]):  # whose units are of other sizes
        _add_races(part, parts, found)
    return [found[key] for key in sorted(found)]


def _add_races(accesses: Records, parts: Parts, found: dict[tuple[int, int, str], Conflict]) -> None:
    if len(accesses) == 0:
        return
    expanded, units, rows = units_of(accesses)
    order = np.lexsort((rows, units, expanded["interval"], expanded["slot"]))
    expanded, units = expanded[order], units[order]
    new = np.ones(len(expanded), dtype=bool)
    new[1:] = (
        (units[1:] != units[:-1])
        | (expanded["interval"][1:] != expanded["interval"][:-1])
        | (expanded["slot"][1:] != expanded["slot"][:-1])
    )
    starts = np.flatnonzero(new)
    written = np.maximum.reduceat(expanded["kind"] >= prelude.WRITE, starts)
    several = np.maximum.reduceat(expanded["thread"], starts) != np.minimum.reduceat(expanded["thread"], starts)
    plain = np.maximum.reduceat(~is_strong(expanded), starts)
    ends = np.append(starts[1:], len(expanded))
    for group in np.flatnonzero(written & several & plain)[:MAX_GROUPS]:
        for conflict in _conflicts(expanded[starts[group] : ends[group]], parts):
            found.setdefault((conflict.sites[0], conflict.sites[-1], conflict.kind), conflict)


def is_strong(records: Records) -> npt.NDArray[np.bool_]:
    strong: npt.NDArray[np.bool_] = (records["kind"] == prelude.ATOMIC) | (records["flags"] & prelude.STRONG != 0)
    return strong


def units_of(accesses: Records) -> tuple[Records, npt.NDArray[Any], npt.NDArray[Any]]:
    """One row for each unit of memory that an access touches, and the accesses' numbers; it divides all addresses and sizes."""
    grain = (
        int(np.gcd.reduce(np.concatenate([accesses["address"].astype(np.int64), accesses["size"].astype(np.int64)])))
        or 1
    )
    counts = np.maximum(accesses["size"].astype(np.int64) // grain, 1)
    rows = np.repeat(np.arange(len(accesses)), counts)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    expanded = accesses[rows]
    return expanded, expanded["address"].astype(np.int64) // grain + within, rows


def unset(records: Records) -> list[Conflict]:
    """Reads of shared memory that no thread of the block writes up to the end of that barrier interval; one conflict for each site.

    `s[i] += 1` and an atomic read what they change: only a plain write before sets it for them, and they for other reads.
    """
    accesses = of_memory(records)
    accesses = accesses[accesses["flags"] & prelude.OUTSIDE == 0]
    if len(accesses) == 0:
        return []
    expanded, units, _ = units_of(accesses)
    keys = expanded["slot"].astype(np.int64) << np.int64(40) | units
    _, group = np.unique(keys, return_inverse=True)
    kind, interval = expanded["kind"], expanded["interval"].astype(np.int64)
    plain = _first(group, interval, kind == prelude.WRITE)
    any_ = _first(group, interval, kind >= prelude.WRITE)
    written = np.where(kind == prelude.READ, any_[group], plain[group])
    bad = np.flatnonzero((kind != prelude.WRITE) & (written > interval))
    sites, first = np.unique(expanded["site"][bad], return_index=True)
    return [
        Conflict("uninitialised", (int(site),), int(row["slot"]), (int(row["thread"]),), int(row["address"]))
        for site, row in zip(sites, expanded[bad[first]])
    ]


def _first(group: npt.NDArray[Any], interval: npt.NDArray[Any], chosen: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The interval of the first chosen access of each group."""
    first = np.full(int(group.max()) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, group[chosen], interval[chosen])
    return first


Met: TypeAlias = dict[
    tuple[int, int, int], list[Any]
]  # rows of one site and kind by warp, phase and exchange, of two threads


def _conflicts(group: Records, parts: Parts) -> list[Conflict]:
    """Pairs of sites of one group."""
    some: dict[tuple[int, int, int], Met] = {}
    for row in group:
        met = some.setdefault((int(row["site"]), int(row["kind"]), int(row["flags"]) & prelude.STRONG), {})
        rows = met.setdefault((int(row["thread"]) // WARP, int(row["phase"]), int(row["exchange"])), [])
        split = (int(row["slot"]), int(row["thread"]) // WARP) in parts.warps
        if not rows or ((split or len(rows) == 1) and rows[-1]["thread"] != row["thread"]):
            rows.append(row)
    keys = sorted(some)
    return [
        conflict
        for position, first in enumerate(keys)
        for second in keys[position:]
        if (conflict := _conflict(first, some[first], second, some[second], parts)) is not None
    ]


def _conflict(
    first: tuple[int, int, int], some: Met, second: tuple[int, int, int], others: Met, parts: Parts
) -> Conflict | None:
    kind = kind_of((first[1], first[2]), (second[1], second[2]))
    if kind is None:
        return None
    reads = first[1] == prelude.READ, second[1] == prelude.READ
    for a, b in _unordered(some, others, reads, parts):
        sites = tuple(sorted({int(a["site"]), int(b["site"])}))
        return Conflict(kind, sites, int(a["slot"]), (int(a["thread"]), int(b["thread"])), int(a["address"]))
    return None


def kind_of(first: tuple[int, int], second: tuple[int, int]) -> str | None:
    """What two accesses are to each other, each told by its kind and its flag of strength; None where they are no race."""
    kinds = {first[0], second[0]}
    strong = all(kind == prelude.ATOMIC or flag for kind, flag in (first, second))
    if kinds == {prelude.READ} or strong:
        return None
    return "stores" if kinds <= {prelude.WRITE, prelude.ATOMIC} else "race"


def _unordered(first: Met, second: Met, reads: tuple[bool, bool], parts: Parts) -> Iterator[tuple[Any, Any]]:
    """Accesses of two threads that nothing orders: of one warp in one phase, or of two warps."""
    for (warp, phase, exchange), rows in first.items():
        split = (int(rows[0]["slot"]), warp) in parts.warps
        for (other, later, exchanged), candidates in second.items():
            if other != warp or (later != phase and not split):
                continue
            if (reads[0] and exchange < exchanged) or (reads[1] and exchanged < exchange):
                continue  # what was read has been handed over since
            apart = ((a, b) for a in rows for b in candidates if a["thread"] != b["thread"])
            yield from ((a, b) for a, b in apart if not split or not parts.order(a, b))
    of_warp = {warp: rows[0] for (warp, _, _), rows in second.items()}
    for (warp, _, _), rows in first.items():
        yield from ((rows[0], b) for other, b in of_warp.items() if other != warp)


def divergences(records: Records, threads: int) -> list[Conflict]:
    """The first barrier of each watched block that its threads do not reach together."""
    found = []
    for slot in np.unique(records["slot"]):
        mine = records[records["slot"] == slot]
        conflict = _divergence(
            mine[mine["kind"] == prelude.BARRIER], mine[mine["kind"] == prelude.LEAVE], threads, int(slot)
        )
        if conflict is not None:
            found.append(conflict)
    return found


def _divergence(arrivals: Records, exits: Records, threads: int, slot: int) -> Conflict | None:
    left = {int(row["thread"]): int(row["interval"]) for row in exits}
    early: Conflict | None = None
    for interval in np.unique(arrivals["interval"]):
        here = arrivals[arrivals["interval"] == interval]
        sites = tuple(int(s) for s in np.unique(here["site"]))
        if len(sites) == 1 and len(here) == threads:
            continue
        missing = sorted(set(range(threads)) - {int(t) for t in here["thread"]})
        if len(sites) > 1 or any(left.get(t, interval + 1) > interval for t in missing):
            return Conflict("divergence", sites, slot, (int(here["thread"][0]), *missing[:1]))
        if missing and early is None:
            early = Conflict("exit_before_barrier", sites, slot, (int(here["thread"][0]), missing[0]))
    return early
