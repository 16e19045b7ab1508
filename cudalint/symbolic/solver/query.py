"""Answers to questions: Unsatisfiable, Model or Undecided.

Effort is counted in solver steps (`rlimit`), so the answer is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product as pairs_of

import z3

from cudalint.symbolic.ordinary import is_computed_input
from cudalint.symbolic.solver import clock
from cudalint.symbolic.solver.bounds import Tightened, Tightener
from cudalint.symbolic.solver.computed_sizes import computed_sizes, inputs_of, with_computed
from cudalint.symbolic.solver.effort import Effort
from cudalint.symbolic.solver.encoder import Encoder, prepared_for
from cudalint.symbolic.solver.lemmas import computed_value, is_computed, spelled_out
from cudalint.symbolic.solver.likely_sizes import LARGE_PRODUCT, LARGE_SIDE, permits, sizes_that_carry, sizes_to_try
from cudalint.symbolic.solver.parts import conjuncts, independent_parts
from cudalint.symbolic.solver.question import (
    DEFAULT_STEPS,
    Answer,
    GaveUp,
    Model,
    Query,
    Statistics,
    Undecided,
    Unsatisfiable,
    default,
    nearest,
    satisfies,
    values_of,
)
from cudalint.term import (
    Apply,
    Symbol,
    Term,
    Truth,
    Undefined,
    conjunction,
    disjunction,
    equal,
    evaluate,
    free_symbols,
    interval,
    labels,
    negation,
    number,
    rewrite_symbols,
)

LINEAR_STEPS = 100_000
PINNED_STEPS = 15_000
STEPS_PER_ASSERTION = 150  # on top of these: what z3 counts for taking in the question
PIN_LIMIT = 2
MODELS_KEPT = 4
SMALLER = 4  # bits by which a size is made smaller that others forbid
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
MOST_LAUNCHES = 4  # of a kernel under one contract, that are looked at once more by a tired solver
QUERY_LIMIT = 150  # of one kernel under one contract
REFUTATION_LIMIT = 400


@dataclass(slots=True)
class Solver:
    """Answers queries; the same set of constraints is never solved twice.

    A query with products goes three ways, the cheapest first: products as unknowns, which refutes most of what can be refuted; the
    values of sizes that an earlier model had, which leaves a linear question; all of it, unless the solver is tired.
    """

    effort: Effort = field(default_factory=Effort)
    share: float = 1.0  # of the effort, so that other questions about the kernel are left some
    reserve: int = 0  # steps of its own that it has where others have spent the effort
    statistics: Statistics = field(default_factory=Statistics)
    _answers: dict[tuple[frozenset[Term], int], Answer] = field(default_factory=dict)
    _encoder: Encoder | None = None
    _products: Encoder | None = None
    _parts: dict[tuple[bool, bool, frozenset[Term]], Unsatisfiable | Model | GaveUp] = field(default_factory=dict)
    _tightener: Tightener = field(default_factory=Tightener)
    _tightened: dict[frozenset[Term], Tightened | None] = field(default_factory=dict)
    _of_one_size: dict[tuple[frozenset[Term], Symbol, int], Tightened | None] = field(default_factory=dict)
    _pinned_terms: dict[frozenset[tuple[Symbol, int]], dict[Term, Term]] = field(default_factory=dict)
    _launches: dict[frozenset[Term], Answer] = field(default_factory=dict)
    _looks_again: bool = False  # at a question of a launch
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
    def models(self) -> tuple[Model, ...]:
        """The answers to the latest questions that had one, the latest first."""
        return tuple(self._models[:MODELS_KEPT])

    @property
    def is_tired(self) -> bool:
        """So much effort went into this kernel that the expensive questions are asked no more."""
        return (
            self.statistics.undecided >= UNDECIDED_LIMIT
            or self.statistics.steps >= TIRED_AFTER * self._scale
            or self.effort.is_tired
        )

    @property
    def is_spent(self) -> bool:
        """No question about this kernel is asked any more."""
        own = min(int(SPENT_AFTER * self._scale), int(self.share * self.effort.limit))
        taken = self.effort.is_spent and self.statistics.steps >= self.reserve
        return self.statistics.queries >= QUERY_LIMIT or self.statistics.steps >= own or taken

    @property
    def _scale(self) -> float:
        """How much more than the usual effort was asked for."""
        return max(1, self.effort.percent / 100)

    def count(self, steps: int) -> None:
        """Work that was done for a question, here or by whom asks it."""
        self.statistics.steps += steps
        self.effort.steps += steps

    def _shared(self, linear: bool) -> Encoder:
        """The one of all solvers of the kernel."""
        encoder: Encoder = self.effort.encoders.setdefault(linear, Encoder(linear))
        return encoder

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
            shown = (model for model in self._models[:MODELS_KEPT] if satisfies(model, reversed(constraints)))
            return next(shown, Undecided("the budget of this kernel is spent"))
        tightened = self._tighten(constraints)
        if tightened is None:
            return Unsatisfiable()
        self.statistics.queries += 1
        if self.is_tired or not (near or self.effort.is_patient):
            steps = min(steps, TIRED_STEPS)
        known = self._known(tightened)
        if known is not None:
            return known
        answer = self._by_parts(tightened, steps, near)
        self.statistics.undecided += isinstance(answer, Undecided) and not near
        if isinstance(answer, Model):
            for bounded in tightened.symbols:
                answer.values.setdefault(bounded.name, default(bounded))
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

    def _by_parts(self, tightened: Tightened, steps: int, near: bool) -> Answer:
        """The answer to parts that share nothing: sizes of one are no reason to try others of the next, and old models may do."""
        encoder = self._encoder = self._encoder or self._shared(False)
        products = encoder.factors(tightened.constraints) is not None
        parts = independent_parts(tightened.constraints) if products else []
        if len(parts) < 2:
            return self._computed(tightened.constraints, steps, near)
        whole, undecided = Model({}, {}), None
        for part in parts:
            answer = self._known_part(part, tightened.symbols) or self._computed(part, steps, near)
            if isinstance(answer, Undecided) and self.is_tired and _is_of_launch(part):
                answer = self._of_launch(part)
            if isinstance(answer, Unsatisfiable):
                return answer
            if isinstance(answer, Model):
                whole.values.update(answer.values)
                whole.applications.update(answer.applications)
            else:
                undecided = answer
        return whole if undecided is None else undecided

    def _known_part(self, part: tuple[Term, ...], bounded: Iterable[Symbol]) -> Model | None:
        """What an earlier model says of the part, if it is one of it."""
        names = frozenset().union(*map(labels, part))
        own = [each for each in bounded if each.name in names]
        for model in self._models[:MODELS_KEPT]:
            if all(_in_range(each, model) for each in own) and all(_holds(term, model) for term in reversed(part)):
                values = {name: value for name, value in model.values.items() if name in names}
                return Model(values, {})
        return None

    def _of_launch(self, part: tuple[Term, ...]) -> Answer:
        """What a launch is like that keeps to its facts, for which the solver is never too tired: it is one for many questions."""
        key = frozenset(part)
        if key not in self._launches and len(self._launches) < MOST_LAUNCHES:
            self._looks_again = True
            self._launches[key] = self._computed(part, DEFAULT_STEPS, True)
            self._looks_again = False
        return self._launches.get(key, Undecided("the budget of this kernel is spent"))

    def _computed(self, constraints: tuple[Term, ...], steps: int, near: bool) -> Answer:
        encoder = self._encoder = self._encoder or self._shared(False)
        factors = encoder.factors(constraints)
        if factors is None:
            return self._run(encoder, constraints, steps)
        if not near and self._excluded(constraints, steps):
            return Unsatisfiable()
        pinned = self._pinned(constraints, factors, steps)
        if isinstance(pinned, Model):
            return pinned
        if self.is_tired and not self._looks_again:
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
            products = self._products = self._products or self._shared(True)
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
            likely = (
                sizes_to_try(sizes)[-1:]
                if self.is_tired and not self._looks_again
                else [*sizes_to_try(sizes), *sizes_that_carry(constraints, sizes)]
            )
            for values in (*self._pins[:PIN_LIMIT], *likely):
                pins = {size: values[size.name] for size in sizes if permits(size, values.get(size.name))}
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
                pins[factor] = nearest(now, largest >> smaller)
                tightened = self._pinned_to(left.constraints, now, pins[factor])
                if tightened is not None:
                    break
            else:
                return None
            left = tightened
        return pins

    def _pinned_to(self, constraints: tuple[Term, ...], size: Symbol, value: int) -> Tightened | None:
        """The constraints for one value of a size; None where bounds contradict it."""
        key = frozenset(constraints), size, value
        if key not in self._of_one_size:
            if self._tightener.excludes(constraints, size, value):
                self.count(TIGHTENING_STEPS * len(constraints))
                self._of_one_size[key] = None
            else:
                mapping: dict[Term, Term] = {size: number(value)}
                memo: dict[Term, Term] = {}
                with_it = tuple([rewrite_symbols(c, mapping, memo) for c in constraints])
                self._of_one_size[key] = self._tighten(with_it)
        return self._of_one_size[key]

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
                answer.values.setdefault(bounded.name, default(bounded))
            answer.values.update((pin.name, value) for pin, value in pins.items())
        return answer

    def _run(self, encoder: Encoder, constraints: tuple[Term, ...], steps: int, thorough: bool = True) -> Answer:
        """The answer to constraints that have nothing in common is put together of theirs, which many queries share."""
        model, undecided = Model({}, {}), None
        for part in independent_parts(constraints):
            key = encoder.linear, thorough, frozenset(part)
            answer = self._parts.get(key)
            if answer is None or (isinstance(answer, GaveUp) and answer.steps < steps):
                found = self._answered_once(encoder, part, steps, thorough)
                answer = self._parts[key] = GaveUp(found.reason, steps) if isinstance(found, Undecided) else found
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
        solver.set("timeout", clock.BACKSTOP_MS)
        with clock.watched():
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
        encoder = self._encoder = self._encoder or self._shared(False)
        return f"; {query.name}\n{encoder.solver(query.constraints).to_smt2()}"


def _wrong_values(model: Model, constraints: Iterable[Term], by_bits: bool) -> list[Term]:
    """What the functions really give where the model has them give something else."""
    leaves = dict.fromkeys(leaf for c in constraints for part in conjuncts(c) for leaf in prepared_for(part).leaves)
    wrong: list[Term] = []
    value = values_of(model)
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


def _is_of_launch(part: tuple[Term, ...]) -> bool:
    """No thread has a part in it: it speaks of what is passed, and of blocks."""
    symbols = frozenset().union(*map(free_symbols, part))
    return all(isinstance(s, Symbol) and (s.scope == "launch" or s.name.startswith("blockIdx.")) for s in symbols)


def _holds(constraint: Term, model: Model) -> bool:
    """Whether the values of another query's model satisfy the constraint, and nothing in it is left open."""
    try:
        return bool(evaluate(constraint, model.values))
    except Undefined:
        return False


def _in_range(bounded: Symbol, model: Model) -> bool:
    return permits(bounded, model.values.get(bounded.name))
