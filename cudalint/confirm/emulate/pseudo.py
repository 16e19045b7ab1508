"""Values of what has no model: the same ones for the same arguments, so that a run can go on and be repeated."""

from __future__ import annotations

import zlib

import numpy as np

from cudalint.confirm.emulate import arithmetic
from cudalint.confirm.emulate.formats import Values, encode, is_aggregate, size_of, values
from cudalint.ir import types as t


def pseudo_value(reason: str, args: list[Values], type_: t.Type) -> Values:
    """A value that depends on nothing but `reason` and the bytes of the arguments: small integers, floats in [0, 1)."""
    state: Values = np.full(1, zlib.crc32(reason.encode()), np.uint64)
    for rows in args:
        for column in range(rows.shape[1]):
            state = (state ^ rows[:, column]) * np.uint64(0x100000001B3)
            state = state ^ (state >> np.uint64(29))
    if is_aggregate(type_):
        columns = np.arange(size_of(type_), dtype=np.uint64)
        return values(((state[:, None] >> (columns % np.uint64(8))) & np.uint64(0x3F)).astype(np.uint8))
    small = state % np.uint64(128)
    if isinstance(type_, t.Float):
        result = arithmetic.convert((small.astype(np.float32) / np.float32(128)), t.F32, type_)
    else:
        result = small.astype(encode(small[:0], type_).dtype if not isinstance(type_, t.Bool) else np.bool_)
    return result[0] if len(result) == 1 else result
