"""Sizes of valid launches and allocations as one writes them; what C makes of other values is required not to be."""

from __future__ import annotations

from cudalint.symbolic.host.text import floor_of
from cudalint.term import (
    Choice,
    IsZero,
    Number,
    Quotient,
    Sum,
    Term,
    Wrapped,
    add,
    at_most,
    choice,
    equal,
    interval,
    minimum,
    multiply,
    negation,
    number,
    quotient,
    remainder,
    rewrite,
    subtract,
)

INT_MAX = (1 << 31) - 1


def positive_form(term: Term, limit: int, conditions: list[Term]) -> Term:
    """An equal term, given 1 <= term <= limit; what makes it equal beyond that is added to `conditions`.

    `uint32(int32(n + 255) / 256)` is `(n + 255) / 256` with n + 255 < 2^31: a wrapped sum is negative, so is its quotient,
    and as a uint32 that is beyond every limit.
    """
    floor = floor_of(term)
    if floor is not None:
        term = floor
    if isinstance(term, Wrapped):
        return _unwrapped(term, limit, conditions)
    if isinstance(term, Quotient) and isinstance(term.parts[1], Number) and term.parts[1].value > 0:
        divisor = term.parts[1].value
        return quotient(positive_form(term.parts[0], limit * divisor + divisor - 1, conditions), term.parts[1])
    if isinstance(term, Choice):
        cond, a, b = term.parts
        if cond is at_most(a, b):
            return minimum(positive_form(a, 1 << 62, conditions), positive_form(b, 1 << 62, conditions))
    return _rounded_up(term) or term


def _rounded_up(term: Term) -> Term | None:
    """`n % t ? n / t + 1 : n / t` where it is at least 1: `(n + t - 1) / t`, but 1 for negative n."""
    parts = _with_one_more(term)
    if parts is None:
        return None
    left, less = parts
    floor = floor_of(less) or (less if isinstance(less, Quotient) else None)
    if floor is None:
        return None
    size, step = floor.parts
    if not isinstance(step, Number) or step.value < 1 or not _is_rest(left, size, step, less):
        return None
    return choice(at_most(size, number(-1)), number(1), quotient(add(size, subtract(step, number(1))), step))


def _with_one_more(term: Term) -> tuple[IsZero, Term] | None:
    """(c == 0, a) of `c ? a + 1 : a` and of `a + (c ? 1 : 0)`."""
    if isinstance(term, Sum):
        extra = next(
            (m[0] for m, factor in term.monomials if factor == 1 and len(m) == 1 and _is_one_or_none(m[0])), None
        )
        return None if extra is None else _with_one_more(choice(extra.parts[0], *_both(extra, subtract(term, extra))))
    if not isinstance(term, Choice):
        return None
    cond, then, orelse = term.parts
    more, less, left = (orelse, then, cond) if isinstance(cond, IsZero) else (then, orelse, negation(cond))
    return (left, less) if isinstance(left, IsZero) and more is add(less, number(1)) else None


def _is_one_or_none(term: Term) -> bool:
    return isinstance(term, Choice) and sorted(map(repr, term.parts[1:])) == ["0", "1"]


def _both(extra: Term, less: Term) -> tuple[Term, Term]:
    return add(less, extra.parts[1]), add(less, extra.parts[2])


def _is_rest(left: IsZero, size: Term, step: Term, quotient_: Term) -> bool:
    """Whether it says that `step` divides `size`, in one of C's spellings; a remainder is never wrapped."""
    rest = left.parts[0]
    told = equal(rest.parts[0], number(0)) if isinstance(rest, Wrapped) else left
    return told in (equal(multiply(step, quotient_), size), equal(remainder(size, step), number(0)))


def _unwrapped(term: Wrapped, limit: int, conditions: list[Term]) -> Term:
    inner, bits, signed = term.parts
    low, high = interval(inner)
    if low is None or high is None:
        return term
    if not signed and low >= -(1 << (bits - 1)) and high < (1 << bits) and limit < (1 << (bits - 1)):
        return positive_form(inner, limit, conditions)  # a negative value would be beyond the limit
    if signed and low >= -(1 << (bits - 1)) and high < (1 << bits):
        conditions.append(at_most(inner, number((1 << (bits - 1)) - 1)))
        return positive_form(inner, limit, conditions)  # a wrapped value would be negative
    return term


def without_size_conversions(size: Term) -> Term:
    """A size that is in [0, 2^63): equal modulo 2^64 to the ideal sum, so equal to it."""
    memo: dict[Term, Term] = {}

    def leaf(term: Term) -> Term | None:
        if isinstance(term, Wrapped) and term.parts[1] == 64:
            inner: Term = term.parts[0]
            return rewrite(inner, leaf, memo)
        return None

    if isinstance(size, Sum | Wrapped):
        return rewrite(size, lambda t: leaf(t) if isinstance(t, Wrapped) else (None if isinstance(t, Sum) else t))
    return size
