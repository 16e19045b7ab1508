"""Solver queries as values: constraints in, one of Unsatisfiable / Model / Undecided out. The only importer of z3.

Effort is counted in solver steps (`rlimit`), so the answer is the same on every machine. Quotients get fresh results with their
defining equation, wrapped values a fresh multiple of 2^n, and products the lemmas of SEMANTICS 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product as pairs_of
from typing import Any, TypeAlias

import z3

from cudalint.symbolic.bounds import Tightened, Tightener
from cudalint.symbolic.computed_sizes import computed_sizes, inputs_of, with_computed
from cudalint.symbolic.effort import Effort
from cudalint.symbolic.lemmas import (
    computed_value,
    definitions,
    is_computed,
    product_lemmas,
    quotient_lemmas,
    spelled_out,
)
from cudalint.symbolic.ordinary import is_computed_input
from cudalint.symbolic.parts import conjuncts, independent_parts
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
    Undefined,
    Wrapped,
    conjunction,
    disjunction,
    equal,
    evaluate,
    evaluator,
    free_symbols,
    interval,
    monomial_interval,
    negation,
    number,
    rewrite_symbols,
    subterms,
)

DEFAULT_STEPS = 150_000
PROOF_STEPS = 300_000  # of the query that decides between safe and not
LINEAR_STEPS = 100_000
PINNED_STEPS = 15_000
SMALL_STEPS = 20_000
STEPS_PER_ASSERTION = 150  # on top of these: what z3 counts for taking in the question
PIN_LIMIT = 2
MODELS_KEPT = 4
LIKELY_SIZES = ((5, 7, 11, 13, 3), (129, 65, 33, 257, 47), (90_001, 50_021, 4099, 1031, 521))
LARGE_SIDE, LARGE_PRODUCT, LARGE_ENOUGH, MOST_CARRIED = 1 << 20, 1 << 36, 1 << 12, 3
SMALLER = 4  # bits by which a size is made smaller that others forbid
FULL_INDEX = 1.5e9  # an element whose number still fits into 32 bits, when twice the number does not
TIRED_STEPS = 20_000  # of a query once the solver is tired
REFINEMENTS = 6
POINTS = 2  # refinements that say one value of a function; later ones say all of its bits
UNDECIDED_LIMIT = 4  # queries that a kernel may leave undecided before its solver is tired
TIRED_AFTER = 2_500_000  # steps of one kernel under one contract
SPENT_AFTER = 5_000_000
LIGHT = 8  # so many steps of the light solver take as long as one of the heavy one
LIGHT_LINEAR = 2  # the same of a linear question
ENCODING_STEPS = 30  # of an assertion
TIGHTENING_STEPS = 100  # of a constraint
QUERY_LIMIT = 150  # of one kernel under one contract
REFUTATION_LIMIT = 400
CLOCK_BACKSTOP_MS = 10_000


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
    """Values of symbols and flags by name, and of functions by name and arguments."""

    values: dict[str, int]
    applications: dict[tuple[str, tuple[int, ...]], int]

    def value(self, term: Term) -> int:
        """The value of any term over the model; symbols that the query did not mention take their smallest value."""
        return _values_of(self)(term)


@dataclass(frozen=True, slots=True)
class Undecided:
    reason: str


Answer: TypeAlias = Unsatisfiable | Model | Undecided


@dataclass(frozen=True, slots=True)
class _GaveUp:
    """Undecided within these steps: a query with more of them asks again."""

    reason: str
    steps: int


@dataclass(slots=True)
class Statistics:
    queries: int = 0
    cached: int = 0
    undecided: int = 0
    refutations: int = 0
    steps: int = 0


@dataclass(slots=True)
class Solver:
    """Answers queries; the same set of constraints is never solved twice.

    A query with products goes three ways, the cheapest first: products as unknowns, which refutes most of what can be refuted; the
    values of sizes that an earlier model had, which leaves a linear question; all of it, unless the solver is tired.
    """

    effort: Effort = field(default_factory=Effort)
    share: float = 1.0  # of the effort, so that other questions about the kernel are left some
    statistics: Statistics = field(default_factory=Statistics)
    _answers: dict[tuple[frozenset[Term], int], Answer] = field(default_factory=dict)
    _encoder: Encoder | None = None
    _products: Encoder | None = None
    _parts: dict[tuple[bool, bool, frozenset[Term]], Unsatisfiable | Model | _GaveUp] = field(default_factory=dict)
    _tightener: Tightener = field(default_factory=Tightener)
    _tightened: dict[frozenset[Term], Tightened | None] = field(default_factory=dict)
    _pinned_terms: dict[frozenset[tuple[Symbol, int]], dict[Term, Term]] = field(default_factory=dict)
    _models: list[Model] = field(default_factory=list)  # the latest first
    _pins: list[dict[str, int]] = field(default_factory=list)  # values of earlier models, the latest first

    def check(self, query: Query) -> Answer:
        key = (frozenset(query.constraints), query.steps)
        if key in self._answers:
            self.statistics.cached += 1
        else:
            self._answers[key] = self._solve(query.constraints, query.steps)
        return self._answers[key]

    def find(self, query: Query) -> Model | None:
        """A model, if one is near: where no likely value of the sizes permits one, the others get a short look."""
        key = (frozenset(query.constraints), -query.steps)
        if key not in self._answers:
            self._answers[key] = self._solve(query.constraints, query.steps, True)
        answer = self._answers[key]
        return answer if isinstance(answer, Model) else None

    def refutes(self, query: Query) -> bool:
        """Whether linear arithmetic and the lemmas suffice to exclude it."""
        if self.statistics.refutations >= REFUTATION_LIMIT or self.is_spent:
            return False
        self.statistics.refutations += 1
        tightened = self._tighten(query.constraints)
        return tightened is None or self._excluded(tightened.constraints, query.steps)

    @property
    def is_tired(self) -> bool:
        """So much effort went into this kernel that the expensive questions are asked no more."""
        return (
            self.statistics.undecided >= UNDECIDED_LIMIT or self.statistics.steps >= TIRED_AFTER or self.effort.is_tired
        )

    @property
    def is_spent(self) -> bool:
        """No question about this kernel is asked any more."""
        own = min(SPENT_AFTER, int(self.share * self.effort.limit))
        return self.statistics.queries >= QUERY_LIMIT or self.statistics.steps >= own or self.effort.is_spent

    def count(self, steps: int) -> None:
        """Work that was done for a question, here or by whom asks it."""
        self.statistics.steps += steps
        self.effort.steps += steps

    def _tighten(self, constraints: tuple[Term, ...]) -> Tightened | None:
        key = frozenset(constraints)
        if key not in self._tightened:
            self.count(TIGHTENING_STEPS * len(constraints))
            if key not in self.effort.answers:
                self.effort.answers[key] = self._tightener.tighten(constraints), 0
            self._tightened[key], _ = self.effort.answers[key]
        return self._tightened[key]

    def _solve(self, constraints: tuple[Term, ...], steps: int, near: bool = False) -> Answer:
        if self.is_spent:
            return Undecided("the budget of this kernel is spent")
        tightened = self._tighten(constraints)
        if tightened is None:
            return Unsatisfiable()
        self.statistics.queries += 1
        if self.is_tired or not (near or self.effort.is_patient):
            steps = min(steps, TIRED_STEPS)
        known = self._known(tightened)
        if known is not None:
            return known
        answer = self._computed(tightened.constraints, steps, near)
        self.statistics.undecided += isinstance(answer, Undecided) and not near
        if isinstance(answer, Model):
            for bounded in tightened.symbols:
                answer.values.setdefault(bounded.name, _default(bounded))
            self._models.insert(0, answer)
        return answer

    def _known(self, tightened: Tightened) -> Model | None:
        """A model of an earlier query that is one of this query too."""
        for model in self._models[:MODELS_KEPT]:
            if all(_in_range(bounded, model) for bounded in tightened.symbols) and all(
                _holds(constraint, model) for constraint in reversed(tightened.constraints)
            ):
                return model
        return None

    def _computed(self, constraints: tuple[Term, ...], steps: int, near: bool) -> Answer:
        encoder = self._encoder = self._encoder or Encoder()
        factors = encoder.factors(constraints)
        if factors is None:
            return self._run(encoder, constraints, steps)
        if not near and self._excluded(constraints, steps):
            return Unsatisfiable()
        pinned = self._pinned(constraints, factors, steps)
        if isinstance(pinned, Model):
            return pinned
        if self.is_tired:
            return Undecided("the budget of this kernel is spent")
        if steps >= DEFAULT_STEPS and (found := self._by_turns(constraints, factors, steps)) is not None:
            return found
        answer = self._run(encoder, constraints, steps, thorough=not (near and isinstance(pinned, Unsatisfiable)))
        if isinstance(answer, Model):
            self._pins.insert(0, answer.values)
        return answer

    def _excluded(self, constraints: tuple[Term, ...], steps: int) -> bool:
        key = (frozenset(constraints), 0)
        if key not in self._answers:
            products = self._products = self._products or Encoder(linear=True)
            self._answers[key] = self._run(products, constraints, min(steps, LINEAR_STEPS))
        return isinstance(self._answers[key], Unsatisfiable)

    def _pinned(self, constraints: tuple[Term, ...], factors: tuple[Symbol, ...], steps: int) -> Answer:
        """A model for values of the sizes that are worth a try; unsatisfiable where none of them has one."""
        computed = computed_sizes(constraints) if any(map(is_computed_input, factors)) else {}
        answers: list[Answer] = []
        for values, pins in self._tries(constraints, factors, computed):
            answer = self._with_values(constraints, pins, steps) if pins else Undecided("no size fits")
            if isinstance(answer, Model):
                self._pins = [answer.values, *(kept for kept in self._pins if kept is not values)]
                return answer
            answers.append(answer)
        decided = answers and all(isinstance(answer, Unsatisfiable) for answer in answers)
        return Unsatisfiable() if decided else Undecided("no size fits")

    def _tries(
        self, constraints: tuple[Term, ...], factors: tuple[Symbol, ...], computed: dict[Symbol, Term]
    ) -> Iterator[tuple[dict[str, int], dict[Symbol, int]]]:
        """Values of sizes, and the pins that they are: of those that others are computed from, then of each for itself."""
        ways = [(inputs_of(factors, computed), computed), (factors, {})] if computed else [(factors, computed)]
        for sizes, following in ways:
            likely = _likely(sizes)[-1:] if self.is_tired else [*_likely(sizes), *_carrying(constraints, sizes)]
            for values in (*self._pins[:PIN_LIMIT], *likely):
                pins = {size: values[size.name] for size in sizes if _permits(size, values.get(size.name))}
                yield values, with_computed(pins, following)

    def _by_turns(self, constraints: tuple[Term, ...], factors: tuple[Symbol, ...], steps: int) -> Model | None:
        """A model for sizes that are chosen one after the other, each as large as those before it let it be.

        Sizes that hang together (`cols == 64 * heads`, arguments that fit into the memory) have no model for values of their own.
        """
        highest = [interval(factor)[1] for factor in factors]
        are_sides = all(high is not None and high <= LARGE_SIDE for high in highest)
        for largest, order in pairs_of((LARGE_SIDE, LARGE_PRODUCT)[: 1 + (not are_sides)], (factors, factors[::-1])):
            pins = self._chosen(constraints, order, largest)
            answer = self._with_values(constraints, pins, steps) if pins else None
            if isinstance(answer, Model):
                return answer
        return None

    def _chosen(
        self, constraints: tuple[Term, ...], order: tuple[Symbol, ...], largest: int
    ) -> dict[Symbol, int] | None:
        """Values of at most `largest` that bounds do not contradict."""
        pins: dict[Symbol, int] = {}
        left = self._tighten(constraints)
        for factor in order:
            if left is None:
                return None
            now = next((s for c in left.constraints for s in free_symbols(c) if s.parts[0] == factor.name), None)
            if not isinstance(now, Symbol):
                continue
            for smaller in range(0, largest.bit_length(), SMALLER):
                pins[factor] = _nearest(now, largest >> smaller)
                mapping: dict[Term, Term] = {now: number(pins[factor])}
                memo: dict[Term, Term] = {}
                with_it = tuple([rewrite_symbols(c, mapping, memo) for c in left.constraints])
                tightened = self._tighten(with_it)
                if tightened is not None:
                    break
            else:
                return None
            left = tightened
        return pins

    def _with_values(self, constraints: tuple[Term, ...], pins: dict[Symbol, int], steps: int) -> Answer:
        """The answer where the symbols have these values."""
        encoder = self._encoder
        assert encoder is not None
        memo = self._pinned_terms.setdefault(frozenset(pins.items()), {})
        mapping: dict[Term, Term] = {pin: number(value) for pin, value in pins.items()}
        tightened = self._tighten(tuple(rewrite_symbols(constraint, mapping, memo) for constraint in constraints))
        if tightened is None:
            return Unsatisfiable()
        answer = self._run(encoder, tightened.constraints, min(steps, PINNED_STEPS), thorough=False)
        if isinstance(answer, Model):
            for bounded in tightened.symbols:
                answer.values.setdefault(bounded.name, _default(bounded))
            answer.values.update((pin.name, value) for pin, value in pins.items())
        return answer

    def _run(self, encoder: Encoder, constraints: tuple[Term, ...], steps: int, thorough: bool = True) -> Answer:
        """The answer to constraints that have nothing in common is put together of theirs, which many queries share."""
        model, undecided = Model({}, {}), None
        for part in independent_parts(constraints):
            key = encoder.linear, thorough, frozenset(part)
            answer = self._parts.get(key)
            if answer is None or (isinstance(answer, _GaveUp) and answer.steps < steps):
                found = self._answered_once(encoder, part, steps, thorough)
                answer = self._parts[key] = _GaveUp(found.reason, steps) if isinstance(found, Undecided) else found
            if isinstance(answer, Unsatisfiable):
                return answer
            if isinstance(answer, Model):
                model.values.update(answer.values)
                model.applications.update(answer.applications)
            else:
                undecided = Undecided(answer.reason)
        return model if undecided is None else undecided

    def _answered_once(self, encoder: Encoder, constraints: tuple[Term, ...], steps: int, thorough: bool) -> Answer:
        """The answer that another solver of the kernel had, else one of our own."""
        heavy = thorough and self.effort.is_patient and not self.is_tired
        key = encoder.linear, heavy, steps, frozenset(constraints)
        if key in self.effort.answers:
            known, taken = self.effort.answers[key]
            self.count(taken)
            return known  # type: ignore[no-any-return]
        before = self.statistics.steps
        found = self._answered(encoder, constraints, steps, thorough)
        self.effort.answers[key] = found, self.statistics.steps - before
        return found

    def _answered(self, encoder: Encoder, constraints: tuple[Term, ...], steps: int, thorough: bool) -> Answer:
        """The light solver first, which answers nearly all that can be answered, then the heavy one."""
        answer = self._refined(encoder, constraints, steps)
        if isinstance(answer, Undecided) and thorough and self.effort.is_patient and not self.is_tired:
            answer = self._refined(encoder, constraints, steps, heavy=True)
        return answer

    def _refined(self, encoder: Encoder, constraints: tuple[Term, ...], steps: int, heavy: bool = False) -> Answer:
        """An answer that takes no function for what it is not: a model that does is excluded by what the function gives."""
        asked = constraints
        for attempt in range(REFINEMENTS):
            answer = self._checked(encoder, constraints, steps, heavy)
            wrong = (
                _wrong_values(answer, asked, attempt >= POINTS)
                if isinstance(answer, Model) and not encoder.linear
                else []
            )
            if not wrong:
                return answer
            constraints = (*constraints, *wrong)
        return Undecided("bits of unknown values")

    def _checked(self, encoder: Encoder, constraints: tuple[Term, ...], steps: int, heavy: bool = False) -> Answer:
        solver = encoder.solver(constraints, heavy)
        limit = steps if heavy else 2 * steps
        assertions = len(solver.assertions())
        solver.set("rlimit", limit + STEPS_PER_ASSERTION * assertions)
        solver.set("timeout", CLOCK_BACKSTOP_MS)
        result = solver.check()
        cheaper = 1 if heavy else LIGHT_LINEAR if encoder.linear else LIGHT
        self.count(encoder.steps_since_last(solver) // cheaper + ENCODING_STEPS * assertions)
        if result == z3.unsat:
            return Unsatisfiable()
        if result == z3.sat:
            return Model({}, {}) if encoder.linear else encoder.model(solver.model(), constraints)
        return Undecided(str(solver.reason_unknown()))

    def smtlib(self, query: Query) -> str:
        """The query as SMT-LIB text, to be read or tried with another solver."""
        encoder = self._encoder = self._encoder or Encoder()
        return f"; {query.name}\n{encoder.solver(query.constraints).to_smt2()}"


@dataclass(frozen=True, slots=True)
class _Prepared:
    """One constraint with its definitions and lemmas, and what is to be known of their terms."""

    everything: tuple[Term, ...]
    terms: tuple[Term, ...]
    products: tuple[tuple[Term, ...], ...]
    factors: tuple[Symbol, ...]  # sizes that are multiplied with, or divide, what is not a number
    leaves: tuple[Term, ...]  # what a model of the constraint is read from


@lru_cache(maxsize=1 << 14)
def _prepared(constraint: Term) -> _Prepared:
    everything = [constraint, *definitions([constraint])]
    everything += product_lemmas(everything)
    terms = tuple(subterms(everything))
    products = dict.fromkeys(m for term in terms if isinstance(term, Sum) for m, _ in term.monomials if len(m) > 1)
    factors = dict.fromkeys(size for product in products for atom in product for size in _sizes(atom))
    for term in terms:
        if isinstance(term, Quotient | Remainder) and not isinstance(term.parts[1], Number):
            factors |= dict.fromkeys(_sizes(term.parts[1]))
    leaves = tuple(term for term in subterms([constraint]) if isinstance(term, Symbol | Flag | Apply))
    return _Prepared(tuple(everything), terms, tuple(products), tuple(factors), leaves)


def _crossing_lemmas(parts: list[Term]) -> list[Term]:
    """What the quotient of one constraint says of a product in another."""
    return quotient_lemmas(parts, {monomial for part in parts for monomial in _prepared(part).products})


class Encoder:
    """Terms as z3 expressions, one for each term.

    With `linear`, a product of symbols is an unknown of its own that only its range and the lemmas speak of: what that
    refutes is refuted, a model of it means nothing.
    """

    def __init__(self, linear: bool = False) -> None:
        self.context = z3.Context()
        self.linear = linear
        self._cache: dict[Term, Any] = {}
        self._integers: dict[int, Any] = {}
        self._bundles: dict[Term, dict[object, Any]] = {}
        self._steps = 0

    def solver(self, constraints: Iterable[Term], heavy: bool = False) -> Any:
        """A solver that holds the constraints: the light one is z3's older simplex without preprocessing, ten times as fast."""
        solver = z3.Solver(ctx=self.context) if heavy else z3.SimpleSolver(ctx=self.context)
        solver.set("random_seed", 7)
        if heavy:
            solver.set("arith.nl.grobner", False)  # steps that are not counted
        else:
            solver.set("arith.solver", 2)
        assertions: dict[object, Any] = {}
        parts = [part for constraint in constraints for part in conjuncts(constraint)]
        for part in (*parts, *_crossing_lemmas(parts)):
            assertions |= self._bundle(part)
        context, handle = self.context.ref(), solver.solver
        for assertion in assertions.values():
            z3.Z3_solver_assert(context, handle, assertion.ast)
        return solver

    def steps_since_last(self, solver: Any) -> int:
        """The steps that the check just done took: the count of z3 runs on over all solvers of a context."""
        before, self._steps = self._steps, int(solver.statistics().get_key_value("rlimit count"))
        return self._steps - before

    def factors(self, constraints: Iterable[Term]) -> tuple[Symbol, ...] | None:
        """The sizes whose values would make the constraints linear; None where they are linear."""
        prepared = [_prepared(part) for constraint in constraints for part in conjuncts(constraint)]
        if not any(part.products for part in prepared):
            return None
        return tuple(dict.fromkeys(factor for part in prepared for factor in part.factors))

    def _bundle(self, constraint: Term) -> dict[object, Any]:
        """The constraint with everything that it brings along, as assertions by what they speak of."""
        found = self._bundles.get(constraint)
        if found is None:
            prepared = _prepared(constraint)
            found = self._bundles[constraint] = {part: self.encode(part) for part in prepared.everything}
            for term in prepared.terms:
                found |= self._ranges(term)
            for product in prepared.products:
                found |= self._product_ranges(product)
        return found

    def model(self, found: Any, constraints: Iterable[Term]) -> Model:
        values: dict[str, int] = {}
        applications: dict[tuple[str, tuple[int, ...]], int] = {}
        leaves = (leaf for c in constraints for part in conjuncts(c) for leaf in _prepared(part).leaves)
        for term in dict.fromkeys(leaves):
            value = found.eval(self.encode(term), model_completion=True)
            if isinstance(term, Symbol):
                values[term.name] = value.as_long()
            elif isinstance(term, Flag):
                values[str(term.parts[0])] = int(z3.is_true(value))
            else:
                arguments = [found.eval(self.encode(arg), model_completion=True) for arg in term.parts[1]]
                applications[term.parts[0], tuple(int(arg.as_long()) for arg in arguments)] = value.as_long()
        return Model(values, applications)

    def encode(self, term: Term) -> Any:
        found = self._cache.get(term)
        if found is None:
            found = self._cache[term] = self._encode(term)
        return found

    def _encode(self, term: Term) -> Any:
        if isinstance(term, Number):
            return self._integer(term.value)
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
            return self._compared(z3.Z3_mk_le, self.encode(term.parts[0]), 0)
        if isinstance(term, IsZero):
            return self._compared(z3.Z3_mk_eq, self.encode(term.parts[0]), 0)
        if isinstance(term, Not):
            return z3.BoolRef(z3.Z3_mk_not(self.context.ref(), self.encode(term.parts[0]).ast), self.context)
        if isinstance(term, All):
            return z3.BoolRef(self._joined(z3.Z3_mk_and, map(self.encode, term.parts[0])), self.context)
        if isinstance(term, Any_):
            return z3.BoolRef(self._joined(z3.Z3_mk_or, map(self.encode, term.parts[0])), self.context)
        if isinstance(term, Apply) and term.parts[1]:
            sorts = [z3.IntSort(self.context)] * (len(term.parts[1]) + 1)
            function = z3.Function(f"{term.parts[0]}/{len(term.parts[1])}", *sorts)
            return function(*(self.encode(arg) for arg in term.parts[1]))
        return z3.Int(f"{term.kind}:{term.digest.hex()}", self.context)

    def _encode_sum(self, term: Sum) -> Any:
        parts = [self._integer(term.constant)] if term.constant else []
        for monomial, coefficient in term.monomials:
            product = self._product(monomial)
            parts.append(product if coefficient == 1 else self._times(self._integer(coefficient), product))
        return z3.ArithRef(self._joined(z3.Z3_mk_add, parts), self.context) if len(parts) > 1 else parts[0]

    def _product(self, atoms: tuple[Term, ...]) -> Any:
        if self.linear and len(atoms) > 1:
            return z3.Int("product:" + ":".join(atom.digest.hex()[:16] for atom in atoms), self.context)
        product = self.encode(atoms[0])
        for atom in atoms[1:]:
            product = self._times(product, self.encode(atom))
        return product

    # The operators of z3's Python layer coerce their operands each time, which costs more than the solver does.

    def _integer(self, value: int) -> Any:
        known = self._integers.get(value)
        if known is None:
            known = self._integers[value] = z3.IntVal(value, self.context)
        return known

    def _joined(self, make: Callable[..., Any], parts: Iterable[Any]) -> Any:
        handles = [part.ast for part in parts]
        return make(self.context.ref(), len(handles), (z3.Ast * len(handles))(*handles))

    def _times(self, a: Any, b: Any) -> Any:
        return z3.ArithRef(self._joined(z3.Z3_mk_mul, (a, b)), self.context)

    def _compared(self, make: Callable[..., Any], value: Any, bound: int) -> Any:
        return z3.BoolRef(make(self.context.ref(), value.ast, self._integer(bound).ast), self.context)

    def _ranges(self, term: Term) -> dict[object, Any]:
        if not isinstance(term, Symbol | Apply | Wrapped | Quotient | Remainder):
            return {}
        return self._between(term, self.encode(term), *interval(term))

    def _product_ranges(self, atoms: tuple[Term, ...]) -> dict[object, Any]:
        """Only for products as unknowns: elsewhere their factors say it."""
        if not self.linear:
            return {}
        return self._between(atoms, self._product(atoms), *monomial_interval(atoms, 1))

    def _between(self, key: object, value: Any, low: int | None, high: int | None) -> dict[object, Any]:
        bounds: dict[object, Any] = {}
        if low is not None:
            bounds[key, "low"] = self._compared(z3.Z3_mk_ge, value, low)
        if high is not None:
            bounds[key, "high"] = self._compared(z3.Z3_mk_le, value, high)
        return bounds


def _sizes(atom: Term) -> list[Symbol]:
    found = [s for s in free_symbols(atom) if isinstance(s, Symbol) and s.scope == "launch"]
    return sorted(found, key=lambda s: s.digest)


def _wrong_values(model: Model, constraints: Iterable[Term], by_bits: bool) -> list[Term]:
    """What the functions really give where the model has them give something else."""
    leaves = dict.fromkeys(leaf for c in constraints for part in conjuncts(c) for leaf in _prepared(part).leaves)
    wrong: list[Term] = []
    value = _values_of(model)
    for leaf in leaves:
        if not isinstance(leaf, Apply) or not is_computed(leaf.parts[0]):
            continue
        try:
            args = tuple(value(arg) for arg in leaf.parts[1])
        except Undefined:
            continue
        given = computed_value(leaf.parts[0], args)
        if given is not None and model.applications.get((leaf.parts[0], args), given) != given:
            same = conjunction(*(equal(arg, number(had)) for arg, had in zip(leaf.parts[1], args)))
            wrong.append(disjunction(negation(same), equal(leaf, number(given))))
            wrong += spelled_out(leaf) if by_bits else []
    return [term for term in wrong if not isinstance(term, Truth)]


def _likely(factors: tuple[Symbol, ...]) -> list[dict[str, int]]:
    """Assignments that are worth a try: sizes that divide nothing, small, middling, large, and just as large as fits."""
    sizes = [factor for factor in factors if not factor.name.startswith(("gridDim.", "blockDim."))]
    root = int(FULL_INDEX ** (1 / max(1, len(sizes))))
    full = tuple(root - place for place in range(len(sizes)))
    turned = LIKELY_SIZES[0][: len(sizes)][::-1]  # so that each of two sizes is once the larger one
    return [
        {size.name: _nearest(size, values[place % len(values)]) for place, size in enumerate(sizes)}
        for values in (LIKELY_SIZES[0], turned, *LIKELY_SIZES[1:], full)
        if values
    ]


def _carrying(constraints: Iterable[Term], factors: tuple[Symbol, ...]) -> list[dict[str, int]]:
    """Assignments under which one product alone gets large: `place * stride` with a large stride, which bounds no place.

    What bounds the place stays open, so that the question is linear, and all other sizes are as small as they may be.
    """
    parts = [_prepared(part) for constraint in constraints for part in conjuncts(constraint)]
    found: list[dict[str, int]] = []
    linear = (part for part in parts if not part.products)
    sides = {leaf for part in linear if any(map(_is_place, part.leaves)) for leaf in part.leaves}
    for product in dict.fromkeys(product for part in parts for product in part.products):
        places = frozenset().union(*map(free_symbols, product)).difference(*map(_sizes, product))
        sizes = [size for atom in product for size in _sizes(atom)]
        large = [size for size in sizes if _nearest(size, LARGE_SIDE) >= LARGE_ENOUGH]
        if not places or len(large) != 1:
            continue
        bounds = (part for part in parts if not part.products and not places.isdisjoint(part.leaves))
        open_ = {leaf for part in bounds for leaf in part.leaves}
        if large[0] in sides or large[0] in open_:
            continue
        pins = {f.name: _nearest(f, 1) for f in factors if f not in open_}
        pins[large[0].name] = _nearest(large[0], LARGE_SIDE)
        if pins not in found:
            found.append(pins)
    return found[:MOST_CARRIED]


def _is_place(leaf: Term) -> bool:
    return isinstance(leaf, Symbol) and leaf.scope != "launch"


def _nearest(size: Symbol, value: int) -> int:
    low, high = interval(size)
    value = value if low is None else max(low, value)
    return value if high is None else min(high, value)


def _permits(size: Symbol, value: int | None) -> bool:
    low, high = interval(size)
    return value is not None and (low is None or low <= value) and (high is None or value <= high)


def _holds(constraint: Term, model: Model) -> bool:
    """Whether the values of another query's model satisfy the constraint, and nothing in it is left open."""
    try:
        return bool(evaluate(constraint, model.values))
    except Undefined:
        return False


def _in_range(bounded: Symbol, model: Model) -> bool:
    return _permits(bounded, model.values.get(bounded.name))


def _default(atom: Term) -> int:
    """The value of a symbol that no constraint speaks of: one for what a caller chooses, else the smallest."""
    if not isinstance(atom, Symbol):
        return 0
    low, high = interval(atom)
    if atom.scope == "launch":
        return _nearest(atom, 1)
    return low if low is not None else (min(0, high) if high is not None else 0)


def _values_of(model: Model) -> Callable[[Term], int]:
    """Values of terms under the model, where what it leaves open has its default."""

    def missing(atom: Term, value: Callable[[Term], int]) -> int:
        if not isinstance(atom, Apply):
            return _default(atom)
        key = atom.parts[0], tuple(value(arg) for arg in atom.parts[1])
        given = computed_value(*key)
        return model.applications.get(key, interval(atom)[0] or 0) if given is None else given

    return evaluator(model.values, missing)
