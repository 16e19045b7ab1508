"""The lanes that run one step: their numbers, registers and coordinates. The context of compiled expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cudalint.confirm.emulate.events import Access, Dim, Event, EventKind
from cudalint.confirm.emulate.formats import Unsupported, Values
from cudalint.source import Span

if TYPE_CHECKING:
    from cudalint.confirm.emulate.machine import Machine

WARP = 32


class Geometry:
    """Coordinates of all lanes of a launch. Lane = block * threads + thread, both linear.

    Of a run of a few blocks these are counted from zero; `chosen` are their linear numbers in the grid.
    """

    def __init__(self, grid: Dim, block: Dim, chosen: tuple[int, ...] | None = None) -> None:
        self.grid, self.block, self.chosen = grid, block, chosen
        self.blocks = grid[0] * grid[1] * grid[2] if chosen is None else len(chosen)
        self.threads = block[0] * block[1] * block[2]
        self.lanes = self.blocks * self.threads
        self.warps = -(-self.threads // WARP)  # of one block
        self.ids = np.arange(self.lanes, dtype=np.int64)
        self.block_of = self.ids // self.threads
        self.thread_of = self.ids - self.block_of * self.threads
        self.words = ((self.block_of << 10) | self.thread_of).view(np.uint64)
        self._builtins: dict[str, Values] = {}

    def builtin(self, name: str) -> Values:
        value = self._builtins.get(name)
        if value is None:
            value = self._builtins[name] = self._compute(name)
        return value

    def _compute(self, name: str) -> Values:
        root, _, axis = name.partition(".")
        if axis in ("x", "y", "z"):
            i = "xyz".index(axis)
            if root == "threadIdx":
                return self._coordinate(self.thread_of, self.block, i)
            if root in ("blockIdx", "clusterIdx"):
                return self._coordinate(self._numbers(), self.grid, i)
            fixed = {"blockDim": self.block[i], "gridDim": self.grid[i], "clusterDim": 1, "clusterCtaIdx": 0}
            if root in fixed:
                return np.asarray(fixed[root], np.uint32)[()]
        if name == "warpSize":
            return np.asarray(WARP, np.int32)[()]
        if name in ("laneid", "warpid"):
            return (self.thread_of % WARP if name == "laneid" else self.thread_of // WARP).astype(np.uint32)
        raise Unsupported(f"the builtin {name}")

    def _numbers(self) -> Values:
        """The linear number of each lane's block in the grid."""
        return self.block_of if self.chosen is None else np.asarray(self.chosen, np.int64)[self.block_of]

    @staticmethod
    def _coordinate(linear: Values, shape: Dim, axis: int) -> Values:
        if shape[axis] == 1:
            return np.asarray(0, np.uint32)[()]
        stride = (1, shape[0], shape[0] * shape[1])[axis]
        return (linear // stride % shape[axis]).astype(np.uint32)

    def place_of(self, lane: int) -> tuple[Dim, Dim]:
        """The coordinates (blockIdx, threadIdx) of a lane."""
        number = lane // self.threads
        number = number if self.chosen is None else self.chosen[number]
        return _unflatten(number, self.grid), _unflatten(lane % self.threads, self.block)


def _unflatten(linear: int, shape: Dim) -> Dim:
    return linear % shape[0], linear // shape[0] % shape[1], linear // (shape[0] * shape[1])


class Lanes:
    """A group of lanes (sorted numbers) at one position of the code. `where` indexes arrays over all lanes."""

    __slots__ = ("count", "ids", "machine", "mask", "pc", "span", "where")

    def __init__(self, machine: Machine, pc: int, ids: Values) -> None:
        self.machine, self.pc, self.ids, self.count = machine, pc, ids, len(ids)
        first, last = int(ids[0]), int(ids[-1])
        self.where: slice | Values = slice(first, last + 1) if last - first == len(ids) - 1 else ids
        self.mask: Values | None = None
        self.span = machine.span_of(pc)

    def subset(self, chosen: Values) -> Lanes:
        """The lanes at these indices (or where this mask is true) of the group."""
        return Lanes(self.machine, self.pc, self.ids[chosen])

    # --- values ------------------------------------------------------------------------------------------------------

    def register(self, slot: str) -> Values | None:
        value = self.machine.registers.get(slot)
        if value is None or value.ndim == 0 or (len(value) == 1 and value.ndim == 2):
            return value
        return value[self.where]

    def assign(self, slot: str, values: Values) -> None:
        """The register takes these values in these lanes; a value equal in all living lanes stays a scalar."""
        registers, total = self.machine.registers, self.machine.geometry.lanes
        uniform = values.ndim == 0 or (values.ndim == 2 and len(values) == 1)
        if uniform and self.count == self.machine.alive_lanes:
            registers[slot] = values
            return
        if self.count == total and values.base is None and len(values) == total:
            registers[slot] = values
            return
        array = registers.get(slot)
        if array is None or len(array.shape) == 0 or len(array) != total or array.dtype != values.dtype:
            array = self._widened(slot, array, values)
        array[self.where] = values

    def _widened(self, slot: str, old: Values | None, values: Values) -> Values:
        shape = (self.machine.geometry.lanes, *values.shape[1:]) if values.ndim == 2 else self.machine.geometry.lanes
        array: Values = np.zeros(shape, values.dtype)
        self.machine.memory.budget.take(array.nbytes, f"the variable {slot}")
        if old is not None:
            array[...] = old
        self.machine.registers[slot] = array
        return array

    def builtin(self, name: str) -> Values:
        if name == "clock":
            return np.asarray(self.machine.steps * (64 + self.machine.options.seed % 64), np.uint64)[()]
        value = self.machine.geometry.builtin(name)
        return value if value.ndim == 0 else value[self.where]

    def spread(self, values: Values) -> Values:
        """One value (or one row) per lane."""
        if values.ndim == 2:
            return np.broadcast_to(values, (self.count, values.shape[1]))
        return np.broadcast_to(values, (self.count,))

    # --- events ------------------------------------------------------------------------------------------------------

    def note(self, kind: str, bad: Values, detail: str) -> None:
        """An event of arithmetic at the first lane where `bad` holds and the value counts."""
        if not bad.any():
            return
        lanes = self.spread(bad)
        if self.mask is not None:
            lanes = lanes & self.mask
        if lanes.any():
            self.event(kind, self.site(int(np.argmax(lanes))), None, detail)  # type: ignore[arg-type]

    def event(self, kind: EventKind, access: Access, other: Access | None, detail: str) -> None:
        self.machine.recorder.add(Event(kind, access, other, detail))

    def site(self, index: int, span: Span | None = None) -> Access:
        """An access of kind "none" by one lane of the group."""
        return site(self.machine.geometry, int(self.ids[index]), span or self.span)


def site(geometry: Geometry, lane: int, span: Span) -> Access:
    block, thread = geometry.place_of(lane)
    return Access(span, "none", "", 0, 0, 0, 0, block, thread)


def merged(parts: list[Values]) -> Values:
    """Sorted union of disjoint groups of lanes."""
    if len(parts) == 1:
        return parts[0]
    joined: Values = np.concatenate(parts)
    joined.sort(kind="stable")
    return joined


def rows(values: Any) -> int:
    return 1 if np.ndim(values) == 0 else len(values)
