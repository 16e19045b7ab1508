"""The race detector: barrier intervals, warp and fence order, and events from the conflicts that the cells report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from cudalint.confirm.emulate.events import Access
from cudalint.confirm.emulate.formats import Values
from cudalint.confirm.emulate.group_clocks import Clocks
from cudalint.confirm.emulate.lanes import WARP, Lanes
from cudalint.confirm.emulate.shadow import Conflict, Shadow, Who
from cudalint.confirm.emulate.warp import FULL

if TYPE_CHECKING:
    from cudalint.confirm.emulate.access import Accessor, Part, Spot
    from cudalint.confirm.emulate.machine import Machine


class Races:
    """Order between lanes is known from barriers (intervals of a block), warp barriers (steps), fences with atomics."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.shadows: dict[int, Shadow] = {}
        blocks = machine.geometry.blocks
        self.intervals = np.ones(blocks, np.int64)
        self.even = True  # all blocks are in the same interval
        self.floor = 1  # the interval that the last grid barrier began
        self.warp_sync: Values | None = None  # step of the last warp barrier, per warp
        self.warp_exchange: Values | None = None  # step of the last shuffle, per warp
        self.clocks = Clocks(machine)
        self.fence_step = np.full(blocks, -1, np.int64)
        self.release_step = np.full(blocks, -1, np.int64)
        self.acquire_step = np.full(blocks, -1, np.int64)

    # --- order -------------------------------------------------------------------------------------------------------

    def block_barrier(self, blocks: Values | None) -> None:
        """These blocks (None: all) begin a new interval."""
        if blocks is None:
            self.intervals += 1
        else:
            self.intervals[blocks] += 1
            self.even = False
        self.machine.copies.write_again()

    def grid_barrier(self) -> None:
        self.floor = int(self.intervals.max()) + 1
        self.intervals[:] = self.floor
        self.even = True
        self.machine.copies.write_again()

    def warp_barrier(self, lanes: Lanes, masks: Values) -> None:
        """The warps of these lanes are in order from here on, or the lanes of them that meet by a mask."""
        if self.warp_sync is None:
            self.warp_sync = self._no_steps()
        warps = self._warp_of(self.machine.geometry.words[lanes.where])
        whole = masks == FULL
        self.warp_sync[warps[whole]] = self.machine.steps
        numbers = self.machine.geometry.thread_of[lanes.where] % WARP
        for warp, mask in sorted(set(zip(warps[~whole].tolist(), masks[~whole].tolist()))):
            if not self.clocks.lanes_meet(warp, numbers[(warps == warp) & (masks == mask)]):
                self.warp_sync[warp] = self.machine.steps
        self.machine.copies.write_again()

    def group_barrier(self) -> None:
        """Threads of a block have met, of which the clocks know; what is still on its way writes behind it, too."""
        self.machine.copies.write_again()

    def exchange(self, lanes: Lanes) -> None:
        """The warps of these lanes hand values over: what any of them has read it has read before others write from here on."""
        if self.warp_exchange is None:
            self.warp_exchange = self._no_steps()
        self.warp_exchange[self._warp_of(self.machine.geometry.words[lanes.where])] = self.machine.steps

    def _no_steps(self) -> Values:
        return np.full(self.machine.geometry.blocks * self.machine.geometry.warps, -1, np.int64)

    def fence(self, lanes: Lanes) -> None:
        self.fence_step[self.machine.geometry.block_of[lanes.where]] = self.machine.steps

    def strong_access(self, lanes: Lanes) -> None:
        """An atomic or ordered access: it acquires, and it releases what an earlier fence of the block ordered."""
        blocks = self.machine.geometry.block_of[lanes.where]
        self.acquire_step[blocks] = self.machine.steps
        released = blocks[self.fence_step[blocks] >= 0]
        self.release_step[released] = self.machine.steps

    def _warp_of(self, words: Values) -> Values:
        blocks = (words >> np.uint64(10)) & np.uint64((1 << 20) - 1)
        threads = words & np.uint64(1023)
        return (blocks * np.uint64(self.machine.geometry.warps) + threads // np.uint64(WARP)).astype(np.int64)

    # --- accesses ----------------------------------------------------------------------------------------------------

    def read(self, accessor: Accessor, part: Part, positions: Values, where: Spot) -> None:
        shadow = self._shadow(part)
        who = self._who(part, where)
        first, size = where.used or (0, where.size)
        for conflict in shadow.read(positions + first, size, who, self.floor):
            self._report(accessor, part, where, conflict, None)

    def write(
        self, accessor: Accessor, part: Part, positions: Values, where: Spot, raw: Values | None
    ) -> Callable[[], None]:
        """Reports conflicts with earlier accesses; the result, called after the bytes are written, those of this step."""
        shadow, who = self._shadow(part), self._who(part, where)
        found, losers = shadow.write(positions, where.size, who, self.floor)
        for conflict in found:
            self._report(accessor, part, where, conflict, self._same(part, positions, raw, conflict.lanes))

        def after() -> None:
            lost = losers()
            if len(lost):
                words = shadow.winners(positions[lost], where.size)
                pcs = np.full(len(lost), who.pc, np.int32)
                steps = np.full(len(lost), self.machine.steps, np.int32)
                same = self._same(part, positions, raw, lost)
                if same is not None and same.any() and not where.strong:
                    shadow.note_agreed(positions[lost], where.size, who.words[lost], same)
                self._report(accessor, part, where, Conflict(lost, words, pcs, steps, True), same)

        return after

    def _shadow(self, part: Part) -> Shadow:
        allocation = part.allocation
        assert allocation is not None
        number = allocation.base
        shadow = self.shadows.get(number)
        if shadow is None:
            across = allocation.kind == "global" and self.machine.geometry.blocks > 1
            shadow = self.shadows[number] = Shadow(allocation, across)
        return shadow

    def _who(self, part: Part, where: Spot) -> Who:
        lanes, geometry = part.lanes, self.machine.geometry
        if self.even:
            interval: Values = np.uint64(int(self.intervals[0]) << 32)  # type: ignore[assignment]
        else:
            interval = self.intervals[geometry.block_of[lanes.where]].view(np.uint64) << np.uint64(32)
        words = geometry.words[lanes.where] | interval
        return Who(words, lanes.pc, self.machine.steps, where.strong, where.narrow)

    @staticmethod
    def _same(part: Part, positions: Values, raw: Values | None, lanes: Values) -> Values | None:
        """Where the bytes that these lanes write are in memory already."""
        if raw is None or part.allocation is None:
            return None
        mine = np.ascontiguousarray(raw[lanes])
        mine = mine if mine.ndim == 2 else mine.view(np.uint8).reshape(len(lanes), -1)
        same: Values = (part.allocation.read_rows(positions[lanes], mine.shape[1]) == mine).all(axis=1)
        return same

    # --- events ------------------------------------------------------------------------------------------------------

    def _report(self, accessor: Accessor, part: Part, where: Spot, conflict: Conflict, same: Values | None) -> None:
        keep = ~self._ordered(part, conflict)
        if not keep.any():
            return
        equal = same if same is not None and conflict.with_write else np.zeros(len(conflict.lanes), bool)
        keys = (conflict.pcs.astype(np.int64) * 2 + self._is_foreign(part, conflict)) * 2 + equal
        for key in np.unique(keys[keep]).tolist():
            at = int(np.argmax((keys == key) & keep))
            lane = int(conflict.lanes[at])
            access = accessor.access(part, where, lane)
            other = self._other(access, int(conflict.words[at]), int(conflict.pcs[at]))
            part.lanes.event("race", access, other, "same_value" if key & 1 else "")

    def _is_foreign(self, part: Part, conflict: Conflict) -> Values:
        """Conflicts with lanes of other blocks."""
        mine = self.machine.geometry.words[part.lanes.where][conflict.lanes]
        foreign: Values = ((mine ^ conflict.words) >> np.uint64(10)) & np.uint64((1 << 20) - 1) != 0
        return foreign

    def _other(self, access: Access, word: int, pc: int) -> Access:
        geometry = self.machine.geometry
        lane = ((word >> 10) & ((1 << 20) - 1)) * geometry.threads + (word & 1023)
        block, thread = geometry.place_of(lane)
        kind = self.machine.access_kind(pc)
        return replace(access, span=self.machine.span_of(pc), kind=kind, block=block, thread=thread)

    def _ordered(self, part: Part, conflict: Conflict) -> Values:
        """Conflicts that a warp barrier, a shuffle, or a fence and an atomic on each side, put in order."""
        mine = self.machine.geometry.words[part.lanes.where][conflict.lanes]
        ordered = np.zeros(len(conflict.lanes), bool)
        for step in (self.warp_sync, None if conflict.with_write else self.warp_exchange):
            if step is not None:
                warps = self._warp_of(mine)
                ordered |= (warps == self._warp_of(conflict.words)) & (step[warps] > conflict.steps)
        ordered |= self.clocks.ordered(mine, conflict.words, conflict.steps)
        if self.machine.has_fences:
            mine_block = (mine >> np.uint64(10)).astype(np.int64)
            other_block = ((conflict.words >> np.uint64(10)) & np.uint64((1 << 20) - 1)).astype(np.int64)
            released = self.release_step[other_block]
            ordered |= (
                (mine_block != other_block)
                & (self.fence_step[other_block] > conflict.steps)
                & (released >= self.fence_step[other_block])
                & (self.acquire_step[mine_block] >= released)
            )
        return ordered
