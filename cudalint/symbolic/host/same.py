"""Inputs that the host code has checked to be equal are one input in what it says of a launch.

    TORCH_CHECK(k.size(0) == q.size(0) && q.size(3) == 64)      k.size(0)*k.size(3)   ->   q.size(0)*64 ... as far as equations go

The equations themselves stay, so that a witness gives each of the inputs its value.
"""

from __future__ import annotations

from collections.abc import Iterable

from cudalint.term import IsZero, Number, Sum, Symbol, Term, number


def representatives(conditions: Iterable[Term]) -> dict[Term, Term]:
    """What stands for each input that the conditions equate with another one or with a number."""
    parents: dict[Term, Term] = {}
    for cond in conditions:
        pair = _equated(cond)
        if pair is None:
            continue
        a, b = (_found(term, parents) for term in pair)
        if a is not b and not (isinstance(a, Number) and isinstance(b, Number)):
            kept, replaced = (b, a) if isinstance(b, Number) else (a, b)
            parents[replaced] = kept
    return {term: _found(term, parents) for term in parents}


def _equated(cond: Term) -> tuple[Term, Term] | None:
    """The two sides of `x == y` or `x == 5`, where x and y are inputs of the launch."""
    if not isinstance(cond, IsZero):
        return None
    inner = cond.parts[0]
    if _is_input(inner):
        return inner, number(0)
    if not isinstance(inner, Sum) or any(len(atoms) != 1 or not _is_input(atoms[0]) for atoms, _ in inner.monomials):
        return None
    atoms = [(atoms[0], factor) for atoms, factor in inner.monomials]
    if len(atoms) == 1 and abs(atoms[0][1]) == 1:
        return atoms[0][0], number(-inner.constant * atoms[0][1])
    if len(atoms) == 2 and inner.constant == 0 and (atoms[0][1], atoms[1][1]) in ((1, -1), (-1, 1)):
        first, second = sorted((atoms[0][0], atoms[1][0]), key=lambda atom: str(atom.parts[0]))
        return first, second
    return None


def _is_input(term: Term) -> bool:
    return isinstance(term, Symbol) and term.scope == "launch"


def _found(term: Term, parents: dict[Term, Term]) -> Term:
    while term in parents:
        term = parents[term]
    return term
