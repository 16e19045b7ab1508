"""What barriers for part of a block order (PTX `bar.sync 1, 64`): the accesses of those who come to them, round by round.

A barrier that as many threads of the block use as it counts completes a round only when each of them has come. So what a thread
does before it has come k + 1 times is done where another one has waited for round k:

    arrived (of the early access) < waited (of the late one)

Where other numbers of threads use it than it counts, it may order anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from cudalint.symbolic.model import APPROXIMATE_PREFIX, Access, CountedVisit, Rounds, rests_on
from cudalint.symbolic.synchronization.pairs import (
    THREAD_AXES,
    WARP,
    Threads,
    by_thread_number,
    is_by_thread_number,
)
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.walk.execute import Walk
from cudalint.symbolic.walk.numbered import CHOSEN
from cudalint.term import (
    TRUE,
    Number,
    Term,
    at_most,
    conjunction,
    disjunction,
    equal,
    evaluator,
    ideal,
    less,
    negation,
    number,
    subtract,
)


def threads_of(sides: list[int]) -> Iterable[tuple[int, dict[str, int]]]:
    """All threads of a block, by their number."""
    for thread, (z, y, x) in enumerate(product(*(range(side) for side in reversed(sides)))):
        yield thread, dict(zip(THREAD_AXES, (x, y, z)))


@dataclass(frozen=True, slots=True)
class Order:
    """When nothing orders two accesses; `doubtful` where a barrier may order them that is not understood.

    `proves`: what is ordered is so for certain. `chained`: a third thread that uses two of the barriers may order them.
    """

    unordered: Term
    doubtful: bool = False
    proves: bool = True
    chained: bool = False


class GroupOrder:
    """The barriers of one walk."""

    def __init__(self, walk: Walk, decider: Decider) -> None:
        self.walk, self.decider = walk, decider
        self.visits: dict[str, list[CountedVisit]] = {}
        for visit in walk.counted:
            if visit.name:
                self.visits.setdefault(visit.name, []).append(visit)
        self._met_in_turn: dict[str, bool] = {}
        self._used: dict[str, dict[int, frozenset[int]] | None] = {}

    def between(self, threads: Threads, a: Access, b: Access) -> Order:
        """How the barriers order two accesses of threads of one block."""
        apart: list[Term] = []
        doubtful, proves = False, True
        for one, other in zip(a.rounds, b.rounds):
            if _has_not_waited(one) and _has_not_waited(other):
                continue
            if self.users(one.barrier) is None or any(map(_is_approximate, (one, other))):
                doubtful = True
                continue
            proves = proves and self._are_met_in_turn(one.barrier)
            apart.append(negation(self._orders(threads, one, other)))
        return Order(conjunction(*apart), doubtful, proves, bool(apart) and len(self.visits) > 1)

    def _orders(self, threads: Threads, one: Rounds, other: Rounds) -> Term:
        later = disjunction(
            less(threads.first(one.arrived), threads.second(other.waited)),
            less(threads.second(other.arrived), threads.first(one.waited)),
        )
        users = self._user(one.barrier)
        same = TRUE
        if one.barrier == CHOSEN:
            chosen = ideal(self.visits[CHOSEN][0].id)
            same = equal(threads.first(chosen), threads.second(chosen))
        return conjunction(later, threads.first(users), threads.second(users), same)

    def _user(self, name: str) -> Term:
        """Whether a thread uses the barrier."""
        return disjunction(*(conjunction(*map(ideal, by_thread_number(v.path))) for v in self.visits[name]))

    @cached_property
    def sides(self) -> list[int] | None:
        """The block, where the launch states it as numbers."""
        block = [self.decider.environment.builtin(f"blockDim.{axis}") for axis in "xyz"]
        numbers = [side.value for side in block if isinstance(side, Number)]
        return numbers if len(numbers) == len(block) else None

    def users(self, name: str) -> dict[int, frozenset[int]] | None:
        """By barrier the threads that use it; None where they are not as many as it counts, or nobody knows."""
        if name not in self._used:
            self._used[name] = self._find_users(name)
        return self._used[name]

    def _find_users(self, name: str) -> dict[int, frozenset[int]] | None:
        visits = self.visits.get(name, [])
        counts = {visit.count for visit in visits}
        if not visits or len(counts) > 1 or None in counts or self.sides is None or self.walk.stopped:
            return None
        if name == CHOSEN and (len(self.visits) > 1 or len({visit.id for visit in visits}) > 1):
            return None
        if not all(is_by_thread_number(visit.id) for visit in visits):
            return None
        found: dict[int, set[int]] = {}
        for thread, place in threads_of(self.sides):
            value = evaluator(place)
            for visit in visits:
                if all(value(term) for term in by_thread_number(visit.path)):
                    found.setdefault(value(visit.id), set()).add(thread)
        counted = next(iter(counts))
        if any(len(used) != counted or not _are_whole_warps(used) for used in found.values()):
            return None
        return {barrier: frozenset(used) for barrier, used in found.items()}

    def _are_met_in_turn(self, name: str) -> bool:
        """No thread arrives for a round before the one before has ended: then each round waits for every user."""
        if name not in self._met_in_turn:
            threads = Threads(self.decider, same_block=True)
            arrivals = (visit for visit in self.visits[name] if visit.mode != "sync")
            self._met_in_turn[name] = all(self._is_in_turn(threads, name, visit) for visit in arrivals)
        return self._met_in_turn[name]

    def _is_in_turn(self, threads: Threads, name: str, visit: CountedVisit) -> bool:
        own = _at(visit, name)
        before = [*(c.term for c in visit.path), less(own.waited, own.arrived)]
        if own.arrived is number(0) or threads.refutes("arrival", [threads.first(term) for term in before]):
            return True
        return any(self._tells(threads, name, visit, before, other) for other in sorted(self.visits) if other != name)

    def _tells(self, threads: Threads, name: str, visit: CountedVisit, before: list[Term], other: str) -> bool:
        """The thread has waited at the other barrier for a round to which some came after the end of the round at hand."""
        if self.users(name) is None or self.users(name) != self._moved(name, other):
            return False
        waited = _at(visit, other).waited
        first = [threads.first(ideal(term)) for term in before]
        if not threads.refutes("arrival", [*first, at_most(threads.first(waited), number(0))]):
            return False
        return any(
            all(self._came_later(threads, name, visit, other, first, each) for each in group)
            for group in self._classes(other)
        )

    def _moved(self, name: str, other: str) -> dict[int, frozenset[int]] | None:
        """The users of the other barrier, under the number of this one."""
        found = self.users(other)
        if found is None or len(found) != 1:
            return None
        return dict.fromkeys(self.users(name) or {}, next(iter(found.values())))

    def _came_later(
        self, threads: Threads, name: str, visit: CountedVisit, other: str, first: list[Term], each: CountedVisit
    ) -> bool:
        """Whoever comes by this way in the round that was waited for has waited for the end of the round at hand."""
        round_ = subtract(_at(visit, other).waited, number(1))
        terms = [*first, *(threads.second(ideal(c.term)) for c in each.path)]
        terms.append(equal(threads.second(_at(each, other).arrived), threads.first(round_)))
        terms.append(less(threads.second(_at(each, name).waited), threads.first(_at(visit, name).arrived)))
        return threads.refutes("arrival of others", terms)

    def _classes(self, name: str) -> list[list[CountedVisit]]:
        """The visits that threads may make, one list for each sort of threads."""
        sorts: dict[frozenset[int], None] = {}
        visits = self.visits[name]
        for _, place in threads_of(self.sides or []):
            value = evaluator(place)
            ways = (i for i, v in enumerate(visits) if all(value(term) for term in by_thread_number(v.path)))
            sorts.setdefault(frozenset(ways))
        return [[visits[i] for i in sorted(sort)] for sort in sorts if sort]


def _at(visit: CountedVisit, name: str) -> Rounds:
    return next(found for found in visit.rounds if found.barrier == name)


def _has_not_waited(found: Rounds) -> bool:
    return found.waited is number(0)


def _is_approximate(found: Rounds) -> bool:
    return any(rests_on(term, APPROXIMATE_PREFIX) for term in (found.arrived, found.waited))


def _are_whole_warps(threads: set[int]) -> bool:
    return len({thread // WARP for thread in threads}) * WARP == len(threads)
