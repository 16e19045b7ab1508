"""Solver queries as values: constraints in, one of Unsatisfiable / Model / Undecided out. The only importer of z3.

Effort is counted in solver steps (`rlimit`), so the answer is the same on every machine. Quotients get fresh results with their
defining equation, wrapped values a fresh multiple of 2^n, and products the lemmas of SEMANTICS 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import z3

from cudalint.term import (
    All,
    Any_,
    Apply,
    AtMostZero,
    Choice,
    Flag,
    IsZero,
    Not,
    Number,
    Quotient,
    Remainder,
    Sum,
    Symbol,
    Term,
    Truth,
    Wrapped,
    children,
    evaluate,
    free_symbols,
    interval,
)

DEFAULT_STEPS = 1_500_000
CLOCK_BACKSTOP_MS = 20_000
_LEMMA_PAIRS = 24


@dataclass(frozen=True, slots=True)
class Query:
    """A question with a name: is there an assignment under which all constraints hold?"""

    name: str
    constraints: tuple[Term, ...]
    steps: int = DEFAULT_STEPS


@dataclass(frozen=True, slots=True)
class Unsatisfiable:
    pass


@dataclass(frozen=True, slots=True)
class Model:
    """Values of symbols and flags by name, and of uninterpreted terms by the term."""

    values: dict[str, int]
    applications: dict[Term, int]

    def value(self, term: Term) -> int:
        """The value of any term over the model; symbols that the query did not mention take their smallest value."""
        return _evaluate_total(term, self)


@dataclass(frozen=True, slots=True)
class Undecided:
    reason: str


Answer: TypeAlias = Unsatisfiable | Model | Undecided


@dataclass(slots=True)
class Statistics:
    queries: int = 0
    cached: int = 0
    undecided: int = 0


@dataclass(slots=True)
class Solver:
    """Answers queries; the same set of constraints is never solved twice."""

    statistics: Statistics = field(default_factory=Statistics)
    _answers: dict[tuple[frozenset[Term], int], Answer] = field(default_factory=dict)
    _encoder: Encoder | None = None

    def check(self, query: Query) -> Answer:
        constraints = frozenset(c for c in query.constraints if not (isinstance(c, Truth) and c.parts[0]))
        if any(isinstance(c, Truth) for c in constraints):
            return Unsatisfiable()
        key = (constraints, query.steps)
        if key in self._answers:
            self.statistics.cached += 1
        else:
            self._answers[key] = self._solve(query.constraints, query.steps)
        return self._answers[key]

    def _solve(self, constraints: tuple[Term, ...], steps: int) -> Answer:
        self.statistics.queries += 1
        encoder = self._encoder = self._encoder or Encoder()
        solver = encoder.solver(constraints)
        solver.set("rlimit", steps)
        solver.set("timeout", CLOCK_BACKSTOP_MS)
        result = solver.check()
        if result == z3.unsat:
            return Unsatisfiable()
        if result == z3.sat:
            return encoder.model(solver.model(), constraints)
        self.statistics.undecided += 1
        return Undecided(str(solver.reason_unknown()))

    def smtlib(self, query: Query) -> str:
        """The query as SMT-LIB text, to be read or tried with another solver."""
        encoder = self._encoder = self._encoder or Encoder()
        return f"; {query.name}\n{encoder.solver(query.constraints).to_smt2()}"


class Encoder:
    """Terms as z3 expressions, one for each term."""

    def __init__(self) -> None:
        self.context = z3.Context()
        self._cache: dict[Term, Any] = {}
        self._sides: dict[Term, list[Any]] = {}

    def solver(self, constraints: Iterable[Term]) -> Any:
        solver = z3.Solver(ctx=self.context)
        solver.set("random_seed", 7)
        terms = _subterms(constraints)
        for term in terms:
            for side in self._side_conditions(term):
                solver.add(side)
        for lemma in self._product_lemmas(terms):
            solver.add(lemma)
        for constraint in constraints:
            solver.add(self.encode(constraint))
        return solver

    def model(self, found: Any, constraints: Iterable[Term]) -> Model:
        values: dict[str, int] = {}
        applications: dict[Term, int] = {}
        for term in _subterms(constraints):
            if isinstance(term, Symbol):
                values[term.name] = found.eval(self.encode(term), model_completion=True).as_long()
            elif isinstance(term, Flag):
                values[str(term.parts[0])] = int(z3.is_true(found.eval(self.encode(term), model_completion=True)))
            elif isinstance(term, Apply):
                applications[term] = found.eval(self.encode(term), model_completion=True).as_long()
        return Model(values, applications)

    def encode(self, term: Term) -> Any:
        found = self._cache.get(term)
        if found is None:
            found = self._cache[term] = self._encode(term)
        return found

    def _encode(self, term: Term) -> Any:
        if isinstance(term, Number):
            return z3.IntVal(term.value, self.context)
        if isinstance(term, Symbol):
            return z3.Int(f"{term.name}:{term.digest.hex()[:6]}", self.context)
        if isinstance(term, Flag):
            return z3.Bool(str(term.parts[0]), self.context)
        if isinstance(term, Sum):
            return self._encode_sum(term)
        if isinstance(term, Truth):
            return z3.BoolVal(term.parts[0], self.context)
        if isinstance(term, Choice):
            return z3.If(*(self.encode(part) for part in term.parts))
        if isinstance(term, AtMostZero):
            return self.encode(term.parts[0]) <= 0
        if isinstance(term, IsZero):
            return self.encode(term.parts[0]) == 0
        if isinstance(term, Not):
            return z3.Not(self.encode(term.parts[0]))
        if isinstance(term, All):
            return z3.And(*(self.encode(part) for part in term.parts[0]))
        if isinstance(term, Any_):
            return z3.Or(*(self.encode(part) for part in term.parts[0]))
        if isinstance(term, Apply) and term.parts[1]:
            sorts = [z3.IntSort(self.context)] * (len(term.parts[1]) + 1)
            function = z3.Function(f"{term.parts[0]}/{len(term.parts[1])}", *sorts)
            return function(*(self.encode(arg) for arg in term.parts[1]))
        return z3.Int(f"{term.kind}:{term.digest.hex()}", self.context)

    def _encode_sum(self, term: Sum) -> Any:
        parts = [z3.IntVal(term.constant, self.context)] if term.constant else []
        for monomial, coefficient in term.monomials:
            product = self.encode(monomial[0])
            for atom in monomial[1:]:
                product = product * self.encode(atom)
            parts.append(product if coefficient == 1 else coefficient * product)
        return z3.Sum(parts) if len(parts) > 1 else parts[0]

    # --- what defines the fresh variables -------------------------------------------------------------------------------

    def _side_conditions(self, term: Term) -> list[Any]:
        found = self._sides.get(term)
        if found is None:
            found = self._sides[term] = self._define(term)
        return found

    def _define(self, term: Term) -> list[Any]:
        if isinstance(term, Symbol | Apply):
            return self._range(term)
        if isinstance(term, Wrapped):
            return self._define_wrapped(term)
        if isinstance(term, Quotient | Remainder):
            return self._define_division(term.parts[0], term.parts[1])
        return []

    def _range(self, term: Term) -> list[Any]:
        low, high = interval(term)
        encoded = self.encode(term)
        return [*([encoded >= low] if low is not None else []), *([encoded <= high] if high is not None else [])]

    def _define_wrapped(self, term: Wrapped) -> list[Any]:
        inner, bits, _ = term.parts
        multiple = z3.Int(f"k:{term.digest.hex()}", self.context)
        value = self.encode(term)
        low, high = interval(inner)
        first, _ = interval(term)
        assert first is not None
        sides = [value == self.encode(inner) - multiple * (1 << bits), *self._range(term)]
        if low is not None:
            sides.append(multiple >= (low - first) >> bits)
        if high is not None:
            sides.append(multiple <= (high - first) >> bits)
        return sides

    def _define_division(self, a: Term, b: Term) -> list[Any]:
        from cudalint.term import make_node

        q = self.encode(make_node(Quotient, (a, b)))
        r = self.encode(make_node(Remainder, (a, b)))
        dividend, divisor = self.encode(a), self.encode(b)
        equation = dividend == divisor * q + r
        low, high = interval(b)
        positive = z3.And(equation, r >= 0, r < divisor)
        if low is not None and low > 0:
            sides = [equation, r >= 0, r < divisor]
            low_a, _ = interval(a)
            return [*sides, q >= 0, q <= dividend] if low_a is not None and low_a >= 0 else sides
        sides = [z3.Implies(divisor > 0, positive)]
        if low is None or low < 0:
            sides.append(z3.Implies(divisor < 0, z3.And(equation, r <= 0, r > divisor)))
        return sides

    def _product_lemmas(self, terms: list[Term]) -> list[Any]:
        """x < y gives x*B + B <= y*B for the products of one query that share a non-negative factor B."""
        by_factor: dict[Term, dict[tuple[Term, ...], None]] = {}
        for term in terms:
            if not isinstance(term, Sum):
                continue
            for monomial, _ in term.monomials:
                if len(monomial) >= 2:
                    self._split(monomial, by_factor)
        lemmas: list[Any] = []
        for factor, cofactors in by_factor.items():
            low, _ = interval(factor)
            if low is None or low < 0 or len(cofactors) < 2:
                continue
            lemmas += self._order_lemmas(factor, list(cofactors))
        return lemmas

    def _split(self, monomial: tuple[Term, ...], by_factor: dict[Term, dict[tuple[Term, ...], None]]) -> None:
        for position, factor in enumerate(monomial):
            rest = monomial[:position] + monomial[position + 1 :]
            by_factor.setdefault(factor, {})[rest] = None

    def _order_lemmas(self, factor: Term, cofactors: list[tuple[Term, ...]]) -> list[Any]:
        lemmas: list[Any] = []
        b = self.encode(factor)
        pairs = [(x, y) for x in cofactors for y in cofactors if x is not y][:_LEMMA_PAIRS]
        for x, y in pairs:
            left, right = self._product(x), self._product(y)
            lemmas.append(z3.Implies(left < right, left * b + b <= right * b))
            lemmas.append(z3.Implies(left <= right, left * b <= right * b))
        return lemmas

    def _product(self, atoms: tuple[Term, ...]) -> Any:
        product = self.encode(atoms[0])
        for atom in atoms[1:]:
            product = product * self.encode(atom)
        return product


def _subterms(constraints: Iterable[Term]) -> list[Term]:
    seen: dict[Term, None] = {}
    stack = list(constraints)
    while stack:
        term = stack.pop()
        if term in seen:
            continue
        seen[term] = None
        stack.extend(children(term))
        if isinstance(term, Wrapped | Quotient | Remainder):
            stack.extend(part for part in term.parts if isinstance(part, Term))
    return sorted(seen, key=lambda t: t.digest)


class _Total(Mapping[str, int]):
    """Values with a default for every symbol of the term."""

    def __init__(self, model: Model, term: Term) -> None:
        self._values = dict(model.values)
        for atom in free_symbols(term):
            low, high = interval(atom) if isinstance(atom, Symbol) else (0, 1)
            default = low if low is not None else (min(0, high) if high is not None else 0)
            self._values.setdefault(str(atom.parts[0]), default)

    def __getitem__(self, key: str) -> int:
        return self._values[key]

    def __iter__(self) -> Any:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def _evaluate_total(term: Term, model: Model) -> int:
    from cudalint.term import number, rewrite

    plain = rewrite(
        term, lambda t: number(model.applications.get(t, interval(t)[0] or 0)) if isinstance(t, Apply) else None
    )
    return evaluate(plain, _Total(model, plain))
