"""Loads, stores and copies under shadow memory: which lanes may access, what they get, and what is wrong about it.

An access out of bounds does not stop its lane: it reads poison, a write is dropped, and the event is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cudalint.confirm.emulate.events import WRAPPED, Access, AccessKind, EventKind
from cudalint.confirm.emulate.expressions import PlaceCode
from cudalint.confirm.emulate.formats import Values, decode, encode, is_aggregate, size_of, storage_of, values
from cudalint.confirm.emulate.lanes import Lanes
from cudalint.confirm.emulate.memory import POISON, WINDOW, Allocation, is_multiple
from cudalint.confirm.emulate.undecided import nans, with_other_nans
from cudalint.ir import nodes as ir
from cudalint.ir import types as t
from cudalint.ir.walk import alignment

if TYPE_CHECKING:
    from cudalint.confirm.emulate.machine import Machine


@dataclass(frozen=True, slots=True)
class Part:
    """Lanes of one step that access one object at byte offsets (a scalar offset is the same for all of them).

    `index` says which lanes of the step they are; None: all.
    """

    allocation: Allocation | None
    offsets: Values
    lanes: Lanes
    index: Values | None


@dataclass(frozen=True, slots=True)
class Spot:
    """What an instruction accesses: a place, its size and alignment, and how."""

    place: PlaceCode
    size: int
    align: int
    kind: AccessKind
    strong: bool = False
    narrow: bool = False  # strong for threads of one block only
    vague: bool = False  # an aggregate copy may carry bytes that nobody wrote
    used: tuple[int, int] | None = (
        None  # the bytes of a vector that is read from the first used lane on, and their number
    )


def spot(place: PlaceCode, written: ir.Place, kind: AccessKind, strong: bool = False, narrow: bool = False) -> Spot:
    type_ = written.var.type if isinstance(written, ir.Variable) else written.type
    vague = isinstance(type_, (t.Struct, t.Array))
    return Spot(place, size_of(type_), alignment(written), kind, strong, narrow, vague)


class Accessor:
    """All memory accesses of a machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    # --- the three accesses ------------------------------------------------------------------------------------------

    def load(self, lanes: Lanes, where: Spot, type_: t.Type) -> Values:
        """Values of `type_` in all lanes; poison where the access is wrong."""
        self._count(lanes)
        parts = self._parts(lanes, where)
        if len(parts) == 1 and parts[0].index is None:
            return self._read(parts[0], where, type_)
        result = _poison(lanes.count, type_)
        for part in parts:
            result[part.index] = self._read(part, where, type_)
        return result

    def store(self, lanes: Lanes, where: Spot, type_: t.Type, new: Values) -> None:
        self._count(lanes)
        raw = self._undecided(new if is_aggregate(type_) else encode(new, type_), type_)
        for part in self._parts(lanes, where):
            mine = raw
            if part.index is not None:
                mine = lanes.spread(raw)[part.index]
            self._remember(part, type_)
            self._write(part, where, part.lanes.spread(mine))

    def targets(self, lanes: Lanes, where: Spot) -> list[tuple[Part, Values]]:
        """The valid parts of an atomic access with the positions of their lanes, checked for races."""
        self._count(lanes)
        result = []
        for part in self._parts(lanes, where):
            if part.allocation is not None:
                positions = self._positions(part)
                self._check_written(part, positions, where)
                self._race_write(part, positions, where, None)()
                self._remember(part, where.place.type)
                result.append((part, positions))
        return result

    def write_again(self, part: Part, where: Spot) -> None:
        """A copy that is under way may write at this moment, too; its bytes are there already."""
        if part.allocation is not None:
            self._race_write(part, self._positions(part), where, None)()

    def issue(self, lanes: Lanes, where: Spot, bound: bool) -> None:
        """The copy to these places has begun."""
        for part in self._parts(lanes, where):
            if part.allocation is not None and self._tracks(part.allocation):
                self.machine.copies.issue(part, where, bound)

    def _remember(self, part: Part, type_: t.Type) -> None:
        if part.allocation is not None and part.allocation.kind == "global":
            leaf = type_.element if isinstance(type_, t.Vector) else type_
            self.machine.stored.setdefault(part.allocation.name, set()).add(leaf)

    def _undecided(self, raw: Values, type_: t.Type) -> Values:
        """What is stored; the bits of what is no number are other ones where asked for."""
        leaf = type_.element if isinstance(type_, t.Vector) else type_
        if not isinstance(leaf, t.Float) or not (none := nans(raw, leaf)).any():
            return raw
        self.machine.undecided = True
        return with_other_nans(raw, leaf, none) if self.machine.options.other_bits else raw

    def _count(self, lanes: Lanes) -> None:
        accesses = self.machine.accesses
        accesses[lanes.span] = accesses.get(lanes.span, 0) + lanes.count

    # --- where -------------------------------------------------------------------------------------------------------

    def _parts(self, lanes: Lanes, where: Spot) -> list[Part]:
        """The lanes by object, without those whose access is not inside it."""
        place = where.place
        distance = np.asarray(0, np.int64)[()] if place.distance is None else place.distance(lanes)
        if place.root is not None:
            assert isinstance(place.root, Allocation)
            parts = [Part(place.root, distance, lanes, None)]
        else:
            assert place.pointer is not None
            parts = self._by_object(lanes, place.pointer(lanes), distance)
        valid = [self._inside(part, where) for part in parts]
        if place.bounds:
            self._dimensions(lanes, where)
        return [part for part in valid if part is not None]

    def _by_object(self, lanes: Lanes, pointer: Values, distance: Values) -> list[Part]:
        memory = self.machine.memory
        first = int(pointer if pointer.ndim == 0 else pointer[0])
        if pointer.ndim == 0 or not np.any((pointer ^ np.uint64(first)) >> np.uint64(WINDOW)):
            base, allocation = _base_of(memory.at(first))
            return [Part(allocation, np.add(np.subtract(pointer, base).view(np.int64), distance), lanes, None)]
        parts = []
        spread = lanes.spread(distance)
        numbers = (pointer >> np.uint64(WINDOW)).astype(np.int64)
        for number in np.unique(numbers).tolist():
            index = np.flatnonzero(numbers == number)
            base, allocation = _base_of(memory.at(number << WINDOW))
            offsets = np.subtract(pointer[index], base).view(np.int64) + spread[index]
            parts.append(Part(allocation, offsets, lanes.subset(index), index))
        return parts

    def _inside(self, part: Part, where: Spot) -> Part | None:
        """The lanes of the part that stay inside their object, aligned; events for the others."""
        allocation, offsets = part.allocation, part.offsets
        if allocation is None:
            kind: EventKind = "null" if 0 <= int(np.min(offsets)) < 1 << (WINDOW - 1) else "out_of_bounds"
            self._report(kind, part, where, 0, "" if kind == "null" else "no object at this address")
            return None
        limit = allocation.size - where.size
        good = np.less_equal(offsets.view(np.uint64), np.uint64(limit)) if limit >= 0 else np.zeros_like(offsets, bool)
        if not np.all(good):
            for lane in _leaving(part.offsets, good, where.size):
                self._report("out_of_bounds", part, where, lane, "")
            if not np.any(good):
                return None
            part = _chosen(part, np.flatnonzero(good))
        if where.align > 1:
            shift = allocation.base & (where.align - 1)
            if not is_multiple(part.offsets + shift if shift else part.offsets, where.align):
                wrong = (part.offsets + shift) & (where.align - 1) != 0
                self._report("misaligned", part, where, int(np.argmax(wrong)), f"needs {where.align} bytes")
        return part

    def _dimensions(self, lanes: Lanes, where: Spot) -> None:
        """Each index inside an array must be below its own dimension, even where the object goes on."""
        for number, bound in enumerate(where.place.bounds):
            index = bound.index(lanes).astype(np.int64)
            bad = lanes.spread(np.greater_equal(index.view(np.uint64), np.uint64(bound.count)))
            if not bad.any():
                continue
            lane = int(np.argmax(bad))
            value = int(lanes.spread(index)[lane])
            block, thread = self.machine.geometry.place_of(int(lanes.ids[lane]))
            name = getattr(where.place.root, "name", "")
            extent = bound.count * bound.element
            access = Access(
                lanes.span, where.kind, name, value * bound.element, value, where.size, extent, block, thread
            )  # fmt: skip
            lanes.event("out_of_bounds", access, None, f"dimension {number} of {bound.count} elements")

    def _report(self, kind: EventKind, part: Part, where: Spot, lane: int, detail: str) -> None:
        part.lanes.event(kind, self.access(part, where, lane), None, detail)

    def access(self, part: Part, where: Spot, lane: int) -> Access:
        allocation = part.allocation
        offset = int(part.offsets if part.offsets.ndim == 0 else part.offsets[lane])
        block, thread = self.machine.geometry.place_of(int(part.lanes.ids[lane]))
        name, extent = (allocation.name, allocation.size) if allocation else ("", 0)
        index = offset // max(1, where.size)
        return Access(part.lanes.span, where.kind, name, offset, index, where.size, extent, block, thread)

    # --- bytes -------------------------------------------------------------------------------------------------------

    def _positions(self, part: Part) -> Values:
        """Positions in the object's data, one per lane (a scalar where all lanes share one row and offset)."""
        allocation = part.allocation
        assert allocation is not None
        owners = None
        if allocation.rows > 1:
            geometry = self.machine.geometry
            owners = (
                part.lanes.ids if allocation.kind in ("local", "parameter") else geometry.block_of[part.lanes.where]
            )
        return allocation.positions(part.offsets, owners)

    def _read(self, part: Part, where: Spot, type_: t.Type) -> Values:
        allocation = part.allocation
        if allocation is None:
            return values(_poison(1, type_)[0])
        positions = self._positions(part)
        self._check_written(part, positions, where)
        if self._tracks(allocation):
            if self.machine.copies.flights:
                self.machine.copies.check_read(self, part, where)
            self.machine.races.read(self, part, part.lanes.spread(positions), where)
        if is_aggregate(type_):
            rows = allocation.read_rows(positions, where.size)
        else:
            rows = decode(allocation.read(positions, storage_of(type_)), type_)
        if part.index is None and part.lanes.count != _count_of(rows) and _count_of(rows) != 1:
            raise AssertionError("a read gives one value per lane")
        return rows

    def _check_written(self, part: Part, positions: Values, where: Spot) -> None:
        assert part.allocation is not None
        first, size = where.used or (0, where.size)
        missing = part.allocation.unwritten(positions + first if first else positions, size)
        if missing is None:
            return
        self.machine.undecided = True
        wrong = missing == where.size if where.vague else missing > 0
        if wrong.any():
            self._report("uninitialised", part, where, int(np.argmax(wrong)), part.allocation.kind)

    def _write(self, part: Part, where: Spot, raw: Values) -> None:
        allocation = part.allocation
        if allocation is None:
            return
        if allocation.kind in ("local", "parameter") and allocation.rows == 1:
            allocation.give_each_lane_its_own(self.machine.geometry.lanes)
        positions = part.lanes.spread(self._positions(part))
        lost = self._race_write(part, positions, where, raw)
        if raw.ndim == 2:
            allocation.write_rows(positions, raw)
        else:
            if self.machine.backwards:
                positions, raw = positions[::-1], raw[::-1]
            allocation.write(positions, raw)
        lost()

    def _tracks(self, allocation: Allocation) -> bool:
        return self.machine.detect_races and allocation.kind in ("global", "shared")

    def _race_write(self, part: Part, positions: Values, where: Spot, raw: Values | None) -> Callable[[], None]:
        assert part.allocation is not None
        if not self._tracks(part.allocation):
            return lambda: None
        return self.machine.races.write(self, part, part.lanes.spread(positions), where, raw)


def _base_of(allocation: Allocation | None) -> tuple[np.uint64, Allocation | None]:
    return np.uint64(allocation.base if allocation else 0), allocation


def _leaving(offsets: Values, good: Values, size: int) -> list[int]:
    """The first lane that is outside, and the first whose index has wrapped where that is another one."""
    first = int(np.argmin(good))
    if offsets.ndim == 0:
        return [first]
    index = offsets // max(1, size)
    wrapped = ~good & ((index < 0) | (index >= WRAPPED))
    far = int(np.argmax(wrapped))
    return [first, far] if far != first and wrapped[far] else [first]


def _chosen(part: Part, keep: Values) -> Part:
    """The part with only these of its lanes."""
    offsets = part.offsets if part.offsets.ndim == 0 else part.offsets[keep]
    index = keep if part.index is None else part.index[keep]
    return Part(part.allocation, offsets, part.lanes.subset(keep), index)


def _poison(count: int, type_: t.Type) -> Values:
    rows = np.full((count, size_of(type_)), POISON, np.uint8)
    return rows if is_aggregate(type_) else decode(rows.view(storage_of(type_))[:, 0], type_)


def _count_of(result: Values) -> int:
    return 1 if result.ndim == 0 else len(result)
