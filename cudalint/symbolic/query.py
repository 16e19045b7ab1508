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
    add,
    at_most,
    children,
    conjunction,
    disjunction,
    equal,
    evaluate,
    free_symbols,
    interval,
    less,
    make_node,
    monomial_interval,
    multiply,
    number,
    rewrite,
    scale,
    subtract,
    symbol,
)

DEFAULT_STEPS = 600_000
PROOF_STEPS = 1_500_000  # of the query that decides between safe and not
REDUCED_STEPS = 10_000  # once a kernel has left this many queries undecided
UNDECIDED_LIMIT = 3
QUERY_LIMIT = 150  # of one kernel under one contract
CLOCK_BACKSTOP_MS = 10_000
_LEMMA_LIMIT = 200


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
    _products: Encoder | None = None  # products as unknowns: decides most by linear arithmetic and lemmas

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
        if self.statistics.queries >= QUERY_LIMIT:
            return Undecided("the budget of this kernel is spent")
        self.statistics.queries += 1
        if self.statistics.undecided >= UNDECIDED_LIMIT:
            steps = min(steps, REDUCED_STEPS)
        products = self._products = self._products or Encoder(linear=True)
        if isinstance(self._run(products, constraints, steps), Unsatisfiable):
            return Unsatisfiable()
        encoder = self._encoder = self._encoder or Encoder()
        answer = self._run(encoder, constraints, steps)
        self.statistics.undecided += isinstance(answer, Undecided)
        return answer

    def _run(self, encoder: Encoder, constraints: tuple[Term, ...], steps: int) -> Answer:
        solver = encoder.solver(constraints)
        solver.set("rlimit", steps)
        solver.set("timeout", CLOCK_BACKSTOP_MS)
        result = solver.check()
        if result == z3.unsat:
            return Unsatisfiable()
        if result == z3.sat:
            return encoder.model(solver.model(), constraints)
        return Undecided(str(solver.reason_unknown()))

    def smtlib(self, query: Query) -> str:
        """The query as SMT-LIB text, to be read or tried with another solver."""
        encoder = self._encoder = self._encoder or Encoder()
        return f"; {query.name}\n{encoder.solver(query.constraints).to_smt2()}"


class Encoder:
    """Terms as z3 expressions, one for each term.

    With `linear`, a product of symbols is an unknown of its own that only its range and the lemmas speak of: what that
    refutes is refuted, a model of it means nothing.
    """

    def __init__(self, linear: bool = False) -> None:
        self.context = z3.Context()
        self.linear = linear
        self._cache: dict[Term, Any] = {}

    def solver(self, constraints: Iterable[Term]) -> Any:
        solver = z3.Solver(ctx=self.context)
        solver.set("random_seed", 7)
        everything = [*constraints, *definitions(constraints)]
        products: dict[tuple[Term, ...], None] = {}
        everything += product_lemmas(everything)
        for constraint in everything:
            solver.add(self.encode(constraint))
        for term in _subterms(everything):
            for bound in self._range(term):
                solver.add(bound)
            if isinstance(term, Sum):
                products |= dict.fromkeys(m for m, _ in term.monomials if len(m) > 1)
        for product in products:
            for bound in self._product_range(product):
                solver.add(bound)
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
            product = self._product(monomial)
            parts.append(product if coefficient == 1 else coefficient * product)
        return z3.Sum(parts) if len(parts) > 1 else parts[0]

    def _product(self, atoms: tuple[Term, ...]) -> Any:
        if self.linear and len(atoms) > 1:
            return z3.Int("product:" + ":".join(atom.digest.hex()[:16] for atom in atoms), self.context)
        product = self.encode(atoms[0])
        for atom in atoms[1:]:
            product = product * self.encode(atom)
        return product

    def _range(self, term: Term) -> list[Any]:
        if not isinstance(term, Symbol | Apply | Wrapped | Quotient | Remainder):
            return []
        return self._between(self.encode(term), *interval(term))

    def _product_range(self, atoms: tuple[Term, ...]) -> list[Any]:
        """Only for products as unknowns: elsewhere their factors say it."""
        if not self.linear:
            return []
        return self._between(self._product(atoms), *monomial_interval(atoms, 1))

    def _between(self, value: Any, low: int | None, high: int | None) -> list[Any]:
        return [*([value >= low] if low is not None else []), *([value <= high] if high is not None else [])]


# --- what defines quotients and wrapped values, and what helps with products --------------------------------------------


def definitions(constraints: Iterable[Term]) -> list[Term]:
    """The equations of every quotient, remainder and wrapped value that occurs, as constraints."""
    found: dict[Term, None] = {}
    for term in _subterms(constraints):
        if isinstance(term, Wrapped):
            found.update(dict.fromkeys(_define_wrapped(term)))
        elif isinstance(term, Quotient | Remainder):
            found.update(dict.fromkeys(_define_division(term.parts[0], term.parts[1])))
    return list(found)


def _define_wrapped(term: Wrapped) -> list[Term]:
    """value = inner - k * 2^bits for some integer k; the range of the value is added with the other ranges."""
    inner, bits, _ = term.parts
    (low, high), (first, _) = interval(inner), interval(term)
    assert first is not None
    k_low = None if low is None else (low - first) >> bits
    k_high = None if high is None else (high - first) >> bits
    multiple = symbol(f"k:{term.digest.hex()}", k_low, k_high, "thread")
    return [equal(term, subtract(inner, scale(multiple, 1 << bits)))]


def _define_division(a: Term, b: Term) -> list[Term]:
    q, r = make_node(Quotient, (a, b)), make_node(Remainder, (a, b))
    equation = equal(a, add(multiply(b, q), r))
    (low, _), (low_a, _) = interval(b), interval(a)
    positive = [equation, at_most(number(0), r), less(r, b)]
    if low is not None and low > 0:
        if low_a is not None and low_a >= 0:
            positive += [at_most(number(0), q), at_most(q, a)]
        return [part for part in positive if not isinstance(part, Truth)]
    guarded = [disjunction(at_most(b, number(0)), conjunction(*positive))]
    if low is None or low < 0:
        negative = conjunction(equation, at_most(r, number(0)), less(b, r))
        guarded.append(disjunction(at_most(number(0), b), negative))
    return guarded


def product_lemmas(constraints: Iterable[Term]) -> list[Term]:
    """x < y gives x*B + B <= y*B, where x*B and y*B stand on the two sides of one comparison and B >= 0 (SEMANTICS 3)."""
    found: dict[Term, None] = {}
    sums = [term for term in _subterms(constraints) if isinstance(term, Sum)]
    for depth in range(3):
        following: list[Sum] = []
        for term in sums:
            for factor, positive, negative in _split(term):
                if len(found) > _LEMMA_LIMIT:
                    return list(found)
                found.update(dict.fromkeys(_order_lemmas(factor, positive, negative)))
                difference = subtract(positive, negative)
                if isinstance(difference, Sum) and depth < 2:
                    following.append(difference)
        sums = following
    return list(found)


def _split(term: Sum) -> list[tuple[Term, Term, Term]]:
    """(B, x, y) for each factor B >= 0 of several monomials: the sum is x*B - y*B plus what does not hold B."""
    factors = dict.fromkeys(atom for monomial, _ in term.monomials if len(monomial) > 1 for atom in monomial)
    result: list[tuple[Term, Term, Term]] = []
    for factor in factors:
        low, _ = interval(factor)
        if low is None or low < 0:
            continue
        positive, negative = number(0), number(0)
        for monomial, coefficient in term.monomials:
            if factor not in monomial:
                continue
            position = monomial.index(factor)
            rest = number(abs(coefficient))
            for atom in monomial[:position] + monomial[position + 1 :]:
                rest = multiply(rest, atom)
            if coefficient > 0:
                positive = add(positive, rest)
            else:
                negative = add(negative, rest)
        result.append((factor, positive, negative))
    return result


def _order_lemmas(factor: Term, x: Term, y: Term) -> list[Term]:
    lemmas = []
    for a, b in ((x, y), (y, x)):
        left, right = multiply(a, factor), multiply(b, factor)
        lemmas.append(disjunction(at_most(b, a), at_most(add(left, factor), right)))
        lemmas.append(disjunction(less(b, a), at_most(left, right)))
    return [lemma for lemma in lemmas if not isinstance(lemma, Truth)]


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
    plain = rewrite(
        term, lambda t: number(model.applications.get(t, interval(t)[0] or 0)) if isinstance(t, Apply) else None
    )
    return evaluate(plain, _Total(model, plain))
