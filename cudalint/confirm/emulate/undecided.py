"""Bits that neither the language nor the device's guide decides: those of what is no number.

0x7fc00000 here, 0x7fffffff on a device: both are NaN        another run leaves 0xffc10101
"""

from __future__ import annotations

import numpy as np

from cudalint.confirm.emulate.formats import Values, values
from cudalint.ir import types as t

_EXPONENTS = {"f16": (16, 10), "bf16": (16, 7), "f32": (32, 23), "f64": (64, 52)}  # bits, bits of the mantissa
_EVERY_BYTE = 0x8001010101010101  # the sign, and a bit of each byte


def nans(raw: Values, leaf: t.Float) -> Values:
    """Which numbers in memory form, or in rows of bytes, are none."""
    if leaf.format not in _EXPONENTS:
        return np.zeros(1, np.bool_)
    bits, mantissa = _EXPONENTS[leaf.format]
    pattern = _patterns(raw, bits)
    sign = 1 << (bits - 1)
    return values(pattern & pattern.dtype.type(sign - 1) > pattern.dtype.type((sign - 1) >> mantissa << mantissa))


def with_other_nans(raw: Values, leaf: t.Float, none: Values) -> Values:
    """The numbers with other bits in each byte of those that are `none`."""
    bits, mantissa = _EXPONENTS[leaf.format]
    pattern = _patterns(raw, bits)
    flipped = _EVERY_BYTE >> (64 - bits) | 1 << (bits - 1) | 1
    other = (pattern ^ pattern.dtype.type(flipped & ((1 << bits) - 1))) | pattern.dtype.type(1 << (mantissa - 1))
    changed = np.where(none, other, pattern)
    return changed.view(np.uint8) if raw.ndim == 2 else changed.view(raw.dtype)[()]


def _patterns(raw: Values, bits: int) -> Values:
    return np.asarray(np.ascontiguousarray(raw).view(f"u{bits // 8}")).reshape(
        raw.shape if raw.ndim < 2 else (len(raw), -1)
    )
