"""Partners `t ^ j` of an exchange: two threads that meet at each other's element are one pair, of which one alone is let in.

    if ((t ^ j) > t) swap(s[t], s[t ^ j]);        t1 == t2 ^ j  gives  t1 ^ j == t2:  t1 < t2 and t2 < t1

Bitonic networks compare hundreds of such pairs: each is decided here by its form, without a solver.
"""

from __future__ import annotations

from collections.abc import Iterable

from cudalint.symbolic.synchronization.access_pairs import conjuncts
from cudalint.term import (
    FALSE,
    Apply,
    AtMostZero,
    IsZero,
    Number,
    Sum,
    Symbol,
    Term,
    add,
    equal,
    rewrite,
    subterms,
)

_EXCLUSIVE_OR = "bits ^"


def are_apart(place: Term | None, different: Term, paths: Iterable[Term]) -> bool:
    """Two threads on these paths cannot meet at the place, by what an exclusive or is."""
    if place is None or not any(map(_is_exchange, subterms([place]))):
        return False
    known = [different, *(part for path in paths for part in conjuncts(path))]
    for left, right in filter(None, map(_sides, conjuncts(place))):
        known = [_with(left, right, term) for term in known]
    return any(term is FALSE for term in known) or _contradict(known)


def _is_exchange(term: Term) -> bool:
    return isinstance(term, Apply) and term.parts[0] == _EXCLUSIVE_OR


def _sides(equation: Term) -> tuple[Symbol, Term] | None:
    """A symbol and what it is equal to, from `t1 == t2 ^ j`, or from `t1 ^ j == t2 ^ j`."""
    zero = equation.parts[0] if isinstance(equation, IsZero) else None
    if not isinstance(zero, Sum) or zero.constant or len(zero.monomials) != 2:
        return None
    (one, factor), (other, against) = zero.monomials
    if len(one) != 1 or len(other) != 1 or factor != -against:
        return None
    left, right = one[0], other[0]
    if _is_exchange(left) and _is_exchange(right):
        rest = _without_common(left, right)
        return None if rest is None else _sides(equal(*rest))
    for symbol, partner in ((left, right), (right, left)):
        if isinstance(symbol, Symbol) and symbol not in subterms([partner]):
            return symbol, partner
    return None


def _without_common(left: Term, right: Term) -> tuple[Term, Term] | None:
    """The other operands, where the two have one in common."""
    for mine, other in (left.parts[1], left.parts[1][::-1]):
        for its, rest in (right.parts[1], right.parts[1][::-1]):
            if mine is its:
                return other, rest
    return None


def _with(symbol: Symbol, partner: Term, term: Term) -> Term:
    """The term with the partner in place of the symbol; `(t ^ j) ^ j` is `t`."""

    def put(part: Term) -> Term | None:
        if part is symbol:
            return partner
        if _is_exchange(part) and symbol in part.parts[1] and _is_exchange(partner):
            (other,) = (each for each in part.parts[1] if each is not symbol)
            back = [each for each in partner.parts[1] if each is not other]
            return back[0] if len(back) == 1 else None
        return None

    return rewrite(term, put)


def _contradict(known: list[Term]) -> bool:
    """`a <= 0` and `c - a <= 0` with c > 0."""
    zeros = dict.fromkeys(term.parts[0] for term in known if isinstance(term, AtMostZero))
    held = [zero for zero in zeros if any(map(_is_exchange, subterms([zero])))]
    return any(isinstance(s := add(a, b), Number) and s.value > 0 for i, a in enumerate(held) for b in held[i + 1 :])
