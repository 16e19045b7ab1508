"""Sizes that a check holds to whole multiples: `TORCH_CHECK(x.numel() % (rows * width) == 0)`,
and `x.numel() / rows / width` heads.

The quotient gets a name of its own, and the size becomes the product of all three: products of names can be compared row by row,
a quotient of a product cannot.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from cudalint.contract import Assume, Fact
from cudalint.symbolic.host.fact_forms import mapped
from cudalint.term import (
    IsZero,
    Monomial,
    Quotient,
    Sum,
    Symbol,
    Term,
    Wrapped,
    equal,
    holds_any,
    interval,
    is_number,
    multiply,
    number,
    quotient,
    rewrite,
    scale,
    symbol,
)

REST_BITS = 64


def with_whole_quotients(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """The facts in which each size that is a whole multiple of others is their product with a name for the quotient."""
    for fact in facts:
        known = _whole(fact.what.cond) if isinstance(fact.what, Assume) else None
        if known is not None:
            size, divisor = known
            low, high = interval(size)
            times = symbol(f"{size.name}@times", low, high, size.scope)
            whole = multiply(times, divisor)
            divided = partial(_divided, size=size, whole=whole)
            others = tuple(mapped(each, divided) for each in facts if each is not fact)
            return (*with_whole_quotients(others), replace(fact, what=Assume(equal(size, whole))))
    return facts


def _whole(cond: Term) -> tuple[Symbol, Term] | None:
    """The size and what it is a multiple of: `size == size / (rows * width) * rows * width`."""
    zero = cond.parts[0] if isinstance(cond, IsZero) else None
    if isinstance(zero, Wrapped) and zero.parts[1] == REST_BITS:  # a rest is less than what it is the rest of
        zero = zero.parts[0]
    if not isinstance(zero, Sum) or zero.constant or len(zero.monomials) != 2:
        return None
    for (alone, factor), (product, times) in (zero.monomials, zero.monomials[::-1]):
        size = alone[0]
        if len(alone) != 1 or abs(factor) != 1 or not isinstance(size, Symbol):
            continue
        for share in product:
            if not isinstance(share, Quotient) or share.parts[0] is not size:
                continue
            divisor = share.parts[1]
            if multiply(share, divisor) is multiply(number(-times * factor), _product(product)) and _is_product(
                divisor
            ):
                return size, divisor
    return None


def _is_product(divisor: Term) -> bool:
    """Of several sizes: a quotient by one alone is no product of names."""
    atoms = divisor.monomials[0][0] if isinstance(divisor, Sum) and len(divisor.monomials) == 1 else (divisor,)
    return len(atoms) > 1 and all(isinstance(atom, Symbol) for atom in atoms)


def _product(atoms: Monomial) -> Term:
    whole: Term = number(1)
    for atom in atoms:
        whole = multiply(whole, atom)
    return whole


def _divided(term: Term, size: Symbol, whole: Term) -> Term:
    """The term with the product in place of the size, and its quotients by parts of the product worked out."""
    memo: dict[Term, Term] = {}

    def leaf(part: Term) -> Term | None:
        if part is size:
            return whole
        if isinstance(part, Quotient):
            over, under = (rewrite(each, leaf, memo) for each in part.parts)
            return _exact(over, under) or quotient(over, under)
        return None

    return rewrite(term, leaf, memo) if holds_any(term, Symbol) else term


def _exact(over: Term, under: Term) -> Term | None:
    """What is left of a product that is divided by a part of it."""
    if not isinstance(over, Sum) or over.constant or len(over.monomials) != 1 or is_number(under, 0):
        return None
    atoms, factor = over.monomials[0]
    left = list(atoms)
    under_atoms: Monomial = (under,)
    if isinstance(under, Sum):
        if under.constant or len(under.monomials) != 1 or factor % under.monomials[0][1]:
            return None
        under_atoms, divided = under.monomials[0]
        factor //= divided
    for atom in under_atoms:
        if atom not in left:
            return None
        left.remove(atom)
    return scale(_product(tuple(left)), factor)
