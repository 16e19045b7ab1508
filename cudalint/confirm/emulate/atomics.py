"""Atomic read-modify-write on one object: the result of running the lanes one after the other."""

from __future__ import annotations

import numpy as np

from cudalint.confirm.emulate import arithmetic
from cudalint.confirm.emulate.formats import (
    Unsupported,
    Values,
    decode,
    encode,
    from_bytes,
    is_aggregate,
    rounded,
    size_of,
    storage_of,
    to_bytes,
    values,
)
from cudalint.confirm.emulate.inexact import Inexact
from cudalint.confirm.emulate.memory import Allocation
from cudalint.ir import nodes as ir
from cudalint.ir import types as t

_AT = {"add": np.add, "sub": np.subtract, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
_RUNNING = {
    "add": (np.add, np.add), "sub": (np.subtract, np.subtract),
    "min": (np.minimum, np.fmin), "max": (np.maximum, np.fmax),
}  # fmt: skip  # for integers, for floats
_PLAIN = {"and": ir.BinaryOp.AND, "or": ir.BinaryOp.OR, "xor": ir.BinaryOp.XOR}


def combine(op: str, old: Values, args: list[Values], type_: t.Type) -> Values:
    """The value after `op`, per lane."""
    if isinstance(type_, t.Vector):
        return _combine_lanes(op, old, args, type_)
    match op, args:
        case "add", [value]:
            return rounded(np.add(old, value), type_)
        case "sub", [value]:
            return rounded(np.subtract(old, value), type_)
        case "mul", [value]:
            return rounded(np.multiply(old, value), type_)
        case "min", [value]:
            return np.fmin(old, value) if old.dtype.kind == "f" else np.minimum(old, value)
        case "max", [value]:
            return np.fmax(old, value) if old.dtype.kind == "f" else np.maximum(old, value)
        case "inc", [value]:
            return values(np.where(old >= value, old.dtype.type(0), old + old.dtype.type(1)))
        case "dec", [value]:
            return np.where((old == 0) | (old > value), value, old - old.dtype.type(1))
        case (("and" | "or" | "xor"), [value]):
            return arithmetic.binary(_PLAIN[op], old, value, type_)
        case (("exch" | "store"), [value]):
            return value
        case "cas", [expected, value]:
            return np.where(old == expected, value, old)
        case "load", _:
            return old
        case _:
            raise Unsupported(f"the atomic {op}")


def _combine_lanes(op: str, old: Values, args: list[Values], type_: t.Vector) -> Values:
    size = size_of(type_.element)
    columns = []
    for i in range(type_.lanes):
        part = slice(i * size, (i + 1) * size)
        lane = [from_bytes(a[:, part], type_.element) for a in (old, *args)]
        columns.append(to_bytes(combine(op, lane[0], lane[1:], type_.element), type_.element))
    rows = max(len(column) for column in columns)
    return np.concatenate([np.broadcast_to(c, (rows, size)) for c in columns], axis=1)


def apply(
    op: str, allocation: Allocation, positions: Values, args: list[Values], type_: t.Type, *, wanted: bool, backwards: bool
) -> Values | None:  # fmt: skip
    """Runs the atomic for all lanes in order (or backwards). Returns the old values where they are wanted.

    `args` hold one value (or one row) per lane.
    """
    if backwards:
        result = apply(
            op, allocation, positions[::-1], [a[::-1] for a in args], type_, wanted=wanted, backwards=False
        )  # fmt: skip
        return None if result is None else result[::-1]
    if op == "load":
        return np.array(_read(allocation, positions, type_))
    exact = isinstance(type_, t.Int) or (isinstance(type_, t.Float) and type_.format in ("f32", "f64"))
    if op in _AT and exact and not wanted:
        _at(op, allocation, positions, args[0], type_)
        return None
    if op in ("add", "sub") and isinstance(type_, t.Int):
        return _running_sum(allocation, positions, args[0] if op == "add" else np.negative(args[0]), type_)
    if op in _RUNNING and exact:
        return _running(op, allocation, positions, args[0], type_)
    if op in ("exch", "cas") and isinstance(type_, t.Int) and len({arg.dtype for arg in args}) == 1:
        return _swapped(op, allocation, positions, args, type_)
    return _one_by_one(op, allocation, positions, args, type_)


def changes(op: str, old: Values | None, args: list[Values]) -> bool:
    """Whether memory may hold something else than before; `old` is what `apply` returned."""
    if op == "load":
        return False
    if old is None or op not in ("exch", "cas"):
        return True
    stored = old != args[-1] if op == "exch" else (old == args[0]) & (old != args[-1])
    return bool(np.any(stored))


def in_any_order(
    inexact: Inexact, op: str, allocation: Allocation, positions: Values, operand: Values, type_: t.Type
) -> Values:
    """The summand of each lane with the error of a sum that is rounded in any order; others as they are."""
    if op not in ("add", "sub") or not isinstance(type_, t.Float):
        return operand
    unique, inverse = np.unique(positions, return_inverse=True)
    largest = np.abs(np.array(_read(allocation, unique, type_)).astype(np.float64))
    np.add.at(largest, inverse, np.abs(operand.astype(np.float64)))
    return inexact.summand(operand, largest[inverse], type_)


def _read(allocation: Allocation, positions: Values, type_: t.Type) -> Values:
    if is_aggregate(type_):
        return allocation.read_rows(positions, size_of(type_))
    return np.atleast_1d(decode(allocation.read(positions, storage_of(type_)), type_))


def _write(allocation: Allocation, positions: Values, new: Values, type_: t.Type) -> None:
    if is_aggregate(type_):
        allocation.write_rows(positions, new)
    else:
        allocation.write(positions, encode(np.atleast_1d(new), type_))


def _at(op: str, allocation: Allocation, positions: Values, operands: Values, type_: t.Type) -> None:
    unique, inverse = np.unique(positions, return_inverse=True)
    totals = np.array(_read(allocation, unique, type_))
    _AT[op].at(totals, inverse, operands)
    _write(allocation, unique, totals, type_)


def _running_sum(allocation: Allocation, positions: Values, operands: Values, type_: t.Type) -> Values:
    """Each lane gets what is there plus the values of the lanes before it at the same position."""
    order = np.argsort(positions, kind="stable")
    place, value = positions[order], operands[order]
    first = np.concatenate([[True], place[1:] != place[:-1]])
    sums = np.cumsum(value, dtype=value.dtype)
    before = sums - value
    starts = np.flatnonzero(first)
    group = np.cumsum(first) - 1
    there = np.array(_read(allocation, place[starts], type_))
    old = np.empty_like(value)
    old[order] = there[group] + (before - before[starts][group])
    ends = np.concatenate([starts[1:] - 1, [len(place) - 1]])
    _write(allocation, place[starts], there + (sums[ends] - before[starts]), type_)
    return old


def _running(op: str, allocation: Allocation, positions: Values, operands: Values, type_: t.Type) -> Values:
    """Each lane gets what the lanes before it at the same position left there, rounded after each of them."""
    order = np.argsort(positions, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(positions[order]) != 0]))
    unique = positions[order][starts]
    there = np.array(_read(allocation, unique, type_))
    old = np.empty(len(positions), there.dtype)
    left = np.empty_like(there)
    step = _RUNNING[op][there.dtype.kind == "f"]
    for group, members in enumerate(np.split(order, starts[1:])):
        values_there = step.accumulate(np.concatenate([there[group : group + 1], operands[members]]))
        old[members], left[group] = values_there[:-1], values_there[-1]
    _write(allocation, unique, left, type_)
    return old


def _swapped(op: str, allocation: Allocation, positions: Values, args: list[Values], type_: t.Int) -> Values:
    """Exchanges, where they compare and where they do not, in plain numbers: hundreds of lanes spin at one lock."""
    unique, place = np.unique(positions, return_inverse=True)
    there = np.array(_read(allocation, unique, type_))
    if there.dtype != args[0].dtype:
        return _one_by_one(op, allocation, positions, args, type_)
    left, old = there.tolist(), []
    *compared, new = (arg.tolist() for arg in args)
    for at, value, *expected in zip(place.tolist(), new, *compared):
        old.append(left[at])
        if not expected or expected[0] == left[at]:
            left[at] = value
    _write(allocation, unique, np.array(left, there.dtype), type_)
    return np.array(old, there.dtype)


def _one_by_one(op: str, allocation: Allocation, positions: Values, args: list[Values], type_: t.Type) -> Values:
    """All lanes that are alone at their position together, the others in a loop."""
    old = np.array(_read(allocation, positions, type_))
    _, inverse, counts = np.unique(positions, return_inverse=True, return_counts=True)
    alone = counts[inverse] == 1
    if alone.any():
        mine = [a[alone] for a in args]
        _write(allocation, positions[alone], np.asarray(combine(op, old[alone], mine, type_)), type_)
    for i in np.flatnonzero(~alone).tolist():
        here = slice(i, i + 1)
        old[here] = _read(allocation, positions[here], type_)
        _write(allocation, positions[here], combine(op, old[here], [a[here] for a in args], type_), type_)
    return old
