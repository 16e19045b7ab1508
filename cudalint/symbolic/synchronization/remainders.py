"""Indices with what divisions leave put together again: `x / w` and `x % w` are the digits of x, wherever they are used.

out[(i % cols) * rows + i / cols] = in[i];     is 4 * rows * i - (4 * cols * rows - 4) * (i / cols), if multiplied out
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.term import (
    Monomial,
    Number,
    Quotient,
    Remainder,
    Sum,
    Term,
    add,
    cached_by_term,
    holds_any,
    multiply,
    number,
    quotient,
    remainder,
    rewrite,
    subtract,
)

_MOST_FOLDED = 16


@cached_by_term(maxsize=1 << 12)
def with_remainders(term: Term) -> Term:
    """The same value; `x - w * (x / w)` is `x % w`, and beside a multiple of x / w a multiple of x is two digits."""
    if not holds_any(term, Quotient):
        return term
    memo: dict[Term, Term] = {}

    def folded(part: Term) -> Term:
        if part not in memo:
            made = rewrite(part, lambda inner: None if inner is part else folded(inner))
            memo[part] = _folded(made) if isinstance(made, Sum) else made
        return memo[part]

    return folded(term)


def _folded(total: Term) -> Term:
    for _ in range(_MOST_FOLDED):
        made = next(_foldings(total), None) if isinstance(total, Sum) else None
        if made is None:
            return total
        total = made
    return total


def _foldings(total: Sum) -> Iterator[Term]:
    atoms = dict.fromkeys(a for monomial, _ in total.monomials for a in monomial if isinstance(a, Quotient))
    for part in atoms:
        dividend, divisor = part.parts
        for whole, beside in _wholes(dividend):
            for factor in _factors(total, whole):
                left = subtract(total, multiply(factor, whole))
                if _length(left) + _length(whole) == _length(total):
                    again = add(multiply(divisor, part), remainder(dividend, divisor), beside)
                    yield add(left, multiply(factor, again))


def _wholes(dividend: Term) -> Iterator[tuple[Term, Term]]:
    """The dividend, and where it is `y % m`, y itself, which is larger by a multiple of m."""
    yield dividend, number(0)
    if isinstance(dividend, Remainder):
        of, by = dividend.parts
        more = multiply(by, quotient(of, by))
        for whole, beside in _wholes(of):
            yield whole, add(beside, more)


def _factors(total: Sum, whole: Term) -> Iterator[Term]:
    """By what the whole may be multiplied in the sum: as its first product is."""
    _, products = _products(whole)
    if not products:
        return
    first, times = products[0]
    for monomial, coefficient in total.monomials:
        left = _without(monomial, first)
        if left is not None and coefficient % times == 0:
            yield _product(left, coefficient // times)


def _products(term: Term) -> tuple[int, tuple[tuple[Monomial, int], ...]]:
    if isinstance(term, Number):
        return term.value, ()
    return (term.constant, term.monomials) if isinstance(term, Sum) else (0, (((term,), 1),))


def _length(term: Term) -> int:
    constant, products = _products(term)
    return len(products) + (constant != 0)


def _without(monomial: Monomial, taken: Monomial) -> Monomial | None:
    left = list(monomial)
    for atom in taken:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)


def _product(atoms: Monomial, coefficient: int) -> Term:
    total = number(coefficient)
    for atom in atoms:
        total = multiply(total, atom)
    return total


def exactly_divided(term: Term, divisor: Term) -> Term | None:
    """The term over a number or one product, where nothing is left by its form."""
    constant, products = _products(term)
    rest, parts = _products(divisor)
    by, times = parts[0] if parts else ((), rest)
    if len(parts) > 1 or (parts and rest) or times == 0 or (constant and by):
        return None
    if constant % times or any(c % times for _, c in products):
        return None
    total = number(constant // times)
    for monomial, coefficient in products:
        left = _without(monomial, by)
        if left is None:
            return None
        total = add(total, _product(left, coefficient // times))
    return total
