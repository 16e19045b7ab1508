"""Data races between two threads: of one block in one barrier interval, or of two blocks (SEMANTICS 10 to 14 and 17).

For threads of one block, nodes are pairs of barrier points, one for each thread. From a node all accesses that both reach without
another barrier may race, under both path conditions; edges lead to the barriers that they meet next. For threads of different
blocks only barriers of the whole grid cut. Indices are compared digit by digit before a solver is asked.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from cudalint.contract import Origin
from cudalint.finding import Assumption, Confidence, Reason, Related, Verdict
from cudalint.symbolic.issues import Analysis, OpenRace, Race
from cudalint.symbolic.model import Access, MemoryObject, Obligation, ResultKey, result_key, scope_of
from cudalint.symbolic.synchronization.access_pairs import INT_BITS, uniform_scopes
from cudalint.symbolic.synchronization.one_buffer import joined
from cudalint.symbolic.synchronization.outcomes import Found, Outcome
from cudalint.symbolic.synchronization.reported_overflows import assumed_of_reports, reported_overflows
from cudalint.symbolic.synchronization.whole_comparison import WholeComparison
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.verdicts.facts import wrapped_parts
from cudalint.symbolic.walk.alone import tell_threads_apart
from cudalint.symbolic.walk.execute import Walk
from cudalint.symbolic.walk.phases import kind_of_object
from cudalint.symbolic.walk.pipelines import IN_FLIGHT
from cudalint.term import TRUE, number


def find_races(walk: Walk, decider: Decider, analysis: Analysis, open_: Collection[ResultKey] = ()) -> None:
    """Fill `analysis.races` with one race per missing barrier or shared object, and a result per array.

    Arrays whose results are `open_` anyway are not looked at.
    """
    decider.axioms = [*decider.axioms, *tell_threads_apart(walk)]
    comparison = WholeComparison(walk, decider)
    doubt = _doubt_of_everything(walk)
    objects = dict.fromkeys(a.object for a in walk.accesses if a.object.memory in ("shared", "global"))
    accesses: dict[MemoryObject, list[Access]] = {found: [] for found in objects}
    for access in walk.accesses:
        if access.object in accesses:
            accesses[access.object].append(access)
    accesses = joined(walk, accesses)
    found: list[Found] = []
    reported = reported_overflows(analysis)
    for array, own in _by_table(accesses).items():
        lost = not (walk.disturbed | walk.unfollowed).isdisjoint(a.object for a in own)
        if all(access.kind == "read" for access in own) and not (lost and array.memory == "shared"):
            continue
        outcome = Outcome()
        if result_key(_result(array, own, outcome)) in open_:
            outcome.doubt(Reason.SOLVER_LIMIT)
            analysis.sync_results.append(_result(array, own, outcome))
            continue
        comparison.in_block(array, own, outcome)
        if array.memory == "global":
            comparison.across_blocks(array, own, outcome)
        if doubt is not None or lost:
            outcome.doubt(doubt or Reason.UNMODELLED)
        if any(other in accesses for a in own for other in decider.environment.overlapping(a.object)):
            outcome.doubt(Reason.POINTER)  # places of the two are not compared with each other
        if array.memory == "shared":
            outcome.found += comparison.early_reads(array)
        found += outcome.found
        if not outcome.found and outcome.reason is None and comparison.may_meet_later(array, own):
            outcome.doubt(Reason.LOOP_INVARIANT)
        met = own if walk.unparted else list(outcome.met.values())
        if not outcome.found and outcome.reason is None and comparison.may_wrap(array, own, met, analysis, reported):
            outcome.doubt(Reason.OVERFLOW)
        result = _result(array, own, outcome)
        if result.verdict is Verdict.SAFE:
            assumed = assumed_of_reports(met, reported)
            result.reason = Reason.PRECONDITION if assumed else None
            result.facts = (*_assumed_of_bounds(own), *assumed)
        analysis.sync_results.append(result)
        if result.verdict in (Verdict.UNKNOWN, Verdict.VIOLATED):
            analysis.open_races.append(OpenRace(result, comparison.told_by_runs(own)))
    _distrust_barriers_that_race(walk, accesses, analysis)
    _distrust_what_races(walk, comparison, analysis)
    analysis.races += _one_per_cause(found)


def _distrust_barriers_that_race(walk: Walk, accesses: dict[MemoryObject, list[Access]], analysis: Analysis) -> None:
    """A barrier object that may be used before it is set up separates nothing."""
    results = [r for r in analysis.sync_results if r.kind == "race" and r.object is not None]
    racing = {kind_of_object(r.object) for r in results if r.object is not None and r.verdict is not Verdict.SAFE}
    points = {point.target for point in walk.edges if point.target.kind in racing}
    for result in results if points else ():
        own = accesses.get(result.object, ()) if result.object is not None else ()
        if result.verdict is Verdict.SAFE and any(point in points for a in own for point, _ in a.phases):
            result.verdict, result.reason = Verdict.UNKNOWN, Reason.UNMODELLED


def _distrust_what_races(walk: Walk, comparison: WholeComparison, analysis: Analysis) -> None:
    """Stores of equal values are benign only where the values were loaded from arrays that are free of races."""
    results = [result for result in analysis.sync_results if result.kind == "race"]
    racing = {found.name for found in walk.disturbed}
    while True:
        racing.update(r.object.name for r in results if r.object is not None and r.verdict is not Verdict.SAFE)
        fallen = [
            r for r in results
            if r.verdict is Verdict.SAFE and r.object is not None and comparison.trusts(r.object, frozenset(racing))
        ]  # fmt: skip
        if not fallen:
            return
        for result in fallen:
            result.verdict, result.reason = Verdict.UNKNOWN, Reason.MEMORY_VALUE


def _by_table(accesses: dict[MemoryObject, list[Access]]) -> dict[MemoryObject, list[Access]]:
    """Pointers that were read at different places of one table may be the same entry: they are compared with each other."""
    tables: dict[str, MemoryObject] = {}
    found: dict[MemoryObject, list[Access]] = {}
    for array, own in accesses.items():
        first = tables.setdefault(array.name, array) if array.entry else array
        found[first] = [*found.get(first, ()), *own]
    return found


def _doubt_of_everything(walk: Walk) -> Reason | None:
    """Why no array can be proved free of races, whatever its own accesses are."""
    if any(found.memory == "unknown" for found in walk.disturbed):
        return Reason.UNMODELLED
    if any(access.object.memory == "unknown" and access.kind != "read" for access in walk.accesses):
        return Reason.POINTER
    return Reason.UNMODELLED if walk.partial_barriers or walk.possible_barriers else None


def _result(array: MemoryObject, own: list[Access], outcome: Outcome) -> Obligation:
    verdict, reason = Verdict.SAFE, outcome.reason
    if outcome.found:
        verdict, reason = Verdict.VIOLATED, None
    elif reason is not None:
        verdict = Verdict.UNKNOWN
    return Obligation(
        "race", "access", array, own[0].span, (), TRUE, number(0), None, 1, root=f"{array.name}:race",
        verdict=verdict, reason=reason,
    )  # fmt: skip


def _assumed_of_bounds(accesses: list[Access]) -> tuple[Assumption, ...]:
    """That bounds which are the same for all threads are what mathematics makes them (`threadIdx.x < (unsigned)n`)."""
    wraps = wrapped_parts(*(c.term for access in accesses for c in access.path))
    scopes = uniform_scopes(accesses[0].object)
    uniform = [w for w in wraps if scope_of(w) in scopes and (w.parts[1] < INT_BITS or not w.parts[2])]
    texts = dict.fromkeys(f"{w} is {w.parts[0]} in the conditions of the kernel: it does not wrap" for w in uniform)
    return tuple(Assumption(text, Origin.ORDINARY.value) for text in texts)


def _one_per_cause(found: list[Found]) -> list[Race]:
    """Pairs that one barrier would separate, or that blocks make on one object, are one race (SEMANTICS 9)."""
    groups: dict[object, list[Race]] = {}
    seen: set[frozenset[object]] = set()
    for item in sorted(found, key=lambda f: _priority(f.race)):
        spans = frozenset((item.race.first.span, item.race.second.span))
        if spans in seen:
            continue
        seen.add(spans)
        cause = item.race.object if item.race.object.memory == "global" else item.where
        groups.setdefault(cause, []).append(item.race)
    return [_grouped(races) for races in groups.values()]


def _priority(race: Race) -> tuple[object, ...]:
    spans = sorted((race.first.span, race.second.span))
    rank = {Confidence.HIGH: 0, Confidence.MEDIUM: 1, Confidence.LOW: 2}[race.confidence]
    waited = IN_FLIGHT not in (race.first.order, race.second.order)
    return race.approximate, rank, race.unfenced, _mixes(race), *spans, waited


def _mixes(race: Race) -> bool:
    return "atomic" in (race.first.kind, race.second.kind)


def _grouped(races: list[Race]) -> Race:
    first = races[0]
    spans = {first.first.span, first.second.span}
    related: dict[object, Related] = {}
    for race in races[1:]:
        for access in (race.first, race.second):
            if access.span not in spans:
                text = f"{access.kind} of `{race.object.name}` in the same barrier interval"
                if race.across_blocks:
                    text = f"{access.kind} of `{race.object.name}` by other blocks"
                related.setdefault(access.span, Related(access.span, text))
    others = dict.fromkeys(race.object for race in races if race.object is not first.object)
    return replace(first, related=tuple(related.values()), others=tuple(others))
