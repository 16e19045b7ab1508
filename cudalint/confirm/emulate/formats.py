"""How values of the IR lie in NumPy arrays and in bytes.

A scalar type has a dtype for computing and one for memory: bf16, tf32 and the 8-bit floats compute in float32 and are
rounded after every step; pointers are uint64. An aggregate (vector, struct, array) is a byte matrix, one row per lane.
A value that is equal in all lanes may be a NumPy scalar (or a matrix of one row).
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from cudalint.ir import types as t

Values: TypeAlias = npt.NDArray[Any]

_FLOATS: dict[str, tuple[str, str]] = {  # format: dtype for computing, dtype in memory
    "f16": ("float16", "float16"),
    "bf16": ("float32", "uint16"),
    "f32": ("float32", "float32"),
    "f64": ("float64", "float64"),
    "tf32": ("float32", "float32"),
    "e4m3": ("float32", "uint8"),
    "e5m2": ("float32", "uint8"),
}


class Unsupported(Exception):
    """A construct that has no meaning here; the run stops when a lane reaches it."""


def values(result: Any) -> Values:
    """What NumPy's stubs call Any, named for what it is."""
    typed: Values = result
    return typed


def is_aggregate(type_: t.Type) -> bool:
    return isinstance(type_, (t.Vector, t.Array, t.Struct))


def size_of(type_: t.Type) -> int:
    """Bytes of one object; raises Unsupported where the code alone does not say."""
    size = t.size_of(type_)
    if size is None:
        raise Unsupported(f"the size of {describe(type_)} is not known")
    return size


def describe(type_: t.Type) -> str:
    return getattr(type_, "name", "") or type(type_).__name__.lower()


def dtype_of(type_: t.Type) -> np.dtype[Any]:
    """The dtype in which values of a scalar type compute."""
    if isinstance(type_, t.Float):
        return np.dtype(_FLOATS[type_.format][0])
    return storage_of(type_) if not isinstance(type_, t.Bool) else np.dtype(np.bool_)


def storage_of(type_: t.Type) -> np.dtype[Any]:
    """The dtype in which a scalar type lies in memory."""
    if isinstance(type_, t.Bool):
        return np.dtype(np.uint8)
    if isinstance(type_, t.Int) and type_.bits in (8, 16, 32, 64):
        return np.dtype(f"{'int' if type_.signed else 'uint'}{type_.bits}")
    if isinstance(type_, t.Float):
        return np.dtype(_FLOATS[type_.format][1])
    if isinstance(type_, t.Pointer) or (isinstance(type_, t.Unknown) and type_.name.endswith(")")):  # to a function
        return np.dtype(np.uint64)
    raise Unsupported(f"a value of type {describe(type_)} has no scalar form")


def decode(raw: Values, type_: t.Type) -> Values:
    """Values for computing from the values that lie in memory."""
    if isinstance(type_, t.Bool):
        return np.not_equal(raw, 0)
    if isinstance(type_, t.Float):
        if type_.format == "bf16":
            return np.left_shift(raw.astype(np.uint32), np.uint32(16)).view(np.float32)
        if type_.format in _SMALL:
            return np.asarray(_SMALL[type_.format][raw])
    return raw


def encode(values: Values, type_: t.Type) -> Values:
    """The inverse of `decode`; values are rounded to the format already."""
    if isinstance(type_, t.Bool):
        return values.astype(np.uint8)
    if isinstance(type_, t.Float):
        if type_.format == "bf16":
            bits = np.right_shift(values.astype(np.float32).view(np.uint32), np.uint32(16))
            return bits.astype(np.uint16)
        if type_.format in _SMALL:
            return _encode_small(values, type_.format)
    return values.astype(storage_of(type_), copy=False)


def rounded(values: Values, type_: t.Type) -> Values:
    """`values` rounded to nearest even in the format of `type_`, where its dtype is wider than the format."""
    if not isinstance(type_, t.Float) or type_.format in ("f16", "f32", "f64"):
        return values
    if values.dtype == np.float64:
        values = _to_odd_float32(values)
    elif values.dtype != np.float32:
        values = values.astype(np.float32)
    if type_.format == "bf16":
        return _round_bits(values, 16)
    if type_.format == "tf32":
        return _round_bits(values, 13)
    return np.asarray(_SMALL[type_.format][_encode_small(values, type_.format)])


def _round_bits(values: Values, drop: int) -> Values:
    """float32 with its lowest `drop` bits rounded away to nearest even; NaN stays a quiet NaN."""
    bits = values.view(np.uint32)
    half = np.uint32((1 << (drop - 1)) - 1)
    odd = np.right_shift(bits, np.uint32(drop)) & np.uint32(1)
    kept = (bits + half + odd) & np.uint32(0xFFFFFFFF ^ ((1 << drop) - 1))
    return np.where(np.isnan(values), np.uint32(0x7FC00000), kept).view(np.float32)


def _to_odd_float32(values: Values) -> Values:
    """float64 to float32 with rounding to odd, so that a second rounding gives the same as a single one."""
    near = values.astype(np.float32)
    away = np.abs(near.astype(np.float64)) > np.abs(values)
    cut = np.where(away, np.nextafter(near, np.float32(0)), near).astype(np.float32)
    inexact = (cut.astype(np.float64) != values) & np.isfinite(values)
    return np.where(inexact, cut.view(np.uint32) | np.uint32(1), cut.view(np.uint32)).view(np.float32)


def _small_table(exponent_bits: int, mantissa_bits: int, bias: int, infinities: bool) -> Values:
    table = np.zeros(256, np.float32)
    for code in range(256):
        exponent = (code & 0x7F) >> mantissa_bits
        mantissa = code & ((1 << mantissa_bits) - 1)
        if exponent == 0:
            value = mantissa * 2.0 ** (1 - bias - mantissa_bits)
        else:
            value = (1 + mantissa / (1 << mantissa_bits)) * 2.0 ** (exponent - bias)
        if infinities and exponent == (1 << exponent_bits) - 1:
            value = float("nan") if mantissa else float("inf")
        if not infinities and (code & 0x7F) == 0x7F:
            value = float("nan")
        table[code] = -value if code & 0x80 else value
    return table


_SMALL: dict[str, Values] = {"e4m3": _small_table(4, 3, 7, False), "e5m2": _small_table(5, 2, 15, True)}
_SMALL_MAX = {"e4m3": 0x7E, "e5m2": 0x7B}  # conversions saturate to the largest finite value, as CUDA's do by default


def _encode_small(values: Values, format_: str) -> Values:
    """Codes of the nearest values (ties to even), saturating; NaN is 0x7F."""
    largest = _SMALL_MAX[format_]
    ladder = _SMALL[format_][: largest + 1].astype(np.float64)
    size = np.abs(np.asarray(values, np.float64))
    above = np.clip(np.searchsorted(ladder, size), 1, largest)
    low, high = ladder[above - 1], ladder[above]
    up = (size - low > high - size) | ((size - low == high - size) & (above % 2 == 0))
    code = np.where(up, above, above - 1) | np.where(np.signbit(values), 0x80, 0)
    return np.where(np.isnan(values), 0x7F, code).astype(np.uint8)


def to_bytes(values: Values, type_: t.Type) -> npt.NDArray[np.uint8]:
    """A byte matrix with one row per value (one row for a value equal in all lanes)."""
    if is_aggregate(type_):
        return values
    raw = np.ascontiguousarray(np.atleast_1d(encode(values, type_)))
    return raw.view(np.uint8).reshape(len(raw), -1)


def from_bytes(rows: npt.NDArray[np.uint8], type_: t.Type) -> Values:
    """Values from a byte matrix whose rows have the size of `type_`."""
    if is_aggregate(type_):
        return rows
    raw = np.ascontiguousarray(rows).view(storage_of(type_))[:, 0]
    return decode(raw[0] if len(raw) == 1 else raw, type_)
