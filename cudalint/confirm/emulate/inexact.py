"""Results of functions that a device need not round correctly, and of atomic sums in any order, off by the largest error.

Runs that are off by all of it, up, down and with drawn signs, show how far the errors reach: an element
that they leave alone depends on none. Behind a value that is off, operations that are rounded once round to another side: runs
that know what lies `behind` functions are off there by a unit too. Bounds are those of the CUDA programming guide (mathematical
functions, standard and intrinsic; where its editions differ, the larger) and of the PTX ISA (`.approx`). Halves compute in
single precision and are rounded once more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cudalint.confirm.emulate.formats import Values
from cudalint.ir import nodes as ir
from cudalint.ir import types as t
from cudalint.ir.walk import expressions

_UP, _DOWN = 0, 1
_MANTISSA = {"f16": 10, "bf16": 7, "tf32": 10, "e4m3": 3, "e5m2": 2}
_SMALLEST = {"f16": -24, "bf16": -133, "tf32": -136, "e4m3": -9, "e5m2": -16}

SINGLE: dict[str, float] = {
    "rsqrt": 2, "cbrt": 1, "rcbrt": 1, "hypot": 3, "rhypot": 2, "norm3d": 3, "rnorm3d": 2, "norm4d": 3, "rnorm4d": 2,
    "exp": 2, "exp2": 2, "exp10": 2, "expm1": 1, "log": 1, "log2": 1, "log10": 2, "log1p": 1, "sin": 2, "cos": 2,
    "tan": 4, "sinpi": 2, "cospi": 2, "asin": 4, "acos": 3, "atan": 2, "atan2": 3, "sinh": 3, "cosh": 2, "tanh": 2,
    "asinh": 3, "acosh": 4, "atanh": 3, "pow": 9, "powi": 9, "erf": 2, "erfc": 6, "erfinv": 3, "erfcinv": 7, "erfcx": 6,
    "normcdf": 6, "normcdfinv": 5, "lgamma": 6, "tgamma": 11,
    "fast_div": 2, "fast_exp": 2, "fast_exp10": 2, "fast_log": 3, "fast_log2": 2, "fast_log10": 3, "fast_exp2": 2,
    "fast_rcp": 1, "fast_sqrt": 2, "fast_rsqrt": 2,
}  # fmt: skip
DOUBLE: dict[str, float] = {
    "rsqrt": 1, "cbrt": 1, "rcbrt": 1, "hypot": 2, "rhypot": 1, "norm3d": 1, "rnorm3d": 1, "norm4d": 1, "rnorm4d": 1,
    "exp": 1, "exp2": 1, "exp10": 1, "expm1": 1, "log": 1, "log2": 1, "log10": 1, "log1p": 1, "sin": 2, "cos": 2,
    "tan": 2, "sinpi": 2, "cospi": 2, "asin": 2, "acos": 2, "atan": 2, "atan2": 2, "sinh": 2, "cosh": 1, "tanh": 2,
    "asinh": 3, "acosh": 3, "atanh": 2, "pow": 2, "powi": 2, "erf": 2, "erfc": 5, "erfinv": 5, "erfcinv": 6, "erfcx": 4,
    "normcdf": 5, "normcdfinv": 8, "lgamma": 4, "tgamma": 10,
}  # fmt: skip
_BY_ARGUMENT = {"fast_exp": 1.173, "fast_exp10": 2.97}  # further ulps per unit of |x|
_RELATIVE = {"fast_tanh": 2**-10.987}
_ABSOLUTE = {"fast_sin": 2**-21.41, "fast_cos": 2**-21.19}
_NEAR_ONE = {"fast_log": 2**-21.41, "fast_log2": 2**-22, "fast_log10": 2**-24}  # absolute, for x in [0.5, 2]
_ROUNDED = re.compile(r"^_*(sqrt|fma|add|sub|mul|div|fdim)f?$")
HALF_QUOTIENT = "half_div"
SUM_IN_ANY_ORDER = "sum_in_any_order"  # an addition of a sum whose order nobody promises


@dataclass(frozen=True, slots=True)
class Inexact:
    """Every bounded result off by its bound: run 0 upwards, run 1 downwards, the others by signs drawn from its bits.

    `behind`: names of the registers that functions move, by function; roundings of what is made of them are off too.
    """

    number: int
    behind: Mapping[str, frozenset[str]] | None = None

    def rounding(self, exact: Values, result: Values, type_: t.Float) -> Values:
        """The result, off where `exact` in double was rounded to it: by the half unit here and another on the device."""
        wide = result.astype(np.float64)
        moved = wide + self._signs(result) * unit_in_last_place(wide, type_)
        return np.where(np.isfinite(wide) & (exact != wide), moved, wide).astype(result.dtype)[()]

    def __call__(self, name: str, args: list[Values], result: Values, type_: t.Type) -> Values:
        if not isinstance(type_, t.Float) or not is_bounded(name, type_):
            return result
        wide = result.astype(np.float64)
        moved = wide + self._signs(result) * _largest_error(name, args, wide, type_)
        return np.where(np.isfinite(wide), moved, wide).astype(result.dtype)[()]

    def summand(self, value: Values, largest: Values, type_: t.Float) -> Values:
        """A summand of an atomic sum, off by what an addition rounds away in any order: a unit of the largest partial sum."""
        moved = value.astype(np.float64) + self._signs(value) * unit_in_last_place(largest, type_)
        return np.where(np.isfinite(moved), moved, value).astype(value.dtype)[()]

    def _signs(self, result: Values) -> Values:
        if self.number in (_UP, _DOWN):
            return np.float64(1 - 2 * self.number)  # type: ignore[return-value]
        bits = np.ascontiguousarray(result).astype(np.float64).view(np.uint64) + np.uint64(self.number)
        mixed = (bits ^ (bits >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)
        return np.asarray(np.where(mixed >> np.uint64(63), 1.0, -1.0)).reshape(np.shape(result))


def is_bounded(name: str, type_: t.Type) -> bool:
    """Whether the guide bounds the function's error in this format."""
    if not isinstance(type_, t.Float):
        return False
    if name == SUM_IN_ANY_ORDER:
        return True
    if type_.format == "f64":
        return name in DOUBLE
    if any(name in table for table in (SINGLE, _ABSOLUTE, _RELATIVE)):
        return True
    return name in (HALF_QUOTIENT, "rcp") and type_.format != "f32"


def moves(expr: ir.Expr, registers: frozenset[str]) -> bool:
    """A function with an error, or a register that one moved, enters the value."""
    return any(e.name in registers if isinstance(e, ir.Var) else _has_error(e) for e in expressions(expr))


def rounds_elsewhere(expr: ir.Expr, moved: frozenset[str] | None) -> bool:
    """A function moves the value, which is rounded to another side then; what doubles round is not followed."""
    leaf = expr.type.element if isinstance(expr.type, t.Vector) else expr.type
    single = isinstance(leaf, t.Float) and leaf.format in ("f32", "f16", "bf16")
    return single and moved is not None and moves(expr, moved)


def is_rounded(name: str) -> bool:
    """A function that is an operation, rounded once; minimum, floor and such give one of few numbers exactly."""
    return _ROUNDED.match(name) is not None


def _has_error(expr: ir.Expr) -> bool:
    leaf = expr.type.element if isinstance(expr.type, t.Vector) else expr.type
    if isinstance(expr, ir.Binary):
        return expr.op is ir.BinaryOp.DIVIDE and is_bounded(HALF_QUOTIENT, leaf)
    return isinstance(expr, ir.Math) and is_bounded(expr.name, leaf)


def _largest_error(name: str, args: list[Values], result: Values, type_: t.Float) -> Values:
    if name == SUM_IN_ANY_ORDER:
        return unit_in_last_place(np.maximum(np.abs(result), sum(np.abs(a.astype(np.float64)) for a in args)), type_)
    if type_.format != "f32":
        bound = np.float64(DOUBLE[name] if type_.format == "f64" else 1)
        return np.multiply(bound, unit_in_last_place(result, type_))
    if name in _ABSOLUTE:
        return np.float64(_ABSOLUTE[name])  # type: ignore[return-value]
    if name in _RELATIVE:
        return np.multiply(_RELATIVE[name], np.abs(result))
    argument = np.abs(args[0].astype(np.float64))
    ulps = SINGLE[name] + np.floor(_BY_ARGUMENT.get(name, 0.0) * np.where(np.isfinite(argument), argument, 0.0))
    error = np.multiply(ulps, unit_in_last_place(result, type_))
    if name in _NEAR_ONE:
        error = np.where((argument >= 0.5) & (argument <= 2), np.maximum(error, _NEAR_ONE[name]), error)
    return error


def unit_in_last_place(result: Values, type_: t.Float) -> Values:
    """The distance to the next larger number of the format, as a double."""
    if type_.format in ("f32", "f64"):
        narrow = np.abs(result).astype({"f32": np.float32, "f64": np.float64}[type_.format])
        return np.asarray(np.spacing(narrow), np.float64)
    exponent = np.frexp(np.abs(result))[1] - 1 - _MANTISSA[type_.format]
    return np.asarray(np.ldexp(1.0, np.maximum(exponent, _SMALLEST[type_.format]).astype(np.int32)), np.float64)
