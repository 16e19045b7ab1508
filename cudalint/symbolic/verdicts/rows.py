"""Whether an index goes from row to row of a tensor by the product of its last sizes: then it has no dimension behind them.

x[b * C * L + c * L + i]        // of x.size(0) * C * L elements: each of the steps would hold a further dimension, too
x[b * S * S + r * S + i]        // of x.size(0) * S elements: one that is as long as the last
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from cudalint.symbolic.ordinary import is_input
from cudalint.symbolic.walk.environment import KnownFact
from cudalint.term import IsZero, Monomial, Sum, Term, free_symbols, ideal, rewrite

FIRST = ".size(0)"  # ends the name of a number of rows, which is part of no step between them


def goes_by_rows(index: Term, extent: Term | None, facts: Iterable[KnownFact]) -> bool:
    """Places of threads and loops are multiplied with the last sizes of an extent that is a product of sizes, and no others."""
    if extent is None:
        return False
    same = _equal_atoms(facts)
    sides = _only_product(_renamed(extent, same))
    steps = Counter(side for side in sides if not str(side).endswith(FIRST))
    if not sides or not all(map(_is_chosen, sides)) or len(sides) == 1:
        return False
    found = False
    for monomial, factor in _monomials(_renamed(index, same)):
        step = Counter(atom for atom in monomial if _is_chosen(atom))
        if not Counter(side for side in step.elements() if side in sides) <= steps:
            return False
        found = found or (
            factor == 1 and len(monomial) - step.total() == 1 and 0 < step.total() < len(sides) and step <= steps
        )
    return found


def _renamed(term: Term, same: dict[Term, Term]) -> Term:
    return ideal(rewrite(ideal(term), same.get))


def _equal_atoms(facts: Iterable[KnownFact]) -> dict[Term, Term]:
    """For each quotient of sizes that the host code holds to be a size, that size."""
    found: dict[Term, Term] = {}
    for fact in facts:
        zero = fact.term.parts[0] if isinstance(fact.term, IsZero) else None
        if not isinstance(zero, Sum) or zero.constant or sorted(f for _, f in zero.monomials) != [-1, 1]:
            continue
        (one, *more), (other, *others) = (atoms for atoms, _ in zero.monomials)
        if more or others:
            continue
        if is_input(one) != is_input(other):
            composed, plain = (other, one) if is_input(one) else (one, other)
            found |= {} if plain in free_symbols(composed) else {composed: plain}
    return found


def _only_product(term: Term) -> Monomial:
    """What is multiplied with each other, of a term that is nothing but a product."""
    monomials = _monomials(term)
    if (isinstance(term, Sum) and term.constant) or len(monomials) != 1 or monomials[0][1] != 1:
        return ()
    return monomials[0][0]


def _monomials(term: Term) -> tuple[tuple[Monomial, int], ...]:
    return tuple(term.monomials) if isinstance(term, Sum) else (((term,), 1),)


def _is_chosen(atom: Term) -> bool:
    """Callers choose it: nothing of it is a place of a thread or loop."""
    return bool(free_symbols(atom)) and all(map(is_input, free_symbols(atom)))
