"""C's integer operations as Terms (SEMANTICS 1 and 2): values wrap modulo 2^n where intervals do not exclude it.

Bit operations become division, remainder and sums where one side is a constant mask or shift; what is left is an
uninterpreted function of its arguments with a range.
"""

from __future__ import annotations

from cudalint import ir
from cudalint.ir import BinaryOp
from cudalint.term import (
    BITWISE,
    LARGEST_EXPONENT,
    POWER_OF_TWO,
    Number,
    Sum,
    Term,
    add,
    apply,
    at_most,
    ceil_quotient,
    choice,
    conjunction,
    disjunction,
    equal,
    free_symbols,
    interval,
    is_number,
    is_truth,
    less,
    maximum,
    minimum,
    multiply,
    negation,
    number,
    quotient,
    remainder,
    scale,
    subtract,
    truncated_quotient,
    truncated_remainder,
    wrapped,
)

_LARGEST_SHIFT = LARGEST_EXPONENT


def as_integer(value: Term) -> Term:
    """A truth as 0 or 1; an integer as it is."""
    return choice_integer(value) if is_truth(value) else value


def choice_integer(cond: Term) -> Term:
    from cudalint.term import FALSE, TRUE

    if cond is TRUE:
        return number(1)
    if cond is FALSE:
        return number(0)
    return choice(cond, number(1), number(0))


def as_truth(value: Term) -> Term:
    """C's conversion to bool."""
    return value if is_truth(value) else negation(equal(value, number(0)))


def convert(value: Term, type_: ir.Type) -> Term:
    """The C value of an integer conversion."""
    if isinstance(type_, ir.Bool):
        return as_truth(value)
    value = as_integer(value)
    if type_ == ir.UINT8 and _is_signed_byte(value):
        return remainder(value, number(256))  # a character as the byte that it is: nothing is lost
    if isinstance(type_, ir.Int):
        return wrapped(value, type_.bits, type_.signed)
    return value


def _is_signed_byte(value: Term) -> bool:
    low, high = interval(value)
    return low is not None and high is not None and low >= -128 and high <= 127


def compare(op: BinaryOp, a: Term, b: Term) -> Term | None:
    """The truth of a comparison of integers or truths."""
    if op is BinaryOp.EQUAL:
        return equal(a, b) if is_truth(a) == is_truth(b) else equal(as_integer(a), as_integer(b))
    if op is BinaryOp.NOT_EQUAL:
        same = compare(BinaryOp.EQUAL, a, b)
        return None if same is None else negation(same)
    a, b = as_integer(a), as_integer(b)
    if op is BinaryOp.LESS:
        return less(a, b)
    if op is BinaryOp.LESS_EQUAL:
        return at_most(a, b)
    if op is BinaryOp.GREATER:
        return less(b, a)
    if op is BinaryOp.GREATER_EQUAL:
        return at_most(b, a)
    return None


def arithmetic(op: BinaryOp, a: Term, b: Term, type_: ir.Int) -> Term:
    """The C value of an arithmetic or bit operation in an integer type."""
    a, b = as_integer(a), as_integer(b)
    if op is BinaryOp.ADD:
        return wrapped(add(a, b), type_.bits, type_.signed)
    if op is BinaryOp.SUBTRACT:
        return wrapped(subtract(a, b), type_.bits, type_.signed)
    if op is BinaryOp.MULTIPLY:
        return wrapped(multiply(a, b), type_.bits, type_.signed)
    if op is BinaryOp.DIVIDE:
        return wrapped(truncated_quotient(a, b), type_.bits, type_.signed)
    if op is BinaryOp.REMAINDER:
        return wrapped(truncated_remainder(a, b), type_.bits, type_.signed)
    if op is BinaryOp.SHIFT_LEFT:
        return wrapped(_shift_left(a, b), type_.bits, type_.signed)
    if op is BinaryOp.SHIFT_RIGHT:
        return _shift_right(a, b, type_)
    return _bitwise(op, a, b, type_)


def power_of_two(exponent: Term) -> Term:
    """2^exponent with its range; an unknown exponent gives an uninterpreted function."""
    low, high = interval(exponent)
    if low is not None and high is not None and 0 <= low <= high <= _LARGEST_SHIFT and high - low <= 12:
        result = number(1 << high)
        for value in range(high - 1, low - 1, -1):
            result = choice(at_most(exponent, number(value)), number(1 << value), result)
        return result
    high_power = 1 << (high if high is not None and 0 <= high <= _LARGEST_SHIFT else _LARGEST_SHIFT)
    return apply(POWER_OF_TWO, (exponent,), 1, high_power)


def _shift_left(a: Term, b: Term) -> Term:
    return multiply(a, power_of_two(b))


def _shift_right(a: Term, b: Term, type_: ir.Int) -> Term:
    return wrapped(quotient(a, power_of_two(b)), type_.bits, type_.signed)


def _bitwise(op: BinaryOp, a: Term, b: Term, type_: ir.Int) -> Term:
    if isinstance(a, Number) and not isinstance(b, Number):
        a, b = b, a
    if isinstance(a, Number) and isinstance(b, Number):
        return number(BITWISE[f"bits {op.value}"](a.value, b.value))
    if isinstance(b, Number):
        masked = _with_constant(op, a, b.value, type_)
        if masked is not None:
            return masked
    if op is BinaryOp.AND:
        masked = _with_power_minus_one(a, b) or _with_power_minus_one(b, a)
        if masked is not None:
            return masked
    if op in (BinaryOp.OR, BinaryOp.XOR) and (_is_above(a, b) or _is_above(b, a)):
        return add(a, b)
    if op is BinaryOp.XOR:
        swizzled = _in_window(a, b, type_) or _in_window(b, a, type_)
        if swizzled is not None:
            return swizzled
    return _unknown_bits(op, a, b, type_)


def _is_above(a: Term, b: Term) -> bool:
    """Whether all bits of `a` are above all those of `b`, which is not negative."""
    low, high = interval(b)
    if low is None or high is None or low < 0:
        return False
    step = 1 << high.bit_length()
    factors = [factor for _, factor in a.monomials] + [a.constant] if isinstance(a, Sum) else []
    return bool(factors) and all(factor % step == 0 for factor in factors)


def _in_window(a: Term, b: Term, type_: ir.Int) -> Term | None:
    """`a ^ b` changes those bits of `a` alone that `b` may have: the others stand beside them as digits of their own.

    a ^ ((a >> 3) & 0x70)      128 * (a / 128) + 16 * ((a / 16 % 8) ^ (a / 128 % 8)) + a % 16

    None where that are all bits of `a`, where a side may be negative, and of sides that have nothing to do with each other.
    """
    (low, high), (least, most) = interval(a), interval(b)
    if isinstance(b, Number) or low is None or least is None or most is None or min(low, least) < 0 or most <= 0:
        return None
    unit, end = _lowest_bit(b), 1 << most.bit_length()
    alone = free_symbols(a).isdisjoint(free_symbols(b))  # a partner `t ^ j`, of which other lemmas speak
    if unit == 1 and (alone or (high is not None and high < end)):
        return None
    middle = remainder(quotient(a, number(unit)), number(end // unit))
    changed = _unknown_bits(BinaryOp.XOR, middle, quotient(b, number(unit)), type_)
    return add(scale(quotient(a, number(end)), end), scale(changed, unit), remainder(a, number(unit)))


def _lowest_bit(term: Term) -> int:
    """The largest power of two that divides the term by its form."""
    factors = [factor for _, factor in term.monomials] + [term.constant] if isinstance(term, Sum) else [1]
    return min(factor & -factor for factor in factors if factor)


def _with_constant(op: BinaryOp, a: Term, mask: int, type_: ir.Int) -> Term | None:
    low, high = interval(a)
    if op is BinaryOp.AND:
        if mask >= 0 and (mask & (mask + 1)) == 0:
            return remainder(a, number(mask + 1))
        full = mask % (1 << type_.bits)
        inverse = (~full) % (1 << type_.bits)
        if (inverse & (inverse + 1)) == 0 and (type_.signed or (low is not None and low >= 0)):
            return subtract(a, remainder(a, number(inverse + 1)))
        lowest = mask & -mask
        if mask > 0 and mask // lowest & (mask // lowest + 1) == 0:
            return scale(remainder(quotient(a, number(lowest)), number(mask // lowest + 1)), lowest)
        return None
    if op is BinaryOp.OR and mask > 0 and low is not None and low >= 0:
        lowest = mask & -mask
        if high is not None and high < lowest:
            return add(a, number(mask))
        if (mask & (mask + 1)) == 0:
            return add(subtract(a, remainder(a, number(mask + 1))), number(mask))
        if mask == lowest:
            bit = remainder(quotient(a, number(mask)), number(2))
            return add(a, scale(subtract(number(1), bit), mask))
    if op is BinaryOp.XOR and mask > 0 and mask & (mask - 1) == 0 and low is not None and low >= 0:
        bit = remainder(quotient(a, number(mask)), number(2))
        return add(a, scale(subtract(number(1), scale(bit, 2)), mask))
    if op is BinaryOp.XOR and mask == -1:
        return subtract(number(-1), a)
    if op in (BinaryOp.OR, BinaryOp.XOR) and mask == 0:
        return a
    return None


def _with_power_minus_one(a: Term, b: Term) -> Term | None:
    """`a & (p - 1)` is `a % p` where p is a power of two by construction."""
    p = add(b, number(1))
    if p.kind == "apply" and p.parts[0] == POWER_OF_TWO:
        return remainder(a, p)
    return None


def _unknown_bits(op: BinaryOp, a: Term, b: Term, type_: ir.Int) -> Term:
    (la, ha), (lb, hb) = interval(a), interval(b)
    low, high = ir.int_range(type_)
    a_positive, b_positive = la is not None and la >= 0, lb is not None and lb >= 0
    if op is BinaryOp.AND and (a_positive or b_positive):
        highs = [h for positive, h in ((a_positive, ha), (b_positive, hb)) if positive and h is not None]
        low, high = 0, min([high, *highs])
    elif a_positive and b_positive and ha is not None and hb is not None:
        low, high = 0, min(high, (1 << max(ha, hb).bit_length()) - 1)
    a, b = sorted((a, b), key=lambda t: t.digest)
    return apply(f"bits {op.value}", (a, b), low, high)


def math_function(name: str, args: tuple[Term, ...], operand: ir.Type) -> Term | None:
    """Integer functions with a known meaning, by the type of their first operand; None where there is none."""
    bits = operand.bits if isinstance(operand, ir.Int) else 64
    values = tuple(as_integer(arg) for arg in args)
    match name, values:
        case "min", (a, b):
            return minimum(a, b)
        case "max", (a, b):
            return maximum(a, b)
        case "abs", (a,):
            return maximum(a, scale(a, -1))
        case "ceil_div", (a, b):
            return ceil_quotient(a, b)
        case (("popc" | "clz" | "ffs"), (a,)):
            return apply(f"{name}{bits}", (a,), 0, bits)
        case "mul24", (a, b):  # of each operand, the lower 24 bits count
            signed = not isinstance(operand, ir.Int) or operand.signed
            return multiply(wrapped(a, 24, signed), wrapped(b, 24, signed))
        case _:
            return None


def negative_possible(term: Term) -> bool:
    low, _ = interval(term)
    return low is None or low < 0


def overlap(a: Term, a_size: int, b: Term, b_size: int) -> Term:
    """The byte ranges [a, a + a_size) and [b, b + b_size) share a byte."""
    return conjunction(less(a, add(b, number(b_size))), less(b, add(a, number(a_size))))


def between(low: int, value: Term, high: int) -> Term:
    return conjunction(at_most(number(low), value), at_most(value, number(high)))


def either(*conds: Term) -> Term:
    return disjunction(*conds)


__all__ = [
    "arithmetic",
    "as_integer",
    "as_truth",
    "between",
    "compare",
    "convert",
    "is_number",
    "math_function",
    "negative_possible",
    "overlap",
    "power_of_two",
]
