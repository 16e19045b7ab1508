"""Warp operations: lanes of a warp exchange values once all living lanes that their mask names have arrived."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cudalint.confirm.emulate.formats import Unsupported, Values, rounded, values
from cudalint.confirm.emulate.lanes import WARP, Lanes
from cudalint.ir import types as t

if TYPE_CHECKING:
    from cudalint.confirm.emulate.machine import Machine

FULL = np.uint64(0xFFFFFFFF)
POWERS = np.left_shift(np.uint64(1), np.arange(WARP, dtype=np.uint64))


@dataclass(frozen=True, slots=True)
class Rows:
    """Lanes as a matrix of warps by 32: lane i of the group is at [row[i], lane[i]]."""

    row: Values
    lane: Values
    present: Values  # bits of the lanes of the group, per warp
    alive: Values  # bits of the lanes that have not exited, per warp
    owed: Values  # bits of the lanes that have not left by an early return or a trap, per warp

    @staticmethod
    def of(lanes: Lanes) -> Rows:
        machine = lanes.machine
        geometry = machine.geometry
        block, thread = geometry.block_of[lanes.where], geometry.thread_of[lanes.where]
        warp = block * geometry.warps + thread // WARP
        starts = np.concatenate([[True], warp[1:] != warp[:-1]])
        row = np.cumsum(starts) - 1
        lane = thread % WARP
        here = np.zeros((int(row[-1]) + 1, WARP), bool)
        here[row, lane] = True
        first = (lanes.ids - lane)[starts]
        slots = first[:, None] + np.arange(WARP)
        room = (thread - lane)[starts][:, None] + np.arange(WARP) < geometry.threads
        slots = np.minimum(slots, geometry.lanes - 1)
        alive, ended = machine.alive[slots] & room, machine.ended[slots] & room
        return Rows(row, lane, here @ POWERS, alive @ POWERS, (alive | ended) @ POWERS)

    def matrix(self, values: Values, fill: object = 0) -> Values:
        """Values by warp and lane; `fill` where no lane of the group is."""
        result: Values = np.full((len(self.present), WARP, *values.shape[1:]), fill, values.dtype)
        result[self.row, self.lane] = values
        return result

    @property
    def bit(self) -> Values:
        return POWERS[self.lane]


def complete(lanes: Lanes, rows: Rows, masks: Values) -> Values:
    """Lanes whose mask names no living lane that is still elsewhere."""
    missing = masks & rows.alive[rows.row] & ~rows.present[rows.row]
    return np.equal(missing, 0)


def check_mask(lanes: Lanes, rows: Rows, masks: Values) -> None:
    """Events for a mask that leaves out its caller, or that names lanes that go another way (and do not just return)."""
    outside = (masks & rows.bit) == 0
    if outside.any():
        lanes.event("warp_mask", lanes.site(int(np.argmax(outside))), None, "the mask leaves out its caller")
    absent = masks & rows.owed[rows.row] & ~rows.present[rows.row]
    if absent.any():
        at = int(np.argmax(absent != 0))
        names = ", ".join(str(i) for i in range(WARP) if int(absent[at]) >> i & 1)
        lanes.event("warp_mask", lanes.site(at), None, f"the mask names lanes that do not arrive: {names}")


def run(
    op: str, lanes: Lanes, rows: Rows, masks: Values, args: list[Values], type_: t.Type, used: Values | None = None
) -> Values:
    """The result of a warp operation, of `type_`, per lane. `args` hold one value per lane; `used` says who reads the
    result, None for all."""
    if op == "activemask":
        return rows.present[rows.row].astype(np.uint32)
    if op.startswith("shfl"):
        return _shuffle(op, lanes, rows, masks, args, used)
    if op in ("ballot", "any", "all"):
        votes = rows.matrix(np.not_equal(args[0], 0), False) @ POWERS
        counted = masks & rows.present[rows.row]
        mine = votes[rows.row] & counted
        if op == "ballot":
            return mine.astype(np.uint32)
        return np.not_equal(mine, 0) if op == "any" else np.equal(mine, counted)
    if op in ("match_any", "match_all"):
        return _match(op, rows, masks, args[0])
    if op.startswith("reduce_"):
        return _reduce(op.removeprefix("reduce_"), rows, masks, args[0], type_)
    raise Unsupported(f"the warp operation {op}")


def _shuffle(op: str, lanes: Lanes, rows: Rows, masks: Values, args: list[Values], used: Values | None) -> Values:
    value, operand = args[0], args[1].astype(np.int64)
    width = args[2].astype(np.int64) if len(args) > 2 else np.full(lanes.count, WARP, np.int64)
    lane, start = rows.lane, rows.lane // width * width
    if op == "shfl_up":
        source = lane - (operand & 31)
        source = np.where(source < start, lane, source)
    elif op == "shfl_down":
        source = lane + (operand & 31)
        source = np.where(source >= start + width, lane, source)
    elif op == "shfl_xor":
        source = lane ^ (operand & 31)
        source = np.where(source >= start + width, lane, source)
    else:
        source = start + (operand & (width - 1))
    source &= 31
    absent = (rows.present[rows.row] >> source.astype(np.uint64)) & np.uint64(1) == 0
    absent |= (masks >> source.astype(np.uint64)) & np.uint64(1) == 0
    missed = absent if used is None else absent & used
    if missed.any():
        at = int(np.argmax(missed))
        lanes.event("warp_mask", lanes.site(at), None, f"{op} reads lane {int(source[at])}, which is not there")
    source = np.where(absent, lane, source)
    return np.asarray(rows.matrix(value)[rows.row, source])


def _match(op: str, rows: Rows, masks: Values, value: Values) -> Values:
    table = rows.matrix(value)[rows.row]
    equal = (table == value[:, None]) @ POWERS & masks & rows.present[rows.row]
    if op == "match_any":
        return values(equal.astype(np.uint32))
    return np.where(equal == (masks & rows.present[rows.row]), equal, np.uint64(0)).astype(np.uint32)


_REDUCERS = {
    "add": np.add, "min": np.minimum, "max": np.maximum,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
}  # fmt: skip


def _reduce(name: str, rows: Rows, masks: Values, value: Values, type_: t.Type) -> Values:
    info = np.iinfo(value.dtype) if value.dtype.kind in "iu" else np.finfo(value.dtype)
    neutral = {"add": 0, "or": 0, "xor": 0, "min": info.max, "max": info.min, "and": -1 if info.min else info.max}
    counted = masks & rows.present[rows.row]
    takes = (counted[:, None] & POWERS) != 0
    table = np.where(takes, rows.matrix(value)[rows.row], value.dtype.type(neutral[name]))
    if isinstance(type_, t.Float):
        return np.asarray(_butterfly(name, table, type_)[np.arange(len(table)), rows.lane])
    return np.asarray(_REDUCERS[name].reduce(table, axis=1, dtype=value.dtype))


def _butterfly(name: str, table: Values, type_: t.Float) -> Values:
    """Numbers of floating point in the order of `cooperative_groups::reduce` (its coalesced_reduce.h): xor 16, 8, 4, 2, 1."""
    for distance in (16, 8, 4, 2, 1):
        other = table[:, np.arange(WARP) ^ distance]
        if name == "add":
            table = rounded(table + other, type_)
        else:
            table = np.where(np.less(other, table) if name == "min" else np.less(table, other), other, table)
    return table


class Rendezvous:
    """Lanes that wait for others of their warp, by position in the code."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.waiting: dict[int, list[Values]] = {}

    def arrive(self, lanes: Lanes) -> Values:
        """All lanes at this position, those that waited included."""
        parts = [*self.waiting.pop(lanes.pc, []), lanes.ids]
        joined: Values = np.sort(np.concatenate(parts)) if len(parts) > 1 else lanes.ids
        return joined

    def wait(self, pc: int, ids: Values) -> None:
        if len(ids):
            self.waiting.setdefault(pc, []).append(ids)

    def first(self) -> tuple[int, Values] | None:
        """The lowest position at which lanes wait, and these lanes; they wait no longer."""
        if not self.waiting:
            return None
        pc = min(self.waiting)
        return pc, np.sort(np.concatenate(self.waiting.pop(pc)))

    def take(self, pc: int) -> Values:
        """The lanes that wait at `pc`; they arrive anew."""
        return np.asarray(np.sort(np.concatenate(self.waiting.pop(pc))))
