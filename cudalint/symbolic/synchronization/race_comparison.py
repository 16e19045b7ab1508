"""Pairs of accesses: whether two threads can come to both without a barrier between them, and meet (SEMANTICS 10 to 14 and 17)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from cudalint.contract import Distinct
from cudalint.finding import Confidence, Reason
from cudalint.symbolic.issues import Race
from cudalint.symbolic.model import MEMORY_PREFIX, Access, BarrierPoint, MemoryObject, applications, base_name, scope_of
from cudalint.symbolic.solver.question import Model
from cudalint.symbolic.synchronization import ordering
from cudalint.symbolic.synchronization.access_pairs import (
    conjuncts,
    equal_of_both,
    is_excluded_by,
    may_conflict,
    numbers_in,
    other_rounds,
    pair_key,
    reads_own_copy,
    same_value,
    substituted,
    together,
    two_digits,
    values_differ,
    with_value_made,
)
from cudalint.symbolic.synchronization.digits import Side, meeting
from cudalint.symbolic.synchronization.exchanges import are_apart
from cudalint.symbolic.synchronization.group_order import GroupOrder, Order
from cudalint.symbolic.synchronization.intended import intentions, near_blocks
from cudalint.symbolic.synchronization.locks import taken_by_store
from cudalint.symbolic.synchronization.meeting_points import Node, reachable_nodes
from cudalint.symbolic.synchronization.outcomes import Found, Outcome
from cudalint.symbolic.synchronization.pairs import Threads, different_warps
from cudalint.symbolic.synchronization.race_certainty import Certainty, array_of, arrays_of
from cudalint.symbolic.synchronization.strides import generic_strides, has_loose_strides, wide_strides
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.walk import integers, warp_order
from cudalint.symbolic.walk.collectives import COLLECTIVE
from cudalint.symbolic.walk.execute import Walk
from cudalint.symbolic.walk.pipelines import IN_FLIGHT
from cudalint.term import (
    FALSE,
    TRUE,
    Term,
    Undefined,
    at_most,
    children,
    conjunction,
    disjunction,
    equal,
    ideal,
    negation,
    number,
    subtract,
)

PAIR_LIMIT = 1500  # comparisons of one object
DIGIT_LIMIT = 40  # proofs about single digits, of one kernel
MOST_ALIKE = 6  # comparisons of the same two lines, in copies of a loop's body, that leave the question open
SOLVER_LIMIT = 80  # pairs of one kernel that go to the solver
ALWAYS_ASKED = 3  # comparisons of the same two lines that go there all the same
FAR_LIMIT = 4  # times as many are the end


@dataclass(frozen=True)
class Trusted:
    """Two accesses that store equal values, if the arrays these were loaded from do not change meanwhile."""

    loaded: frozenset[str]
    threads: Threads
    terms: list[Term]  # what makes them meet, whatever they store


class Comparison(Certainty):
    """Compares the accesses of one walk."""

    def __init__(self, walk: Walk, decider: Decider) -> None:
        super().__init__(walk, decider)
        self.block = Threads(decider, same_block=True)
        self.grid = Threads(decider, same_block=False)
        self.groups = GroupOrder(walk, decider)
        self.environment_facts = frozenset(f.term for f in decider.environment.facts)
        self._nodes: list[Node] | None = None
        self._known: dict[object, frozenset[Term]] = {}
        self._digit_proofs = 0
        self._solved: Counter[tuple[object, ...]] = Counter()  # comparisons of two lines
        self._written = frozenset(a.object.name for a in walk.accesses if a.kind != "read")
        self._trusted: dict[MemoryObject, list[Trusted]] = {}

    def in_block(self, array: MemoryObject, accesses: list[Access], outcome: Outcome) -> None:
        """Threads of one block in one barrier interval."""
        if self._nodes is None:
            self._nodes = reachable_nodes(self.walk, self.block)
        by_point: dict[BarrierPoint, list[tuple[Access, Term]]] = {}
        for access in accesses:
            for point, cond in access.phases:
                if cond is not FALSE:
                    by_point.setdefault(point, []).append((access, cond))
        compared: set[tuple[int, int, Term, Term]] = set()
        for node in self._nodes:
            for first, first_cond in by_point.get(node[0], []):
                for second, second_cond in by_point.get(node[1], []):
                    mirrored = (id(second), id(first), second_cond, first_cond)
                    if mirrored in compared and node[0] is node[1]:
                        continue
                    compared.add((id(first), id(second), first_cond, second_cond))
                    if not self._consider(array, first, first_cond, second, second_cond, self.block, node, outcome):
                        return

    def across_blocks(self, array: MemoryObject, accesses: list[Access], outcome: Outcome) -> None:
        """Threads of different blocks between two barriers of the grid."""
        if self.decider.environment.one_block():
            return
        grid_barriers = any(visit.point.kind == "grid" for visit in self.walk.visits)
        own = [a for a in accesses if grid_barriers or not a.repeated]
        unknown = self.decider.environment.geometry is None or self._lost_sides()
        if unknown and not self._tells_blocks_apart():
            outcome.doubt(Reason.NO_LAUNCH)  # as a rule such a kernel is launched with one block
            own = [a for a in own if self.locks.holds(a)]  # a lock in global memory is for others
        for position, first in enumerate(own):
            for second in own[position:]:
                for first_cond, second_cond in together(first, second):
                    if not self._consider(array, first, first_cond, second, second_cond, self.grid, array, outcome):
                        return

    def _tells_blocks_apart(self) -> bool:
        return any(name.startswith(("blockIdx.", "gridDim.")) for name in self.walk.builtins)

    def _consider(
        self, array: MemoryObject, first: Access, first_cond: Term, second: Access, second_cond: Term,
        threads: Threads, where: object, outcome: Outcome,
    ) -> bool:  # fmt: skip
        """Compare two accesses unless their lines are known to race; False where the budget is spent."""
        if self.decider.proofs_only and (outcome.found or outcome.reason is not None):
            return False
        if not may_conflict(first, second, threads) or pair_key(first, second) in outcome.settled:
            return True
        taken = taken_by_store(self.walk, first, second)
        if taken is not None:
            first, second = taken
        elif self._relies_on_order(first, second, threads):
            outcome.doubt(Reason.UNMODELLED)  # code that relies on progress or locks: neither a race nor free of one
            self._consider_locks(array, first, first_cond, second, second_cond, threads, where, outcome)
            return True
        if not threads.same_block and ordering.is_published(self.walk, self.locks, first, second):
            outcome.doubt(Reason.UNMODELLED)  # from which value on all have published is not known
            return True
        if ordering.is_first_guess(self.walk, first, second) or self._meet_between(first, second, threads):
            outcome.doubt(Reason.UNMODELLED)
            return True
        outcome.asked += 1
        outcome.met |= {id(first): first, id(second): second}
        alike = (threads.same_block, *pair_key(first, second))
        if outcome.asked > PAIR_LIMIT:
            outcome.doubt(Reason.SIZE_LIMIT)
            if outcome.asked > FAR_LIMIT * PAIR_LIMIT:
                return False
            if outcome.compared[alike] >= ALWAYS_ASKED:
                return True  # the first comparisons of other lines may be the ones that meet
        outcome.compared[alike] += 1
        if outcome.open[alike] >= MOST_ALIKE:
            return True
        given: tuple[Term, ...] = ()
        if not threads.same_block:
            given = ordering.one_round_at_a_time(self.walk, self.locks, threads, first, second)
        race, doubt = self._compare(array, first, first_cond, second, second_cond, threads, given)
        if given:  # whether all have told by then is not known
            doubt = doubt or Reason.UNMODELLED
        if doubt is not None:
            outcome.doubt(doubt)
            outcome.open[alike] += 1
        if race is not None:
            outcome.found.append(Found(where, race))
            if race.confidence is Confidence.HIGH:
                outcome.settled.update((pair_key(first, second), pair_key(second, first)))
            else:  # another round of a loop may show it in an ordinary launch
                outcome.open[alike] += 1
        return True

    def _consider_locks(
        self, array: MemoryObject, first: Access, first_cond: Term, second: Access, second_cond: Term,
        threads: Threads, where: object, outcome: Outcome,
    ) -> None:  # fmt: skip
        """Each may hold a lock of its own, or give the common one back before its writes have arrived."""
        if "volatile" in (first.order, second.order) or outcome.asked > PAIR_LIMIT:
            return
        apart = self.locks.may_differ(threads, first, second)
        locked = not threads.same_block and any(self.locks.leaves_unfenced(access) for access in (first, second))
        chained = not (threads.same_block or locked) and ordering.is_raised_unfenced(self.walk, first, second)
        for cond, unfenced in ([(apart, False)] if apart is not None else []) + [(TRUE, True)] * (locked or chained):
            outcome.asked += 1
            race, _ = self._compare(array, first, first_cond, second, second_cond, threads, (cond,))
            if race is not None:
                outcome.settled.update((pair_key(first, second), pair_key(second, first)))
                if unfenced and locked:
                    high = Confidence.HIGH  # whatever decides which lock it is: under the same one they meet
                    race = replace(race, unfenced=True, locked=True, approximate=False, confidence=high)
                outcome.found.append(Found(where, replace(race, unfenced=unfenced)))
                return

    def _relies_on_order(self, a: Access, b: Access, threads: Threads) -> bool:
        """By locks, or by `volatile` where that may do: not between lanes of a warp, nor for what an atomic tells of."""
        if "volatile" in (a.order, b.order):
            if threads.same_block:
                return a.object.memory != "shared"
            return not ordering.is_told_without_fence(self.walk, a, b)
        return self._under_locks(a, b) or (
            threads.same_block and ordering.is_published_in_block(self.walk, self.locks, a, b)
        )

    def _under_locks(self, a: Access, b: Access) -> bool:
        """Both threads came here by what atomics or ordered loads told them: a lock, which is not modelled.

        One that is given back guards no more. Nor does what is read by adding zero to the memory that they meet in.
        """
        holding = ordering.holding(self.walk) - ordering.looks(self.walk, a, b)
        return all(self.contests.learned(holding - self.locks.given_back(access), access) for access in (a, b))

    def _compare(
        self, array: MemoryObject, a: Access, a_cond: Term, b: Access, b_cond: Term, threads: Threads,
        given: tuple[Term, ...] = (),
    ) -> tuple[Race | None, Reason | None]:  # fmt: skip
        common = ("launch", "block") if threads.same_block else ("launch",)
        same = same_value(a, b, common) or reads_own_copy(a, b, common)
        loaded = self._loaded(a, b)
        if same and not loaded:
            return None, None
        place = self._in_one_allocation(a, b, self._meeting(a, b, threads), threads)
        different = threads.different()
        if place is FALSE or self._is_one_thread(a, b, place, different, threads):
            return None, None
        terms = [threads.first(ideal(c.term)) for c in a.path]
        terms += [threads.second(ideal(c.term)) for c in b.path]
        if are_apart(place, different, terms):
            return None, None
        terms += [threads.first(ideal(a_cond)), threads.second(ideal(b_cond)), different]
        left, right = threads.first(ideal(a.offset)), threads.second(ideal(b.offset))
        terms.append(place if place is not None else integers.overlap(left, a.size, right, b.size))
        terms += given
        terms += self._distinct(a, b, threads)
        terms += ordering.ticket_facts(self.walk, threads, a.offset, b.offset)
        terms += ordering.claim_facts(self.walk, threads, *(c.term for c in (*a.path, *b.path)))
        terms += self.contests.facts(threads, *(c.term for c in (*a.path, *b.path)))
        if threads.same_block and "volatile" in (a.order, b.order) and ordering.may_wait(self.walk, a, b):
            terms.append(negation(different_warps(self.decider)))  # other warps have ways to wait for each other
        terms.append(other_rounds(a, b, threads))
        if threads.same_block and (same_value(a, b, ("warp",)) or reads_own_copy(a, b, ("warp",))):
            terms.append(different_warps(self.decider))
        doubtful, by_group = False, Order(TRUE)
        if threads.same_block:
            unordered, doubtful = warp_order.unordered(self.walk.warp_barriers, threads, a, b)
            by_group = self.groups.between(threads, a, b)
            terms += (unordered, by_group.unordered)
        unlike = values_differ(a, b, threads)
        if loaded and (same or unlike):
            self._trusted.setdefault(array, []).append(Trusted(loaded, threads, terms))
        if same:
            return None, None
        terms = [*terms, *unlike]
        doubt = Reason.UNMODELLED if self._is_in_doubt(a, b, by_group) else None
        if conjunction(*terms) is FALSE:
            return None, doubt
        alike = (threads.same_block, *pair_key(a, b))
        self._solved[alike] += 1
        most = SOLVER_LIMIT if self._solved[alike] > ALWAYS_ASKED else FAR_LIMIT * SOLVER_LIMIT
        if self._solved.total() > most:
            return None, Reason.SIZE_LIMIT
        inside = conjunction(threads.first(a.inside), threads.second(b.inside))
        if self.decider.proofs_only:
            if threads.refutes("race", terms):
                return None, doubt
            plain = unlike and not (doubtful or by_group.doubtful) and inside is TRUE
            alike_made = plain and self._are_made_alike(a, b, place, terms, threads)
            return None, None if alike_made else Reason.SOLVER_LIMIT
        model, confidence, decided = threads.decide("race", terms)
        if model is None or confidence is None:
            return None, doubt if decided else Reason.SOLVER_LIMIT
        if by_group.doubtful:
            return None, Reason.UNMODELLED
        if doubtful:  # barriers of a warp under conditions or masks of their own order threads of one warp at most
            terms = [*terms, different_warps(self.decider)]
            model, confidence, _ = threads.decide("race of two warps", terms)
            if model is None or confidence is None:
                return None, Reason.UNMODELLED
        if inside is not TRUE:
            terms = [*terms, inside]
            model, confidence, _ = threads.decide("race in members", terms)
            if model is None or confidence is None:
                return None, Reason.UNTIED_EXTENT  # beyond its array it meets what lies beside it
        witness = self._whatever_the_strides(a, b, terms, threads, (model, confidence))
        if witness is None:
            return None, Reason.UNTIED_EXTENT
        if unlike and self._are_made_alike(a, b, place, terms, threads):
            return None, None
        model, confidence = witness
        if unlike and confidence is Confidence.HIGH:
            ordinary = [*terms, *threads.ordinary(terms)]
            confidence = Confidence.MEDIUM if self._are_made_alike(a, b, place, ordinary, threads) else confidence
        meant = intentions(self.walk, a, b, threads) if confidence is Confidence.HIGH else []
        if meant:
            better, found, _ = threads.decide("race of what is meant", [*terms, *meant])
            model, confidence = (model, Confidence.MEDIUM) if better is None or found is None else (better, found)
        wide = wide_strides(self.decider.environment, a, b, threads) if confidence is Confidence.HIGH else []
        if wide:
            better, found, _ = threads.decide("race with wide strides", [*terms, *meant, *wide])
            model, confidence = (model, Confidence.MEDIUM) if better is None or found is None else (better, found)
        if not threads.same_block and confidence is Confidence.HIGH and not self.walk.environment.launch_known:
            near = near_blocks(self.walk.environment, threads)
            better, found, _ = threads.decide("race of near blocks", [*terms, *meant, *wide, near])
            model, confidence = (model, Confidence.MEDIUM) if better is None or found is None else (better, found)
        try:
            race = self._race(array, a, b, left, right, model, confidence, terms, threads)
            return replace(race, approximate=race.approximate or by_group.chained), None
        except Undefined:  # a quotient that no constraint keeps from dividing by zero: no launch can be told
            return None, Reason.SOLVER_LIMIT

    def _is_in_doubt(self, a: Access, b: Access, by_group: Order) -> bool:
        """What keeps the two apart is not certain: tickets that may come twice, or rounds of a barrier that may end early."""
        return not by_group.proves or ordering.rests_on_doubtful_tickets(self.walk, a, b)

    def _are_made_alike(self, a: Access, b: Access, place: Term | None, terms: list[Term], threads: Threads) -> bool:
        """Both store numbers that are made in the same way, of equal numbers wherever they meet."""
        made = self.walk.evaluator.as_made
        other = values_differ(with_value_made(a, made), with_value_made(b, made), threads)
        if other == values_differ(a, b, threads):
            return False
        differ = ideal(conjunction(*other))
        if place is not None and is_excluded_by(conjuncts(place), differ):
            return True
        digits = two_digits(place) if place is not None else None
        if digits is not None and is_excluded_by(digits.equations, differ):
            rest = [term for term in terms if term is not place]
            return threads.refutes("race of other digits", [*rest, negation(digits.in_range)])
        return threads.refutes("race of numbers made alike", [*terms, *other])

    def _loaded(self, a: Access, b: Access) -> frozenset[str]:
        """The arrays that the kernel writes, of whose elements the values that two accesses store were made."""
        values = [each for access in (a, b) for each in numbers_in(access.value)]
        names = (array_of(label) for value in values for label in self.walk.evaluator.read_for(value))
        return self._written.intersection(names)

    def trusts(self, array: MemoryObject, racing: frozenset[str]) -> bool:
        """No race was found only as equal values are stored, which come from arrays that themselves may race.

        Two loads of one element give the same number where nobody writes it meanwhile.
        """
        open_ones = [t for t in self._trusted.get(array, ()) if not racing.isdisjoint(t.loaded)]
        if len(open_ones) > SOLVER_LIMIT:
            return True
        return any(not t.threads.refutes("race of loaded values", t.terms) for t in open_ones)

    def told_by_runs(self, accesses: list[Access]) -> tuple[Access, ...]:
        """Those of which a run with any contents of memory may tell where they are, and which threads come there.

        What is read at one place for all threads keeps none of them from the others; how a loop ended that is over keeps back
        those alone that waited in it. A draw knows nothing of strides that callers choose so that rows lie apart.
        """
        rests, environment = self.decider.rests_on_contents, self.decider.environment

        def parts(guard: Term) -> bool:
            return rests(guard) and scope_of(guard) not in ("launch", "block")

        waited = {a.object.name for a in self.walk.accesses if a.order == "volatile" or a.kind == "atomic"}
        return tuple(
            a for a in accesses
            if a.order != "volatile" and not rests(ideal(a.offset))
            and not any(parts(c.term) and (c.cause != "check" or waited.intersection(arrays_of(c.term))) for c in a.path)
            and not has_loose_strides(environment, a, self.grid)
        )  # fmt: skip

    def early_reads(self, array: MemoryObject) -> list[Found]:
        """A thread reads what its own copy may not have written yet."""
        found: list[Found] = []
        seen: set[tuple[object, ...]] = set()
        for early in self.walk.early_reads:
            a, b = early.copy, early.read
            if a.object is not array or pair_key(a, b) in seen:
                continue
            left, right = ideal(a.offset), ideal(b.offset)
            terms = [ideal(c.term) for c in (*a.path, *b.path)]
            terms.append(integers.overlap(left, a.size, right, b.size))
            model, confidence, _ = self.block.decide("early read", terms)
            if model is not None and confidence is not None:
                seen.add(pair_key(a, b))
                race = self._race(
                    array, replace(a, order=IN_FLIGHT), b, left, right, model, confidence, terms, self.block
                )
                found.append(Found((a.span, b.span), race))
        return found

    def _distinct(self, a: Access, b: Access, threads: Threads) -> list[Term]:
        """Elements of an array of distinct values are equal at equal places only."""
        facts = self.decider.environment.contract.facts
        exempt = {f"{MEMORY_PREFIX}{f.what.pointer}": f.what.exempt for f in facts if isinstance(f.what, Distinct)}
        if not exempt:
            return []
        left = [x for x in applications(ideal(a.offset)) if base_name(x.parts[0]) in exempt]
        right = [x for x in applications(ideal(b.offset)) if base_name(x.parts[0]) in exempt]
        found: list[Term] = []
        for x in left:
            for y in right:
                if x.parts[0] == y.parts[0]:
                    first, second = threads.first(x), threads.second(y)
                    places = (equal(p, q) for p, q in zip(children(first), children(second)))
                    allowed = exempt[base_name(x.parts[0])]
                    free = FALSE if allowed is None else equal(first, number(allowed))
                    found.append(disjunction(negation(equal(first, second)), conjunction(*places), free))
        return found

    def _meeting(self, a: Access, b: Access, threads: Threads) -> Term | None:
        sides = [Side(ideal(access.offset), access.size, self._knows(access)) for access in (a, b)]
        return meeting(
            sides[0], sides[1], threads.same_block, lambda s1, s2, w: self._narrower(a, b, s1, s2, w, threads)
        )

    def _in_one_allocation(self, a: Access, b: Access, place: Term | None, threads: Threads) -> Term | None:
        """The place where they meet, with equal entries of the table that the pointer was read from."""
        if not a.object.entry or not b.object.entry:
            return place
        if place is None:
            left, right = threads.first(ideal(a.offset)), threads.second(ideal(b.offset))
            place = integers.overlap(left, a.size, right, b.size)
        same: list[Term] = []
        for entry, other in zip(a.object.entry, b.object.entry):
            met = self._meeting(replace(a, offset=entry, size=1), replace(b, offset=other, size=1), threads)
            same.append(met if met is not None else equal_of_both(entry, other, threads))
        return conjunction(place, *same)

    def _knows(self, access: Access) -> frozenset[Term]:
        known = self._known.get(access.path)
        if known is None:
            parts = {part for c in access.path for part in conjuncts(ideal(c.term))}
            known = self._known[access.path] = self.environment_facts | parts
        return known

    def _narrower(self, a: Access, b: Access, s1: Term, s2: Term, weight: Term, threads: Threads) -> bool:
        """No two threads on the paths differ by the weight or more in what lies below it."""
        self._digit_proofs += 1
        if self._digit_proofs > DIGIT_LIMIT:
            return False
        terms = [threads.first(ideal(c.term)) for c in a.path]
        terms += [threads.second(ideal(c.term)) for c in b.path]
        first, second = threads.first(s1), threads.second(s2)
        wide = disjunction(at_most(weight, subtract(first, second)), at_most(weight, subtract(second, first)))
        return threads.refutes("digit", [*terms, wide])

    def _is_one_thread(self, a: Access, b: Access, place: Term | None, different: Term, threads: Threads) -> bool:
        """The equations of the place, with those of the paths, leave no second thread."""
        if place is None:
            return False
        equations = [place, *(threads.first(c.term) for c in a.path), *(threads.second(c.term) for c in b.path)]
        return substituted(different, equations) is FALSE

    def _whatever_the_strides(
        self, a: Access, b: Access, terms: list[Term], threads: Threads, witness: tuple[Model, Confidence]
    ) -> tuple[Model, Confidence] | None:
        """A witness as sure as the meeting is without particular values of strides that nothing relates to the launch.

        None where only such values let the two meet (DESIGN 3.7).
        """
        are_written = all(access.kind == "write" or self._is_updated(access) for access in (a, b))
        generic = generic_strides(self.decider.environment, a, b, threads, are_written)
        if generic is None:
            return witness
        alone = [threads.different(), generic]  # often one thread alone comes there, wherever its paths lead
        if any(threads.refutes("race whatever the strides", asked) for asked in (alone, [*terms, generic])):
            return None
        model, confidence, _ = threads.decide("race whatever the strides", [*terms, generic])
        if model is None or confidence is None:
            return (witness[0], Confidence.MEDIUM) if threads.same_block else None
        return witness if confidence is Confidence.HIGH else (model, confidence)

    def _is_updated(self, read: Access) -> bool:
        """`x[i] = f(x[i])`: what is read is a place that the kernel writes."""
        return any(
            w.kind == "write" and w.object is read.object and w.offset is read.offset for w in self.walk.accesses
        )

    def _meet_between(self, a: Access, b: Access, threads: Threads) -> bool:
        """A block-wide primitive stands between: they all wait for the block inside, though none of them promises to."""
        early, late = sorted((a, b), key=lambda access: access.serial)
        way = {c.term for c in late.path}
        return threads.same_block and any(
            early.serial < call.serial < late.serial
            and call.object is not early.object
            and way.issuperset(c.term for c in call.path)
            for call in self.walk.accesses
            if call.order == COLLECTIVE
        )
