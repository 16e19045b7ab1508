"""What the records of an instrumented run say: races of a barrier interval, reads of what nobody set, barriers that not all threads
reach.

Two accesses of one shared byte race when they are of different threads, in the same barrier interval (the same number
of arrivals before them), at least one writes and not both are atomic; inside a warp `__syncwarp` orders them too.
The k-th arrivals of a block belong together: when they are at several sites, or a thread has no k-th arrival, the
barrier is divergent; a thread that has returned before is told apart.
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
Records = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Conflict:
    """`kind` is race, stores (a race unless both store the same value), uninitialised, divergence or exit_before_barrier.

    `sites` are indices of the plan's sites.
    """

    kind: str
    sites: tuple[int, ...]
    slot: int
    threads: tuple[int, ...]
    address: int = 0


def races(records: Records) -> list[Conflict]:
    """One conflict for each pair of sites and kind."""
    accesses = records[records["kind"] <= prelude.ATOMIC]
    if len(accesses) == 0:
        return []
    expanded, units = _units(accesses)
    order = np.lexsort((units, expanded["interval"], expanded["slot"]))
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
    plain = np.maximum.reduceat(expanded["kind"] != prelude.ATOMIC, starts)
    ends = np.append(starts[1:], len(expanded))
    found: dict[tuple[int, int, str], Conflict] = {}
    for group in np.flatnonzero(written & several & plain)[:MAX_GROUPS]:
        for conflict in _conflicts(expanded[starts[group] : ends[group]]):
            found.setdefault((conflict.sites[0], conflict.sites[-1], conflict.kind), conflict)
    return [found[key] for key in sorted(found)]


def _units(accesses: Records) -> tuple[Records, npt.NDArray[Any]]:
    """One row for each unit of memory that an access touches; the unit divides all addresses and sizes."""
    grain = int(np.gcd.reduce(np.concatenate([accesses["address"], accesses["size"]]).astype(np.int64))) or 1
    counts = np.maximum(accesses["size"].astype(np.int64) // grain, 1)
    rows = np.repeat(np.arange(len(accesses)), counts)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    expanded = accesses[rows]
    return expanded, expanded["address"].astype(np.int64) // grain + within


def unset(records: Records) -> list[Conflict]:
    """Reads of what no thread of the block writes up to the end of that barrier interval; one conflict for each site.

    `s[i] += 1` and an atomic read what they change: only a plain write before sets it for them, and they for other reads.
    """
    accesses = records[records["kind"] <= prelude.ATOMIC]
    if len(accesses) == 0:
        return []
    expanded, units = _units(accesses)
    plain, any_ = _first_writes(expanded, units, (prelude.WRITE,)), _first_writes(expanded, units, _WRITES)
    found: dict[int, Conflict] = {}
    for row, unit in zip(expanded, units):
        kind = int(row["kind"])
        if kind == prelude.WRITE:
            continue
        written = (any_ if kind == prelude.READ else plain).get((int(row["slot"]), int(unit)))
        if written is None or written > row["interval"]:
            site, thread = int(row["site"]), int(row["thread"])
            found.setdefault(site, Conflict("uninitialised", (site,), int(row["slot"]), (thread,), int(row["address"])))
    return [found[site] for site in sorted(found)]


_WRITES = (prelude.WRITE, prelude.BOTH, prelude.ATOMIC)


def _first_writes(expanded: Records, units: npt.NDArray[Any], kinds: tuple[int, ...]) -> dict[tuple[int, int], int]:
    """The interval of the first of these accesses, by slot and unit."""
    first: dict[tuple[int, int], int] = {}
    for row, unit in zip(expanded, units):
        if row["kind"] in kinds:
            key = int(row["slot"]), int(unit)
            first[key] = min(first.get(key, int(row["interval"])), int(row["interval"]))
    return first


Met: TypeAlias = dict[tuple[int, int], list[Any]]  # rows of one site and kind by warp and phase, of two threads at most


def _conflicts(group: Records) -> list[Conflict]:
    """Pairs of sites of one group."""
    some: dict[tuple[int, int], Met] = {}
    for row in group:
        met = some.setdefault((int(row["site"]), int(row["kind"])), {})
        rows = met.setdefault((int(row["thread"]) // WARP, int(row["phase"])), [])
        if not rows or (len(rows) == 1 and rows[0]["thread"] != row["thread"]):
            rows.append(row)
    keys = sorted(some)
    return [
        conflict
        for position, first in enumerate(keys)
        for second in keys[position:]
        if (conflict := _conflict((first[1], some[first]), (second[1], some[second]))) is not None
    ]


def _conflict(first: tuple[int, Met], second: tuple[int, Met]) -> Conflict | None:
    kinds = {first[0], second[0]}
    if kinds in ({prelude.READ}, {prelude.ATOMIC}):
        return None
    kind = "stores" if kinds <= {prelude.WRITE, prelude.ATOMIC} else "race"
    for a, b in _unordered(first[1], second[1]):
        sites = tuple(sorted({int(a["site"]), int(b["site"])}))
        return Conflict(kind, sites, int(a["slot"]), (int(a["thread"]), int(b["thread"])), int(a["address"]))
    return None


def _unordered(first: Met, second: Met) -> Iterator[tuple[Any, Any]]:
    """Accesses of two threads that nothing orders: of one warp in one phase, or of two warps."""
    for key, rows in first.items():
        yield from ((a, b) for a in rows for b in second.get(key, ()) if a["thread"] != b["thread"])
    of_warp = {warp: rows[0] for (warp, _), rows in second.items()}
    for (warp, _), rows in first.items():
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
        missing = sorted(set(range(threads)) - {int(t) for t in here["thread"]})
        if len(sites) > 1 or any(left.get(t, interval + 1) > interval for t in missing):
            return Conflict("divergence", sites, slot, (int(here["thread"][0]), *missing[:1]))
        if missing and early is None:
            early = Conflict("exit_before_barrier", sites, slot, (int(here["thread"][0]), missing[0]))
    return early
