"""Ranges of symbols and choices that conditions imply, and terms simplified under them.

`0 < b ? (n + b - 1) / b : ...` is `(n + b - 1) / b` once the launch has shown that b is at least 1. Where a function has
returned 0, and it does so only where it has read the size, the size is what it has read.
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.term import (
    FALSE,
    TRUE,
    All,
    AtMostZero,
    Bound,
    Choice,
    IsZero,
    Not,
    Sum,
    Symbol,
    Term,
    at_most,
    cached_by_term,
    equal,
    free_symbols,
    interval,
    is_truth,
    negation,
    number,
    rewrite,
    substitute,
    subterms,
    symbol,
)


class Ranges:
    """What conditions of the form `s <= constant` say of symbols, and how choices were made where a condition holds."""

    def __init__(self) -> None:
        self._bounds: dict[Symbol, tuple[Bound, Bound]] = {}
        self._decided: dict[Term, Term] = {}
        self._memo: dict[Term, Term] = {}
        self._fitting: dict[Term, Term] = {}

    def learn(self, cond: Term) -> None:
        """Take in a condition that holds."""
        self._memo.clear()
        if self._fitting and (fitted := rewrite(cond, self._fitting.get)) is not cond:
            self.learn(fitted)
        parts = cond.parts[0] if isinstance(cond, All) else (cond,)
        for part in parts:
            if isinstance(part, AtMostZero | IsZero):
                self._learn_bound(part.parts[0], isinstance(part, IsZero))
            if isinstance(part, Not) and isinstance(part.parts[0], IsZero):
                self._learn_not_zero(part.parts[0].parts[0])
            self._decided.update(_decisions(part))
        for part in parts:
            if isinstance(part, AtMostZero) and isinstance(part.parts[0], Sum):
                self._learn_order(part.parts[0])

    def fits(self, converted: Term, inner: Symbol) -> None:
        """Take in that a conversion leaves the number as it is."""
        self._fitting[converted] = inner

    def within(self, term: Term, low: int, high: int) -> None:
        """Take in that a term lies in a range."""
        if isinstance(term, Symbol):
            self._tighten(term, low, high)

    def of(self, found: Symbol) -> tuple[Bound, Bound]:
        """The least and the largest value."""
        return self._bounds.get(found, interval(found))

    def decided(self, term: Term) -> Term:
        """The term without the choices that the conditions decide."""
        if self._decided.keys().isdisjoint(_decidable(term)):
            return term
        return rewrite(term, self._decided.get, self._memo)

    def told(self, cond: Term) -> Term:
        """The condition without the choices that other conditions decide; itself where they decide it as a whole."""
        if self._fitting:
            short = self.simplified(cond)
            cond = cond if short is TRUE or short is FALSE else short
        known = self.decided(cond)
        if known is TRUE and isinstance(cond, AtMostZero | IsZero):
            compare = at_most if isinstance(cond, AtMostZero) else equal
            known = compare(self.decided(cond.parts[0]), number(0))
        known = cond if known is TRUE or known is FALSE else known
        short = self.without_decided_choices(known)
        return known if short is TRUE or short is FALSE else short

    def without_decided_choices(self, cond: Term) -> Term:
        """The condition without the choices that ranges decide."""
        ways = [part.parts[0] for part in subterms((cond,)) if isinstance(part, Choice)]
        known = {way: self.simplified(way) for way in ways}
        known = {way: short for way, short in known.items() if short is TRUE or short is FALSE}
        return rewrite(cond, known.get) if known else cond

    def simplified(self, term: Term) -> Term:
        """A term with the same value wherever the conditions hold."""
        term = self.decided(term)
        if self._fitting:
            term = rewrite(term, self._fitting.get)
        narrowed: dict[Term, Term] = {}
        symbols = free_symbols(term)
        for found, (low, high) in self._bounds.items():
            if found in symbols and (low, high) != interval(found) and (low is None or high is None or low <= high):
                narrowed[found] = symbol(found.name, low, high, found.scope)
        return substitute(substitute(term, narrowed), {new: old for old, new in narrowed.items()})

    def _learn_bound(self, inner: Term, equal: bool) -> None:
        monomials = inner.monomials if isinstance(inner, Sum) else (((inner,), 1),)
        constant = inner.constant if isinstance(inner, Sum) else 0
        if len(monomials) != 1 or len(monomials[0][0]) != 1 or not isinstance(monomials[0][0][0], Symbol):
            return
        target, factor = monomials[0][0][0], monomials[0][1]
        if equal:
            if constant % factor == 0:
                self._tighten(target, -constant // factor, -constant // factor)
        elif factor > 0:  # s <= -constant / factor
            self._tighten(target, None, -constant // factor)
        else:  # s >= constant / -factor
            self._tighten(target, -(-constant // -factor), None)

    def _learn_not_zero(self, inner: Term) -> None:
        if isinstance(inner, Symbol) and self.of(inner)[0] == 0:
            self._tighten(inner, 1, None)

    def _learn_order(self, inner: Sum) -> None:
        """`width <= size`, once `width` is known to be at least 1: neither is `size` less."""
        sides = [(m[0], factor) for m, factor in inner.monomials if len(m) == 1 and isinstance(m[0], Symbol)]
        if len(sides) != 2 or len(inner.monomials) != 2:
            return
        for (target, factor), (other, times) in (sides, sides[::-1]):
            assert isinstance(target, Symbol) and isinstance(other, Symbol)
            least = self.of(other)[0 if times > 0 else 1]
            if least is None:
                continue
            most = -(inner.constant + times * least)  # of factor * target
            if factor > 0:
                self._tighten(target, None, most // factor)
            else:
                self._tighten(target, -(most // -factor), None)

    def _tighten(self, target: Symbol, low: Bound, high: Bound) -> None:
        old_low, old_high = self._bounds.get(target, interval(target))
        lows, highs = [b for b in (low, old_low) if b is not None], [b for b in (high, old_high) if b is not None]
        self._bounds[target] = (max(lows) if lows else None, min(highs) if highs else None)


@cached_by_term(maxsize=1 << 14)
def _decidable(term: Term) -> frozenset[Term]:
    """The parts of the term that conditions may decide: truths, and what choices are made by."""
    parts = subterms((term,))
    return frozenset([*filter(is_truth, parts), *(part.parts[0] for part in parts if isinstance(part, Choice))])


def _decisions(holds: Term) -> Iterator[tuple[Term, Term]]:
    """Truths and what they are where a condition holds: `(c ? 1 : n) == 0` says that c is false and n is 0."""
    yield holds, TRUE
    yield negation(holds), FALSE
    chosen = _choice_in(holds)
    while chosen is not None:
        cond, *branches = chosen.parts
        then, orelse = (_replaced(holds, chosen, branch) for branch in branches)
        if (then is FALSE) == (orelse is FALSE):
            return
        yield cond, FALSE if then is FALSE else TRUE
        holds = orelse if then is FALSE else then
        chosen = _choice_in(holds)


def _replaced(term: Term, old: Term, new: Term) -> Term:
    mapping = {old: new}
    return rewrite(term, mapping.get)


def _choice_in(cond: Term) -> Choice | None:
    """The choice that a comparison compares with a number."""
    comparison = cond.parts[0] if isinstance(cond, Not) else cond
    if not isinstance(comparison, IsZero | AtMostZero):
        return None
    inner = comparison.parts[0]
    atoms = [m[0] for m, _ in inner.monomials if len(m) == 1] if isinstance(inner, Sum) else [inner]
    return next((atom for atom in atoms if isinstance(atom, Choice)), None)
