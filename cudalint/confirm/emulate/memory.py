"""Allocations: bytes, which of them were written, and virtual addresses with huge gaps between objects.

Allocation k lies around k * 2^42 + 2^41, so a pointer is a plain uint64, and any address tells which object it came
from and how far it went outside. Shared objects have one row per block, local objects one row per lane (all lanes see
theirs at the same address, as on the device). A sparse buffer keeps only the pages that were touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from cudalint.confirm.emulate.formats import Values, values

WINDOW = 42
PAGE = 16
BEHIND = 1 << 12  # bytes behind the last page of a sparse buffer, for an access that crosses its end
POISON, OTHER_POISON = 0xA5, 0x5A
Bytes = npt.NDArray[np.uint8]
Kind = Literal["global", "constant", "shared", "local", "parameter"]


class MemoryLimit(Exception):
    """The run would need more memory than it may use."""


@dataclass(slots=True)
class Budget:
    """Bytes that the run may still allocate for state."""

    left: int

    def take(self, count: int, what: str) -> None:
        self.left -= count
        if self.left < 0:
            raise MemoryLimit(f"no memory left for {what}")


class Allocation:
    """One object: `rows` copies of `size` bytes. `written` is None where everything is initialised."""

    def __init__(
        self, name: str, kind: Kind, size: int, number: int, budget: Budget, *, rows: int = 1, align: int = 256,
        initialised: bool = True, fill: Bytes | None = None, sparse: bool = False, poison: int = POISON,
    ) -> None:  # fmt: skip
        if size >= 1 << (WINDOW - 1):
            raise MemoryLimit(f"no memory left for {name}")
        self.name, self.kind, self.size, self.rows = name, kind, size, rows
        self.base = (number << WINDOW) + (1 << (WINDOW - 1)) + (align if align < 256 else 0)
        self.align, self.budget, self.initialised, self.poison = align, budget, initialised, poison
        self.stride = (size + 15) // 16 * 16
        self.pages: dict[int, int] | None = {} if sparse else None  # page number: slot
        length = 0 if sparse else self.stride * rows
        budget.take(length * (1 if initialised else 2), name)
        self.data: Bytes = np.full(length, 0 if initialised else poison, np.uint8)
        self.written: Bytes | None = None if initialised else np.zeros(length, np.uint8)
        if fill is not None:
            self.data[: len(fill)] = fill
        self._views: dict[np.dtype[Any], Values] = {}

    # --- positions ---------------------------------------------------------------------------------------------------

    def positions(self, offsets: Values, owners: Values | None) -> Values:
        """Positions in `data` of byte offsets; `owners` are rows (blocks or lanes)."""
        if self.pages is not None:
            return self._paged(offsets)
        if owners is None or self.rows == 1:
            return offsets
        return np.add(np.multiply(owners, np.int64(self.stride)), offsets)

    def _paged(self, offsets: Values) -> Values:
        """Pages get their slots in the order of their numbers; the lanes of a step are mostly on one page, or on neighbours."""
        numbers = np.right_shift(offsets, PAGE)
        low, high = int(numbers.min()), int(numbers.max())
        if low == high:
            return values(np.add(offsets, (self._slot(low) - low) << PAGE))
        if high - low < numbers.size:
            places = np.subtract(numbers, low)
            slots = np.zeros(high - low + 1, np.int64)
            for page in np.flatnonzero(np.bincount(places)).tolist():
                slots[page] = self._slot(low + page)
        else:
            touched, places = np.unique(numbers, return_inverse=True)
            slots = np.asarray([self._slot(number) for number in touched.tolist()], np.int64)
        return values(np.add(slots[places] << PAGE, np.bitwise_and(offsets, (1 << PAGE) - 1)))

    def _slot(self, number: int) -> int:
        """Where the page of this number lies in `data`, which grows for a new one."""
        assert self.pages is not None
        slot = self.pages.get(number)
        if slot is None:
            slot = self.pages[number] = len(self.pages)
            self._grow((len(self.pages) << PAGE) + BEHIND)
        return slot

    def _grow(self, length: int) -> None:
        if length <= len(self.data):
            return
        more = max(length, 2 * len(self.data)) - len(self.data)
        self.budget.take(more * (2 if self.written is not None else 1), self.name)
        self.data = np.concatenate([self.data, np.full(more, 0 if self.initialised else self.poison, np.uint8)])
        if self.written is not None:
            self.written = np.concatenate([self.written, np.zeros(more, np.uint8)])
        self._views.clear()

    def give_each_lane_its_own(self, lanes: int) -> None:
        """A by-value parameter is one row until somebody writes to it."""
        self.budget.take(self.stride * lanes, self.name)
        self.data = np.tile(self.data, lanes)
        self.rows = lanes
        self._views.clear()

    # --- bytes and values --------------------------------------------------------------------------------------------

    def _view(self, dtype: np.dtype[Any]) -> Values:
        view = self._views.get(dtype)
        if view is None:
            view = self._views[dtype] = self.data.view(dtype)
        return view

    def read(self, positions: Values, dtype: np.dtype[Any]) -> Values:
        """Values in memory form; `positions` is an array or, for one value equal in all lanes, a scalar."""
        size = dtype.itemsize
        if is_multiple(positions, size):
            return np.asarray(self._view(dtype)[as_slice(positions // size if size > 1 else positions)])[()]
        rows = np.ascontiguousarray(self.read_rows(positions, size)).view(dtype)[:, 0]
        return rows if np.ndim(positions) else np.asarray(rows[0])[()]

    def write(self, positions: Values, raw: Values) -> None:
        size = raw.dtype.itemsize
        if is_multiple(positions, size):
            where = as_slice(positions // size if size > 1 else positions)
            self._view(raw.dtype)[where] = raw
            if self.written is not None:
                self.written.view(f"u{size}")[where] = int.from_bytes(b"\1" * size, "little")
            return
        rows = np.ascontiguousarray(np.broadcast_to(raw, positions.shape)).view(np.uint8).reshape(-1, size)
        self.write_rows(positions, rows)

    def read_rows(self, positions: Values, size: int) -> Bytes:
        """A byte matrix with one row per position (which may cross pages of a sparse buffer only at its own risk).

        Bytes behind the data are zero: who reads a whole record uses those parts alone that are inside.
        """
        first = np.atleast_1d(positions)
        if first.size and int(first.max()) + size > self.data.size:
            where = first[:, None] + np.arange(size)
            return np.where(where < self.data.size, self.data[np.minimum(where, self.data.size - 1)], np.uint8(0))
        if size and size & (size - 1) == 0 and size <= 16 and is_multiple(first, size):
            return np.asarray(self.data.reshape(-1, size)[as_slice(first // size)])
        return np.asarray(self.data[first[:, None] + np.arange(size)])

    def write_rows(self, positions: Values, rows: Bytes) -> None:
        where = np.atleast_1d(positions)[:, None] + np.arange(rows.shape[1])
        self.data[where] = rows
        if self.written is not None:
            self.written[where] = 1

    def unwritten(self, positions: Values, size: int) -> Values | None:
        """Bytes of each access that nobody wrote (a count per position), or None where all were written."""
        if self.written is None:
            return None
        first = np.atleast_1d(positions)
        if size in (1, 2, 4, 8) and is_multiple(first, size):
            full = int.from_bytes(b"\1" * size, "little")
            marks = self.written.view(f"u{size}")[as_slice(first // size)]
            if np.all(marks == full):
                return None
        rows = self.written[first[:, None] + np.arange(size)]
        missing = size - rows.sum(axis=1, dtype=np.int64)
        return missing if missing.any() else None


def is_multiple(positions: Values, size: int) -> bool:
    """Whether all positions are multiples of a power of two."""
    if size == 1:
        return True
    joined = np.bitwise_or.reduce(positions) if np.ndim(positions) else positions
    return int(joined) & (size - 1) == 0


def as_slice(index: Values) -> Values | slice:
    """The index itself, or a slice where it counts up by one."""
    if np.ndim(index) == 0 or len(index) < 64 or int(index[-1]) - int(index[0]) != len(index) - 1:
        return index
    if not np.all(index[1:] - index[:-1] == 1):
        return index
    return slice(int(index[0]), int(index[-1]) + 1)


class Memory:
    """All allocations of a run, by number."""

    def __init__(self, limit: int, poison: int = POISON) -> None:
        self.budget, self.poison = Budget(limit), poison
        self.allocations: list[Allocation | None] = [None]  # number 0 is null

    def add(
        self, name: str, kind: Kind, size: int, *, rows: int = 1, align: int = 256, initialised: bool = True,
        fill: Bytes | None = None, sparse: bool = False,
    ) -> Allocation:  # fmt: skip
        allocation = Allocation(
            name, kind, size, len(self.allocations), self.budget, rows=rows, align=align, initialised=initialised,
            fill=fill, sparse=sparse, poison=self.poison,
        )  # fmt: skip
        self.allocations.append(allocation)
        return allocation

    def at(self, address: int) -> Allocation | None:
        """The object whose window holds `address`; None for null and wild pointers."""
        number = address >> WINDOW
        return self.allocations[number] if number < len(self.allocations) else None

    def named(self, names: Sequence[str]) -> Allocation | None:
        return next((a for a in self.allocations if a is not None and a.name in names), None)
