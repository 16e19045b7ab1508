"""Bounds that constraints put on symbols and products, carried into the terms before a solver is asked.

Interval propagation as in constraint solvers (Davis, "Constraint propagation with interval labels", 1987), over linear sums whose
monomials count as variables. A symbol with better bounds takes the place of the old one everywhere, so that divisions lose the
cases of their signs, and wrapped values that fit lose the wrap; a comparison that an earlier constraint decides is decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from cudalint.term import (
    FALSE,
    All,
    Any_,
    AtMostZero,
    Interval,
    IsZero,
    Monomial,
    Sum,
    Symbol,
    Term,
    Wrapped,
    add_bounds,
    free_symbols,
    interval,
    monomial_interval,
    multiply_bounds,
    rewrite,
    symbol,
    truth,
    wrapped,
)

ROUNDS = 4
ALTERNATIVES = 6
Bounds: TypeAlias = dict[Symbol, Interval]
_UNKNOWN: Interval = (None, None)


@dataclass(frozen=True, slots=True)
class Tightened:
    """Constraints with the same models, over symbols of the same names with narrower ranges."""

    constraints: tuple[Term, ...]
    symbols: tuple[Symbol, ...]


@dataclass(slots=True)
class Tightener:
    """Tightens constraints; what one set of bounds did to a term is remembered for the next query."""

    _memos: dict[frozenset[tuple[Term, Symbol]], dict[Term, Term]] = field(default_factory=dict)

    def tighten(self, constraints: Iterable[Term]) -> Tightened | None:
        """None where the bounds contradict each other: no model exists."""
        parts = list(dict.fromkeys(part for constraint in constraints for part in _conjuncts(constraint)))
        bounds = _narrowed(parts, {}, ROUNDS)
        if bounds is None:
            return None
        mapping: dict[Term, Symbol] = {
            s: symbol(s.name, low, high, s.scope) for s, (low, high) in bounds.items() if (low, high) != interval(s)
        }
        if mapping:
            memo = self._memos.setdefault(frozenset(mapping.items()), {})
            parts = [rewrite(part, mapping.get, memo) for part in parts]
        parts = _decided(parts)
        if any(part is FALSE for part in parts):
            return None
        return Tightened(tuple(parts), tuple(mapping.values()))


# --- bounds of symbols -------------------------------------------------------------------------------------------------


def _narrowed(constraints: Iterable[Term], start: Mapping[Symbol, Interval], rounds: int) -> Bounds | None:
    """The bounds with what the constraints add to them; None where nothing is left of some range."""
    constraints = list(constraints)
    sums = list(_sums(constraints))
    disjunctions = [c for c in constraints if isinstance(c, Any_) and len(c.parts[0]) <= ALTERNATIVES]
    bounds = dict(start)
    for _ in range(rounds):
        before = dict(bounds)
        if not all(_by_sum(constant, monomials, bounds) for constant, monomials in sums):
            return None
        if not all(_by_alternatives(disjunction, bounds) for disjunction in disjunctions):
            return None
        if bounds == before:
            break
    return bounds


def _by_sum(constant: int, monomials: tuple[tuple[Monomial, int], ...], bounds: Bounds) -> bool:
    for monomial, bound in _implied(constant, monomials, lambda m: _range_of(m, bounds)):
        for atom, found in _factors(monomial, bound, bounds):
            if not _meets(atom, found, bounds):
                return False
    return True


def _meets(atom: Symbol, found: Interval, bounds: Bounds) -> bool:
    low, high = meet(_of(atom, bounds), found)
    if low is not None and high is not None and low > high:
        return False
    if (low, high) != _of(atom, bounds):
        bounds[atom] = (low, high)
    return True


def _by_alternatives(disjunction: Term, bounds: Bounds) -> bool:
    """What holds under each alternative that is possible (constructive disjunction)."""
    possible = [
        found for option in disjunction.parts[0] if (found := _narrowed(_conjuncts(option), bounds, 1)) is not None
    ]
    if not possible:
        return False
    for atom in [atom for atom in possible[0] if all(atom in other for other in possible[1:])]:
        lows, highs = [found[atom][0] for found in possible], [found[atom][1] for found in possible]
        low = None if None in lows else min(bound for bound in lows if bound is not None)
        high = None if None in highs else max(bound for bound in highs if bound is not None)
        if not _meets(atom, (low, high), bounds):
            return False
    return True


def _conjuncts(constraint: Term) -> tuple[Term, ...]:
    return constraint.parts[0] if isinstance(constraint, All) else (constraint,)


def _sums(constraints: Iterable[Term]) -> Iterable[tuple[int, tuple[tuple[Monomial, int], ...]]]:
    """Each constraint as constant + sum of coefficient * monomial <= 0."""
    for constraint in constraints:
        if not isinstance(constraint, AtMostZero | IsZero):
            continue
        inner = constraint.parts[0]
        constant, monomials = (inner.constant, inner.monomials) if isinstance(inner, Sum) else (0, (((inner,), 1),))
        yield constant, monomials
        if isinstance(constraint, IsZero):
            yield -constant, tuple((monomial, -coefficient) for monomial, coefficient in monomials)


def _implied(
    constant: int, monomials: tuple[tuple[Monomial, int], ...], range_of: Callable[[Monomial], Interval]
) -> Iterable[tuple[Monomial, Interval]]:
    """What constant + sum <= 0 says of each monomial, given the ranges of the others."""
    lows = [multiply_bounds((c, c), range_of(monomial))[0] for monomial, c in monomials]
    missing = lows.count(None)
    if missing > 1:
        return
    total = constant + sum(low for low in lows if low is not None)
    for (monomial, c), low in zip(monomials, lows):
        if missing and low is not None:
            continue
        most = -(total - (low or 0))  # c * monomial <= most
        yield monomial, ((None, most // c) if c > 0 else (-(most // -c), None))


def _factors(
    monomial: Monomial, bound: Interval, bounds: Mapping[Symbol, Interval]
) -> Iterable[tuple[Symbol, Interval]]:
    """A range of a product as ranges of its factors, where none of them is negative."""
    if len(monomial) == 1:
        if isinstance(monomial[0], Symbol):
            yield monomial[0], bound
        return
    lows = [_of(atom, bounds)[0] for atom in monomial]
    if any(low is None or low < 0 for low in lows):
        return
    low, high = bound
    for position, atom in enumerate(monomial):
        if not isinstance(atom, Symbol):
            continue
        others = 1
        for other, least in enumerate(lows):
            others *= 1 if other == position else (least or 0)
        yield (
            atom,
            (1 if low is not None and low >= 1 else None, high // others if high is not None and others > 0 else None),
        )


def _of(atom: Term, bounds: Mapping[Symbol, Interval]) -> Interval:
    return bounds.get(atom, interval(atom)) if isinstance(atom, Symbol) else interval(atom)


def _range_of(monomial: Monomial, bounds: Mapping[Symbol, Interval]) -> Interval:
    return monomial_interval(monomial, 1, lambda atom: _of(atom, bounds))


def meet(a: Interval, b: Interval) -> Interval:
    """The values in both."""
    low = b[0] if a[0] is None else (a[0] if b[0] is None else max(a[0], b[0]))
    high = b[1] if a[1] is None else (a[1] if b[1] is None else min(a[1], b[1]))
    return low, high


# --- what bounds of products decide ------------------------------------------------------------------------------------


def _decided(constraints: list[Term]) -> list[Term]:
    """Comparisons inside a constraint that the products of earlier constraints decide; nothing that they rest on is lost."""
    products: dict[Monomial, Interval] = {}
    result: list[Term] = []
    for constraint in constraints:
        if products:
            constraint = _under(constraint, products)
        result.append(constraint)
        for constant, monomials in _sums([constraint]):
            for monomial, bound in _implied(constant, monomials, lambda m: _product(m, products)):
                if not (len(monomial) == 1 and isinstance(monomial[0], Symbol)):
                    better = meet(_product(monomial, products), bound)
                    if better != _product(monomial, {}):
                        products[monomial] = better
    return result


def _product(monomial: Monomial, products: Mapping[Monomial, Interval]) -> Interval:
    return meet(monomial_interval(monomial, 1), products.get(monomial, _UNKNOWN))


def _under(term: Term, products: Mapping[Monomial, Interval]) -> Term:
    memo: dict[Term, Term] = {}
    concerned = frozenset(atom for monomial in products for factor in monomial for atom in free_symbols(factor))

    def decide(part: Term) -> Term | None:
        if free_symbols(part).isdisjoint(concerned):
            return part
        if isinstance(part, AtMostZero | IsZero):
            low, high = _interval_under(part.parts[0], products)
            if (low is not None and low > 0) or (isinstance(part, IsZero) and high is not None and high < 0):
                return FALSE
            if isinstance(part, AtMostZero) and high is not None and high <= 0:
                return truth(True)
        if isinstance(part, Wrapped):
            inner = rewrite(part.parts[0], decide, memo)
            low, high = _interval_under(inner, products)
            least = -(1 << (part.parts[1] - 1)) if part.parts[2] else 0
            if low is not None and high is not None and least <= low and high < least + (1 << part.parts[1]):
                return inner
            return wrapped(inner, part.parts[1], part.parts[2])
        return None

    return rewrite(term, decide, memo)


def _interval_under(term: Term, products: Mapping[Monomial, Interval]) -> Interval:
    if not isinstance(term, Sum):
        return _product((term,), products)
    total: Interval = (term.constant, term.constant)
    for monomial, coefficient in term.monomials:
        total = add_bounds(total, multiply_bounds((coefficient, coefficient), _product(monomial, products)))
    return total
