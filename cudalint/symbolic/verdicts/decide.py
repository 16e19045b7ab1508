"""From an obligation to its verdict: intervals first, then queries up a ladder of confidence (SEMANTICS 5 to 8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from cudalint.contract import Origin
from cudalint.finding import Assumption, Confidence, Reason, Verdict, Witness
from cudalint.symbolic.model import APPROXIMATE_PREFIX, Access, MemoryObject, Obligation, rests_on
from cudalint.symbolic.ordinary import DEVICE_BYTES
from cudalint.symbolic.solver.question import (
    PROOF_STEPS,
    Answer,
    Model,
    Undecided,
    Unsatisfiable,
    satisfies,
)
from cudalint.symbolic.solver.samples import has_model
from cudalint.symbolic.verdicts.as_meant import has_plain_size, holds_as_meant
from cudalint.symbolic.verdicts.certainty import Certainty
from cudalint.symbolic.verdicts.clamped import ABOVE, at_upper_limits
from cudalint.symbolic.verdicts.extremes import Extreme, Extremes
from cudalint.symbolic.verdicts.facts import (
    defined,
    small_constants,
    wrapped_parts,
)
from cudalint.symbolic.verdicts.lost_values import for_several_values, holds_whatever_is_lost
from cudalint.symbolic.verdicts.trapped import aligned_before
from cudalint.symbolic.verdicts.witnesses import held_contents
from cudalint.term import (
    FALSE,
    TRUE,
    Choice,
    Term,
    Undefined,
    at_most,
    conjunction,
    equal,
    ideal,
    less,
    negation,
    number,
    rewrite,
)


@dataclass(slots=True)
class Decider(Certainty):
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
            second = self._with_any_row(obligation, path, meant)
            if second is not None:
                self._violated(obligation, path, meant, second, True, no_extent)
                return
            # it goes wrong by wrapping alone, if at all: the overflow obligation says so
            self._wrapping.add(frozenset(wraps))
            obligation.verdict, obligation.reason = Verdict.UNKNOWN, Reason.OVERFLOW
        elif isinstance(answer, Model) and (self._needed(obligation, answer) or 0) > DEVICE_BYTES:
            self._within_memory(obligation, path, meant, no_extent)
        elif isinstance(answer, Model):
            small = self._of_small_values(obligation, path, meant)
            self._violated(obligation, path, meant, small or answer, small is not None, no_extent)
        elif (large := self._of_large_values(obligation, path, meant)) is not None:
            self._violated(obligation, path, meant, large, True, no_extent)
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
        if obligation.confidence is Confidence.LOW and (other := self._with_any_row(obligation, path, violation)):
            if self._confidence(obligation, True, beyond, held=True) is Confidence.HIGH:
                with suppress(Undefined):
                    obligation.witness = self._witness_of(obligation, other)
                    model, obligation.confidence, witness_for = other, Confidence.HIGH, self._with_any_row
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
        if obligation.confidence is Confidence.HIGH:
            model = self._whatever_the_padding(obligation, path, violation, model)
        if obligation.confidence is Confidence.HIGH and obligation.kind != "overflow":
            model = self._before_any_trap(obligation, path, violation, model)
        if obligation.confidence is Confidence.HIGH and obligation.approximate and obligation.kind != "overflow":
            model = self._whatever_is_lost(obligation, path, violation, model, witness_for)
        if obligation.confidence is Confidence.MEDIUM and not ordinary and obligation.kind != "overflow":
            obligation.extraordinary = self._confidence(obligation, True, beyond) is Confidence.HIGH
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

    def _whatever_is_lost(
        self, obligation: Obligation, path: Term, violation: Term, model: Model,
        witness_for: Callable[[Obligation, Term, Term], Model | None],
    ) -> Model:  # fmt: skip
        """A witness that comes there whatever the walk has lost of values on the way: it is as good as any, then.

        Not of an overflow, whose sizes nobody has run: there it is a run that has to show what was lost.
        """
        question = conjunction(path, violation)
        if holds_whatever_is_lost(question, model):
            obligation.settled = True
            return model
        aligned = aligned_before(obligation, self.walked)
        other = witness_for(obligation, path, conjunction(violation, *aligned, *for_several_values(question)))
        if other is None or not holds_whatever_is_lost(question, other):
            return model
        if self._padded(obligation, path, violation, other) is not None:
            return model
        with suppress(Undefined):
            obligation.witness = self._witness_of(obligation, other)
            obligation.settled = True
            return other
        return model

    def _whatever_the_padding(self, obligation: Obligation, path: Term, violation: Term, model: Model) -> Model:
        """A witness for which rows are no longer than they are apart, where one file says both."""
        padded = self._padded(obligation, path, violation, model)
        if padded is None:
            return model
        obligation.confidence = Confidence.MEDIUM
        other = self._ordinary(obligation, path, conjunction(violation, padded))
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
        memory = obligation.object.name if obligation.object is not None else None
        return replace(made, bytes_needed=self._needed(obligation, model), contents=held, memory=memory)


def _beyond(obligation: Obligation) -> int:
    """1 where the index of the witness is beyond the end, -1 where it is before the start, 0 where it need be neither."""
    witness = obligation.witness
    if obligation.kind not in ("bounds", "dimension") or witness is None or witness.index is None:
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


def rests_on_hole(obligation: Obligation) -> bool:
    found = obligation.object
    return found is not None and found.memory == "unknown"
