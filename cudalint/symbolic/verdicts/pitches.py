"""How far rows of memory lie apart: `(rows - 1) * step + width` bytes, where a row is known to have room in a step."""

from __future__ import annotations

from collections.abc import Iterable, Set

from cudalint.symbolic.model import MemoryObject
from cudalint.symbolic.walk.environment import KnownFact
from cudalint.term import Sum, Term, add, at_most, free_symbols, ideal, multiply, number

Coefficients = dict[tuple[Term, ...], Term]


def pitches(memory: MemoryObject, facts: Iterable[KnownFact]) -> frozenset[Term]:
    """The steps of such memory: what says where the rows are, and not how many there are nor how much is in them."""
    whole = None if memory.size is None else ideal(memory.size)
    if not isinstance(whole, Sum):
        return frozenset()
    known = {fact.term for fact in facts}
    rests = {atom: coefficients(whole, {atom}) for atom in free_symbols(whole)}
    return frozenset(a for a, parts in rests.items() if set(parts) == {(), (a,)} and at_most(parts[()], a) in known)


def coefficients(offset: Term, loose: Set[Term]) -> Coefficients:
    """The offset as a polynomial in what is loose."""
    monomials = offset.monomials if isinstance(offset, Sum) else (((offset,), 1),)
    found: Coefficients = {(): number(offset.constant if isinstance(offset, Sum) else 0)}
    for monomial, coefficient in monomials:
        key = tuple(atom for atom in monomial if atom in loose)
        rest = number(coefficient)
        for atom in monomial:
            rest = multiply(rest, atom) if atom not in loose else rest
        found[key] = add(found.get(key, number(0)), rest)
    return found
