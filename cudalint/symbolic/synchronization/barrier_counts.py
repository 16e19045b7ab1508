"""Barriers with a number and a count of threads (PTX `bar.sync 1, 64`): those that come have to be as many as it waits for.

All that use one barrier at a time name one count (PTX ISA, "bar"). Where the block is known and the number of the thread alone
decides who comes, the threads that come are counted, in whole warps. How often they come need not be known where fewer use the
barrier than it waits for, or where more come to one statement at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from cudalint.finding import Confidence, LaunchShape, Related, Witness
from cudalint.symbolic.issues import BarrierIssue
from cudalint.symbolic.model import ITERATION_PREFIX, CountedVisit, Path, applications, scope_of
from cudalint.symbolic.synchronization.group_order import threads_of
from cudalint.symbolic.synchronization.pairs import THREAD_AXES, WARP, by_thread_number, is_by_thread_number
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.walk.execute import Walk
from cudalint.symbolic.walk.phases import is_followed
from cudalint.term import Number, Symbol, Term, evaluator, free_symbols


def miscounted(walk: Walk, decider: Decider) -> Iterator[BarrierIssue]:
    """At most one for each barrier, or for those that threads choose by their own number."""
    groups: dict[Term, list[CountedVisit]] = {}
    for visit in walk.counted:
        if visit.count is not None:
            groups.setdefault(visit.id, []).append(visit)
    block = [decider.environment.builtin(f"blockDim.{axis}") for axis in "xyz"]
    sides = [side.value for side in block if isinstance(side, Number)]
    numbered = [barrier for barrier, visits in groups.items() if not visits[0].of]
    alone = all(isinstance(barrier, Number) for barrier in numbered) or len(numbered) == 1
    for visits in groups.values():
        first = visits[0]
        if first.of and not is_followed(walk, first.of):
            continue
        if first.of and first.of not in walk.split_phases and prod(sides) == first.count:
            continue  # a barrier of the block, of which `barriers` says who does not come
        other = next((v for v in visits if v.count != first.count and not _parted(walk, first, v)), None)
        if other is not None:
            yield _issue(other, _counted(first), first, sides)
            continue
        if first.of and any(visit.count is None and visit.of == first.of for visit in walk.counted):
            continue  # those who come to an element that is not known may come to this one
        if not alone or len(sides) < len(block) or walk.stopped:
            continue
        wrong = (
            None if first.of or any(v.count is None and not v.of for v in walk.counted) else _wrong_users(visits, sides)
        )
        if wrong is not None:
            yield _issue(*wrong, None, sides)
        elif not any(map(_is_open, visits)):
            count = _counted(first)
            once = first.of != "" and len(visits) == 1
            came = next((n for n in _arrivals(visits, sides).values() if n % count or (once and n != count)), None)
            if came is not None:
                yield _issue(first, came, None, sides)


def _wrong_users(visits: list[CountedVisit], sides: list[int]) -> tuple[CountedVisit, int] | None:
    """A visit and its threads: fewer use the barrier than it waits for, or more come by one statement.

    Threads that arrive without waiting may come several times to one round.
    """
    if any(visit.mode != "sync" or not is_by_thread_number(visit.id) for visit in visits):
        return None
    users: dict[int, set[int]] = {}
    for visit in visits:
        came = _users(visit, sides)
        for barrier, threads in came.items():
            users.setdefault(barrier, set()).update(threads)
        crowd = max(map(len, came.values()), default=0)
        if crowd > _counted(visit) and _is_alike(visit):
            return visit, crowd
    few = min(map(len, users.values()), default=0)
    return (visits[0], few) if 0 < few < _counted(visits[0]) else None


def _users(visit: CountedVisit, sides: list[int]) -> dict[int, set[int]]:
    """By barrier the threads whose number lets them come, with the others of their warps."""
    found: dict[int, set[int]] = {}
    most = prod(sides)
    for thread, place in threads_of(sides):
        value = evaluator(place)
        if all(value(term) for term in by_thread_number(_deciding(visit))):
            first = thread // WARP * WARP
            found.setdefault(value(visit.id), set()).update(range(first, min(first + WARP, most)))
    return found


def _deciding(visit: CountedVisit) -> Path:
    """What decides who comes: not that a loop in front of it has ended, which holds for all that come so far."""
    return tuple(conjunct for conjunct in visit.path if conjunct.cause != "check")


def _is_alike(visit: CountedVisit) -> bool:
    """Whether a thread comes hangs on its number, and on what all threads of the block share."""
    rest = (c.term for c in _deciding(visit) if not is_by_thread_number(c.term))
    atoms = frozenset().union(*map(free_symbols, rest))
    return all(
        scope_of(atom) in ("launch", "block") or str(atom.parts[0]).startswith(ITERATION_PREFIX) for atom in atoms
    )


def _counted(visit: CountedVisit) -> int:
    assert visit.count is not None
    return visit.count


def _parted(walk: Walk, first: CountedVisit, second: CountedVisit) -> bool:
    """A barrier for all stands between the two: behind it the same number is another barrier."""
    return any(first.serial < visit.serial < second.serial for visit in walk.visits)


def _is_open(visit: CountedVisit) -> bool:
    """More than the number of the thread decides who comes, to which barrier, or how often."""
    terms = [] if visit.of else [visit.id]
    terms += (conjunct.term for conjunct in _deciding(visit))
    atoms = frozenset().union(*map(free_symbols, terms))
    of_thread = all(isinstance(atom, Symbol) and atom.name in THREAD_AXES for atom in atoms)
    return visit.repeated or not of_thread or any(map(applications, terms))


def _arrivals(visits: list[CountedVisit], sides: list[int]) -> dict[int, int]:
    """By barrier, the threads of the warps of which one comes."""
    warps: dict[int, dict[tuple[int, int], None]] = {}
    for thread, at in threads_of(sides):
        value = evaluator(at)
        for place, visit in enumerate(visits):
            if all(value(conjunct.term) for conjunct in _deciding(visit)):
                barrier = value(visit.id) if not visit.of else 0
                warps.setdefault(barrier, {})[place, thread if visit.of else thread // WARP] = None
    size = 1 if visits[0].of else WARP
    return {barrier: len(found) * size for barrier, found in warps.items()}


def _issue(visit: CountedVisit, came: int, other: CountedVisit | None, sides: list[int]) -> BarrierIssue:
    x, y, z = sides if len(sides) == len(THREAD_AXES) else (max(_counted(visit), came), 1, 1)
    witness = Witness(launch=LaunchShape((1, 1, 1), (x, y, z), 0), block=(0, 0, 0))
    related = (Related(other.span, f"here it is for {other.count} threads"),) if other is not None else ()
    return BarrierIssue(
        visit.span, "count", witness, (), Confidence.HIGH, False, related, waited=_counted(visit), came=came
    )
