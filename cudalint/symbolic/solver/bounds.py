"""Bounds that constraints put on symbols and products, carried into the terms before a solver is asked.

Interval propagation as in constraint solvers (Davis, "Constraint propagation with interval labels", 1987), over linear sums whose
monomials count as variables. A symbol with better bounds takes the place of the old one everywhere, so that divisions lose the
cases of their signs, and wrapped values that fit lose the wrap; a comparison that an earlier constraint decides is decided.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
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
    Quotient,
    Sum,
    Symbol,
    Term,
    Wrapped,
    cached_by_term,
    free_symbols,
    holds_any,
    interval,
    monomial_interval,
    rewrite,
    rewrite_symbols,
    sum_interval,
    symbol,
    truth,
    wrapped,
)

ROUNDS = 4
ALTERNATIVES = 6
MOST_OUTCOMES = 200  # that are kept of one constraint
MOST_TRIED = 64  # alternatives of one constraint, those inside others counted as often as they would be tried


@dataclass(frozen=True, slots=True)
class Tightened:
    """Constraints with the same models, over symbols of the same names with narrower ranges."""

    constraints: tuple[Term, ...]
    symbols: tuple[Symbol, ...]


@dataclass(slots=True)
class Tightener:
    """Tightens constraints; what one set of bounds did to a term is remembered for the next query."""

    _memos: dict[frozenset[tuple[Term, Term]], dict[Term, Term]] = field(default_factory=dict)
    _narrowed: dict[tuple[Term, frozenset[Term]], Term] = field(default_factory=dict)

    def tighten(self, constraints: Iterable[Term]) -> Tightened | None:
        """None where the bounds contradict each other: no model exists."""
        parts = list(dict.fromkeys(part for constraint in constraints for part in _conjuncts(constraint)))
        bounds = _Bounds()
        if not bounds.narrow([_shape(part) for part in parts], ROUNDS):
            return None
        mapping: dict[Term, Term] = {
            s: symbol(s.name, low, high, s.scope)
            for s, (low, high) in bounds.known.items()
            if (low, high) != interval(s)
        }
        if mapping:
            memo = self._memos.setdefault(frozenset(mapping.items()), {})
            parts = [self._with_ranges(part, mapping, memo) for part in parts]
        parts = _decided(parts)
        if any(part is FALSE for part in parts):
            return None
        return Tightened(tuple(parts), tuple(s for s in mapping.values() if isinstance(s, Symbol)))

    def excludes(self, constraints: Iterable[Term], pinned: Symbol, value: int) -> bool:
        """Whether bounds contradict this value of a symbol; to see that takes less than to put it into the constraints."""
        shapes = [_shape(part) for constraint in constraints for part in _conjuncts(constraint)]
        bounds = _Bounds()
        bounds.known[pinned] = (value, value)
        return not bounds.narrow(shapes, ROUNDS, {pinned})

    def _with_ranges(self, part: Term, mapping: Mapping[Term, Term], memo: dict[Term, Term]) -> Term:
        """Most constraints are facts of many queries, whose own symbols have the same ranges in most of them."""
        own = frozenset([mapping[s] for s in free_symbols(part) if s in mapping])
        key = part, own
        found = self._narrowed.get(key)
        if found is None:
            found = self._narrowed[key] = rewrite_symbols(part, mapping, memo)
        return found


# --- bounds of symbols -------------------------------------------------------------------------------------------------


_Outcome: TypeAlias = list[tuple[Symbol, Interval]] | None  # None: no alternative is possible


@dataclass(frozen=True, slots=True)
class _Linear:
    """constant + sum of coefficient * monomial <= 0; `composed`: some monomial is more than a symbol."""

    constant: int
    monomials: tuple[tuple[Monomial, int], ...]
    composed: bool = True


@dataclass(frozen=True, slots=True)
class _Shape:
    """What propagation uses of one constraint: linear sums, or alternatives of which one holds; `tried` is their number.

    `outcomes` are what the alternatives said under bounds of the symbols that they were tried with: most constraints are facts of
    many queries, which have the same bounds in most of them.
    """

    symbols: frozenset[Term]
    sums: tuple[_Linear, ...] = ()
    alternatives: tuple[tuple[_Shape, ...], ...] = ()
    tried: int = 0
    outcomes: dict[tuple[Interval | None, ...], _Outcome] = field(default_factory=dict, compare=False, repr=False)


@cached_by_term(maxsize=1 << 14)
def _shape(constraint: Term) -> _Shape:
    symbols = free_symbols(constraint)
    if isinstance(constraint, Any_) and len(constraint.parts[0]) <= ALTERNATIVES:
        options = tuple(tuple(_shape(part) for part in _conjuncts(option)) for option in constraint.parts[0])
        tried = len(options) + sum(shape.tried for option in options for shape in option)
        return _Shape(symbols, alternatives=options, tried=tried) if tried <= MOST_TRIED else _Shape(symbols)
    return _Shape(symbols, tuple(_sums(constraint)))


def _sums(constraint: Term) -> Iterator[_Linear]:
    if not isinstance(constraint, AtMostZero | IsZero):
        return
    inner = constraint.parts[0]
    constant, monomials = (inner.constant, inner.monomials) if isinstance(inner, Sum) else (0, (((inner,), 1),))
    composed = not all(_is_symbol(monomial) for monomial, _ in monomials)
    yield _Linear(constant, monomials, composed)
    if isinstance(constraint, IsZero):
        negative = tuple((monomial, -coefficient) for monomial, coefficient in monomials)
        yield _Linear(-constant, negative, composed)


def _is_symbol(monomial: Monomial) -> bool:
    return len(monomial) == 1 and isinstance(monomial[0], Symbol)


class _Bounds:
    """Ranges of symbols, each at least as narrow as its own, and what they were before the alternative at hand."""

    def __init__(self) -> None:
        self.known: dict[Symbol, Interval] = {}
        self._before: dict[Symbol, Interval | None] = {}

    def narrow(self, shapes: Iterable[_Shape], rounds: int, known: Set[Term] = frozenset()) -> bool:
        """Take in what the constraints say, again where a bound moved; False where nothing is left of some range.

        Where only the bounds of some symbols are `known` anew, first what speaks of those.
        """
        waiting = list(shapes)
        everything = waiting if rounds > 1 else []
        if known:
            waiting = [shape for shape in everything if not known.isdisjoint(shape.symbols)]
        for _ in range(rounds):
            moved: set[Term] = set()
            for shape in waiting:
                if not self._take(shape, moved):
                    return False
            waiting = [shape for shape in everything if not moved.isdisjoint(shape.symbols)] if moved else []
            if not waiting:
                break
        return True

    def of(self, atom: Term) -> Interval:
        return self.known.get(atom) or interval(atom)  # type: ignore[call-overload]

    def of_monomial(self, monomial: Monomial) -> Interval:
        return self.of(monomial[0]) if len(monomial) == 1 else monomial_interval(monomial, 1, self.of)

    def _take(self, shape: _Shape, moved: set[Term]) -> bool:
        known = self.known
        for linear in shape.sums:
            for monomial, bound in _implied(linear, self.of_monomial):
                if len(monomial) == 1 and isinstance(atom := monomial[0], Symbol):
                    low, high = known.get(atom) or interval(atom)
                    least, most = bound
                    if (least is not None and (low is None or least > low)) or (
                        most is not None and (high is None or most < high)
                    ):
                        if not self._meets(atom, bound, moved):
                            return False
                    elif low is not None and high is not None and low > high:
                        return False
                    continue
                for atom, found in _factors(monomial, bound, self):
                    if not self._meets(atom, found, moved):
                        return False
        return not shape.alternatives or self._take_alternatives(shape, moved)

    def _take_alternatives(self, shape: _Shape, moved: set[Term]) -> bool:
        known = tuple(map(self.known.get, shape.symbols))  # type: ignore[arg-type]
        if known not in shape.outcomes:
            if len(shape.outcomes) >= MOST_OUTCOMES:
                shape.outcomes.clear()
            shape.outcomes[known] = self._outcome(shape.alternatives)
        outcome = shape.outcomes[known]
        return outcome is not None and all(self._meets(atom, bound, moved) for atom, bound in outcome)

    def _outcome(self, alternatives: tuple[tuple[_Shape, ...], ...]) -> _Outcome:
        """What holds under each alternative that is possible (constructive disjunction)."""
        outcomes = [found for option in alternatives if (found := self._tried(option)) is not None]
        if not outcomes:
            return None
        common: list[tuple[Symbol, Interval]] = []
        for atom in [atom for atom in outcomes[0] if all(atom in other for other in outcomes[1:])]:
            lows, highs = [found[atom][0] for found in outcomes], [found[atom][1] for found in outcomes]
            low = None if None in lows else min(bound for bound in lows if bound is not None)
            high = None if None in highs else max(bound for bound in highs if bound is not None)
            common.append((atom, (low, high)))
        return common

    def _tried(self, option: tuple[_Shape, ...]) -> dict[Symbol, Interval] | None:
        """The bounds that one alternative moves, which are put back; None where it is impossible."""
        outer, self._before = self._before, {}
        possible = self.narrow(option, 1)
        found = {atom: self.known[atom] for atom in self._before}
        for atom, old in self._before.items():
            if old is None:
                del self.known[atom]
            else:
                self.known[atom] = old
        self._before = outer
        return found if possible else None

    def _meets(self, atom: Symbol, found: Interval, moved: set[Term]) -> bool:
        old = self.known.get(atom)
        now = old or interval(atom)
        low, high = meet(now, found)
        if low is not None and high is not None and low > high:
            return False
        if (low, high) != now:
            self._before.setdefault(atom, old)
            self.known[atom] = (low, high)
            moved.add(atom)
        return True


def _conjuncts(constraint: Term) -> tuple[Term, ...]:
    return constraint.parts[0] if isinstance(constraint, All) else (constraint,)


def _implied(linear: _Linear, range_of: Callable[[Monomial], Interval]) -> Iterable[tuple[Monomial, Interval]]:
    """What the sum says of each monomial, given the ranges of the others."""
    total, missing = linear.constant, 0
    lows: list[int | None] = []
    for monomial, coefficient in linear.monomials:
        low, high = range_of(monomial)
        end = low if coefficient > 0 else high
        if end is None:
            missing += 1
            if missing > 1:
                return
            lows.append(None)
        else:
            lows.append(coefficient * end)
            total += coefficient * end
    for (monomial, c), least in zip(linear.monomials, lows):
        if missing and least is not None:
            continue
        most = (least or 0) - total  # c * monomial <= most
        yield monomial, ((None, most // c) if c > 0 else (-(most // -c), None))


def _factors(monomial: Monomial, bound: Interval, bounds: _Bounds) -> Iterable[tuple[Symbol, Interval]]:
    """A range of a product as ranges of its factors, where none of them is negative."""
    if len(monomial) == 1:
        if isinstance(monomial[0], Symbol):
            yield monomial[0], bound
        elif isinstance(monomial[0], Quotient):
            yield from _divided(monomial[0], bound, bounds)
        return
    lows = [bounds.of(atom)[0] for atom in monomial]
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


def _divided(quotient: Quotient, bound: Interval, bounds: _Bounds) -> Iterable[tuple[Symbol, Interval]]:
    """A range of a quotient, rounded down, as ranges of what is divided and of a divisor that is positive."""
    whole, divisor = quotient.parts
    (low, high), (least, most) = bound, bounds.of(divisor)
    if least is None or least < 1:
        return
    from_ = low * least if low is not None and low > 0 else None
    to = (high + 1) * most - 1 if high is not None and high >= 0 and most is not None else None
    for linear in (*_at_least(whole, from_), *_at_most(whole, to)):
        for monomial, found in _implied(linear, bounds.of_monomial):
            yield from _factors(monomial, found, bounds)
    if isinstance(divisor, Symbol):
        start, end = bounds.of(whole)
        yield (
            divisor,
            (
                start // (high + 1) + 1
                if high is not None and high >= 0 and start is not None and start >= 0
                else None,
                max(end, 0) // low if low is not None and low > 0 and end is not None else None,
            ),
        )


def _at_most(term: Term, bound: int | None, sign: int = 1) -> Iterator[_Linear]:
    constant, monomials = (term.constant, term.monomials) if isinstance(term, Sum) else (0, (((term,), 1),))
    if bound is not None:
        yield _Linear(sign * (constant - bound), tuple((monomial, sign * factor) for monomial, factor in monomials))


def _at_least(term: Term, bound: int | None) -> Iterator[_Linear]:
    return _at_most(term, bound, -1)


def meet(a: Interval, b: Interval) -> Interval:
    """The values in both."""
    low = b[0] if a[0] is None else (a[0] if b[0] is None else max(a[0], b[0]))
    high = b[1] if a[1] is None else (a[1] if b[1] is None else min(a[1], b[1]))
    return low, high


# --- what bounds of products decide ------------------------------------------------------------------------------------


def _decided(constraints: list[Term]) -> list[Term]:
    """Comparisons inside a constraint that the products of earlier constraints decide; nothing that they rest on is lost."""
    products: dict[Monomial, Interval] = {}
    concerned: set[Term] = set()
    memo: dict[Term, Term] = {}
    result: list[Term] = []
    for constraint in constraints:
        if not concerned.isdisjoint(free_symbols(constraint)):
            constraint = _under(constraint, products, concerned, memo)
        result.append(constraint)
        for linear in _shape(constraint).sums:
            if not linear.composed:
                continue
            for monomial, bound in _implied(linear, lambda m: _product(m, products)):
                if not _is_symbol(monomial):
                    better = meet(_product(monomial, products), bound)
                    if better != _product(monomial, {}) and better != products.get(monomial):
                        products[monomial] = better
                        concerned.update(*(free_symbols(factor) for factor in monomial))
                        memo = {}
    return result


def _product(monomial: Monomial, products: Mapping[Monomial, Interval]) -> Interval:
    plain = interval(monomial[0]) if len(monomial) == 1 else monomial_interval(monomial, 1)
    known = products.get(monomial)
    return plain if known is None else meet(plain, known)


def _under(
    term: Term, products: Mapping[Monomial, Interval], concerned: Collection[Term], memo: dict[Term, Term]
) -> Term:
    def decide(part: Term) -> Term | None:
        if not holds_any(part, AtMostZero, IsZero, Wrapped) or free_symbols(part).isdisjoint(concerned):
            return part
        if isinstance(part, AtMostZero | IsZero):
            low, high = _interval_under(part.parts[0], products)
            if (low is not None and low > 0) or (isinstance(part, IsZero) and high is not None and high < 0):
                return FALSE
            if isinstance(part, AtMostZero) and high is not None and high <= 0:
                return truth(True)
            if not holds_any(part.parts[0], AtMostZero, IsZero, Wrapped):
                return part
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
    return sum_interval(term.constant, term.monomials, lambda monomial: _product(monomial, products))
