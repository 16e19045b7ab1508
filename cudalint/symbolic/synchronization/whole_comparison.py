"""What a comparison of neighbouring rounds, with indices as mathematics makes them, leaves out: later rounds, and what wraps."""

from __future__ import annotations

from dataclasses import replace

from cudalint.finding import Verdict
from cudalint.source import Span
from cudalint.symbolic.indexing.overflow import addressed
from cudalint.symbolic.issues import Analysis
from cudalint.symbolic.model import Access, MemoryObject
from cudalint.symbolic.solver.question import PROOF_STEPS, Unsatisfiable
from cudalint.symbolic.synchronization.access_pairs import (
    as_meant,
    guard_as_meant,
    may_conflict,
    uniform_scopes,
    without_wrapped,
)
from cudalint.symbolic.synchronization.outcomes import Outcome
from cudalint.symbolic.synchronization.race_comparison import Comparison
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.verdicts.facts import wrapped_parts
from cudalint.symbolic.walk.alone import of_any_iteration
from cudalint.symbolic.walk.execute import Walk
from cudalint.term import (
    TRUE,
    Term,
    conjunction,
    negation,
)


class WholeComparison(Comparison):
    """Compares the accesses of one walk, also of rounds that lie farther apart and with indices as the program computes them."""

    def __init__(self, walk: Walk, decider: Decider) -> None:
        super().__init__(walk, decider)
        self._wrapping: dict[object, bool] = {}
        self._reported: frozenset[Span] = frozenset()
        self._ways: dict[Term, bool] = {}

    def may_meet_later(self, array: MemoryObject, accesses: list[Access]) -> bool:
        """Iterations were compared with the next one; where two pass without a barrier, others meet as well."""
        for loop in self.walk.unparted:
            first, last = loop.steps
            inside = [of_any_iteration(a, loop.made) for a in accesses if first < a.serial <= last]
            pairs = [(a, b) for i, a in enumerate(inside) for b in inside[i:] if may_conflict(a, b, self.block)]
            if not pairs:
                continue
            if loop.way not in self._ways:
                self._ways[loop.way] = not isinstance(self.decider.ask("unparted", loop.way), Unsatisfiable)
            if self._ways[loop.way] and any(
                self._compare(array, a, TRUE, b, TRUE, self.block) != (None, None) for a, b in pairs
            ):
                return True
        return False

    def may_wrap(
        self, array: MemoryObject, own: list[Access], met: list[Access], analysis: Analysis, reported: frozenset[Span]
    ) -> bool:
        """Indices and paths were compared as mathematics makes them; those of the program may be others.

        Signed arithmetic is the overflow obligations' to say; unsigned and narrow values wrap as C defines it, and then
        different indices meet. Conditions that wrap say nothing of what is free of races without them. The indices of
        `reported` accesses are taken not to overflow.
        """
        self._reported = reported
        open_ = [a for a in met if a.span not in reported]
        if any(wrapped_parts(a.offset) for a in open_) and _has_open_overflow(open_, analysis):
            return True
        if not any(map(self._wraps_as_defined, met)):
            return False
        loose = [_without_wrapping_conditions(access) for access in own]
        outcome = Outcome()
        self.in_block(array, loose, outcome)
        if array.memory == "global":
            self.across_blocks(array, loose, outcome)
        if outcome.found or outcome.reason is not None or self.may_meet_later(array, loose):
            return True
        return any(map(self._wraps_as_defined, loose if self.walk.unparted else outcome.met.values()))

    def _wraps_as_defined(self, access: Access) -> bool:
        path = [c.term for c in access.path]
        uniform = uniform_scopes(access.object)
        passed = [cond for _, cond in (*access.phases, *access.grid_phases)]
        stays = conjunction(
            *(as_meant(addressed(access.offset)) if access.span not in self._reported else ()),
            *(each for guard in path for each in guard_as_meant(guard, uniform)),
            *(each for guard in passed for each in guard_as_meant(guard, ())),
        )
        if stays is TRUE:
            return False
        key = stays, access.path
        if key not in self._wrapping:
            answer = self.decider.ask("wraps", *path, negation(stays), steps=PROOF_STEPS)
            self._wrapping[key] = not isinstance(answer, Unsatisfiable)
        return self._wrapping[key]


def _without_wrapping_conditions(access: Access) -> Access:
    """The same access on more ways, and from every barrier that it may be reached from, however conditions wrap."""
    uniform = uniform_scopes(access.object)
    path = tuple(c for c in access.path if not guard_as_meant(c.term, uniform))
    phases, grid_phases = (
        tuple((point, without_wrapped(cond)) for point, cond in each) for each in (access.phases, access.grid_phases)
    )
    return replace(access, path=path, phases=phases, grid_phases=grid_phases)


def _has_open_overflow(own: list[Access], analysis: Analysis) -> bool:
    spans = {access.span for access in own}
    fine = (Verdict.SAFE, Verdict.UNREACHABLE)
    return any(o.kind == "overflow" and o.span in spans and o.verdict not in fine for o in analysis.obligations)
