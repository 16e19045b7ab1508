"""What the facts of a contract say at once: tighter ranges of symbols, and divisors that are not zero."""

from __future__ import annotations

from cudalint.contract import Assume, Contract
from cudalint.term import (
    TRUE,
    All,
    AtMostZero,
    Choice,
    IsZero,
    Quotient,
    Remainder,
    Sum,
    Symbol,
    Term,
    cached_by_term,
    children,
    disjunction,
    equal,
    negation,
    number,
    symbol,
)


def narrowed_symbols(contract: Contract) -> dict[Term, Term]:
    """Symbols with tighter ranges, from facts that bound one symbol by constants."""
    bounds: dict[Symbol, tuple[int | None, int | None]] = {}
    for fact in contract.facts:
        if isinstance(fact.what, Assume):
            for part in fact.what.cond.parts[0] if isinstance(fact.what.cond, All) else (fact.what.cond,):
                _tighten(part, bounds)
    return {
        old: symbol(old.name, low, high, old.scope)
        for old, (low, high) in bounds.items()
        if (low, high) != (old.parts[1], old.parts[2]) and (low is None or high is None or low <= high)
    }


def _tighten(cond: Term, bounds: dict[Symbol, tuple[int | None, int | None]]) -> None:
    if not isinstance(cond, AtMostZero | IsZero):
        return
    inner = cond.parts[0]
    monomials = inner.monomials if isinstance(inner, Sum) else (((inner,), 1),)
    constant = inner.constant if isinstance(inner, Sum) else 0
    if len(monomials) != 1 or len(monomials[0][0]) != 1 or not isinstance(monomials[0][0][0], Symbol):
        return
    target, factor = monomials[0][0][0], monomials[0][1]
    low, high = bounds.get(target, (target.parts[1], target.parts[2]))
    if isinstance(cond, IsZero) or factor > 0:
        limit = -constant // abs(factor) if factor > 0 else constant // abs(factor)
        high = limit if high is None else min(high, limit)
    if isinstance(cond, IsZero) or factor < 0:
        limit = -(-constant // abs(factor)) if factor < 0 else -(constant // abs(factor))
        low = limit if low is None else max(low, limit)
    bounds[target] = (low, high)


@cached_by_term(maxsize=1 << 10)
def divided_safely(term: Term) -> tuple[Term, ...]:
    """What holds where no quotient in the term is by zero."""
    parts = children(term)
    if isinstance(term, Choice):
        cond, then, otherwise = term.parts
        when = (disjunction(negation(cond), fact) for fact in divided_safely(then))
        unless = (disjunction(cond, fact) for fact in divided_safely(otherwise))
        return tuple(dict.fromkeys((*divided_safely(cond), *when, *unless)))
    own = (negation(equal(parts[1], number(0))),) if isinstance(term, Quotient | Remainder) else ()
    facts = dict.fromkeys((*own, *(fact for part in parts for fact in divided_safely(part))))
    return tuple(fact for fact in facts if fact is not TRUE)
