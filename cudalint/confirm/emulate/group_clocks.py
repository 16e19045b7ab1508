"""Order that some threads of a block give each other: barriers for part of a block, and of lanes that a mask names.

Whoever waits at one has seen what those who came to it had done or seen: a vector clock of steps, over the warps of a block for
barriers with a number, over the lanes of a warp for masks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cudalint.confirm.emulate.formats import Values, values
from cudalint.confirm.emulate.lanes import WARP

if TYPE_CHECKING:
    from cudalint.confirm.emulate.machine import Machine

ROOM = 1 << 12  # tables of 32 by 32 steps
BLOCKS = (1 << 20) - 1


class Clocks:
    """For each block the steps that a warp has seen of each warp, for each warp of the grid those that a lane has of each lane."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        geometry = machine.geometry
        self.of_warps = Tables(geometry.blocks, geometry.warps)
        self.of_lanes = Tables(geometry.blocks * geometry.warps, WARP)

    def seen_by(self, block: int, warp: int) -> Values:
        """What the warp has seen of each warp of its block, and what it has done itself until now."""
        seen: Values = self.of_warps.table(block)[warp].copy()
        seen[warp] = self.machine.steps
        return seen

    def sees(self, block: int, warp: int, seen: Values) -> None:
        clock = self.of_warps.table(block)
        clock[warp] = np.maximum(clock[warp], seen)

    def lanes_meet(self, warp: int, lanes: Values) -> bool:
        """These lanes of one warp have seen each other; False where there is no room to know."""
        if self.of_lanes.used >= ROOM and self.of_lanes.slots[warp] < 0:
            return False
        clock = self.of_lanes.table(warp)
        seen = clock[lanes].max(axis=0)
        seen[lanes] = self.machine.steps
        clock[lanes] = seen
        return True

    def ordered(self, mine: Values, others: Values, steps: Values) -> Values:
        """Whether each thread (block << 10 | number) has seen what the other one did in that step."""
        found = np.zeros(len(mine), bool)
        if not self.of_warps.used and not self.of_lanes.used:
            return found
        (block, thread), (other_block, other) = _placed(mine), _placed(others)
        here, there = thread // WARP, other // WARP
        same = np.flatnonzero(block == other_block)
        found[same] = self.of_warps.at(block[same], here[same], there[same]) > steps[same]
        same = same[here[same] == there[same]]
        warp = block[same] * self.machine.geometry.warps + here[same]
        found[same] |= self.of_lanes.at(warp, thread[same] % WARP, other[same] % WARP) > steps[same]
        return found


class Tables:
    """Square tables of steps, one for each number that was asked for; -1 where nothing was seen."""

    def __init__(self, numbers: int, side: int) -> None:
        self.slots = np.full(numbers, -1, np.int64)
        self.used = 0
        self.steps = np.full((0, side, side), -1, np.int64)

    def table(self, number: int) -> Values:
        slot = int(self.slots[number])
        if slot < 0:
            slot = self.slots[number] = self.used
            self.used += 1
            if self.used > len(self.steps):
                more = np.full((max(4, self.used), *self.steps.shape[1:]), -1, np.int64)
                self.steps = np.concatenate([self.steps, more])
        return values(self.steps[slot])

    def at(self, numbers: Values, rows: Values, columns: Values) -> Values:
        if not self.used:
            return np.full(len(numbers), -1, np.int64)
        slots = self.slots[numbers]
        return values(np.where(slots >= 0, self.steps[slots, rows, columns], -1))


def _placed(words: Values) -> tuple[Values, Values]:
    """The block and the number of each thread."""
    whole = words.astype(np.int64)
    return (whole >> 10) & BLOCKS, whole & 1023
