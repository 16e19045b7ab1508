"""What the lanes of a warp do together: masks that leave out their caller or name lanes that go another way, and shuffles that
read lanes which are not there or have a width that is none.

Each lane's records are followed in their order. Lanes that stand at one site go on when nobody whom their masks name is on the
way there; where nobody can go on, those that came first do, and whom they wait for is missing. Lanes that left by an early
return need not come, those that run to the end of the kernel do. A lane that comes but is not there to be read is a kind of its
own: whether the result is thrown away, the records do not tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from cudalint.confirm.gpu import prelude
from cudalint.confirm.gpu.shadow import FULL, WARP, Conflict, Records

MASK, ABSENT = "warp_mask", "absent_lane"
MOST_WARPS = 512  # that are followed lane by lane
Event: TypeAlias = tuple[int, int, int, int]  # kind, site, mask, source


def meetings(records: Records, threads: int) -> list[Conflict]:
    """One conflict for each site and kind."""
    kinds = records["kind"]
    chosen = (kinds == prelude.MEET) | (kinds == prelude.SOURCE) | (kinds == prelude.BARRIER) | (kinds == prelude.LEAVE)
    rows = records[chosen]
    keys = rows["slot"].astype(np.int64) * prelude.THREADS + rows["thread"]
    order = np.argsort(keys, kind="stable")
    rows, warps = rows[order], keys[order] // WARP
    found: dict[tuple[int, str], Conflict] = {}
    for row in rows[rows["flags"] & prelude.BAD_WIDTH != 0]:
        site, thread = int(row["site"]), int(row["thread"])
        found.setdefault((site, MASK), Conflict(MASK, (site,), int(row["slot"]), (thread, thread)))
    starts = np.flatnonzero(np.diff(warps, prepend=-1)).tolist()
    followed = 0
    for start, end in zip(starts, [*starts[1:], len(rows)]):
        mine = rows[start:end]
        first = int(mine["thread"][0]) // WARP * WARP
        lanes = min(WARP, threads - first)
        if _is_whole(mine, lanes):
            continue
        followed += 1
        if followed > MOST_WARPS:
            break
        for kind, site, lane, other in _Warp(mine, lanes).met():
            conflict = Conflict(kind, (site,), int(mine["slot"][0]), (first + lane, first + other))
            found.setdefault((site, kind), conflict)
    return [found[key] for key in sorted(found)]


def _is_whole(mine: Records, lanes: int) -> bool:
    """All lanes are there and do the same, with full masks and lanes that are there."""
    if not ((mine["kind"] == prelude.MEET) | (mine["kind"] == prelude.SOURCE)).any():
        return True
    if lanes < WARP or len(mine) % WARP:
        return False
    table = mine.reshape(WARP, -1)
    masks = table["address"] & np.uint64(FULL)
    meets = (table["kind"] == prelude.MEET) | (table["kind"] == prelude.SOURCE)
    each = (table["thread"] % WARP == np.arange(WARP)[:, None]).all()
    same = (table["site"] == table["site"][:1]).all() and (table["kind"] == table["kind"][:1]).all()
    return bool(each and same and (masks[meets] == FULL).all())


@dataclass(slots=True)
class _Warp:
    """The lanes' events that are still to come."""

    rows: Records
    lanes: int
    queues: list[list[Event]] = field(init=False)
    left: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.queues = [[] for _ in range(self.lanes)]
        for row in self.rows[::-1]:
            address = int(row["address"])
            event = int(row["kind"]), int(row["site"]), address & FULL, address >> WARP
            self.queues[int(row["thread"]) % WARP].append(event)

    def met(self) -> Iterator[tuple[str, int, int, int]]:
        """Kind, site, a lane and the lane that it misses or that is missed."""
        while self._leave() or any(self.queues):
            heads = {lane: queue[-1] for lane, queue in enumerate(self.queues) if queue}
            groups = self._groups(heads)
            ready = [(site, done) for site, group in groups.items() if (done := self._complete(group, heads))]
            if ready:
                for site, done in ready:
                    yield from self._checked(site, done, groups[site])
                    self._go_on(done)
            elif all(event[0] == prelude.BARRIER for event in heads.values()) or not groups:
                self._go_on(list(heads))
            else:
                site = min(groups)
                yield from self._checked(site, list(groups[site]), groups[site])
                self._go_on(list(groups[site]))

    def _leave(self) -> bool:
        some = [lane for lane, queue in enumerate(self.queues) if queue and queue[-1][0] == prelude.LEAVE]
        for lane in some:
            self.queues[lane].clear()
        self.left.update(some)
        return bool(some)

    @staticmethod
    def _groups(heads: dict[int, Event]) -> dict[int, dict[int, Event]]:
        """The lanes that stand at each site where lanes meet."""
        groups: dict[int, dict[int, Event]] = {}
        for lane, event in heads.items():
            if event[0] in (prelude.MEET, prelude.SOURCE):
                groups.setdefault(event[1], {})[lane] = event
        return groups

    @staticmethod
    def _complete(group: dict[int, Event], heads: dict[int, Event]) -> list[int]:
        """Lanes whose masks name nobody who is on the way."""
        elsewhere = sum(1 << lane for lane in heads if lane not in group)
        return [lane for lane, event in group.items() if not event[2] & elsewhere]

    def _checked(self, site: int, done: list[int], group: dict[int, Event]) -> Iterator[tuple[str, int, int, int]]:
        present = sum(1 << lane for lane in group)
        owed = sum(1 << lane for lane in range(self.lanes) if lane not in self.left)
        for lane in done:
            kind, _, mask, source = group[lane]
            absent = mask & owed & ~present
            if not mask >> lane & 1:
                yield MASK, site, lane, lane
            elif absent:
                yield MASK, site, lane, (absent & -absent).bit_length() - 1
            elif kind == prelude.SOURCE and not (mask & present) >> source & 1:
                yield ABSENT, site, lane, source

    def _go_on(self, lanes: list[int]) -> None:
        for lane in lanes:
            self.queues[lane].pop()
