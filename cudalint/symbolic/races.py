"""Data races between two threads: of one block in one barrier interval, or of two blocks (SEMANTICS 10 to 14 and 17).

For threads of one block, nodes are pairs of barrier points, one for each thread. From a node all accesses that both reach without
another barrier may race, under both path conditions; edges lead to the barriers that they meet next. For threads of different
blocks only barriers of the whole grid cut. Indices are compared digit by digit before a solver is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from cudalint import ir
from cudalint.contract import Distinct, Origin
from cudalint.finding import Assumption, Confidence, Reason, Related, ThreadAccess, Verdict, Witness
from cudalint.ir.walk import statements
from cudalint.symbolic import integers, ordering, warp_order
from cudalint.symbolic.alone import of_any_iteration, tell_threads_apart
from cudalint.symbolic.checked import contents_in
from cudalint.symbolic.collectives import COLLECTIVE
from cudalint.symbolic.decide import Decider, reduced
from cudalint.symbolic.digits import Side, meeting, shares_weight
from cudalint.symbolic.execute import Walk
from cudalint.symbolic.facts import wrapped_parts
from cudalint.symbolic.intended import intentions
from cudalint.symbolic.locks import Locks, taken_by_store
from cudalint.symbolic.memory import is_signalled
from cudalint.symbolic.model import (
    MEMORY_PREFIX,
    Access,
    Analysis,
    BarrierPoint,
    Edge,
    MemoryObject,
    Obligation,
    OpenRace,
    Race,
    applications,
    base_name,
    scope_of,
)
from cudalint.symbolic.ordinary import is_input
from cudalint.symbolic.overflow import addressed
from cudalint.symbolic.pairs import (
    Threads,
    different_warps,
    differs,
    is_approximate,
    memory_values,
    pair_facts,
    scope_of_atom,
)
from cudalint.symbolic.pipelines import IN_FLIGHT
from cudalint.symbolic.query import PROOF_STEPS, Model, Unsatisfiable
from cudalint.symbolic.strides import generic_strides, wide_strides
from cudalint.term import (
    FALSE,
    TRUE,
    All,
    Any_,
    IsZero,
    Sum,
    Symbol,
    Term,
    Undefined,
    add,
    at_most,
    children,
    conjunction,
    disjunction,
    equal,
    free_symbols,
    ideal,
    is_truth,
    labels,
    multiply,
    negation,
    number,
    quotient,
    rewrite,
    substitute,
    subtract,
)

Node = tuple[BarrierPoint, BarrierPoint]
PAIR_LIMIT = 1500  # comparisons of one object
INT_BITS = 32
LARGE_ELEMENT = 1 << 12  # bytes
WIDE_CONTENT = 1 << 24  # as a stride of rows
DIGIT_LIMIT = 40  # proofs about single digits, of one kernel
MOST_ALIKE = 6  # comparisons of the same two lines, in copies of a loop's body, that leave the question open
SOLVER_LIMIT = 80  # pairs of one kernel that go to the solver
ALWAYS_ASKED = 3  # comparisons of the same two lines that go there all the same
FAR_LIMIT = 4  # times as many are the end


@dataclass(slots=True)
class _Found:
    where: object  # one missing barrier, or one object that blocks share
    race: Race


@dataclass(slots=True)
class _Outcome:
    """What the comparisons of one object gave."""

    found: list[_Found] = field(default_factory=list)
    reason: Reason | None = None
    asked: int = 0
    settled: set[tuple[object, ...]] = field(default_factory=set)
    compared: Counter[tuple[object, ...]] = field(default_factory=Counter)  # of two lines
    open: Counter[tuple[object, ...]] = field(
        default_factory=Counter
    )  # comparisons of these lines that decided nothing

    def doubt(self, reason: Reason) -> None:
        self.reason = self.reason or reason


def find_races(walk: Walk, decider: Decider, analysis: Analysis) -> None:
    """Fill `analysis.races` with one race per missing barrier or shared object, and a result per array."""
    decider.axioms = [*decider.axioms, *tell_threads_apart(walk)]
    comparison = _Comparison(walk, decider)
    doubt = _doubt_of_everything(walk)
    objects = dict.fromkeys(a.object for a in walk.accesses if a.object.memory in ("shared", "global"))
    accesses: dict[MemoryObject, list[Access]] = {found: [] for found in objects}
    for access in walk.accesses:
        if access.object in accesses:
            accesses[access.object].append(access)
    found: list[_Found] = []
    for array, own in _by_table(accesses).items():
        if all(access.kind == "read" for access in own):
            continue
        outcome = _Outcome()
        comparison.in_block(array, own, outcome)
        if array.memory == "global":
            comparison.across_blocks(array, own, outcome)
        if doubt is not None or not walk.disturbed.isdisjoint(a.object for a in own):
            outcome.doubt(doubt or Reason.UNMODELLED)
        if any(other in accesses for a in own for other in decider.environment.overlapping(a.object)):
            outcome.doubt(Reason.POINTER)  # places of the two are not compared with each other
        if array.memory == "shared":
            outcome.found += comparison.early_reads(array)
        found += outcome.found
        if not outcome.found and outcome.reason is None and comparison.may_meet_later(array, own):
            outcome.doubt(Reason.LOOP_INVARIANT)
        if not outcome.found and outcome.reason is None and comparison.may_wrap(own, analysis):
            outcome.doubt(Reason.OVERFLOW)
        result = _result(array, own, outcome)
        if result.verdict is Verdict.SAFE:
            result.facts = _assumed_of_bounds(own)
        analysis.sync_results.append(result)
        if array.memory == "shared" and result.verdict in (Verdict.UNKNOWN, Verdict.VIOLATED):
            analysis.open_races.append(OpenRace(result, comparison.told_by_runs(own)))
    analysis.races += _one_per_cause(found)


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


def _result(array: MemoryObject, own: list[Access], outcome: _Outcome) -> Obligation:
    verdict, reason = Verdict.SAFE, outcome.reason
    if outcome.found:
        verdict, reason = Verdict.VIOLATED, None
    elif reason is not None:
        verdict = Verdict.UNKNOWN
    return Obligation(
        "race", "access", array, own[0].span, (), TRUE, number(0), None, 1, root=f"{array.name}:race",
        verdict=verdict, reason=reason,
    )  # fmt: skip


def _has_open_overflow(own: list[Access], analysis: Analysis) -> bool:
    spans = {access.span for access in own}
    fine = (Verdict.SAFE, Verdict.UNREACHABLE)
    return any(o.kind == "overflow" and o.span in spans and o.verdict not in fine for o in analysis.obligations)


# --- which barrier points two threads stand at together ----------------------------------------------------------------


def _reachable_nodes(walk: Walk, threads: Threads) -> list[Node]:
    edges: dict[BarrierPoint, list[Edge]] = {}
    for edge in walk.edges:
        edges.setdefault(edge.source, []).append(edge)
    nodes: dict[Node, None] = {(root, root): None for root in walk.roots}
    work = list(nodes)
    while work:
        p, q = work.pop()
        for first in edges.get(p, []):
            for second in edges.get(q, []):
                node = (first.target, second.target)
                if node not in nodes and _meet(walk, threads, first, second):
                    nodes[node] = None
                    work.append(node)
    return list(nodes)


def _meet(walk: Walk, threads: Threads, first: Edge, second: Edge) -> bool:
    """Whether one thread can arrive at one barrier while another arrives at the other."""
    if walk.exit in (first.target, second.target) or first.target.kind != second.target.kind:
        return False
    if first.target is second.target:
        return True
    return not threads.excludes("meet", [threads.first(first.cond), threads.second(second.cond)])


# --- pairs of accesses --------------------------------------------------------------------------------------------------


class _Comparison:
    """Compares the accesses of one walk."""

    def __init__(self, walk: Walk, decider: Decider) -> None:
        self.walk = walk
        self.decider = decider
        self.locks = Locks(walk)
        self.block = Threads(decider, same_block=True)
        self.grid = Threads(decider, same_block=False)
        self.environment_facts = frozenset(f.term for f in decider.environment.facts)
        self._nodes: list[Node] | None = None
        self._known: dict[object, frozenset[Term]] = {}
        self._wrapping: dict[object, bool] = {}
        self._ways: dict[Term, bool] = {}
        self._digit_proofs = 0
        self._solved: Counter[tuple[object, ...]] = Counter()  # comparisons of two lines

    def in_block(self, array: MemoryObject, accesses: list[Access], outcome: _Outcome) -> None:
        """Threads of one block in one barrier interval."""
        if self._nodes is None:
            self._nodes = _reachable_nodes(self.walk, self.block)
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

    def across_blocks(self, array: MemoryObject, accesses: list[Access], outcome: _Outcome) -> None:
        """Threads of different blocks between two barriers of the grid."""
        if self.decider.environment.one_block():
            return
        grid_barriers = any(visit.point.kind == "grid" for visit in self.walk.visits)
        own = [a for a in accesses if grid_barriers or not a.repeated]
        if self.decider.environment.geometry is None and not self._tells_blocks_apart():
            outcome.doubt(Reason.NO_LAUNCH)  # as a rule such a kernel is launched with one block
            own = [a for a in own if self.locks.holds(a)]  # a lock in global memory is for others
        for position, first in enumerate(own):
            for second in own[position:]:
                for first_cond, second_cond in _together(first, second):
                    if not self._consider(array, first, first_cond, second, second_cond, self.grid, array, outcome):
                        return

    def _tells_blocks_apart(self) -> bool:
        return any(name.startswith(("blockIdx.", "gridDim.")) for name in self.walk.builtins)

    def _consider(
        self, array: MemoryObject, first: Access, first_cond: Term, second: Access, second_cond: Term,
        threads: Threads, where: object, outcome: _Outcome,
    ) -> bool:  # fmt: skip
        """Compare two accesses unless their lines are known to race; False where the budget is spent."""
        if not _may_conflict(first, second, threads) or _key(first, second) in outcome.settled:
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
        alike = (threads.same_block, *_key(first, second))
        if outcome.asked > PAIR_LIMIT:
            outcome.doubt(Reason.SIZE_LIMIT)
            if outcome.asked > FAR_LIMIT * PAIR_LIMIT:
                return False
            if outcome.compared[alike] >= ALWAYS_ASKED:
                return True  # the first comparisons of other lines may be the ones that meet
        outcome.compared[alike] += 1
        if outcome.open[alike] >= MOST_ALIKE:
            return True
        race, doubt = self._compare(array, first, first_cond, second, second_cond, threads)
        if doubt is not None:
            outcome.doubt(doubt)
            outcome.open[alike] += 1
        if race is not None:
            outcome.found.append(_Found(where, race))
            if race.confidence is Confidence.HIGH:
                outcome.settled.update((_key(first, second), _key(second, first)))
            else:  # another round of a loop may show it in an ordinary launch
                outcome.open[alike] += 1
        return True

    def _consider_locks(
        self, array: MemoryObject, first: Access, first_cond: Term, second: Access, second_cond: Term,
        threads: Threads, where: object, outcome: _Outcome,
    ) -> None:  # fmt: skip
        """Each may hold a lock of its own, or give the common one back before its writes have arrived."""
        if "volatile" in (first.order, second.order) or outcome.asked > PAIR_LIMIT:
            return
        apart = self.locks.may_differ(threads, first, second)
        early = not threads.same_block and any(self.locks.leaves_unfenced(access) for access in (first, second))
        for cond, unfenced in ([(apart, False)] if apart is not None else []) + [(TRUE, True)] * early:
            outcome.asked += 1
            race, _ = self._compare(array, first, first_cond, second, second_cond, threads, (cond,))
            if race is not None:
                outcome.settled.update((_key(first, second), _key(second, first)))
                if unfenced:
                    high = Confidence.HIGH  # whatever decides which lock it is: under the same one they meet
                    race = replace(race, unfenced=True, locked=True, approximate=False, confidence=high)
                outcome.found.append(_Found(where, replace(race, unfenced=unfenced)))
                return

    def _relies_on_order(self, a: Access, b: Access, threads: Threads) -> bool:
        """By locks, or by `volatile` where that may do: not between lanes of a warp, nor for what an atomic tells of."""
        if "volatile" in (a.order, b.order):
            if threads.same_block:
                return a.object.memory != "shared"
            return not ordering.is_told_without_fence(self.walk, a, b)
        return ordering.under_locks(self.walk, self.locks, a, b) or (
            threads.same_block and ordering.is_published_in_block(self.walk, self.locks, a, b)
        )

    def _compare(
        self, array: MemoryObject, a: Access, a_cond: Term, b: Access, b_cond: Term, threads: Threads,
        given: tuple[Term, ...] = (),
    ) -> tuple[Race | None, Reason | None]:  # fmt: skip
        if _same_value(a, b, ("launch", "block") if threads.same_block else ("launch",)):
            return None, None
        place = self._in_one_allocation(a, b, self._meeting(a, b, threads), threads)
        different = threads.different()
        if place is FALSE or self._is_one_thread(a, b, place, different, threads):
            return None, None
        terms = [threads.first(ideal(c.term)) for c in a.path]
        terms += [threads.second(ideal(c.term)) for c in b.path]
        terms += [threads.first(ideal(a_cond)), threads.second(ideal(b_cond)), different]
        left, right = threads.first(ideal(a.offset)), threads.second(ideal(b.offset))
        terms.append(place if place is not None else integers.overlap(left, a.size, right, b.size))
        terms += given
        terms += self._distinct(a, b, threads)
        terms += ordering.ticket_facts(self.walk, threads, a.offset, b.offset)
        terms += ordering.claim_facts(self.walk, threads, *(c.term for c in (*a.path, *b.path)))
        if threads.same_block and "volatile" in (a.order, b.order) and ordering.may_wait(self.walk, a, b):
            terms.append(negation(different_warps(self.decider)))  # other warps have ways to wait for each other
        terms += [*_values_differ(a, b, threads), _other_rounds(a, b, threads)]
        if threads.same_block and _same_value(a, b, ("warp",)):
            terms.append(different_warps(self.decider))
        doubtful = False
        if threads.same_block:
            unordered, doubtful = warp_order.unordered(self.walk.warp_barriers, threads, a, b)
            terms.append(unordered)
        tickets = Reason.UNMODELLED if ordering.rests_on_doubtful_tickets(self.walk, a, b) else None
        if conjunction(*terms) is FALSE:
            return None, tickets
        alike = (threads.same_block, *_key(a, b))
        self._solved[alike] += 1
        most = SOLVER_LIMIT if self._solved[alike] > ALWAYS_ASKED else FAR_LIMIT * SOLVER_LIMIT
        if self._solved.total() > most:
            return None, Reason.SIZE_LIMIT
        model, confidence, decided = threads.decide("race", terms)
        if model is None or confidence is None:
            return None, tickets if decided else Reason.SOLVER_LIMIT
        if doubtful:
            return None, Reason.UNMODELLED  # barriers of a warp under conditions or masks of their own
        inside = conjunction(threads.first(a.inside), threads.second(b.inside))
        if inside is not TRUE:
            terms = [*terms, inside]
            model, confidence, _ = threads.decide("race in members", terms)
            if model is None or confidence is None:
                return None, Reason.UNTIED_EXTENT  # beyond its array it meets what lies beside it
        witness = self._whatever_the_strides(a, b, terms, threads, (model, confidence))
        if witness is None:
            return None, Reason.UNTIED_EXTENT
        model, confidence = witness
        meant = intentions(self.walk, a, b, threads) if confidence is Confidence.HIGH else []
        if meant:
            better, found, _ = threads.decide("race of what is meant", [*terms, *meant])
            model, confidence = (model, Confidence.MEDIUM) if better is None or found is None else (better, found)
        wide = wide_strides(a, b, threads) if confidence is Confidence.HIGH else []
        if wide:
            better, found, _ = threads.decide("race with wide strides", [*terms, *meant, *wide])
            model, confidence = (model, Confidence.MEDIUM) if better is None or found is None else (better, found)
        try:
            return self._race(array, a, b, left, right, model, confidence, terms, threads), None
        except Undefined:  # a quotient that no constraint keeps from dividing by zero: no launch can be told
            return None, Reason.SOLVER_LIMIT

    def told_by_runs(self, accesses: list[Access]) -> tuple[Access, ...]:
        """Those of which a run with any contents of memory may tell where they are, and which threads come there.

        What is read at one place for all threads keeps none of them from the others; how a loop ended that is over keeps back
        those alone that waited in it.
        """
        rests = self.decider.rests_on_contents

        def parts(guard: Term) -> bool:
            return rests(guard) and scope_of(guard) not in ("launch", "block")

        waited = {a.object.name for a in self.walk.accesses if a.order == "volatile" or a.kind == "atomic"}
        return tuple(
            a for a in accesses
            if a.order != "volatile" and not rests(ideal(a.offset))
            and not any(parts(c.term) and (c.cause != "check" or waited.intersection(_arrays_of(c.term))) for c in a.path)
        )  # fmt: skip

    def early_reads(self, array: MemoryObject) -> list[_Found]:
        """A thread reads what its own copy may not have written yet."""
        found: list[_Found] = []
        seen: set[tuple[object, ...]] = set()
        for early in self.walk.early_reads:
            a, b = early.copy, early.read
            if a.object is not array or _key(a, b) in seen:
                continue
            left, right = ideal(a.offset), ideal(b.offset)
            terms = [ideal(c.term) for c in (*a.path, *b.path)]
            terms.append(integers.overlap(left, a.size, right, b.size))
            model, confidence, _ = self.block.decide("early read", terms)
            if model is not None and confidence is not None:
                seen.add(_key(a, b))
                race = self._race(
                    array, replace(a, order=IN_FLIGHT), b, left, right, model, confidence, terms, self.block
                )
                found.append(_Found((a.span, b.span), race))
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

    def may_meet_later(self, array: MemoryObject, accesses: list[Access]) -> bool:
        """Iterations were compared with the next one; where two pass without a barrier, others meet as well."""
        for loop in self.walk.unparted:
            first, last = loop.steps
            inside = [of_any_iteration(a, loop.made) for a in accesses if first < a.serial <= last]
            pairs = [(a, b) for i, a in enumerate(inside) for b in inside[i:] if _may_conflict(a, b, self.block)]
            if not pairs:
                continue
            if loop.way not in self._ways:
                self._ways[loop.way] = not isinstance(self.decider.ask("unparted", loop.way), Unsatisfiable)
            if self._ways[loop.way] and any(
                self._compare(array, a, TRUE, b, TRUE, self.block) != (None, None) for a, b in pairs
            ):
                return True
        return False

    # --- wraps ------------------------------------------------------------------------------------------------------------

    def may_wrap(self, accesses: list[Access], analysis: Analysis) -> bool:
        """Indices and paths were compared as mathematics makes them; those of the program may be others.

        Signed arithmetic is the overflow obligations' to say; unsigned and narrow values wrap as C defines it, and then
        different indices meet.
        """
        if any(wrapped_parts(a.offset) for a in accesses) and _has_open_overflow(accesses, analysis):
            return True
        return any(self._wraps_as_defined(access) for access in accesses)

    def _wraps_as_defined(self, access: Access) -> bool:
        path = [c.term for c in access.path]
        stays = conjunction(
            *_as_meant(addressed(access.offset)), *(each for guard in path for each in _guard_as_meant(guard))
        )
        if stays is TRUE:
            return False
        key = stays, access.path
        if key not in self._wrapping:
            answer = self.decider.ask("wraps", *path, negation(stays), steps=PROOF_STEPS)
            self._wrapping[key] = not isinstance(answer, Unsatisfiable)
        return self._wrapping[key]

    # --- places -----------------------------------------------------------------------------------------------------------

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
            same.append(met if met is not None else _equal(entry, other, threads))
        return conjunction(place, *same)

    def _knows(self, access: Access) -> frozenset[Term]:
        known = self._known.get(access.path)
        if known is None:
            parts = {part for c in access.path for part in _conjuncts(ideal(c.term))}
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
        return _substituted(different, equations) is FALSE

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

    # --- witness ----------------------------------------------------------------------------------------------------------

    def _race(
        self, array: MemoryObject, a: Access, b: Access, left: Term, right: Term, model: Model, confidence: Confidence,
        terms: list[Term], threads: Threads,
    ) -> Race:  # fmt: skip
        decider = self.decider
        sided = [decider.rests_on_contents(self._index(access)) for access in (a, b)]
        scattered = any(sided)
        guards = [c.term for c in (*a.path, *b.path) if not is_signalled(self.walk.grid_signals, c.term)]
        guarded = any(decider.rests_on_contents(guard) for guard in guards)
        if "volatile" in (a.order, b.order):
            guarded = False  # in a run ordered accesses meet without a race
        # one side goes over all of the array, so that they meet wherever the other one goes
        met = scattered and not all(sided) and not guarded and confidence is Confidence.HIGH
        chosen = scattered and any(decider.rests_on_contents(reduced(self._index(access))) for access in (a, b))
        kept_apart = (
            (chosen and not (_is_update(a, b) and self._meets_by_luck(a, terms, threads)))
            or any(self._begins_at_contents(access, threads.same_block) for access in (a, b))
            or all(map(self._takes_from_chosen_counter, (a, b)))
        )
        if (kept_apart and not met) or self._rests_on_small_elements(terms, threads):
            confidence = Confidence.LOW
        elif confidence is Confidence.HIGH:
            known = pair_facts(decider, terms, threads.same_block)
            chosen_by_data = guarded and (self._is_search(a, b) or self._lies_beside(a, b))
            loose = chosen_by_data or decider.rests_on_loose_values(*known, *terms)
            if loose or decider.rests_on_lost_block(known, *terms):
                confidence = Confidence.MEDIUM
        suspected = (scattered or is_approximate(_deciding(a, b, terms, threads)) or guarded) and not (
            self._meets_always(a, b) or _follow_each_other(a, b)
        )
        if suspected:  # a run decides whether two threads get here at all
            model = threads.roomy(terms) or model
        sides: list[ThreadAccess] = []
        for access, offset, suffix in ((a, left, "@1"), (b, right, "@2")):
            block, thread = decider.place(model, suffix)
            index = model.value(quotient(offset, number(access.size)))
            sides.append(ThreadAccess(block, thread, access.kind, access.span.path, access.span.line, index))
        witness = Witness(
            launch=decider.shape(model),
            values=decider.input_values(model),
            block=sides[0].block,
            thread=sides[0].thread,
            threads=tuple(sides),
            index=sides[0].index,
        )
        _, assumptions = decider.relevant(*(c.term for c in (*a.path, *b.path)), a.offset, b.offset)
        facts = tuple(dict.fromkeys(assumptions))
        unfenced = not threads.same_block and ordering.is_unfenced(self.walk, self.locks, a, b)
        return Race(array, a, b, witness, facts, confidence, suspected, (), not threads.same_block, unfenced, scattered)

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

    def _meets_always(self, a: Access, b: Access) -> bool:
        """`*sum += x` at the kernel's end: one element, and every thread comes there, however it went through the loops before."""
        one = not any(differs(scope_of_atom(atom), False) for access in (a, b) for atom in free_symbols(access.offset))
        kernel = self.decider.environment.kernel
        return one and all(_is_always_reached(access, kernel) for access in (a, b))

    def _rests_on_small_elements(self, terms: list[Term], threads: Threads) -> bool:
        """A type whose definition is not there is as large as its members: smaller ones would lie in each other."""
        sizes = {a for term in terms for a in free_symbols(term) if str(a.parts[0]).startswith("sizeof(")}
        large = [substitute(term, dict.fromkeys(sizes, number(LARGE_ELEMENT))) for term in terms if sizes]
        return bool(sizes) and threads.decide("race of large elements", large)[1] is not Confidence.HIGH

    def _meets_by_luck(self, access: Access, terms: list[Term], threads: Threads) -> bool:
        """Each thread reads where it goes; a stride that all of them read is as wide as its rows are."""
        if memory_values(self._index(access), same_block=threads.same_block):
            return True
        values = frozenset(value for value in contents_in(terms) if self.decider.rests_on_contents(value))
        wide = [rewrite(term, lambda part: number(WIDE_CONTENT) if part in values else None) for term in terms]
        _, confidence, _ = threads.decide("race with a wide stride", wide)
        return confidence is Confidence.HIGH

    def _begins_at_contents(self, access: Access, same_block: bool) -> bool:
        """`start[row] + column`: whoever fills such an array keeps its ranges apart; the row may be that of the block."""
        contents = frozenset(memory_values(self._index(access), same_block=same_block))
        return bool(contents) and shares_weight(ideal(access.offset), contents, same_block)

    def _takes_from_chosen_counter(self, access: Access) -> bool:
        """`at = atomicAdd(&next[key[i]], 1)`: whoever fills the counters keeps the ranges of the keys apart."""
        atoms = free_symbols(access.offset)
        taken = (ticket for ticket in self.walk.tickets if ticket.result in atoms)
        return any(self.decider.rests_on_contents(ticket.offset) for ticket in taken)

    def _is_search(self, a: Access, b: Access) -> bool:
        """`if (keys[t] <= key && key < keys[t + 1]) *place = t`: one thread finds it; whoever fills the array sorts it."""
        if "thread" in (scope_of(ideal(a.offset)), scope_of(ideal(b.offset))):
            return False
        guards = {part for conjunct in a.path for part in _conjuncts(conjunct.term)}
        guards &= {part for conjunct in b.path for part in _conjuncts(conjunct.term)}
        changed = {x.object.name for x in self.walk.accesses if x.kind != "read"}
        read = [g for g in guards if self.decider.rests_on_contents(g) and _arrays_of(g) - changed]
        writes_alone = a.span == b.span and a.kind == b.kind == "write"
        if not writes_alone:  # a step from where the search stands, between two neighbours of one array
            return len(read) == 2 and not any(isinstance(g, IsZero) for g in read) and _are_of_one_array(*read)
        return any(isinstance(part, IsZero) for part in read) or len(read) > 1

    def _lies_beside(self, a: Access, b: Access) -> bool:
        """Both come there as what memory holds says, in parts that sizes set apart: whoever fills it keeps to the parts."""
        rests = self.decider.rests_on_contents
        if not all(any(rests(c.term) and scope_of(c.term) == "thread" for c in each.path) for each in (a, b)):
            return False
        apart = subtract(_common_part(ideal(a.offset)), _common_part(ideal(b.offset)))
        return any(is_input(atom) for atom in free_symbols(apart))

    def _index(self, access: Access) -> Term:
        """The offset without tickets, which differ whatever the memory holds."""
        tickets: dict[Term, Term] = {t.result: number(0) for t in self.walk.tickets}
        return substitute(access.offset, tickets)


def _common_part(offset: Term) -> Term:
    """Of an offset, the summands that are the same for all threads of the block."""
    parts = offset.monomials if isinstance(offset, Sum) else (((offset,), 1),)
    common = number(offset.constant if isinstance(offset, Sum) else 0)
    for monomial, factor in parts:
        if not any(scope_of(atom) == "thread" for atom in monomial):
            product = number(factor)
            for atom in monomial:
                product = multiply(product, atom)
            common = add(common, product)
    return common


def _arrays_of(term: Term) -> set[str]:
    """The arrays that values in the term were read from."""
    names = (label.removeprefix(MEMORY_PREFIX) for label in labels(term) if label.startswith(MEMORY_PREFIX))
    return {name.partition("#")[0].partition("@")[0] for name in names}


def _are_of_one_array(one: Term, other: Term) -> bool:
    """`keys[t] <= key` and `key < keys[t + 1]`: other elements of the same array."""
    return _arrays_of(one) == _arrays_of(other) and not set(contents_in((one,))) >= set(contents_in((other,)))


def _is_update(a: Access, b: Access) -> bool:
    """`x[at[i]] += v`: nothing but luck keeps two equal indices apart."""
    return a.offset is b.offset and a.span.line == b.span.line and {a.kind, b.kind} == {"read", "write"}


def _as_meant(term: Term) -> list[Term]:
    """Unsigned and narrow values in the term are what mathematics makes them."""
    return [equal(w, w.parts[0]) for w in wrapped_parts(term) if w.parts[1] < INT_BITS or not w.parts[2]]


def _guard_as_meant(guard: Term) -> list[Term]:
    """The same for a condition: a bound is the same for all threads; an alternative counts where no plain one holds."""
    found: list[Term] = []
    for part in _conjuncts(guard):
        options = part.parts[0] if isinstance(part, Any_) else (part,)
        plain = [option for option in options if not wrapped_parts(option)]
        varying = [w for w in wrapped_parts(part) if scope_of(w) != "launch"]
        found += [disjunction(*plain, same) for w in varying for same in _as_meant(w)]
    return found


def _assumed_of_bounds(accesses: list[Access]) -> tuple[Assumption, ...]:
    """That bounds which are the same for all threads are what mathematics makes them (`threadIdx.x < (unsigned)n`)."""
    wraps = wrapped_parts(*(c.term for access in accesses for c in access.path))
    uniform = [w for w in wraps if scope_of(w) == "launch" and (w.parts[1] < INT_BITS or not w.parts[2])]
    texts = dict.fromkeys(f"{w} is {w.parts[0]} in the conditions of the kernel: it does not wrap" for w in uniform)
    return tuple(Assumption(text, Origin.ORDINARY.value) for text in texts)


def _together(a: Access, b: Access) -> Iterator[tuple[Term, Term]]:
    """The conditions under which both lie between the same two barriers of the grid."""
    for point, first in a.grid_phases:
        for other, second in b.grid_phases:
            if point is other:
                yield first, second


def _key(a: Access, b: Access) -> tuple[object, ...]:
    return a.span, a.kind, b.span, b.kind


def _equal(term: Term, other: Term, threads: Threads) -> Term:
    return equal(threads.first(ideal(term)), threads.second(ideal(other)))


def _may_conflict(a: Access, b: Access, threads: Threads) -> bool:
    if a.kind == b.kind == "atomic":
        return not threads.same_block and (a.narrow or b.narrow)
    return (a.kind, b.kind) != ("read", "read")


def _other_rounds(a: Access, b: Access, threads: Threads) -> Term:
    """Two threads at one call of a block-wide primitive meet there unless they are in different iterations."""
    if not (a.order == b.order == COLLECTIVE and a.serial == b.serial):
        return TRUE
    inside = [c.term for c in a.path if c.cause == "loop"]  # loops that are over left no condition of this kind
    rounds = {x for term in inside for x in free_symbols(term) if isinstance(x, Symbol) and x.name.startswith("k#")}
    apart = (negation(equal(threads.first(x), threads.second(x))) for x in sorted(rounds, key=lambda x: x.name))
    return disjunction(*apart)


def _deciding(a: Access, b: Access, terms: list[Term], threads: Threads) -> list[Term]:
    """Without how loops that are over have ended, for two threads of a block that are in no loop: both have come here."""
    if not threads.same_block or a.loops or b.loops:
        return terms
    views = ((a, threads.first), (b, threads.second))
    over = {x for side, view in views for c in side.path if c.cause == "check" for x in _conjuncts(view(ideal(c.term)))}
    return [part for term in terms for part in _conjuncts(term) if part not in over]


def _follow_each_other(a: Access, b: Access) -> bool:
    """Two calls of block-wide primitives under the same conditions: all threads that come to one come to the other.

    No run shows what they do inside.
    """
    if not (a.order == b.order == COLLECTIVE) or a.serial == b.serial:
        return False
    return {c.term for c in a.path} == {c.term for c in b.path} and all(scope_of(c.term) != "thread" for c in a.path)


def _is_store(access: Access) -> bool:
    """A store, or the half of an atomic exchange that writes."""
    return access.kind == "write" or (access.kind == "atomic" and access.value is not None)


def _same_value(a: Access, b: Access, scopes: tuple[str, ...]) -> bool:
    """Both store one and the same value, equal for all threads of a scope: benign (SEMANTICS 16)."""
    if not (_is_store(a) and _is_store(b)) or a.value is None:
        return False
    return a.value is b.value and scope_of(a.value) in scopes


def _values_differ(a: Access, b: Access, threads: Threads) -> list[Term]:
    """Two stores of equal integers are no race."""
    if not (_is_store(a) and _is_store(b)) or a.size != b.size:
        return []
    if not isinstance(a.value, Term) or not isinstance(b.value, Term) or is_truth(a.value) or is_truth(b.value):
        return []
    return [negation(equal(threads.first(a.value), threads.second(b.value)))]


def _conjuncts(term: Term) -> tuple[Term, ...]:
    return term.parts[0] if isinstance(term, All) else (term,)


def _substituted(term: Term, equations: list[Term]) -> Term:
    """The term after the equations between two symbols, or of a symbol and a number, are used up."""
    for equation in equations:
        for part in _conjuncts(equation):
            solved = _solved(part)
            if solved is not None:
                term = substitute(term, {solved[0]: solved[1]})
    return term


def _solved(equation: Term) -> tuple[Term, Term] | None:
    """symbol = rest, from an equation in which the symbol stands alone with the factor 1 or -1."""
    if not isinstance(equation, IsZero):
        return None
    zero = equation.parts[0]
    if isinstance(zero, Symbol):
        return zero, number(0)
    if not isinstance(zero, Sum) or len(zero.monomials) > 2:
        return None
    for monomial, coefficient in zero.monomials:
        if len(monomial) == 1 and isinstance(monomial[0], Symbol) and abs(coefficient) == 1:
            rest = subtract(monomial[0], zero) if coefficient == 1 else subtract(zero, subtract(number(0), monomial[0]))
            return monomial[0], rest
    return None


# --- one finding for one cause -----------------------------------------------------------------------------------------


def _one_per_cause(found: list[_Found]) -> list[Race]:
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
    return race.approximate, rank, race.unfenced, _mixes(race), *spans


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
    return Race(
        first.object, first.first, first.second, first.witness, first.facts, first.confidence, first.approximate,
        tuple(related.values()), first.across_blocks, first.unfenced, first.scattered, first.locked,
    )  # fmt: skip


def _is_always_reached(access: Access, kernel: ir.Function) -> bool:
    """A statement of the kernel's own body, under no condition, with none before it that may end the thread."""
    for stmt in kernel.body:
        if stmt.span == access.span:
            return not access.loops
        if any(isinstance(inner, ir.Return | ir.Trap | ir.Unmodelled | ir.Call) for inner in statements((stmt,))):
            return False
    return False
