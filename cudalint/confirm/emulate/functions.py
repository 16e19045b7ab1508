"""The pure functions that `Math` names, on NumPy arrays.

Basic operations (sqrt, fma, rounding, integer intrinsics) are exact in the format of their operands; transcendental
functions are NumPy's, correct to a few units in the last place and not bit-equal to the device.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np

from cudalint.confirm.emulate import arithmetic
from cudalint.confirm.emulate.formats import Values, dtype_of, rounded, values
from cudalint.ir import types as t


def call(name: str, args: list[Values], sources: list[t.Type], type_: t.Type) -> Values | None:
    """The value of `name(args)` in `type_`, or None for a name that is not in the table."""
    function = lookup(name)
    if function is None:
        return None
    if isinstance(type_, t.Float) and not any(isinstance(s, t.Float) for s in sources):
        args = [a.astype(dtype_of(type_)) for a in args]  # sqrt(int)
    result = function(*args)
    if isinstance(type_, t.Bool):
        return np.not_equal(result, 0)
    if isinstance(type_, t.Int) and result.dtype.kind == "f":
        return arithmetic.convert(result, _float_of(result), type_)
    return rounded(result.astype(dtype_of(type_), copy=False), type_)


def part_of(name: str) -> Callable[[Values], Values] | None:
    """One of both results of `frexp` or `modf`, as the front end names them; they are exact."""
    function, _, rest = name.partition(" ")
    return _PARTS.get((function, rest == "second result"))


def lookup(name: str) -> Callable[..., Values] | None:
    """The function called `name`; namespaces, intrinsic underscores and precision suffixes are forgiven."""
    base = name.rsplit("::", 1)[-1].lstrip("_").lower().removeprefix("fast_")
    for candidate in (base, base.removesuffix("f"), base.removesuffix("ll"), base.split("_")[0]):
        if candidate in _TABLE:
            return _TABLE[candidate]
    return None


def _float_of(values: Values) -> t.Type:
    return {2: t.F16, 4: t.F32, 8: t.F64}[values.dtype.itemsize]


def _unsigned(values: Values) -> Values:
    return values.view(np.dtype(f"uint{8 * values.dtype.itemsize}"))


# --- floating point --------------------------------------------------------------------------------------------------


def _in_double(function: Callable[..., Any]) -> Callable[..., Values]:
    """`function` evaluated in double and rounded once."""

    def apply(*args: Values) -> Values:
        return np.asarray(function(*(a.astype(np.float64) for a in args))).astype(args[0].dtype)[()]

    return apply


def _per_value(function: Callable[[float], float]) -> Callable[..., Values]:
    """A function of the math module, called value by value."""

    def one(value: float) -> float:
        try:
            return function(value)
        except (ValueError, OverflowError):
            return math.inf if value > 0 else math.nan

    return _in_double(np.vectorize(one, otypes=[np.float64]))


def _fma(a: Values, b: Values, c: Values) -> Values:
    """a*b + c with one rounding: exact in double for f16; for f32 by rounding to odd; for f64 by exact splitting."""
    if a.dtype.itemsize <= 4:
        product = a.astype(np.float64) * b.astype(np.float64)
        return _sum_to_odd(product, c.astype(np.float64)).astype(a.dtype)[()]
    high, low = _two_product(a, b)
    total, error = _two_sum(high, c)
    return np.where(np.isfinite(low) & np.isfinite(error), total + (error + low), a * b + c)[()]


def _sum_to_odd(a: Values, b: Values) -> Values:
    """a + b in double with the last bit set where the sum is inexact (Boldo and Melquiond 2008)."""
    total, error = _two_sum(a, b)
    even = (np.asarray(total).view(np.int64) & 1) == 0
    inexact = (error != 0) & np.isfinite(total) & np.isfinite(error)
    towards = np.where(np.signbit(error) == np.signbit(total), np.inf, -np.inf) * np.where(np.signbit(total), -1, 1)
    return np.where(inexact & even, np.nextafter(total, towards), total)


def _two_sum(a: Values, b: Values) -> tuple[Values, Values]:
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _two_product(a: Values, b: Values) -> tuple[Values, Values]:
    """a*b as an unevaluated sum of two doubles (Dekker 1971)."""

    def split(x: Values) -> tuple[Values, Values]:
        scaled = x * 134217729.0
        high = scaled - (scaled - x)
        return high, x - high

    product = a * b
    (ah, al), (bh, bl) = split(a), split(b)
    return product, ((ah * bh - product) + ah * bl + al * bh) + al * bl


def _minimum(a: Values, b: Values) -> Values:
    return np.fmin(a, b) if a.dtype.kind == "f" else np.minimum(a, b)


def _maximum(a: Values, b: Values) -> Values:
    return np.fmax(a, b) if a.dtype.kind == "f" else np.maximum(a, b)


def _round_away(a: Values) -> Values:
    """Halves away from zero, as C's round; what becomes zero keeps its sign."""
    whole = np.trunc(a)
    step = np.where(np.abs(a - whole) >= 0.5, np.copysign(a.dtype.type(1), a), a.dtype.type(0))
    return values(np.copysign(whole + step.astype(a.dtype), a))


def _absolute(a: Values) -> Values:
    return a if a.dtype.kind in "ub" else np.abs(a)


def _flush(a: Values) -> Values:
    """Subnormal numbers become zeros of their sign."""
    return np.where(np.abs(a) < np.finfo(a.dtype).tiny, np.copysign(a.dtype.type(0), a), a)


def _ldexp(a: Values, exponent: Values) -> Values:
    return np.ldexp(a, np.clip(exponent, -5000, 5000).astype(np.int32))


def _inverse_normal(share: float) -> float:
    if share in (0.0, 1.0):
        return math.inf if share else -math.inf
    return NormalDist().inv_cdf(share)


# --- integers --------------------------------------------------------------------------------------------------------


def _multiply_high(a: Values, b: Values) -> Values:
    bits = 8 * a.dtype.itemsize
    if bits < 64:
        wide = np.int64 if a.dtype.kind == "i" else np.uint64
        return np.right_shift(a.astype(wide) * b.astype(wide), wide(bits)).astype(a.dtype)
    high = _unsigned_high(_unsigned(a), _unsigned(b))
    if a.dtype.kind == "i":
        zero = np.uint64(0)
        high = high - np.where(np.less(a, 0), _unsigned(b), zero) - np.where(np.less(b, 0), _unsigned(a), zero)
    return high.view(a.dtype)


def _unsigned_high(a: Values, b: Values) -> Values:
    mask, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    ah, al, bh, bl = a >> shift, a & mask, b >> shift, b & mask
    middle = ah * bl + ((al * bl) >> shift)
    return values(ah * bh + (middle >> shift) + ((al * bh + (middle & mask)) >> shift))


def _population(a: Values) -> Values:
    return np.bitwise_count(_unsigned(a)).astype(np.int32)


def _bit_length(a: Values) -> Values:
    bits = _unsigned(a).astype(np.uint64)
    for step in (1, 2, 4, 8, 16, 32):
        bits = bits | (bits >> np.uint64(step))
    return np.bitwise_count(bits).astype(np.int32)


def _leading_zeros(a: Values) -> Values:
    return np.int32(8 * a.dtype.itemsize) - _bit_length(a)


def _first_set(a: Values) -> Values:
    bits = _unsigned(a)
    return np.where(np.equal(bits, 0), 0, _bit_length(bits & (~bits + bits.dtype.type(1)))).astype(np.int32)


def _reverse_bits(a: Values) -> Values:
    bits = _unsigned(a)
    result = np.zeros_like(bits)
    one = bits.dtype.type(1)
    for _ in range(8 * bits.dtype.itemsize):
        result, bits = (result << one) | (bits & one), bits >> one
    return result.view(a.dtype)


def _byte_permute(a: Values, b: Values, selector: Values) -> Values:
    pool = _unsigned(a).astype(np.uint64) | (_unsigned(b).astype(np.uint64) << np.uint64(32))
    result = np.zeros_like(pool)
    for i in range(4):
        pick = (selector.astype(np.uint64) >> np.uint64(4 * i)) & np.uint64(7)
        result = result | (((pool >> (pick * np.uint64(8))) & np.uint64(0xFF)) << np.uint64(8 * i))
    return result.astype(np.uint32)


def _funnel_left(low: Values, high: Values, shift: Values) -> Values:
    return values((_joined(low, high) << (shift.astype(np.uint64) & np.uint64(31)) >> np.uint64(32)).astype(np.uint32))


def _funnel_right(low: Values, high: Values, shift: Values) -> Values:
    return values((_joined(low, high) >> (shift.astype(np.uint64) & np.uint64(31))).astype(np.uint32))


def _joined(low: Values, high: Values) -> Values:
    return _unsigned(low).astype(np.uint64) | (_unsigned(high).astype(np.uint64) << np.uint64(32))


def _dot4(a: Values, b: Values, c: Values) -> Values:
    total = c.astype(np.int64)
    for i in range(4):
        parts = [
            (_unsigned(v) >> np.uint32(8 * i)).astype(np.int8 if v.dtype.kind == "i" else np.uint8) for v in (a, b)
        ]
        total = total + parts[0].astype(np.int64) * parts[1].astype(np.int64)
    return total.astype(c.dtype)


def _multiply24(a: Values, b: Values) -> Values:
    eight = a.dtype.type(8)
    return values(((a << eight) >> eight) * ((b << eight) >> eight))


_PARTS: dict[tuple[str, bool], Callable[[Values], Values]] = {
    **{(name, False): lambda a: np.frexp(a)[0] for name in ("frexp", "frexpf")},
    **{(name, True): lambda a: np.frexp(a)[1] for name in ("frexp", "frexpf")},
    **{(name, False): lambda a: np.modf(a)[0] for name in ("modf", "modff")},
    **{(name, True): lambda a: np.modf(a)[1] for name in ("modf", "modff")},
}
_TABLE: dict[str, Callable[..., Values]] = {
    "sqrt": np.sqrt,
    "rsqrt": _in_double(lambda a: 1 / np.sqrt(a)),
    "cbrt": _in_double(np.cbrt),
    "rcbrt": _in_double(lambda a: 1 / np.cbrt(a)),
    "logb": _in_double(lambda a: np.floor(np.log2(np.abs(a)))),
    "ilogb": lambda a: np.frexp(a)[1] - 1,
    "nextafter": np.nextafter,
    "rhypot": _in_double(lambda a, b: 1 / np.hypot(a, b)),
    "norm3d": _in_double(lambda a, b, c: np.sqrt(a * a + b * b + c * c)),
    "norm4d": _in_double(lambda a, b, c, d: np.sqrt(a * a + b * b + c * c + d * d)),
    "rnorm3d": _in_double(lambda a, b, c: 1 / np.sqrt(a * a + b * b + c * c)),
    "erfinv": _per_value(lambda a: _inverse_normal((a + 1) / 2) / math.sqrt(2)),
    "normcdfinv": _per_value(lambda a: _inverse_normal(a)),
    "rcp": lambda a: np.divide(a.dtype.type(1), a),
    "frcp": lambda a: np.divide(a.dtype.type(1), a),
    "exp": _in_double(np.exp),
    "exp2": _in_double(np.exp2),
    "exp10": _in_double(lambda a: np.power(10.0, a)),
    "expm1": _in_double(np.expm1),
    "log": _in_double(np.log),
    "log2": _in_double(np.log2),
    "log10": _in_double(np.log10),
    "log1p": _in_double(np.log1p),
    "sin": _in_double(np.sin),
    "cos": _in_double(np.cos),
    "tan": _in_double(np.tan),
    "sinpi": _in_double(lambda a: np.sin(np.pi * np.fmod(a, 2))),
    "cospi": _in_double(lambda a: np.cos(np.pi * np.fmod(a, 2))),
    "asin": _in_double(np.arcsin),
    "acos": _in_double(np.arccos),
    "atan": _in_double(np.arctan),
    "atan2": _in_double(np.arctan2),
    "sinh": _in_double(np.sinh),
    "cosh": _in_double(np.cosh),
    "tanh": _in_double(np.tanh),
    "asinh": _in_double(np.arcsinh),
    "acosh": _in_double(np.arccosh),
    "atanh": _in_double(np.arctanh),
    "pow": _in_double(np.power),
    "powi": _in_double(np.power),
    "hypot": _in_double(np.hypot),
    "erf": _per_value(math.erf),
    "erfc": _per_value(math.erfc),
    "normcdf": _per_value(lambda a: 0.5 * math.erfc(-a / math.sqrt(2))),
    "lgamma": _per_value(math.lgamma),
    "tgamma": _per_value(math.gamma),
    "fma": _fma,
    "fmaf": _fma,
    "add": np.add,
    "sum_in_any_order": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "fdivide": np.divide,
    "fdividef": np.divide,
    "neg": np.negative,
    "min": _minimum,
    "fmin": _minimum,
    "max": _maximum,
    "fmax": _maximum,
    "umin": _minimum,
    "umax": _maximum,
    "fdim": lambda a, b: np.where(a <= b, a.dtype.type(0), a - b),
    "abs": _absolute,
    "labs": _absolute,
    "llabs": _absolute,
    "fabs": np.fabs,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "nearbyint": np.rint,
    "round": _round_away,
    "lrint": np.rint,
    "llrint": np.rint,
    "lround": _round_away,
    "llround": _round_away,
    "fmod": np.fmod,
    "copysign": np.copysign,
    "flush": _flush,
    "ldexp": _ldexp,
    "scalbn": _ldexp,
    "saturate": lambda a: np.where(np.isnan(a), a.dtype.type(0), np.clip(a, a.dtype.type(0), a.dtype.type(1))),
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "finite": np.isfinite,
    "signbit": np.signbit,
    "mulhi": _multiply_high,
    "umulhi": _multiply_high,
    "mul64hi": _multiply_high,
    "umul64hi": _multiply_high,
    "mul24": _multiply24,
    "umul24": _multiply24,
    "popc": _population,
    "clz": _leading_zeros,
    "ffs": _first_set,
    "brev": _reverse_bits,
    "byte_perm": _byte_permute,
    "funnelshift_l": _funnel_left,
    "funnelshift_r": _funnel_right,
    "dp4a": _dot4,
    "sad": lambda a, b, c: (np.abs(a.astype(np.int64) - b.astype(np.int64)) + c.astype(np.int64)).astype(c.dtype),
    "hadd": lambda a, b: ((a.astype(np.int64) + b.astype(np.int64)) >> np.int64(1)).astype(a.dtype),
    "rhadd": lambda a, b: ((a.astype(np.int64) + b.astype(np.int64) + 1) >> np.int64(1)).astype(a.dtype),
}
