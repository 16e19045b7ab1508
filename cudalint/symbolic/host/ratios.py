"""Floats of the host that are ratios of integers, as long as they are exact: `ceil((float)n / 256)`.

What they are beyond the integers that a format holds is not known, and no rounding is modelled.
"""

from __future__ import annotations

from collections.abc import Callable

from cudalint import ir
from cudalint.ir import BinaryOp
from cudalint.symbolic.host.values import OPAQUE, Ratio, Value
from cudalint.symbolic.solver.lemmas import EXPONENT
from cudalint.term import (
    TRUE,
    Term,
    add,
    apply,
    at_most,
    ceil_quotient,
    conjunction,
    interval,
    is_number,
    multiply,
    negate,
    number,
    quotient,
    subtract,
    truncated_quotient,
)

EXPONENTS = ("frexp second result", "frexpf second result")  # what lowering calls them
_MANTISSA = {"f32": 23, "f64": 52}
_OF_INTEGERS: dict[BinaryOp, Callable[[Term, Term], Term]] = {
    BinaryOp.ADD: add,
    BinaryOp.SUBTRACT: subtract,
    BinaryOp.MULTIPLY: multiply,
}
_ROUND = {"ceil": ceil_quotient, "floor": quotient, "trunc": truncated_quotient}


def exact_float(value: Term, type_: ir.Float) -> Ratio:
    """An integer in a floating type: exact as long as quotients of it round to the right side of integers."""
    limit = number(1 << _MANTISSA.get(type_.format, 7))
    return Ratio(value, number(1), conjunction(at_most(negate(limit), value), at_most(value, limit)))


def ratio_of(op: BinaryOp, left: Ratio, right: Ratio, type_: ir.Type) -> Value:
    """A quotient of two integers, or their sum, difference or product; opaque for anything else."""
    exact = conjunction(left.exact, right.exact)
    if op is BinaryOp.DIVIDE and left.denominator is right.denominator:
        low, _ = interval(right.numerator)
        if low is not None and low > 0:
            return Ratio(left.numerator, right.numerator, exact)
        return Ratio(left.numerator, right.numerator, conjunction(exact, at_most(number(1), right.numerator)))
    if op in _OF_INTEGERS and left.denominator is right.denominator is number(1) and isinstance(type_, ir.Float):
        result = exact_float(_OF_INTEGERS[op](left.numerator, right.numerator), type_)
        if op is BinaryOp.MULTIPLY and result.exact is not TRUE:
            return OPAQUE  # sizes together pass what a format holds in ordinary use, where one alone does not
        return Ratio(result.numerator, result.denominator, conjunction(exact, result.exact))
    return OPAQUE


def rounded(function: str, ratio: Ratio) -> Ratio:
    """`ceil`, `floor` or `trunc` of it."""
    return Ratio(_ROUND[function](ratio.numerator, ratio.denominator), number(1), ratio.exact)


def exponent_of(value: Ratio) -> Term | None:
    """What `frexp(n, &exponent)` sets, for an integer that a float or a double holds exactly, if it is no larger."""
    count = value.numerator
    low, high = interval(count)
    held = (t for t in (ir.F64, ir.F32) if value.exact is TRUE or exact_float(count, t).exact is value.exact)
    format_ = next(held, None)
    if format_ is None or not is_number(value.denominator, 1) or low is None or high is None:
        return None
    most = max(abs(low), abs(high)).bit_length() + 1  # one more, if rounded up
    return apply(f"{EXPONENT}{_MANTISSA[format_.format]}", (count,), 0, most)
