"""Digits of one flat index by divisors that are numbers: which elements different values of the index come to.

i = blockIdx.x * 256 + threadIdx.x;  out[i % 12 * 64 + i / 12 % 64 + i / 768 * 768] = in[i];      // a permutation of each 768
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cudalint.term import (
    AtMostZero,
    Monomial,
    Number,
    Quotient,
    Remainder,
    Sum,
    Term,
    cached_by_term,
    holds_any,
    interval,
    multiply,
    number,
    quotient,
    rewrite,
    scale,
    subtract,
)


@dataclass(frozen=True, slots=True)
class _Digit:
    """How far one step of it leads, and below what it stays (None: anything)."""

    weight: int
    radix: int | None


def flat_index(
    offset: Term, size: int, known: frozenset[Term], is_uniform: Callable[[Term], bool]
) -> tuple[Term, Term] | None:
    """The index of which each value has `size` bytes of its own in the sum, and what is added to it; None for other sums."""
    offset = _divided(offset)
    atoms = [a for monomial, _ in _products(offset) for a in monomial if isinstance(a, Quotient)]
    divided = [a for a in atoms if isinstance(a.parts[1], Number)]
    if not divided:
        return None
    index = max(divided, key=lambda a: _value(a.parts[1])).parts[0]
    own = {_value(a.parts[1]) for a in divided if a.parts[0] is index}
    divisors = _chain(sorted({_value(a.parts[1]) for a in divided}), own)
    if divisors is None or divisors[0] < 2:
        return None
    weights, rest = _weights(offset, [index, *(quotient(index, number(w)) for w in divisors)])
    weights[1] += weights[0] * divisors[0]  # of which the index is made, beside what is left by it
    if is_uniform(rest) and _is_injective(list(_digits(weights, divisors, _bound(index, known))), size):
        return index, rest
    return None


@cached_by_term(maxsize=1 << 12)
def _divided(offset: Term) -> Term:
    """Each `x % w` is x less w times x / w."""

    def leaf(part: Term) -> Term | None:
        if not isinstance(part, Remainder) or not isinstance(part.parts[1], Number):
            return None
        dividend, divisor = part.parts
        return subtract(_divided(dividend), multiply(divisor, quotient(dividend, divisor)))

    return rewrite(offset, leaf) if holds_any(offset, Remainder) else offset


def _value(term: Term) -> int:
    assert isinstance(term, Number)
    return term.value


def _chain(numbers: list[int], needed: set[int]) -> list[int] | None:
    """Those that divide the next one; None where one that is needed does not."""
    found: list[int] = []
    for each in reversed(numbers):
        if not found or found[-1] % each == 0:
            found.append(each)
        elif each in needed:
            return None
    return found[::-1] if found else None


def _weights(offset: Term, parts: list[Term]) -> tuple[list[int], Term]:
    """How often each is in the sum, and what is left of it."""
    weights: list[int] = []
    for part in parts:
        first, times = _products(part)[0]
        weight = dict(_products(offset)).get(first, 0) // times
        weights.append(weight)
        offset = subtract(offset, scale(part, weight))
    return weights, offset


def _products(term: Term) -> tuple[tuple[Monomial, int], ...]:
    return term.monomials if isinstance(term, Sum) else (((term,), 1),)


def _digits(weights: list[int], divisors: list[int], bound: int | None) -> Iterator[_Digit]:
    """`x / w` is made of the digits from w on, each of which counts as often as its own divisor is in w."""
    yield _Digit(weights[0], divisors[0])
    for place, divisor in enumerate(divisors):
        weight = sum(w * (divisor // d) for w, d in zip(weights[1 : place + 2], divisors))
        if place + 1 < len(divisors):
            yield _Digit(weight, divisors[place + 1] // divisor)
        else:
            yield _Digit(weight, None if bound is None else -(-bound // divisor))


def _bound(index: Term, known: frozenset[Term]) -> int | None:
    """The number below which it is known to stay, from 0 on."""
    low, _ = interval(index)
    if low is None or low < 0:
        return None
    above, products = _constant(index) + 1, _products(index)
    same = (fact.parts[0] for fact in known if isinstance(fact, AtMostZero) and _products(fact.parts[0]) == products)
    return min((above - _constant(each) for each in same), default=None)


def _constant(term: Term) -> int:
    return term.constant if isinstance(term, Sum) else 0


def _is_injective(digits: list[_Digit], size: int) -> bool:
    """In the order of their weights, no digit leads into what those before it reach."""
    reach = size
    ordered = sorted(digits, key=lambda d: d.weight)
    for place, digit in enumerate(ordered):
        if digit.radix == 1:
            continue
        if digit.weight < reach:
            return False
        if digit.radix is None:
            return all(other.radix == 1 for other in ordered[place + 1 :])
        reach += digit.weight * (digit.radix - 1)
    return True
