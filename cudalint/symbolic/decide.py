"""From an obligation to its verdict: intervals first, then queries up a ladder of confidence (SEMANTICS 5 to 8)."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from cudalint.contract import Origin
from cudalint.finding import NOT_STATED, Assumption, Confidence, LaunchShape, Reason, Verdict, Witness
from cudalint.symbolic.checked import checked_contents, contents_in, guard_parts, without
from cudalint.symbolic.columns import MOST_COLUMNS, named_columns
from cudalint.symbolic.environment import DIMENSION_OF, Environment
from cudalint.symbolic.model import (
    APPROXIMATE_PREFIX,
    LOOSELY_KNOWN,
    MEMORY_PREFIX,
    MemoryObject,
    Obligation,
    rests_on,
)
from cudalint.symbolic.ordinary import (
    BLOCKS_1D,
    DEVICE_BYTES,
    ERROR_BYTES,
    SMALL_LIMITS,
    WARP,
    is_input,
    is_ordinary_input,
    is_selector,
    ordinary_block,
    ordinary_grid,
    ordinary_inputs,
    ordinary_launches,
    small_inputs,
)
from cudalint.symbolic.parameters import builtin_symbol
from cudalint.symbolic.query import (
    DEFAULT_STEPS,
    PROOF_STEPS,
    SMALL_STEPS,
    Answer,
    Model,
    Query,
    Solver,
    Undecided,
    Unsatisfiable,
)
from cudalint.symbolic.stated_limits import is_limited
from cudalint.symbolic.stated_sizes import is_stated_large
from cudalint.symbolic.touched import Needs, Touched, fits
from cudalint.term import (
    FALSE,
    TRUE,
    AtMostZero,
    Choice,
    Flag,
    Number,
    Remainder,
    Symbol,
    Term,
    Undefined,
    Wrapped,
    add,
    at_most,
    conjunction,
    disjunction,
    equal,
    free_symbols,
    ideal,
    interval,
    labels,
    less,
    multiply,
    negate,
    negation,
    number,
    rewrite,
    scale,
    substitute,
    subterms,
    symbol,
)

ANY = "any#"  # begins the name of any of the remainders that a value from memory has
AXES = ("x", "y", "z")
MOST_DIMENSIONS = 4
MOST_LAUNCHES = 4  # that turn out to need more memory than there is
LOOSE_VALUES = (1, 2, 32, 64, 256, 1024)  # of host values of which not all relations are known
TRIED_SIZES = (
    (197, 193, 191, 181),
    (288, 192, 320, 160),
    (256, 384, 128, 512),
)  # large, so that one step over the end is short, and a second one of two elements in each is not
SMALL_VALUES = (1, 2, 4, 64)
LEAST_LAUNCHES = tuple(  # of one dimension, and of all
    {"gridDim.x": 2, "gridDim.y": wide, "gridDim.z": wide, "blockDim.x": WARP, "blockDim.y": wide, "blockDim.z": wide}
    for wide in (1, 4)
)
FAR = 64  # elements beyond one and a half times the extent
ROOMY_BYTES = 1 << 14
LARGE_SIZES = (1031, 1 << 10)  # a prime, and a power of two
SHARED_BYTES = 48 << 10  # of a block, without asking for more
VAST_BYTES = 1 << 30  # more than an index needs whose sizes are those of a witness


@dataclass(frozen=True, slots=True)
class Relation:
    """How an index and the extent of its object are related.

    `loose` inputs of the index are tied to the extent by nothing; the extent may rest on an inferred rank, or on callers alone.
    """

    loose: frozenset[str]
    inferred: bool
    left_to_callers: bool


@dataclass(slots=True)
class Decider:
    """Answers the obligations of one walk."""

    environment: Environment
    axioms: list[Term]
    solver: Solver = field(default_factory=Solver)
    blocks: tuple[tuple[int, int, int], ...] = BLOCKS_1D  # ordinary ones, where the launch is not known
    touched: Touched | None = None
    _unreachable: dict[Term, bool] = field(default_factory=dict)
    _wrapping: set[frozenset[Term]] = field(default_factory=set)  # values of which nothing says that they do not wrap
    _never_early: set[MemoryObject] = field(default_factory=set)  # no access is known to lead before their start

    # --- facts ----------------------------------------------------------------------------------------------------------

    def relevant(self, *terms: Term) -> tuple[list[Term], list[Assumption]]:
        """The facts and axioms that share symbols with the terms, also through other facts; and what they assume."""
        return self.relevant_to(frozenset().union(*(free_symbols(t) for t in terms)))

    def relevant_to(self, atoms: frozenset[Term]) -> tuple[list[Term], list[Assumption]]:
        """The same for a set of symbols and flags."""
        symbols = set(atoms)
        pool: list[tuple[Term, Assumption | None]] = [(f.term, f.assumption) for f in self.environment.facts]
        pool += [(axiom, None) for axiom in self.axioms]
        chosen = [False] * len(pool)
        grew = True
        while grew:
            grew = False
            for position, (term, _) in enumerate(pool):
                if not chosen[position] and (not free_symbols(term) or not symbols.isdisjoint(free_symbols(term))):
                    chosen[position] = grew = True
                    symbols |= free_symbols(term)
        kept = [pair for pair, flag in zip(pool, chosen) if flag]
        return [term for term, _ in kept], [a for _, a in kept if a is not None]

    def ask(self, name: str, *terms: Term, steps: int = DEFAULT_STEPS) -> Answer:
        facts, _ = self.relevant(*terms)
        return self.solver.check(Query(name, (*facts, *terms), steps))

    def contradictory(self) -> bool:
        """No launch satisfies the contract."""
        facts = tuple(f.term for f in self.environment.facts)
        return isinstance(self.solver.check(Query("contract", facts)), Unsatisfiable)

    # --- obligations ----------------------------------------------------------------------------------------------------

    def decide(self, obligation: Obligation, wrap: Obligation | None = None) -> None:
        """Fill in the verdict; `wrap` is the decided obligation that the index of this access does not overflow."""
        path = conjunction(*(c.term for c in obligation.path))
        obligation.facts = self._assumptions(obligation, path)
        no_extent = obligation.object is not None and obligation.extent is None
        if path is FALSE:
            obligation.verdict = Verdict.UNREACHABLE
        elif obligation.holds is TRUE and not no_extent:
            self._safe(obligation, path)
        elif rests_on_hole(obligation):
            obligation.verdict, obligation.reason = Verdict.UNKNOWN, Reason.POINTER
        else:
            self._query(obligation, path, no_extent, wrap)

    def _assumptions(self, obligation: Obligation, path: Term) -> tuple[Assumption, ...]:
        _, assumptions = self.relevant(path, obligation.holds)
        found = obligation.object
        extent = self.environment.extent_facts.get(found.name) if found is not None else None
        return tuple(dict.fromkeys([*([extent] if extent else []), *assumptions]))

    def _safe(self, obligation: Obligation, path: Term) -> None:
        obligation.verdict = Verdict.UNREACHABLE if self._is_unreachable(path) else Verdict.SAFE

    def _is_unreachable(self, path: Term) -> bool:
        """Linear arithmetic excludes the path; what takes more effort to exclude counts as reachable."""
        if path not in self._unreachable:
            self._unreachable[path] = self._excluded("reachable", path)
        return self._unreachable[path]

    def _query(self, obligation: Obligation, path: Term, no_extent: bool, wrap: Obligation | None) -> None:
        """Linear arithmetic first, then a search among ordinary launches, then the whole question."""
        wraps = self._wraps(obligation)
        violation = negation(obligation.holds)
        meant = asked = violation
        if wraps and obligation.kind != "overflow":
            as_meant = negation(_holds_as_meant(obligation))
            meant = conjunction(violation, as_meant)
            if wrap is not None and wrap.verdict in (Verdict.SAFE, Verdict.UNREACHABLE):
                asked = as_meant if _has_plain_size(obligation) else violation  # what wraps lies outside as it is meant
            elif wrap is not None and self._excluded("violated as meant", ideal(path), as_meant):
                self._wraps_at_most(obligation, path, violation, wraps, no_extent)
                return
        if self._excluded("violated", path, asked):
            self._proved(obligation, path, no_extent)
            return
        high = self._ordinary(obligation, path, meant)
        if high is not None:
            self._violated(obligation, path, meant, high, True, no_extent)
            return
        if meant is not violation and frozenset(wraps) in self._wrapping:
            obligation.verdict, obligation.reason = Verdict.UNKNOWN, Reason.OVERFLOW
            return
        answer = self.ask("violated", path, asked, steps=PROOF_STEPS)
        if isinstance(answer, Unsatisfiable):
            self._proved(obligation, path, no_extent)
        elif meant is not violation and not isinstance(answer := self._as_meant(path, meant, wraps, answer), Model):
            # it goes wrong by wrapping alone, if at all: the overflow obligation says so
            self._wrapping.add(frozenset(wraps))
            obligation.verdict, obligation.reason = Verdict.UNKNOWN, Reason.OVERFLOW
        elif isinstance(answer, Model) and (self._needed(obligation, answer) or 0) > DEVICE_BYTES:
            self._within_memory(obligation, path, meant, no_extent)
        elif isinstance(answer, Model):
            near = self._ordinary_near(obligation, path, meant, answer)
            self._violated(obligation, path, meant, near or answer, near is not None, no_extent)
        else:
            obligation.verdict, obligation.reason = Verdict.UNKNOWN, Reason.SOLVER_LIMIT

    def _wraps_at_most(
        self, obligation: Obligation, path: Term, violation: Term, wraps: list[Term], no_extent: bool
    ) -> None:
        """It goes wrong by wrapping alone, if at all: the overflow obligation says so."""
        values = frozenset(wraps)
        if values not in self._wrapping:
            if self._excluded("violated", path, violation):
                self._proved(obligation, path, no_extent)
                return
            if self.solver.effort.is_patient:
                answer = self.ask("violated", path, violation, steps=PROOF_STEPS)
                if isinstance(answer, Unsatisfiable):
                    self._proved(obligation, path, no_extent)
                    return
            self._wrapping.add(values)
        obligation.verdict, obligation.reason = Verdict.UNKNOWN, Reason.OVERFLOW

    def _ordinary_near(self, obligation: Obligation, path: Term, violation: Term, model: Model) -> Model | None:
        """An ordinary witness at or beside one that was found, where the search for any was too hard.

        Inputs that are ordinary there keep their values, which makes products of sizes linear; the others are free.
        """
        if not self.environment.launch_known:
            return None
        facts, _ = self.relevant(path, violation)
        atoms = sorted(frozenset().union(*(free_symbols(t) for t in (*facts, path, violation))), key=lambda t: t.digest)
        kept = [equal(a, number(model.value(a))) for a in atoms if is_ordinary_input(a, model.value(a))]
        if not kept:
            return None
        return self._fitting(obligation, [*facts, path, violation, *kept, *_not_empty(obligation)], atoms)

    def _within_memory(self, obligation: Obligation, path: Term, meant: Term, no_extent: bool) -> None:
        """The question again, for arguments that fit into the memory of a device."""
        answer = self.ask("violated within memory", path, meant, *self._memory_limit(obligation.footprint))
        if isinstance(answer, Model):
            self._violated(obligation, path, meant, answer, False, no_extent)
        elif isinstance(answer, Unsatisfiable):
            text = f"the arguments fit into {DEVICE_BYTES >> 30} GiB of device memory"
            obligation.facts = (*obligation.facts, Assumption(text, Origin.LIMIT.value))
            self._proved(obligation, path, no_extent)
        else:
            obligation.verdict, obligation.reason = Verdict.UNKNOWN, Reason.SOLVER_LIMIT

    def _needed(self, obligation: Obligation, model: Model) -> int | None:
        """The bytes of all arguments whose extents are known, and of what the access itself needs where its is not.

        For an overflow what the whole launch needs, where that is more.
        """
        touched = self._touched(obligation, model)
        wholes = [add(*(end for _, end, _ in touched.values()), self._bytes() or number(0))] if touched else []
        totals = [total for total in (self._bytes(obligation.footprint), *wholes) if total is not None]
        try:
            return max((model.value(total) for total in totals), default=None)
        except Undefined:  # a size that the query did not ask about is a quotient by zero
            return None

    def _excluded(self, name: str, *terms: Term) -> bool:
        facts, _ = self.relevant(*terms)
        return self.solver.refutes(Query(name, (*facts, *terms), PROOF_STEPS))

    def _as_meant(self, path: Term, meant: Term, wraps: list[Term], answer: Answer) -> Answer:
        """Whether the values that are meant violate it too; where nothing could be decided, whether they do without any wrap."""
        if isinstance(answer, Undecided):
            return self.ask("violated without wrap", path, meant, *(equal(w, w.parts[0]) for w in wraps))
        return self.ask("violated by the values that are meant", path, meant)

    def _proved(self, obligation: Obligation, path: Term, no_extent: bool) -> None:
        if no_extent:
            obligation.verdict, obligation.reason = Verdict.UNKNOWN, Reason.NO_EXTENT
        else:
            self._safe(obligation, path)

    def _wraps(self, obligation: Obligation) -> list[Term]:
        return wrapped_parts(obligation.holds)

    def _violated(
        self, obligation: Obligation, path: Term, violation: Term, model: Model, ordinary: bool, no_extent: bool
    ) -> None:
        """A model is a finding where index and extent are related at all, or where it lies before the start."""
        untied = self._is_untied(obligation, path, violation, model)
        if not no_extent and (untied or self._has_free_size(obligation)):
            early = self._before_start(obligation, path, violation)
            if early is not None:
                model, ordinary, untied = early, True, False
        if untied:
            obligation.verdict = Verdict.UNKNOWN
            obligation.reason = Reason.NO_EXTENT if no_extent else Reason.UNTIED_EXTENT
            return
        if no_extent and not ordinary:
            obligation.verdict, obligation.reason = Verdict.UNKNOWN, Reason.NO_EXTENT
            return
        try:
            obligation.witness = self._witness_of(obligation, model)
        except Undefined:  # a quotient that no constraint keeps from dividing by zero: no launch can be told
            obligation.verdict, obligation.reason = Verdict.UNKNOWN, Reason.SOLVER_LIMIT
            return
        obligation.verdict = Verdict.VIOLATED
        obligation.approximate = rests_on(conjunction(path, violation), APPROXIMATE_PREFIX)
        obligation.confidence = self._confidence(obligation, ordinary)
        if obligation.confidence is Confidence.LOW and self._confidence(obligation, True, tame=True) is Confidence.HIGH:
            tame = self._with_tame_contents(obligation, path, violation)
            if tame is not None:
                with suppress(Undefined):
                    obligation.witness = self._witness_of(obligation, tame)
                    model, obligation.confidence = tame, Confidence.HIGH
        if obligation.confidence is Confidence.HIGH and self._rests_on_small_size(obligation, path, violation):
            obligation.confidence = Confidence.MEDIUM
        obligation.model = dict(model.values)

    def _has_free_size(self, obligation: Obligation) -> bool:
        """The caller makes the memory as large as it likes: a witness beyond its end says less than one before its start.

        Of each such memory this is asked until no access leads there.
        """
        found = obligation.object
        if found is None or found.size is None or found in self._never_early:
            return False
        return self._is_left_to_callers(found, found.size)

    def _before_start(self, obligation: Obligation, path: Term, violation: Term) -> Model | None:
        """An ordinary witness with an index below zero: that is outside, however much memory there is."""
        found = obligation.object
        if obligation.kind != "bounds" or found is None or found.before is not None:
            return None
        early = conjunction(violation, less(ideal(obligation.index), number(0)))
        model = None
        if early is not FALSE and not self._excluded("before the start", path, early):
            model = self._ordinary(obligation, path, early)
        if model is None:
            self._never_early.add(found)
        return model

    def _witness_of(self, obligation: Obligation, model: Model) -> Witness:
        made = self.witness(model, obligation.index, obligation.extent, obligation.footprint)
        return replace(made, bytes_needed=self._needed(obligation, model))

    def _with_tame_contents(self, obligation: Obligation, path: Term, violation: Term) -> Model | None:
        """A witness for which no guard reads from memory anything but 0 or 1: lengths, ids and flags that any caller has.

        With sizes of at least 2, so that both are ids, too.
        """
        if any(map(self._is_range_of_contents, guard_parts(obligation.path))):
            return None
        facts, _ = self.relevant(path, violation)
        atoms = sorted(frozenset().union(*(free_symbols(t) for t in (*facts, path, violation))), key=lambda t: t.digest)
        read = [value for value in contents_in((path,)) if not isinstance(value, Flag)]
        tame = [conjunction(at_most(number(0), value), at_most(value, number(1))) for value in read]
        tame += [at_most(number(2), a) for a in atoms if is_input(a) and (interval(a)[1] or 2) >= 2]
        question = [*facts, path, violation, *tame, *_not_empty(obligation)]
        return self._fitting(obligation, question, atoms, ERROR_BYTES)

    def _is_range_of_contents(self, guard: Term) -> bool:
        """`t < first[row + 1] - first[row]`, `t < n - first[row]`: whoever fills such an array knows how far its ranges go."""
        read = [value for value in contents_in((guard,)) if self.rests_on_contents(value)]
        beside = free_symbols(without(guard, frozenset(read))) if read else frozenset()
        return len(read) > 1 or any(is_input(atom) for atom in beside)

    def _confidence(self, obligation: Obligation, ordinary: bool, tame: bool = False) -> Confidence:
        checked = checked_contents(obligation.index, obligation.path)
        index = without(obligation.index, checked)
        if self.rests_on_contents(index) and not _has_place_for_each_byte(obligation):
            if self.rests_on_contents(reduced(index)):
                return Confidence.LOW
            obligation.reduced = True
        if not tame and self._is_bounded_by_contents(obligation, checked):
            return Confidence.LOW
        if self._rests_on_lost_argument(obligation):
            return Confidence.LOW
        if obligation.kind == "overflow" and self.environment.contract.uncalled:
            return Confidence.MEDIUM  # nobody passes sizes as large as that
        terms = (obligation.holds, *(c.term for c in obligation.path))
        violated = (negation(obligation.holds), *terms[1:])
        loose = self.rests_on_loose_values(*violated) or self._rests_on_lost_grid(obligation, *terms)
        if loose or not ordinary or self.rests_on_lost_block(self.relevant(*violated)[0], *violated):
            return Confidence.MEDIUM
        if obligation.kind == "overflow" and not is_stated_large(obligation, self.environment):
            obligation.detail = NOT_STATED
            return Confidence.MEDIUM
        return Confidence.MEDIUM if _is_selected(obligation) else Confidence.HIGH

    def rests_on_loose_values(self, *terms: Term) -> bool:
        """The terms speak of host values of which some relations are known, and do not hold for each of their usual values."""
        of_block = frozenset().union(*map(free_symbols, self._sides()))  # `rests_on_lost_block` asks for those
        found = frozenset().union(*map(free_symbols, terms)) - of_block
        atoms = sorted(filter(_is_loose, found), key=lambda t: t.digest)
        facts, _ = self.relevant(*terms)
        held = 0
        for value in LOOSE_VALUES if atoms else ():
            given = [equal(atom, number(value)) for atom in atoms]
            if self.solver.find(Query("loose", (*facts, *given), SMALL_STEPS)) is None:
                continue
            if self.solver.find(Query("whatever is loose", (*facts, *terms, *given), SMALL_STEPS)) is None:
                return True
            held += 1
        return bool(atoms) and held < 2

    def _rests_on_lost_argument(self, obligation: Obligation) -> bool:
        """The index moves with a host value that was not followed, and of which the extent does not speak."""
        launched = self.environment.contract.launch_site is not None
        lost = {
            a
            for a in free_symbols(obligation.index)
            if isinstance(a, Symbol) and (is_lost_argument(a) or (launched and is_entry_of_argument(a)))
        }
        return bool(lost) and not self._bounds_extent(obligation, lost)

    def _rests_on_small_size(self, obligation: Obligation, path: Term, violation: Term) -> bool:
        """Only small values of sizes that the host code lost make the memory too short; what they are nobody said."""
        found = obligation.object
        size = found.size if found is not None else None
        if found is None or size is None or not (lost := list(filter(_is_lost_size, free_symbols(size)))):
            return False
        lost.sort(key=lambda atom: atom.digest)
        trials = [[equal(a, number(value)) for a in lost] for value in LARGE_SIZES]  # makes products of them linear
        trials.append([at_most(number(LARGE_SIZES[-1]), a) for a in lost])
        if found.memory == "shared":
            trials = [[at_most(number(SHARED_BYTES), size)]]
        facts, _ = self.relevant(path, violation, size)
        return all(self.solver.find(Query("large sizes", (*facts, path, violation, *t))) is None for t in trials)

    def _bounds_extent(self, obligation: Obligation, values: set[Symbol]) -> bool:
        """The extent has to do with one of the values."""
        size = obligation.object.size if obligation.object is not None else None
        return size is not None and not values.isdisjoint(self._component(size))

    def _is_bounded_by_contents(self, obligation: Obligation, checked: frozenset[Term]) -> bool:
        """`for (t = 0; t < length[row]; t++) x[t]`: what bounds the index is read from memory."""
        moving = {a for a in free_symbols(obligation.index) if not is_input(a)}
        for part in guard_parts(obligation.path):
            bound = isinstance(part, AtMostZero) and not moving.isdisjoint(free_symbols(part))
            if bound and self.rests_on_contents(without(part, checked)):
                return True
        return False

    def _rests_on_lost_grid(self, obligation: Obligation, *terms: Term) -> bool:
        """There is a launch, but the host code did not tell its grid, and the extent does not speak of it either."""
        grid = free_symbols(self.environment.builtin("gridDim.x"))
        lost = {s for s in grid if isinstance(s, Symbol) and is_lost(s)}
        if self.environment.contract.launch_site is None or not lost or self._bounds_extent(obligation, lost):
            return False
        return any(label.startswith(("blockIdx.x", "gridDim.x")) for term in terms for label in labels(term))

    def rests_on_lost_block(self, facts: Iterable[Term], *terms: Term) -> bool:
        """There is a launch, the host code did not tell its block, and one of the usual ones excludes the terms."""
        if self.environment.contract.launch_site is None:
            return False
        sides = self._sides()
        lost = [rests_on(side, APPROXIMATE_PREFIX) or any(map(_is_loose, free_symbols(side))) for side in sides]
        facts = tuple(facts)
        for block in self.blocks if any(lost) else ():
            given = [equal(side, number(length)) for side, length, open_ in zip(sides, block, lost) if open_]
            if self.solver.find(Query("usual block", (*facts, *given), SMALL_STEPS)) is None:
                continue
            answer = self.solver.check(Query("whatever the block", (*facts, *terms, *given), SMALL_STEPS))
            if isinstance(answer, Unsatisfiable):
                return True
        return False

    def _sides(self) -> list[Term]:
        return [self.environment.builtin(f"blockDim.{axis}") for axis in "xyz"]

    def rests_on_contents(self, index: Term) -> bool:
        """The index comes from memory whose contents nothing bounds (SEMANTICS 8)."""
        names = (label.removeprefix(MEMORY_PREFIX) for label in labels(index) if label.startswith(MEMORY_PREFIX))
        return any(name.partition("#")[0].partition("@")[0] not in self.environment.values for name in names)

    def _ordinary(self, obligation: Obligation, path: Term, violation: Term) -> Model | None:
        """A witness among ordinary inputs and launches, as small as the limits of the table permit."""
        facts, _ = self.relevant(path, violation)
        atoms = sorted(frozenset().union(*(free_symbols(t) for t in (*facts, path, violation))), key=lambda t: t.digest)
        asked = [*facts, path, violation]
        if obligation.kind == "overflow" and not self.environment.launch_known:
            asked.append(ideal(path))  # else it is the launch that has more threads than there are elements
        asked += _not_empty(obligation)
        model = self._fitting(obligation, asked, atoms)
        if model is not None and (self._needed(obligation, model) or 0) > ERROR_BYTES:
            return self._fitting(obligation, asked, atoms, ERROR_BYTES) or model
        return model

    def _fitting(
        self, obligation: Obligation, asked: list[Term], atoms: list[Term], memory: int = DEVICE_BYTES
    ) -> Model | None:
        """An ordinary model; of an overflow one for which the arrays fit as far as the whole launch reaches."""
        for _ in range(MOST_LAUNCHES):
            model = self.ordinary_model(asked, atoms, obligation.footprint, memory)
            if model is None or (self._needed(obligation, model) or 0) <= memory:
                return model
            asked = [*asked, fits(self._touched(obligation, model), self._bytes(), memory)]
        return None

    def _touched(self, obligation: Obligation, model: Model) -> Needs:
        return self.touched.needs(model) if self.touched is not None and obligation.kind == "overflow" else {}

    def ordinary_model(
        self, constraints: list[Term], atoms: list[Term], footprint: Term | None = None, memory: int = DEVICE_BYTES
    ) -> Model | None:
        """A model of the constraints with ordinary values for the inputs among `atoms`, and arguments that fit."""
        facts = [f.term for f in self.environment.facts]
        atoms = sorted({*atoms, *frozenset().union(*map(free_symbols, facts))}, key=lambda t: t.digest)
        limit = self._memory_limit(footprint, memory)
        left_open = self._sizes_left_to_callers()
        limited = [atom for atom in atoms if atom not in left_open]
        base = [*dict.fromkeys((*constraints, *facts)), *ordinary_inputs(limited), *limit]
        if not self.environment.launch_known:
            return self._ordinary_launch(base, atoms)
        dimensions = self.environment.builtin("blockDim.x"), self.environment.builtin("gridDim.x")
        return self._smallest([*base, *ordinary_block(dimensions[0]), *ordinary_grid(dimensions[1])], atoms)

    def _ordinary_launch(self, base: list[Term], atoms: list[Term]) -> Model | None:
        """It has to go wrong under every ordinary launch."""
        found: Model | None = None
        for launch in ordinary_launches(self.blocks):
            model = self._smallest([*base, *launch], atoms)
            if model is None:
                return None
            found = found or model
        return found

    def _smallest(self, base: list[Term], atoms: list[Term]) -> Model | None:
        """A model of the constraints, with inputs as small as the limits of the table permit."""
        for limit, smaller in SMALL_LIMITS if small_inputs(atoms, 1) else ():
            model = self.solver.find(Query("small", (*base, *small_inputs(atoms, limit)), SMALL_STEPS))
            if model is not None:
                return self.solver.find(Query("smaller", (*base, *small_inputs(atoms, smaller)), SMALL_STEPS)) or model
        return self.solver.find(Query("ordinary", tuple(base)))

    def _memory_limit(self, footprint: Term | None = None, memory: int = DEVICE_BYTES) -> list[Term]:
        total = self._bytes(footprint)
        return [] if total is None else [at_most(total, number(memory))]

    def _bytes(self, footprint: Term | None = None) -> Term | None:
        sizes = list(dict.fromkeys(o.size for o in self._global_objects() if o.size is not None and not o.described))
        sizes += [] if footprint is None else [footprint]
        return add(*sizes) if sizes else None

    def _global_objects(self) -> list[MemoryObject]:
        return list(dict.fromkeys(self.environment._objects.values()))

    def _is_untied(self, obligation: Obligation, path: Term, violation: Term, model: Model) -> bool:
        """Index and extent share no input: a relation between them would settle it (DESIGN 3.7), so it is no finding."""
        if obligation.kind == "overflow":
            return False
        found = obligation.object
        extent_terms = [t for t in (found.size if found else None, found.before if found else None) if t is not None]
        if obligation.kind == "dimension":
            extent_terms = [number(0)]
        atoms = free_symbols(obligation.holds) | free_symbols(path)
        given = any(
            is_input(a) for t in extent_terms for a in free_symbols(t)
        )  # else the kernel itself fixes the extent
        inputs = [a for a in (self._with_launch(atoms) if given else atoms) if is_input(a)]
        tied = set().union(*(self._component(t) for t in extent_terms)) if extent_terms else set()
        if found is not None and found.described:
            own = frozenset().union(*map(free_symbols, extent_terms))
            if not own.issuperset(inputs):
                return True
        # who takes a tensor takes it with any sizes: no relation between two of them is left to callers
        tensors = _tensors_of(tied)
        loose = [a for a in inputs if a not in tied and tensors.isdisjoint(_tensors_of(self._component(a)))]
        if extent_terms and all(isinstance(t, Number) for t in extent_terms):
            loose = [a for a in loose if not is_limited(a, self.environment)]
        if found is not None and self._may_have_more_dimensions(found) and self._goes_far(obligation, path):
            return True
        if not given and found is not None and self._is_settled_by_launch(found, path, violation):
            return True
        if wide := self._columns_left_to_callers(obligation, path):
            violation = conjunction(violation, *wide)
            if isinstance(self.ask("wide", path, violation), Unsatisfiable):
                return True
        if absent := {a for t in extent_terms for a in free_symbols(t) if _is_size_of_absent_type(a)}:
            facts, reach = self._with_inputs({a: number(obligation.unit) for a in absent}, path, violation)
            if isinstance(self.solver.check(Query("of the element's type", (*facts, *reach))), Unsatisfiable):
                return True
        free_sizes = [size for size in extent_terms[:1] if self._is_left_to_callers(found, size)]
        if free_sizes and found is not None and found.name in self.environment.given:
            settled = self._is_settled_by_room(loose, free_sizes[0], model, path, violation)
            if settled or not loose:
                return settled
        if not loose or (found is not None and found.size is None and not inputs):
            return False
        if found is not None and found.size is number(obligation.unit):
            return False  # who makes room for one element means one
        roomy = [at_most(number(ROOMY_BYTES), size) for size in free_sizes]
        if (same := _same_sizes(loose, tied)) and self._goes_far(obligation, path):
            facts, reach = self._with_inputs(same, path, violation)
            if isinstance(self.solver.check(Query("of one shape", (*facts, *reach))), Unsatisfiable):
                return True
        for value in SMALL_VALUES:
            facts, reach = self._with_inputs({a: number(value) for a in loose}, path, violation)
            if not isinstance(self.solver.check(Query("reached", (*facts, reach[0]))), Model):
                continue  # no launch passes that value for all of them
            question = (*facts, *reach, *_unwrapped(model, *reach))
            if roomy and self.solver.find(Query("roomy", (*facts, *roomy))) is not None:
                question = (*question, *roomy)  # a caller that knows the index makes the memory large enough
            still = self.solver.check(Query("tied", question))
            return isinstance(still, Unsatisfiable) and self._goes_far(obligation, path)
        return bool(free_sizes) and self._is_settled_by_room(loose, free_sizes[0], model, path, violation)

    def _columns_left_to_callers(self, obligation: Obligation, path: Term) -> list[Term]:
        """The tensor has `MOST_COLUMNS`, where the kernel names columns of which the host code checks nothing."""
        size = obligation.object.size if obligation.object is not None else None
        if size is None or not (columns := named_columns(obligation.index, size, path, self._geometry())):
            return []
        if not isinstance(self.ask("one column", *(equal(c, number(1)) for c in columns)), Model):
            return []  # checked by the host code
        wide = [at_most(number(MOST_COLUMNS), c) for c in columns]
        return wide if isinstance(self.ask("many columns", path, *wide), Model) else []

    def _geometry(self) -> frozenset[Term]:
        """What the sides of grid and block are made of."""
        sides = (self.environment.builtin(f"{name}.{axis}") for name in ("gridDim", "blockDim") for axis in AXES)
        return frozenset().union(*map(free_symbols, sides))

    def _is_settled_by_room(self, loose: list[Term], size: Term, model: Model, path: Term, violation: Term) -> bool:
        """With these inputs as the witness has them, memory that is large enough makes the access safe.

        The smallest values do not reach every access: a second tile of rows takes more rows than one tile has.
        """
        given: dict[Term, Term] = {a: number(model.value(a)) for a in loose}
        facts, reach = self._with_inputs(given, path, violation, free_symbols(size))
        vast = (*facts, at_most(number(VAST_BYTES), size))
        reached = self.solver.check(Query("vast", (*vast, reach[0])))
        if isinstance(reached, Unsatisfiable):
            return False
        answer = self.solver.check(Query("settled", (*vast, *reach)))
        if Undecided in (type(reached), type(answer)):
            return _is_witness_settled_by_room(size, model, violation)
        return isinstance(answer, Unsatisfiable)

    def _is_settled_by_launch(self, found: MemoryObject, path: Term, violation: Term) -> bool:
        """`__constant__ float options[1024]` at blockIdx.x: who launches the kernel knows how many there are."""
        if self.environment.launch_known or found.memory == "shared":
            return False
        for sides in LEAST_LAUNCHES:
            launch = [equal(self.environment.builtin(name), number(size)) for name, size in sides.items()]
            facts, _ = self.relevant(path, violation, *launch)
            if isinstance(self.solver.check(Query("least launch", (*facts, path, violation, *launch))), Unsatisfiable):
                if isinstance(self.solver.check(Query("reached", (*facts, path, *launch))), Model):
                    return True
                continue  # it has too few threads to come here: a border of each axis is left out
            return False
        return True

    def _with_launch(self, atoms: frozenset[Term]) -> frozenset[Term]:
        """The symbols with what bounds the block and thread numbers among them."""
        bounds = {f"{place}.{axis}": f"{size}.{axis}" for place, size in DIMENSION_OF.items() for axis in AXES}
        named = {str(a.parts[0]) for a in atoms if isinstance(a, Symbol)} & set(bounds)
        return atoms.union(*(free_symbols(self.environment.builtin(bounds[name])) for name in named))

    def _with_inputs(
        self, given: dict[Term, Term], path: Term, violation: Term, unlimited: frozenset[Term] = frozenset()
    ) -> tuple[list[Term], tuple[Term, Term]]:
        """Facts, path and violation where inputs have these values; the others are ordinary, unless they are unlimited."""
        facts = [substitute(f, given) for f in self.relevant(path, violation)[0]]
        atoms = frozenset().union(*(free_symbols(t) for t in (*facts, path, violation))) - frozenset(given)
        atoms -= unlimited
        facts += ordinary_inputs(sorted(atoms, key=lambda t: t.digest))
        return facts, (substitute(path, given), substitute(violation, given))

    def _is_left_to_callers(self, found: MemoryObject | None, size: Term) -> bool:
        """The size is an input or was lost; for global memory neither the launch nor an argument of the kernel depends on it."""
        inputs = {atom for atom in free_symbols(size) if is_input(atom) or _is_lost_size(atom)}
        if found is None or not inputs:
            return False
        if found.memory == "shared":
            return True
        at_launch = self.environment.contract.launch_site is not None
        return at_launch and self._component(size).isdisjoint(self.environment.inputs_of_launch)

    def _sizes_left_to_callers(self) -> frozenset[Term]:
        """Counts of elements that nothing relates to the launch: callers make them what its other sizes need."""
        given = (o for o in self._global_objects() if o.size is not None and o.name in self.environment.given)
        return frozenset().union(
            *(free_symbols(o.size) for o in given if o.size and self._is_left_to_callers(o, o.size))
        )

    def relation(self, obligation: Obligation) -> Relation:
        """How the index of an access and the extent of its object are related."""
        path = conjunction(*(c.term for c in obligation.path))
        found = obligation.object
        size = found.size if found is not None else None
        if found is None or size is None:
            return Relation(frozenset(), False, True)
        inputs = {a for a in self._with_launch(free_symbols(obligation.holds) | free_symbols(path)) if is_input(a)}
        loose = frozenset(str(a.parts[0]) for a in inputs - self._component(size))
        return Relation(loose, self._is_inferred(found), self._is_left_to_callers(found, size))

    def _may_have_more_dimensions(self, found: MemoryObject) -> bool:
        """Its rank was inferred from the sizes that the host code reads; tensors of more than four are rare."""
        fact = self.environment.extent_facts.get(found.name)
        return self._is_inferred(found) and fact is not None and fact.text.count(".size(") < MOST_DIMENSIONS

    def _is_inferred(self, found: MemoryObject) -> bool:
        fact = self.environment.extent_facts.get(found.name)
        return fact is not None and fact.origin == Origin.INFERRED.value

    def outgrows(self, obligation: Obligation) -> bool:
        """The index leaves a tensor of inferred rank far behind: there may be a further dimension."""
        found = obligation.object
        if found is None or not self._may_have_more_dimensions(found):
            return False
        return self._goes_far(obligation, conjunction(*(c.term for c in obligation.path)))

    def _goes_far(self, obligation: Obligation, path: Term) -> bool:
        """The index outgrows the extent with the inputs; one that only oversteps it has a defect of its own."""
        extent = obligation.extent
        if extent is None:
            return True
        half = add(extent, number(2 * FAR))
        above = at_most(add(extent, extent, half), scale(obligation.index, 2))
        beyond = disjunction(above, at_most(scale(obligation.index, 2), negate(half)))
        sizes = sorted(filter(is_input, free_symbols(extent)), key=lambda t: t.digest)
        for values in TRIED_SIZES:
            given = [equal(size, number(values[place % len(values)])) for place, size in enumerate(sizes)]
            answer = self.ask("far", path, beyond, *given)
            if isinstance(answer, Model):
                return True
            if isinstance(answer, Unsatisfiable) and isinstance(self.ask("near", path, *given), Model):
                return False
        return True

    def _component(self, term: Term) -> set[Term]:
        symbols = set(free_symbols(term))
        for fact in self.environment.facts:
            if not symbols.isdisjoint(free_symbols(fact.term)):
                symbols |= free_symbols(fact.term)
        return symbols

    # --- witnesses ------------------------------------------------------------------------------------------------------

    def shape(self, model: Model) -> LaunchShape:
        b = self.environment.builtin
        grid = tuple(model.value(b(f"gridDim.{axis}")) for axis in AXES)
        block = tuple(model.value(b(f"blockDim.{axis}")) for axis in AXES)
        geometry = self.environment.geometry
        shared = model.value(self.environment._term(geometry.shared)) if geometry and geometry.shared is not None else 0
        return LaunchShape((grid[0], grid[1], grid[2]), (block[0], block[1], block[2]), shared)

    def place(self, model: Model, suffix: str = "") -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """Block and thread of the (renamed) symbolic thread."""
        values = model.values

        def axis_value(name: str) -> int:
            return values.get(name + suffix, values.get(name, 0))

        block = tuple(axis_value(f"blockIdx.{axis}") for axis in AXES)
        thread = tuple(axis_value(f"threadIdx.{axis}") for axis in AXES)
        return (block[0], block[1], block[2]), (thread[0], thread[1], thread[2])

    def witness(self, model: Model, index: Term, extent: Term | None, footprint: Term | None = None) -> Witness:
        block, thread = self.place(model)
        total = self._bytes(footprint)
        return Witness(
            launch=self.shape(model),
            values=self.input_values(model),
            block=block,
            thread=thread,
            index=model.value(index),
            extent=None if extent is None else model.value(extent),
            bytes_needed=None if total is None else model.value(total),
        )

    def input_values(self, model: Model) -> dict[str, int]:
        """Every input that the contract mentions, whether the query needed it or not."""
        atoms = frozenset().union(frozenset(), *(free_symbols(f.term) for f in self.environment.facts))
        values = {a.name: model.value(a) for a in atoms if isinstance(a, Symbol) and is_input(a)}
        for name, value in model.values.items():
            if "#" not in name and "Idx." not in name and "Dim." not in name and "@" not in name:
                values.setdefault(name, value)
        return dict(sorted(values.items()))


def wrapped_parts(*terms: Term) -> list[Term]:
    """The wrapped values inside the terms."""
    return sorted((t for t in subterms(terms) if isinstance(t, Wrapped)), key=lambda t: t.digest)


def _unwrapped(model: Model, *terms: Term) -> list[Term]:
    """No value of the terms wraps, if the witness does without it: where one does is a question of its own."""
    wraps = wrapped_parts(*terms)
    with suppress(Undefined):
        if all(model.value(wrap) == model.value(wrap.parts[0]) for wrap in wraps):
            return [equal(wrap, wrap.parts[0]) for wrap in wraps]
    return []


def _not_empty(obligation: Obligation) -> list[Term]:
    """Memory of no bytes at all is as little ordinary as a size of zero; what a caller may leave out is another matter."""
    size = obligation.object.size if obligation.object is not None else None
    return [] if size is None or isinstance(size, Number | Choice) else [at_most(number(1), size)]


def _is_witness_settled_by_room(size: Term, model: Model, violation: Term) -> bool:
    """What the witness accesses lies in memory that is large enough: less than for all threads, and no question to a solver."""
    given: dict[Term, Term] = {a: number(model.value(a)) for a in free_symbols(violation)}
    given.update((a, number(VAST_BYTES)) for a in free_symbols(size))
    return substitute(violation, given) is FALSE


def _has_plain_size(obligation: Obligation) -> bool:
    """What the memory holds was computed without a wrap, so that it is what was meant."""
    found = obligation.object
    return found is not None and not wrapped_parts(*(t for t in (found.size, found.before) if t is not None))


def _holds_as_meant(obligation: Obligation) -> Term:
    """The obligation of the mathematical index; an unsigned one has to be stated from below again."""
    before = obligation.object.before if obligation.object is not None else None
    lowest = number(0) if before is None else negate(before)
    return conjunction(at_most(lowest, scale(ideal(obligation.index), obligation.unit)), ideal(obligation.holds))


def _tensors_of(atoms: Iterable[Term]) -> set[str]:
    """The tensors of which some of the atoms are sizes."""
    names = (a.name for a in atoms if isinstance(a, Symbol) and a.scope == "launch")
    return {name.rpartition(".size(")[0] for name in names if ".size(" in name}


def _same_sizes(loose: Iterable[Term], tied: Iterable[Term]) -> dict[Term, Term]:
    """For each size of other tensors the one of the same dimension by which the extent goes; empty where one has none."""
    own = {str(a.parts[0]).rpartition(".size(")[2]: a for a in sorted(tied, key=lambda t: t.digest) if _tensors_of([a])}
    found = {a: own.get(str(a.parts[0]).rpartition(".size(")[2]) for a in loose if _tensors_of([a])}
    kept = {a: size for a, size in found.items() if size is not None}
    return kept if len(kept) == len(list(loose)) else {}


def reduced(index: Term) -> Term:
    """The index where what the kernel itself reduces by a constant (`x & 15`) is any of the remainders: it is made for all data."""

    def leaf(part: Term) -> Term | None:
        if not isinstance(part, Remainder) or not isinstance(part.parts[1], Number):
            return None
        return symbol(f"{ANY}{part.digest.hex()[:12]}", 0, part.parts[1].value - 1)

    return rewrite(index, leaf)


def _has_place_for_each_byte(obligation: Obligation) -> bool:
    """A signed byte chooses one of 256: whoever has so many places expects each of the bytes, and half of them are negative."""
    return obligation.extent == number(256) and interval(obligation.index) == (-128, 127)


def _is_loose(atom: Term) -> bool:
    """A host value whose relation to the others is known in part only."""
    return isinstance(atom, Symbol) and str(atom.parts[0]).partition("@")[0].endswith(LOOSELY_KNOWN)


def is_lost(size: Symbol) -> bool:
    """A dimension of the launch that is nothing but itself."""
    return size.name.startswith(("gridDim.", APPROXIMATE_PREFIX))


def _is_lost_size(atom: Term) -> bool:
    return isinstance(atom, Symbol) and atom.scope == "launch" and atom.name.startswith(APPROXIMATE_PREFIX)


def _is_size_of_absent_type(atom: Term) -> bool:
    return isinstance(atom, Symbol) and str(atom.parts[0]).startswith("sizeof(")


def is_lost_argument(value: Symbol) -> bool:
    """A value of the host code (`~main:n#2`) that was lost on the way to the launch."""
    return value.scope == "launch" and value.name.startswith(APPROXIMATE_PREFIX) and ":" in value.name


def is_entry_of_argument(value: Symbol) -> bool:
    """`codes.data[0]` of a structure that the kernel takes by value: an entry of a table that the host code did not tell."""
    name = value.name
    return value.scope == "launch" and ":" not in name and "." in name and name.endswith("]") and "(" not in name


def _is_selected(obligation: Obligation) -> bool:
    """An entry of a fixed array by a rank or a dimension that callers pass, and of which no guard says how large it gets."""
    found = obligation.object
    chosen = free_symbols(obligation.index)
    if found is None or not isinstance(found.size, Number) or not chosen or not all(map(is_selector, chosen)):
        return False
    compared = (part for part in guard_parts(obligation.path) if isinstance(part, AtMostZero))
    return chosen.isdisjoint(frozenset().union(*map(free_symbols, compared)))


def rests_on_hole(obligation: Obligation) -> bool:
    found = obligation.object
    return found is not None and found.memory == "unknown"


__all__ = ["Decider", "Number", "builtin_symbol", "multiply", "wrapped_parts"]
