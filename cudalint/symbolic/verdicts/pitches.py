"""How far rows of memory lie apart: `(rows - 1) * step + width` bytes, where a row is known to have room in a step."""

from __future__ import annotations

from collections.abc import Iterable, Set

from cudalint.symbolic.model import MemoryObject
from cudalint.symbolic.walk.environment import KnownFact
from cudalint.term import Choice, Sum, Term, add, at_most, choice, free_symbols, ideal, multiply, number

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
    """The offset as a polynomial in what is loose; `c ? i * s : j * s` is `(c ? i : j) * s`."""
    monomials = offset.monomials if isinstance(offset, Sum) else (((offset,), 1),)
    found: Coefficients = {(): number(offset.constant if isinstance(offset, Sum) else 0)}
    for monomial, coefficient in monomials:
        product: Coefficients = {(): number(coefficient)}
        for atom in monomial:
            product = _multiplied(product, _of_atom(atom, loose))
        for key, part in product.items():
            found[key] = add(found.get(key, number(0)), part)
    return found


def _of_atom(atom: Term, loose: Set[Term]) -> Coefficients:
    if atom in loose:
        return {(atom,): number(1)}
    if not isinstance(atom, Choice) or loose.isdisjoint(free_symbols(atom)):
        return {(): atom}
    cond, then, orelse = atom.parts[0], coefficients(atom.parts[1], loose), coefficients(atom.parts[2], loose)
    if then.keys() | orelse.keys() == {()}:
        return {(): atom}
    return {key: choice(cond, then.get(key, number(0)), orelse.get(key, number(0))) for key in {**then, **orelse}}


def _multiplied(one: Coefficients, other: Coefficients) -> Coefficients:
    found: Coefficients = {}
    for key, part in one.items():
        for further, factor in other.items():
            whole = tuple(sorted((*key, *further), key=lambda atom: atom.digest)) if key and further else key or further
            found[whole] = add(found.get(whole, number(0)), multiply(part, factor))
    return found
