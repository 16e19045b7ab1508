"""What of the order of threads in a device function that nobody calls goes wrong whoever calls it.

A caller may give each thread memory of its own, may call from one warp or one thread only, and may pass the number of the
thread, by which threads part, or one number to all. Nothing is proved free of races: a call may meet the one before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cudalint.finding import ThreadAccess, Verdict
from cudalint.source import Span
from cudalint.symbolic.issues import Analysis, BarrierIssue, Race, UnsetElement, WarpIssue
from cudalint.symbolic.model import Access
from cudalint.symbolic.verdicts.left_to_callers import leave, rests_on_caller
from cudalint.symbolic.walk.execute import Walk
from cudalint.term import labels

PARTING = ("branch", "exit", "split warp")  # the others count threads, and callers choose how many come
AS_WRITTEN = ("legacy", "width", "distance", "activemask")
THREADS = ("threadIdx.", "laneid", "warpid")
OWN = ("local", "shared", "constant")
LANES = 32


def leave_order_to_callers(analysis: Analysis, walk: Walk, launched: Callable[[], list[BarrierIssue]]) -> None:
    """Keep what goes wrong for any caller. `launched` are the barriers that threads part at which all pass the same."""
    analysis.lost, analysis.sides, analysis.rows, analysis.open_races = [], [], [], []
    analysis.misaligned = [m for m in analysis.misaligned if m.access.object.memory in OWN]
    analysis.unset = [unset for unset in analysis.unset if _is_set_by_function(unset, walk)]
    analysis.races = [race for race in analysis.races if _is_race_of_function(race, walk)]
    analysis.warps = [issue for issue in analysis.warps if _is_warp_of_function(issue, walk)]
    analysis.barriers = list(_barriers_of_function(analysis.barriers, walk, launched))
    raced, parted = {race.object for race in analysis.races}, {issue.span for issue in analysis.barriers}
    for result in analysis.sync_results:
        is_told = result.object in raced if result.kind == "race" else result.span in parted
        is_proved = result.verdict is Verdict.SAFE and result.kind == "race"
        if is_proved or (result.verdict is Verdict.VIOLATED and not is_told):
            leave(result)


def _is_set_by_function(unset: UnsetElement, walk: Walk) -> bool:
    """No argument decides what is written to the array; what a launch sizes others may have filled."""
    accesses = [a for a in (*walk.accesses, *walk.own_accesses) if a.object is unset.object]
    return not unset.object.dynamic and not any(_rests_on_caller(a, walk) for a in accesses)


def _rests_on_caller(access: Access, walk: Walk) -> bool:
    return rests_on_caller(walk.environment, access.offset, *(c.term for c in access.path))


def _is_race_of_function(race: Race, walk: Walk) -> bool:
    """In memory that all threads share, at places that they choose by their own numbers alone; all of them come.

    That they do is shown by a barrier of the block, or by two of one warp.
    """
    environment, sides = walk.environment, (race.first, race.second)
    if environment.is_of_caller(race.object) or not (
        race.object.memory == "shared" or environment.is_named(race.object)
    ):
        return False
    if any(_rests_on_caller(access, walk) for access in sides):
        return False
    if race.across_blocks and not any(_speaks_of(access, ("blockIdx.",)) for access in sides):
        return False
    if not any(_speaks_of(access, THREADS) for access in sides):
        return bool(walk.visits)
    return bool(walk.visits) or _are_of_one_warp(race)


def _speaks_of(access: Access, names: tuple[str, ...]) -> bool:
    found = frozenset[str]().union(*map(labels, (access.offset, *(c.term for c in access.path))))
    return any(label.startswith(names) for label in found)


def _are_of_one_warp(race: Race) -> bool:
    """The two threads of the witness."""
    block = race.witness.launch.block
    numbers = {_linear(side, block) // LANES for side in race.witness.threads}
    return len(race.witness.threads) == 2 and len(numbers) == 1 and not race.across_blocks


def _linear(side: ThreadAccess, block: tuple[int, int, int]) -> int:
    x, y, z = side.thread
    return x + block[0] * (y + block[1] * z)


def _is_warp_of_function(issue: WarpIssue, walk: Walk) -> bool:
    """Lanes part by their own numbers inside of the function; a mask that is not whole says who calls."""
    if issue.cause in AS_WRITTEN:
        return True
    visits = [visit for visit in walk.warp_visits if visit.span == issue.span]
    for visit in visits:
        terms = (*(c.term for c in visit.path), *visit.args[1:], *((visit.mask,) if visit.mask is not None else ()))
        path = frozenset[str]().union(*(labels(c.term) for c in visit.path))
        if rests_on_caller(walk.environment, *terms) or not any(label.startswith(THREADS) for label in path):
            return False
    return bool(visits) and issue.cause != "past the block"


def _barriers_of_function(
    issues: Iterable[BarrierIssue], walk: Walk, launched: Callable[[], list[BarrierIssue]]
) -> Iterable[BarrierIssue]:
    asked: dict[tuple[Span, str], BarrierIssue] | None = None
    for issue in issues:
        if issue.cause not in PARTING:
            continue
        visits = [visit for visit in walk.visits if visit.span == issue.span]
        arguments = any(rests_on_caller(walk.environment, *(c.term for c in v.path)) for v in visits)
        if visits and not arguments:
            yield issue
            continue
        if asked is None:
            asked = {(other.span, other.cause): other for other in launched()}
        if (issue.span, issue.cause) in asked:
            yield asked[issue.span, issue.cause]
