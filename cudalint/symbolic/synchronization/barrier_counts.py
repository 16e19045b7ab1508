"""Barriers with a number and a count of threads (PTX `bar.sync 1, 64`): those that come have to be as many as it waits for.

All that use one barrier at a time name one count (PTX ISA, "bar"). Where the block is known and the number of the thread alone
decides who comes, the threads that come are counted, in whole warps.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

from cudalint.finding import Confidence, LaunchShape, Related, Witness
from cudalint.symbolic.model import BarrierIssue, CountedVisit, applications
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.walk.execute import Walk
from cudalint.symbolic.walk.phases import is_followed
from cudalint.term import Number, Symbol, Term, evaluator, free_symbols

THREADS = ("threadIdx.x", "threadIdx.y", "threadIdx.z")
WARP = 32


def miscounted(walk: Walk, decider: Decider) -> Iterator[BarrierIssue]:
    """At most one for each barrier, or for those that threads choose by their own number."""
    groups: dict[Term, list[CountedVisit]] = {}
    for visit in walk.counted:
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
            yield _issue(other, first.count, first, sides)
        elif alone and len(sides) == len(block) and not any(map(_is_open, visits)) and not walk.stopped:
            once = first.of != "" and len(visits) == 1
            came = next(
                (n for n in _arrivals(visits, sides).values() if n % first.count or (once and n != first.count)), None
            )
            if came is not None:
                yield _issue(first, came, None, sides)


def _parted(walk: Walk, first: CountedVisit, second: CountedVisit) -> bool:
    """A barrier for all stands between the two: behind it the same number is another barrier."""
    return any(first.serial < visit.serial < second.serial for visit in walk.visits)


def _is_open(visit: CountedVisit) -> bool:
    """More than the number of the thread decides who comes, to which barrier, or how often."""
    terms = [] if visit.of else [visit.id]
    terms += (conjunct.term for conjunct in visit.path)
    atoms = frozenset().union(*map(free_symbols, terms))
    of_thread = all(isinstance(atom, Symbol) and atom.name in THREADS for atom in atoms)
    return visit.repeated or not of_thread or any(map(applications, terms))


def _arrivals(visits: list[CountedVisit], sides: list[int]) -> dict[int, int]:
    """By barrier, the threads of the warps of which one comes."""
    warps: dict[int, dict[tuple[int, int], None]] = {}
    for thread, (z, y, x) in enumerate(product(*(range(side) for side in reversed(sides)))):
        value = evaluator(dict(zip(THREADS, (x, y, z))))
        for place, visit in enumerate(visits):
            if all(value(conjunct.term) for conjunct in visit.path):
                barrier = value(visit.id) if not visit.of else 0
                warps.setdefault(barrier, {})[place, thread if visit.of else thread // WARP] = None
    size = 1 if visits[0].of else WARP
    return {barrier: len(found) * size for barrier, found in warps.items()}


def _issue(visit: CountedVisit, came: int, other: CountedVisit | None, sides: list[int]) -> BarrierIssue:
    x, y, z = sides if len(sides) == len(THREADS) else (max(visit.count, came), 1, 1)
    witness = Witness(launch=LaunchShape((1, 1, 1), (x, y, z), 0), block=(0, 0, 0))
    related = (Related(other.span, f"here it is for {other.count} threads"),) if other is not None else ()
    return BarrierIssue(
        visit.span, "count", witness, (), Confidence.HIGH, False, related, waited=visit.count, came=came
    )
