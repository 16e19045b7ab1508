"""From an obligation to its verdict: intervals first, then queries up a ladder of confidence (SEMANTICS 5 to 8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from cudalint.contract import Origin
from cudalint.finding import NOT_STATED, Assumption, Confidence, Reason, Verdict, Witness
from cudalint.symbolic.model import APPROXIMATE_PREFIX, ITERATION_PREFIX, Access, MemoryObject, Obligation, rests_on
from cudalint.symbolic.ordinary import DEVICE_BYTES, SMALL_BLOCKS, is_input, is_selector
from cudalint.symbolic.solver.question import (
    PROOF_STEPS,
    SMALL_STEPS,
    Answer,
    Model,
    Query,
    Undecided,
    Unsatisfiable,
    satisfies,
)
from cudalint.symbolic.solver.samples import has_model
from cudalint.symbolic.verdicts.as_meant import has_plain_size, holds_as_meant
from cudalint.symbolic.verdicts.checked import checked_contents, contents_in, guard_parts, without
from cudalint.symbolic.verdicts.clamped import ABOVE, BOTH, at_upper_limits, without_clamps
from cudalint.symbolic.verdicts.extremes import Extreme, Extremes
from cudalint.symbolic.verdicts.facts import (
    defined,
    is_entry_of_argument,
    is_loose,
    is_lost,
    is_lost_argument,
    is_lost_size,
    small_constants,
    wrapped_parts,
)
from cudalint.symbolic.verdicts.reduced import reduced
from cudalint.symbolic.verdicts.rounded_grids import makes_room_for_a_rest
from cudalint.symbolic.verdicts.stated_sizes import is_stated_large
from cudalint.symbolic.verdicts.ties import SHARED_BYTES
from cudalint.symbolic.verdicts.trapped import aligned_before
from cudalint.symbolic.verdicts.witnesses import Witnesses, held_contents
from cudalint.symbolic.walk.parameters import BLOCK_LIMITS
from cudalint.term import (
    FALSE,
    TRUE,
    AtMostZero,
    Choice,
    Number,
    Symbol,
    Term,
    Undefined,
    at_most,
    conjunction,
    equal,
    free_symbols,
    ideal,
    interval,
    labels,
    less,
    negation,
    number,
    rewrite,
)

LOOSE_VALUES = (1, 2, 32, 64, 256, 1024)  # of host values of which not all relations are known
LARGE_SIZES = (1031, 1 << 10)  # a prime, and a power of two


@dataclass(slots=True)
class Decider(Witnesses):
    """Answers the obligations of one walk."""

    walked: Sequence[Access] = ()  # all accesses in their order
    proofs_only: bool = False  # what is not proved stays open, and nobody looks for a witness
    _unreachable: dict[Term, bool] = field(default_factory=dict)
    _wrapping: set[frozenset[Term]] = field(default_factory=set)  # values of which nothing says that they do not wrap
    _never_early: set[MemoryObject] = field(default_factory=set)  # no access is known to lead before their start
    _extremes: Extremes = field(default_factory=Extremes)

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
        if obligation.verdict is Verdict.SAFE and self._may_be_null(obligation, path):
            obligation.verdict, obligation.reason = Verdict.UNKNOWN, Reason.POINTER
            obligation.detail = "the pointer may be null"

    def _may_be_null(self, obligation: Obligation, path: Term) -> bool:
        """Callers or annotations say when it is null, and nothing on the way here excludes that."""
        found = obligation.object
        null = self.environment.null_tests.get(found.name, FALSE) if found is not None else FALSE
        return null is not FALSE and obligation.kind != "overflow" and not self.excluded("null", path, null)

    def _is_unreachable(self, path: Term) -> bool:
        """Linear arithmetic excludes the path; what takes more effort to exclude counts as reachable."""
        if path not in self._unreachable:
            facts, _ = self.relevant(path)
            shown = has_model((path, *facts), self.solver.models)
            self._unreachable[path] = not shown and self.excluded("reachable", path)
        return self._unreachable[path]

    def _query(self, obligation: Obligation, path: Term, no_extent: bool, wrap: Obligation | None) -> None:
        """Linear arithmetic first, then a search among ordinary launches, then the whole question."""
        wraps = self._wraps(obligation)
        violation = negation(obligation.holds)
        meant = asked = violation
        if wraps and obligation.kind != "overflow":
            as_meant = negation(holds_as_meant(obligation))
            meant = conjunction(violation, as_meant)
            if wrap is not None and wrap.verdict in (Verdict.SAFE, Verdict.UNREACHABLE):
                asked = as_meant if has_plain_size(obligation) else violation  # what wraps lies outside as it is meant
            elif wrap is not None and self.excluded("violated as meant", ideal(path), as_meant):
                self._wraps_at_most(obligation, path, violation, wraps, no_extent, wrap)
                return
        shown = self._shown_by_wrap(path, violation, wrap) if asked is violation and meant is not violation else None
        extremes = self._extremes.known(obligation)
        if extremes and self._shown_before(obligation, path, violation, extremes, no_extent):
            return
        if shown is None and self.excluded("violated", path, asked):
            self._proved(obligation, path, no_extent)
            return
        if self.proofs_only:
            self._proved_or_open(obligation, path, asked, no_extent)
            return
        high = self._ordinary(obligation, path, meant) if not extremes else None
        if high is not None:
            self._violated(obligation, path, meant, high, True, no_extent)
            return
        if meant is not violation and frozenset(wraps) in self._wrapping:
            obligation.verdict, obligation.reason = Verdict.UNKNOWN, Reason.OVERFLOW
            return
        answer = shown or self.ask("violated", path, asked, steps=PROOF_STEPS)
        if isinstance(answer, Unsatisfiable):
            self._proved(obligation, path, no_extent)
        elif meant is not violation and not isinstance(answer := self._as_meant(path, meant, wraps, answer), Model):
            # it goes wrong by wrapping alone, if at all: the overflow obligation says so
            self._wrapping.add(frozenset(wraps))
            obligation.verdict, obligation.reason = Verdict.UNKNOWN, Reason.OVERFLOW
        elif isinstance(answer, Model) and (self._needed(obligation, answer) or 0) > DEVICE_BYTES:
            self._within_memory(obligation, path, meant, no_extent)
        elif isinstance(answer, Model):
            small = self._of_small_values(obligation, path, meant)
            self._violated(obligation, path, meant, small or answer, small is not None, no_extent)
        else:
            obligation.verdict, obligation.reason = Verdict.UNKNOWN, Reason.SOLVER_LIMIT

    def _proved_or_open(self, obligation: Obligation, path: Term, asked: Term, no_extent: bool) -> None:
        if isinstance(self.ask("violated", path, asked, steps=PROOF_STEPS), Unsatisfiable):
            self._proved(obligation, path, no_extent)
        else:
            obligation.verdict, obligation.reason = Verdict.UNKNOWN, Reason.SOLVER_LIMIT

    def _shown_before(
        self, obligation: Obligation, path: Term, violation: Term, extremes: list[Extreme], no_extent: bool
    ) -> bool:
        """A launch that was found for the same index at another access shows it here, too."""
        facts, _ = self.relevant(path, violation)
        for known in extremes:
            if satisfies(known.model, (violation, path, *facts)):
                self._violated(obligation, path, violation, known.model, known.ordinary, no_extent)
                return True
        return False

    def _wraps_at_most(
        self, obligation: Obligation, path: Term, violation: Term, wraps: list[Term], no_extent: bool, wrap: Obligation
    ) -> None:
        """It goes wrong by wrapping alone, if at all: the overflow obligation says so."""
        values = frozenset(wraps)
        if values not in self._wrapping and self._shown_by_wrap(path, violation, wrap) is not None:
            self._wrapping.add(values)
        if values not in self._wrapping:
            if self.excluded("violated", path, violation):
                self._proved(obligation, path, no_extent)
                return
            if self.solver.effort.is_patient:
                answer = self.ask("violated", path, violation, steps=PROOF_STEPS)
                if isinstance(answer, Unsatisfiable):
                    self._proved(obligation, path, no_extent)
                    return
            self._wrapping.add(values)
        obligation.verdict, obligation.reason = Verdict.UNKNOWN, Reason.OVERFLOW

    def _shown_by_wrap(self, path: Term, violation: Term, wrap: Obligation | None) -> Model | None:
        """A launch that was found for the values to wrap in, where it violates this as well: nothing excludes that then."""
        if wrap is None or not wrap.model:
            return None
        model = Model(wrap.model, {})
        facts, _ = self.relevant(path, violation)
        return model if satisfies(model, (violation, path, *facts)) else None

    def _within_memory(self, obligation: Obligation, path: Term, meant: Term, no_extent: bool) -> None:
        """The question again, for arguments that fit into the memory of a device."""
        answer = self.ask("violated within memory", path, meant, *self._memory_limit(obligation.footprint))
        if isinstance(answer, Model):
            near = self._ordinary_near(obligation, path, meant, answer) or self._of_small_values(
                obligation, path, meant
            )
            self._violated(obligation, path, meant, near or answer, near is not None, no_extent)
        elif isinstance(answer, Unsatisfiable):
            text = f"the arguments fit into {DEVICE_BYTES >> 30} GiB of device memory"
            obligation.facts = (*obligation.facts, Assumption(text, Origin.LIMIT.value))
            self._proved(obligation, path, no_extent)
        else:
            obligation.verdict, obligation.reason = Verdict.UNKNOWN, Reason.SOLVER_LIMIT

    def _as_meant(self, path: Term, meant: Term, wraps: list[Term], answer: Answer) -> Answer:
        """Whether the values that are meant violate it too; where nothing could be decided, whether they do without any wrap."""
        if not isinstance(answer, Undecided):
            answer = self.ask("violated by the values that are meant", path, meant)
        if isinstance(answer, Undecided):
            return self.ask("violated without wrap", path, meant, *(equal(w, w.parts[0]) for w in wraps))
        return answer

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
        tied = self._of_tied_memory(obligation, path, violation, model)
        model, untied = tied or model, tied is None
        if not no_extent and (untied or self._may_be_early(obligation)):
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
            self._violated_where_defined(obligation, path, violation, no_extent)
            return
        obligation.verdict = Verdict.VIOLATED
        obligation.approximate = rests_on(conjunction(path, violation), APPROXIMATE_PREFIX)
        beyond = _beyond(obligation)
        obligation.confidence = self._confidence(obligation, ordinary, beyond)
        witness_for = self._ordinary
        for held, with_contents in ((False, self._with_tame_contents), (True, self._with_empty_ranges)):
            certain = self._confidence(obligation, True, beyond, tame=True, held=held) is Confidence.HIGH
            if obligation.confidence is not Confidence.LOW or not certain:
                continue
            other = with_contents(obligation, path, violation)
            if other is not None:
                with suppress(Undefined):  # of a witness that divides by zero: the one at hand stays
                    obligation.witness = self._witness_of(obligation, other)
                    model, obligation.confidence, witness_for = other, Confidence.HIGH, with_contents
        if obligation.confidence is Confidence.LOW and (other := self._at_clamps(obligation, path, violation)):
            with suppress(Undefined):
                obligation.witness = self._witness_of(obligation, other)
                model, obligation.confidence = other, Confidence.HIGH
        if obligation.confidence is Confidence.HIGH:
            model = self._whatever_the_constants(obligation, path, violation, model, witness_for)
        if obligation.confidence is Confidence.HIGH and (
            self._rests_on_small_size(obligation, path, violation)
            or self.members_apart(obligation)
            or self.divides_by_an_object(obligation, model)
        ):
            obligation.confidence = Confidence.MEDIUM
        if obligation.confidence is Confidence.HIGH and obligation.kind != "overflow":
            model = self._before_any_trap(obligation, path, violation, model)
        obligation.model = dict(model.values)
        self._extremes.learn(obligation, model, ordinary)

    def _at_clamps(self, obligation: Obligation, path: Term, violation: Term) -> Model | None:
        """A witness beyond the end where each value from memory is as large as the kernel lets it be."""
        index, extent, reached = obligation.index, obligation.extent, at_upper_limits(obligation.index)
        if obligation.kind != "bounds" or extent is None or not reached:
            return None
        was_reduced, model = obligation.reduced, None
        if self._confidence(obligation, True, ABOVE, sides=frozenset((ABOVE,))) is Confidence.HIGH:
            model = self._ordinary(obligation, path, conjunction(violation, at_most(extent, index), *reached))
        obligation.reduced = obligation.reduced if model is not None else was_reduced
        return model

    def _whatever_the_constants(
        self, obligation: Obligation, path: Term, violation: Term, model: Model,
        witness_for: Callable[[Obligation, Term, Term], Model | None],
    ) -> Model:  # fmt: skip
        """Of a constant nothing but its name may be known: with a large one anything overflows, and less it is before the start."""
        overflow = obligation.kind == "overflow"
        if not overflow and model.value(obligation.index) >= 0:
            return model
        ordinary = small_constants(1 if overflow else 0, obligation.index, path, violation)
        if satisfies(model, [ordinary]):
            return model
        obligation.confidence = Confidence.MEDIUM
        other = witness_for(obligation, path, conjunction(violation, ordinary))
        with suppress(Undefined):
            if other is not None:
                obligation.witness = self._witness_of(obligation, other)
                obligation.confidence = Confidence.HIGH
                return other
        return model

    def _violated_where_defined(self, obligation: Obligation, path: Term, violation: Term, no_extent: bool) -> None:
        """The same for a witness that divides nothing by zero."""
        size = obligation.object.size if obligation.object is not None else None
        sizes = [term for term in (size, *self._geometry()) if term is not None]
        narrowed = conjunction(violation, *defined(obligation.index, path, violation, *sizes))
        model = self._ordinary(obligation, path, narrowed) if narrowed is not violation else None
        if model is None:
            obligation.verdict, obligation.reason = Verdict.UNKNOWN, Reason.SOLVER_LIMIT
        else:
            self._violated(obligation, path, narrowed, model, True, no_extent)

    def _before_any_trap(self, obligation: Obligation, path: Term, violation: Term, model: Model) -> Model:
        """A witness that comes as far as the access, where the thread of the one at hand would have trapped before."""
        aligned = aligned_before(obligation, self.walked)
        if not aligned or satisfies(model, aligned):
            return model
        other = self._ordinary(obligation, path, conjunction(violation, *aligned))
        with suppress(Undefined):
            if other is not None:
                obligation.witness = self._witness_of(obligation, other)
                return other
        obligation.confidence = Confidence.MEDIUM
        return model

    def _of_tied_memory(self, obligation: Obligation, path: Term, violation: Term, model: Model) -> Model | None:
        """The witness where something ties the index to its memory; of several that it may be, one for which that is so."""
        if self._is_untied(obligation, path, violation, model):
            return None
        found = obligation.object
        if found is None or not isinstance(found.size, Choice):
            return model
        cond = found.size.parts[0]
        for place, side in ((1, cond), (2, negation(cond))):
            one = _of_one_memory(obligation, cond, place)
            there, beyond = conjunction(path, side), _where(violation, cond, place)
            if self.excluded("of one memory", there, beyond):
                continue
            other = model if model.holds(side) else self._ordinary(one, there, beyond)
            if other is not None and (tied := self._of_tied_memory(one, there, beyond, other)) is not None:
                return tied
        return None

    def _may_be_early(self, obligation: Obligation) -> bool:
        """A witness beyond the end of memory that is as large as callers like says less than one before its start.

        Of each such memory this is asked until no access leads there.
        """
        return obligation.object not in self._never_early and self._has_free_size(obligation)

    def _before_start(self, obligation: Obligation, path: Term, violation: Term) -> Model | None:
        """An ordinary witness with an index below zero: that is outside, however much memory there is."""
        found = obligation.object
        if obligation.kind != "bounds" or found is None or found.before is not None or found.inside:
            return None
        early = conjunction(violation, less(ideal(obligation.index), number(0)))
        model = None
        if early is not FALSE and not self.excluded("before the start", path, early):
            model = self._ordinary(obligation, path, early)
        if model is None:
            self._never_early.add(found)
        return model

    def _witness_of(self, obligation: Obligation, model: Model) -> Witness:
        made = self.witness(model, obligation.index, obligation.extent, obligation.footprint)
        held = held_contents(model, obligation.index, *(c.term for c in obligation.path))
        return replace(made, bytes_needed=self._needed(obligation, model), contents=held)

    def _confidence(
        self, obligation: Obligation, ordinary: bool, beyond: int, tame: bool = False, held: bool = False,
        sides: frozenset[int] = BOTH,
    ) -> Confidence:  # fmt: skip
        """`tame`: nothing but 0 and 1 is read for a guard; `held`: nor for the index; `sides`: on which clamps count."""
        checked = checked_contents(obligation.index, obligation.path, beyond)
        if held or (tame and obligation.kind == "overflow"):
            # it wraps with 0 or 1 there: what is beside them is too large
            checked |= frozenset(contents_in([obligation.index]))
        index = without(obligation.index, checked)
        if self.rests_on_contents(index) and not _has_place_for_each_byte(obligation):
            if self.rests_on_contents(without_clamps(reduced(index), sides)):
                return Confidence.LOW
            obligation.reduced = True
        if not self.environment.from_memory.isdisjoint(free_symbols(index)):
            return Confidence.LOW
        if not tame and self._is_bounded_by_contents(obligation, checked):
            return Confidence.LOW
        if self._is_bounded_by_loaded_steps(obligation):
            return Confidence.LOW
        if self._rests_on_lost_argument(obligation) or self._is_bounded_by_lost_argument(obligation):
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
        atoms = sorted(filter(is_loose, found), key=lambda t: t.digest)
        facts, _ = self.relevant(*terms)
        held = 0
        grid = [self.environment.builtin(f"gridDim.{axis}") for axis in "xyz"]
        for value in LOOSE_VALUES if atoms else ():
            given = [equal(atom, number(value)) for atom in atoms]
            if self.solver.find(Query("loose", (*facts, *given), SMALL_STEPS)) is None:
                continue
            if self._holds_given(facts, terms, given):
                held += 1
                continue
            rest = [equal(atom, number(value + 1)) for atom in atoms]
            if not makes_room_for_a_rest(grid, atoms, value) or not self._holds_given(facts, terms, rest):
                return True
        return bool(atoms) and held < 2

    def _holds_given(self, facts: Iterable[Term], terms: Iterable[Term], given: Iterable[Term]) -> bool:
        return self.solver.find(Query("whatever is loose", (*facts, *terms, *given), SMALL_STEPS)) is not None

    def _rests_on_lost_argument(self, obligation: Obligation) -> bool:
        """The index moves with host values that were not followed, and of one of them the extent does not speak."""
        launched = self.environment.contract.launch_site is not None
        lost = {
            a
            for a in free_symbols(obligation.index)
            if isinstance(a, Symbol) and (is_lost_argument(a) or (launched and is_entry_of_argument(a)))
        }
        size = obligation.object.size if obligation.object is not None else None
        return not lost.issubset(self._component(size) if size is not None else ())

    def _rests_on_small_size(self, obligation: Obligation, path: Term, violation: Term) -> bool:
        """Only small values of sizes that the host code lost make the memory too short; what they are nobody said."""
        found = obligation.object
        size = found.size if found is not None else None
        if found is None or size is None or not (lost := list(filter(is_lost_size, free_symbols(size)))):
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

    def _is_bounded_by_loaded_steps(self, obligation: Obligation) -> bool:
        """`for (k = 0; at < end; k++) at += length[at]`: how often it goes round is what memory says, however small that is."""
        rounds = {a for a in free_symbols(obligation.index) if str(a.parts[0]).startswith(ITERATION_PREFIX)}
        loops = [c for c in obligation.path if c.cause == "loop"] if rounds else []
        tests = [free_symbols(part) for part in guard_parts(loops) if isinstance(part, AtMostZero)]
        return any(not self.environment.from_memory.isdisjoint(test) for test in tests) and all(
            rounds.isdisjoint(test) for test in tests
        )

    def _is_bounded_by_lost_argument(self, obligation: Obligation) -> bool:
        """`if (i >= total) return;` where the host code lost what total is made of, and the size of the memory is not."""
        moving = {a for a in free_symbols(obligation.index) if not is_input(a)}
        size = obligation.object.size if obligation.object is not None else None
        told = frozenset() if size is None else free_symbols(size)
        for part in guard_parts(obligation.path):
            symbols = free_symbols(part)
            if isinstance(part, AtMostZero) and not moving.isdisjoint(symbols):
                if any(isinstance(a, Symbol) and is_lost_argument(a) for a in symbols - told):
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
        """There is a launch, the host code did not tell its block, and one of the usual ones excludes the terms.

        A side is not told either that callers choose, none of which is in sight, and that the host code holds to no limit.
        """
        if self.environment.contract.launch_site is None:
            return False
        sides, facts = self._sides(), tuple(facts)
        chosen = [
            is_input(side) and self._has_a_block((*facts, equal(side, number(most))))
            for side, most in zip(sides, BLOCK_LIMITS.values())
        ]
        lost = [
            rests_on(side, APPROXIMATE_PREFIX) or any(map(is_loose, free_symbols(side))) or open_
            for side, open_ in zip(sides, chosen)
        ]
        for block in (*self.blocks, *(SMALL_BLOCKS if any(chosen) else ())) if any(lost) else ():
            given = [equal(side, number(length)) for side, length, open_ in zip(sides, block, lost) if open_]
            if not self._has_a_block((*facts, *given)):
                continue
            answer = self.solver.check(Query("whatever the block", (*facts, *terms, *given), SMALL_STEPS))
            if isinstance(answer, Unsatisfiable):
                return True
        return False

    def _has_a_block(self, terms: tuple[Term, ...]) -> bool:
        return self.solver.find(Query("usual block", terms, SMALL_STEPS)) is not None

    def _sides(self) -> list[Term]:
        return [self.environment.builtin(f"blockDim.{axis}") for axis in "xyz"]


def _beyond(obligation: Obligation) -> int:
    """1 where the index of the witness is beyond the end, -1 where it is before the start, 0 where it need be neither."""
    witness = obligation.witness
    if obligation.kind != "bounds" or witness is None or witness.index is None:
        return 0
    return -1 if witness.index < 0 else 1


def _of_one_memory(obligation: Obligation, cond: Term, place: int) -> Obligation:
    """The obligation of one of two memories between which a condition chooses."""
    found, extent = obligation.object, obligation.extent
    assert found is not None and found.size is not None
    return replace(
        obligation,
        object=replace(found, size=_where(found.size, cond, place)),
        extent=None if extent is None else _where(extent, cond, place),
        holds=_where(obligation.holds, cond, place),
    )


def _where(term: Term, cond: Term, place: int) -> Term:
    """The term with the first or second of what the condition chooses between."""

    def leaf(part: Term) -> Term | None:
        return rewrite(part.parts[place], leaf) if isinstance(part, Choice) and part.parts[0] is cond else None

    return rewrite(term, leaf)


def _has_place_for_each_byte(obligation: Obligation) -> bool:
    """A signed byte chooses one of 256: whoever has so many places expects each of the bytes, and half of them are negative."""
    return obligation.extent == number(256) and interval(obligation.index) == (-128, 127)


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
