"""Polynomials in sizes and places, taken apart: `4*row*width + 4*x` has the monomials row*width and x."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import reduce

from cudalint.term import Monomial, Number, Sum, Term, multiply, number


def monomials(term: Term) -> tuple[tuple[Monomial, int], ...]:
    """Each with its coefficient; a constant is none."""
    if isinstance(term, Sum):
        return term.monomials
    return () if isinstance(term, Number) else (((term,), 1),)


def divided(whole: Monomial, part: Monomial) -> Monomial | None:
    """`row` for row*width by width; None where the part is not in it."""
    left = Counter(whole)
    left.subtract(Counter(part))
    return None if min(left.values(), default=0) < 0 else _ordered(left.elements())


def product(atoms: Iterable[Term]) -> Term:
    """The term of a monomial."""
    return reduce(multiply, atoms, number(1))


def _ordered(atoms: Iterable[Term]) -> Monomial:
    found = monomials(product(atoms))
    return found[0][0] if found else ()
