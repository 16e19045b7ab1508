"""Who runs next. Lanes wait in buckets by position in the code; one step runs one bucket.

`lowest` takes the lowest position of the whole grid (lock-step with reconvergence). `warp` and `reversed` run one warp
at a time, from the first or from the last; `random` draws warps from a seed. All are fair: a bucket that has waited
for long runs for a while, so that code that spins on another lane ends.
"""

from __future__ import annotations

import random
from typing import Literal

import numpy as np

from cudalint.confirm.emulate.formats import Values
from cudalint.confirm.emulate.lanes import WARP, Geometry, merged

Schedule = Literal["lowest", "warp", "reversed", "random"]
PATIENCE = 256  # steps after which the oldest bucket of a convoy gets a turn
TURN = 64  # steps of such a turn
CONVOY_TURN = 2048  # steps after which the next warp gets a turn


class Convoy:
    """Lanes that reconverge with each other: the whole grid, or one warp."""

    def __init__(self) -> None:
        self.buckets: dict[int, list[Values]] = {}
        self.since: dict[int, int] = {}
        self.clock = 0
        self.turn = 0
        self.latest = -1

    def put(self, pc: int, ids: Values) -> None:
        bucket = self.buckets.get(pc)
        if bucket is None:
            self.buckets[pc] = [ids]
            self.since[pc] = self.clock
        else:
            bucket.append(ids)
        self.latest = pc

    def take(self) -> tuple[int, Values]:
        self.clock += 1
        if len(self.buckets) == 1:
            pc = next(iter(self.buckets))
        elif self.turn > 0 and self.latest in self.buckets:
            pc = self.latest
        elif self.clock % PATIENCE == 0:
            pc = min(self.buckets, key=lambda p: (self.since[p], p))
            self.turn = TURN
        else:
            pc = min(self.buckets)
        self.turn -= 1
        del self.since[pc]
        return pc, merged(self.buckets.pop(pc))


class Scheduler:
    def __init__(self, geometry: Geometry, schedule: Schedule, seed: int) -> None:
        self.geometry, self.schedule = geometry, schedule
        self.random = random.Random(seed)
        self.convoys: dict[int, Convoy] = {}
        self.ready: list[int] = []  # convoys with buckets, in order of their turn
        self.left = self._fresh_turn()

    def _fresh_turn(self) -> int:
        return self.random.randint(1, TURN) if self.schedule == "random" else CONVOY_TURN

    def put(self, pc: int, ids: Values) -> None:
        if not len(ids):
            return
        if self.schedule == "lowest":
            self._put(0, pc, ids)
            return
        warp = self.geometry.block_of[ids] * self.geometry.warps + self.geometry.thread_of[ids] // WARP
        if warp[0] == warp[-1]:
            self._put(int(warp[0]), pc, ids)
            return
        cuts = np.flatnonzero(warp[1:] != warp[:-1]) + 1
        parts = np.split(ids, cuts)
        numbers = warp[np.concatenate([[0], cuts])].tolist()
        pairs = list(zip(numbers, parts))
        for number, part in reversed(pairs) if self.schedule == "reversed" else pairs:
            self._put(number, pc, part)

    def _put(self, number: int, pc: int, ids: Values) -> None:
        convoy = self.convoys.get(number)
        if convoy is None:
            convoy = self.convoys[number] = Convoy()
        if not convoy.buckets and number not in self.ready[:1]:
            self.ready.append(number)
        convoy.put(pc, ids)

    def take(self) -> tuple[int, Values] | None:
        """The next position and its lanes, or None where nobody can run."""
        while self.ready and not self.convoys[self.ready[0]].buckets:
            self.ready.pop(0)
            self.left = 0 if self.schedule == "random" else CONVOY_TURN
        if not self.ready:
            return None
        if self.left <= 0:
            self._turn()
        self.left -= 1
        return self.convoys[self.ready[0]].take()

    def _turn(self) -> None:
        """Another convoy comes first: the next one in a circle, or a random one."""
        self.left = self._fresh_turn()
        if self.schedule == "random":
            pick = self.random.randrange(len(self.ready))
            self.ready[0], self.ready[pick] = self.ready[pick], self.ready[0]
        else:
            self.ready.append(self.ready.pop(0))
