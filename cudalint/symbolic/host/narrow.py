"""Ranges of symbols that conditions imply, and terms simplified under them.

`0 < b ? (n + b - 1) / b : ...` is `(n + b - 1) / b` once the launch has shown that b is at least 1.
"""

from __future__ import annotations

from cudalint.term import All, AtMostZero, Bound, IsZero, Sum, Symbol, Term, interval, substitute, symbol


class Ranges:
    """What conditions of the form `s <= constant` say of symbols."""

    def __init__(self) -> None:
        self._bounds: dict[Symbol, tuple[Bound, Bound]] = {}

    def learn(self, cond: Term) -> None:
        """Take in a condition that holds."""
        for part in cond.parts[0] if isinstance(cond, All) else (cond,):
            if isinstance(part, AtMostZero | IsZero):
                self._learn_bound(part.parts[0], isinstance(part, IsZero))

    def within(self, term: Term, low: int, high: int) -> None:
        """Take in that a term lies in a range."""
        if isinstance(term, Symbol):
            self._tighten(term, low, high)

    def simplified(self, term: Term) -> Term:
        """A term with the same value wherever the conditions hold."""
        narrowed: dict[Term, Term] = {}
        for found, (low, high) in self._bounds.items():
            if (low, high) != interval(found) and (low is None or high is None or low <= high):
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

    def _tighten(self, target: Symbol, low: Bound, high: Bound) -> None:
        old_low, old_high = self._bounds.get(target, interval(target))
        lows, highs = [b for b in (low, old_low) if b is not None], [b for b in (high, old_high) if b is not None]
        self._bounds[target] = (max(lows) if lows else None, min(highs) if highs else None)
