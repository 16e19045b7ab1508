"""Races: who wrote and read each cell last, per barrier interval.

The state of a cell is one word per role (last writer, two readers, a reader of another block):

    interval << 32 | strong << 31 | narrow << 30 | block << 10 | thread        0: nobody

Two accesses of one cell race when one writes, not both are strong (atomic or ordered), and they come from different
threads of one block in the same barrier interval, or, in global memory, from different blocks; for these an atomic of narrow
scope (one block) is not strong. A cell is the largest
power of two that divides all accesses of the object so far.

Lanes of the last writer's warp that stored what it stored, in the same step, are kept as a mask: each of them reads its own value
back, whoever of them came last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from cudalint.confirm.emulate.formats import Values, values
from cudalint.confirm.emulate.memory import Allocation, as_slice

STRONG, NARROW = np.uint64(1 << 31), np.uint64(1 << 30)
WEAK_BITS = np.uint64(0xFFFFFFFF_3FFFFFFF)
BLOCK_BITS = np.uint64(0x3FFFFC00)
ONE_INTERVAL = np.uint64(0xFFFFFFFF)
THREAD_BITS = 10
LANE = np.uint64(31)
WARP_BITS = np.uint64(0x3FFFFFE0)  # of the block and of the warp in it
PENDING_LIMIT = 1 << 24  # lanes of logged reads that are kept for a buffer that nobody has written yet


@dataclass(frozen=True, slots=True)
class Who:
    """The lanes of one access: their words, where the code is, and when."""

    words: Values
    pc: int
    step: int
    strong: bool
    narrow: bool = False  # strong for threads of one block only


@dataclass(frozen=True, slots=True)
class Conflict:
    """Lanes (indices into the access) that race, with the words and code positions of the earlier accesses."""

    lanes: Values
    words: Values
    pcs: Values
    steps: Values
    with_write: bool


@dataclass(slots=True)
class Role:
    """One word per cell, with the position in the code and the step of that access."""

    words: Values
    pcs: Values
    steps: Values

    @staticmethod
    def blank(cells: int) -> Role:
        return Role(np.zeros(cells, np.uint64), np.zeros(cells, np.int32), np.zeros(cells, np.int32))

    def put(self, cells: Values | slice, words: Values, pc: int, step: int) -> None:
        self.words[cells] = words
        self.pcs[cells] = pc
        self.steps[cells] = step

    def reshaped(self, times: int, length: int) -> Role:
        """Each cell cut into `times` cells, then extended with blank ones to `length`."""
        parts = []
        for array in (self.words, self.pcs, self.steps):
            cut = np.repeat(array, times) if times > 1 else array
            parts.append(np.concatenate([cut, np.zeros(length - len(cut), cut.dtype)]))
        return Role(*parts)


@dataclass(slots=True)
class Shadow:
    """The cells of one allocation. `across` is true where other blocks share them (global memory)."""

    allocation: Allocation
    across: bool
    grain: int = 16
    touched: bool = False  # somebody wrote: before that, reads are only logged
    roles: dict[str, Role] = field(default_factory=dict)
    pending: list[tuple[Values, int, Who]] = field(default_factory=list)
    pending_lanes: int = 0

    def read(self, positions: Values, size: int, who: Who, floor: int) -> list[Conflict]:
        if self.across and not self.touched:
            self.pending.append((positions, size, who))
            self.pending_lanes += len(who.words)
            if self.pending_lanes > PENDING_LIMIT:
                self._flush()
            return []
        return self._read(positions, size, who, floor)

    def write(self, positions: Values, size: int, who: Who, floor: int) -> tuple[list[Conflict], Callable[[], Values]]:
        """Conflicts with earlier accesses, and a function that tells which lanes lost their cell in this very step."""
        if not self.touched:
            self._flush()
        cells, words, width = self._cells(positions, size, who)
        found = []
        for name in ("writer", "reader", "second", "foreign"):
            role = self.roles.get(name)
            if role is not None:
                found += self._conflicts(role, cells, words, who.strong, floor, width, name == "writer")
        writer = self._role("writer")
        writer.put(cells, words, who.pc, who.step)
        if "agreed" in self.roles:
            self.roles["agreed"].words[cells] = 0
        if isinstance(cells, slice) or (who.strong and not (who.narrow and self.across)):
            return found, lambda: np.zeros(0, np.int64)
        if who.strong:
            return found, lambda: np.unique(np.flatnonzero((writer.words[cells] ^ words) & BLOCK_BITS != 0) // width)
        return found, lambda: np.unique(np.flatnonzero(writer.words[cells] != words) // width)

    def winners(self, positions: Values, size: int) -> Values:
        """The words of the last writers of the first byte at each position."""
        return values(self._role("writer").words[positions // self.grain])

    def note_agreed(self, positions: Values, size: int, words: Values, same: Values) -> None:
        """Lanes that lost their cells in the step of the last write, and which of them stored what lies there."""
        agreed, writer, width = self._role("agreed"), self.roles["writer"], size // self.grain
        cells = (positions[:, None] // self.grain + np.arange(width)).ravel()
        words, same = np.repeat(words, width), np.repeat(same, width)
        near = same & ((writer.words[cells] ^ words) & WARP_BITS == 0)
        np.bitwise_or.at(agreed.words, cells[near], np.uint64(1) << (words[near] & LANE))
        agreed.words[cells[~same]] = 0  # others may come last

    def _own_copies(self, cells: Values | slice, words: Values) -> Values | None:
        """Which of these lanes read what they have stored themselves in the step of the last write."""
        agreed, writer = self.roles.get("agreed"), self.roles["writer"]
        if agreed is None:
            return None
        near = (writer.words[cells] ^ words) & WARP_BITS == 0
        own: Values = near & ((agreed.words[cells] >> (words & LANE)) & np.uint64(1) != 0)
        return own

    def _flush(self) -> None:
        """The reads that were logged before the first write become state."""
        self.touched = True
        for positions, size, who in self.pending:
            self._read(positions, size, who, 0)
        self.pending.clear()

    def _read(self, positions: Values, size: int, who: Who, floor: int) -> list[Conflict]:
        cells, words, width = self._cells(positions, size, who)
        found = []
        writer = self.roles.get("writer")
        if writer is not None:
            found = self._conflicts(
                writer, cells, words, who.strong, floor, width, True, self._own_copies(cells, words)
            )
        reader = self._role("reader")
        before = reader.words[cells]
        other = (before != words) & (before != 0)
        if other.any():
            self._keep_earlier(cells, before, words, other)
        reader.put(cells, words, who.pc, who.step)
        if not isinstance(cells, slice):
            lost = reader.words[cells] != words
            if lost.any():
                self._role("second").put(cells[lost], words[lost], who.pc, who.step)
                if self.across:
                    self._note_foreign(cells[lost], words[lost], reader.words[cells[lost]], who)
        return found

    def _keep_earlier(self, cells: Values | slice, before: Values, words: Values, other: Values) -> None:
        """A reader that is about to be replaced stays as the second one (same interval) or as the foreign one."""
        reader, where = self.roles["reader"], np.flatnonzero(other)
        index = where + cells.start if isinstance(cells, slice) else cells[where]
        distance = before[where] ^ words[where]
        foreign = (distance & BLOCK_BITS) != 0 if self.across else np.zeros(len(where), bool)
        for name, chosen in (("second", ~foreign & (distance <= ONE_INTERVAL)), ("foreign", foreign)):
            if chosen.any():
                role, at = self._role(name), index[chosen]
                role.words[at], role.pcs[at], role.steps[at] = before[where[chosen]], reader.pcs[at], reader.steps[at]

    def _note_foreign(self, cells: Values, words: Values, winners: Values, who: Who) -> None:
        foreign = ((words ^ winners) & BLOCK_BITS) != 0
        if foreign.any():
            self._role("foreign").put(cells[foreign], words[foreign], who.pc, who.step)

    def _conflicts(
        self,
        role: Role,
        cells: Values | slice,
        words: Values,
        strong: bool,
        floor: int,
        width: int,
        with_write: bool,
        harmless: Values | None = None,
    ) -> list[Conflict]:
        before = role.words[cells]
        distance = (before ^ words) & WEAK_BITS
        bad = (distance - np.uint64(1)) < ONE_INTERVAL
        if self.across:
            bad |= ((distance & BLOCK_BITS) != 0) & (before >= np.uint64(floor << 32)) & (before != 0)
        if strong:
            foreign = ((before | words) & NARROW != 0) & ((distance & BLOCK_BITS) != 0)
            bad &= ((before & STRONG) == 0) | foreign
        if harmless is not None:
            bad &= ~harmless
        if not bad.any():
            return []
        where = np.flatnonzero(bad)
        index = where + cells.start if isinstance(cells, slice) else cells[where]
        return [Conflict(where // width, before[where], role.pcs[index], role.steps[index], with_write)]

    # --- cells -------------------------------------------------------------------------------------------------------

    def _cells(self, positions: Values, size: int, who: Who) -> tuple[Values | slice, Values, int]:
        joined = int(np.bitwise_or.reduce(positions)) | size if len(positions) else size
        self._refine(min(joined & -joined, 16))
        first, width = positions // self.grain, size // self.grain
        words = who.words | STRONG if who.strong else who.words
        words = words | NARROW if who.narrow else words
        if width == 1:
            return as_slice(first), words, 1
        cells = (first[:, None] + np.arange(width)).ravel()
        return as_slice(cells), np.repeat(words, width), width

    def _refine(self, grain: int) -> None:
        times = max(1, self.grain // grain)
        self.grain = min(self.grain, grain)
        length = len(self.allocation.data) // self.grain
        for name, role in self.roles.items():
            if times > 1 or len(role.words) < length:
                self.allocation.budget.take(16 * (length - len(role.words)), f"races of {self.allocation.name}")
                self.roles[name] = role.reshaped(times, length)

    def _role(self, name: str) -> Role:
        role = self.roles.get(name)
        if role is None:
            cells = len(self.allocation.data) // self.grain
            self.allocation.budget.take(16 * cells, f"races of {self.allocation.name}")
            role = self.roles[name] = Role.blank(cells)
        return role
