"""What orders accesses of different threads other than barriers: tickets, fences with flags and counters (SEMANTICS 17).

A write is published where its thread passes a fence and then an atomic, or meets the thread that does at a barrier. A thread
has learned of others where its path depends on what an atomic or an ordered load told it.
"""

from __future__ import annotations

from collections.abc import Callable

from cudalint.symbolic.model import MEMORY_PREFIX, Access, Claim, MemoryObject, Path, Ticket, base_name, scope_of
from cudalint.symbolic.synchronization.access_pairs import conjuncts
from cudalint.symbolic.synchronization.locks import Locks
from cudalint.symbolic.synchronization.pairs import Threads, scope_of_atom
from cudalint.symbolic.verdicts.checked import contents_in
from cudalint.symbolic.walk.atomics import COUNT, EXTREME, SWAP
from cudalint.symbolic.walk.execute import Walk
from cudalint.symbolic.walk.signals import is_signalled
from cudalint.term import (
    Sum,
    Term,
    add,
    at_most,
    conjunction,
    disjunction,
    equal,
    free_symbols,
    ideal,
    interval,
    labels,
    negation,
    number,
    subterms,
)


def holding(walk: Walk) -> set[str]:
    """The signals without those of claims that last: a place that is claimed and never given back is no lock."""
    return walk.signals - {str(claim.result.parts[0]) for claim in _lasting(walk)}


def looks(walk: Walk, a: Access, b: Access) -> set[str]:
    """What atomics on the memory of two accesses tell that add nothing: any number of threads may see the same.

    Not where a thread waits for a number of its own to come up, `while (atomicAdd(&s->turn, 0) != blockIdx.x)`.
    """
    seen = [each.result for each in walk.tickets if each.object is a.object and each.step == number(0)]
    asked = [ideal(c.term) for c in (*a.path, *b.path)] if seen else []
    return {str(result.parts[0]) for result in seen if not any(_asks_for_its_own(term, result) for term in asked)}


def _asks_for_its_own(guard: Term, result: Term) -> bool:
    """The guard compares the result with something other than what memory holds that threads do not have in common."""
    sums = [part for part in subterms([guard]) if isinstance(part, Sum) and result in free_symbols(part)]
    beside = {atom for each in sums for atoms, _ in each.monomials for atom in atoms} - {result}
    return any(scope_of(atom) != "launch" and not contents_in((atom,)) for atom in beside)


def _lasting(walk: Walk) -> list[Claim]:
    """Claims of memory that only compare-and-swaps change, all of which expect one value: what has left it stays away.

    Or only exchanges, all of which leave one mark there: nobody takes it away.
    """
    if not walk.claims:
        return []
    ways: dict[MemoryObject, set[tuple[str, object]]] = {}  # how it is changed, and what that expects or leaves
    for access in walk.accesses:
        if access.kind != "read" and access.order != SWAP:
            stored = access.value if isinstance(access.value, Term) else None  # None: what is no number is no mark
            ways.setdefault(access.object, set()).add((access.kind, stored))
    for claim in walk.claims.values():
        if claim.expected is not None:
            ways.setdefault(claim.object, set()).add((SWAP, claim.expected))
    alone = {
        claim.object
        for claim in walk.claims.values()
        if ways[claim.object] == {(SWAP, claim.expected) if claim.expected is not None else ("atomic", claim.desired)}
    }
    return [claim for claim in walk.claims.values() if claim.object in alone and _is_the_same_for_all(claim)]


def _is_the_same_for_all(claim: Claim) -> bool:
    """What is expected, or the mark that an exchange leaves, is a number of the launch."""
    return scope_of(claim.desired if claim.expected is None else claim.expected) == "launch"


def claim_facts(walk: Walk, threads: Threads, *terms: Term) -> list[Term]:
    """Two threads that both got what they expected claimed different places."""
    lasting = _lasting(walk)
    atoms = frozenset().union(*(free_symbols(term) for term in terms)) if lasting else frozenset()
    used = [claim for claim in lasting if claim.result in atoms]
    return [
        _claimed_apart(first, second, threads)
        for first in used
        for second in used
        if first.object is second.object and (threads.same_block or first.object.memory == "global")
    ]


def _claimed_apart(first: Claim, second: Claim, threads: Threads) -> Term:
    apart = negation(equal(threads.first(first.offset), threads.second(second.offset)))
    return disjunction(negation(_is_won(first, threads.first)), negation(_is_won(second, threads.second)), apart)


def _is_won(claim: Claim, side: Callable[[Term], Term]) -> Term:
    """It got what it expected and left something else there; of an exchange, it did not find its own mark."""
    if claim.expected is None:
        return negation(equal(side(claim.result), side(claim.desired)))
    got = equal(side(claim.result), side(claim.expected))
    return conjunction(got, negation(equal(side(claim.desired), side(claim.expected))))


def is_published(walk: Walk, locks: Locks, a: Access, b: Access) -> bool:
    """One block has learned from a flag or counter what the other has published; a lock that it gave back tells no more."""
    return any(
        _has_learned(walk.grid_signals - locks.given_back(late), late) and _is_released(walk, early, late)
        for early, late in ((a, b), (b, a))
    )


def one_round_at_a_time(walk: Walk, locks: Locks, threads: Threads, a: Access, b: Access) -> tuple[Term, ...]:
    """That two blocks are in the same iteration of a loop, where each tells behind both accesses and then waits for others."""
    return tuple(
        equal(threads.first(each.iteration), threads.second(each.iteration))
        for each in walk.awaited
        if all(each.steps[0] < access.serial <= each.steps[1] for access in (a, b))
        and each.signals - locks.given_back(a) - locks.given_back(b)
        and all(_is_released(walk, early, late) for early, late in ((a, b), (b, a)))
    )


def is_published_in_block(walk: Walk, locks: Locks, a: Access, b: Access) -> bool:
    """One thread has learned from a flag what another of its block had fenced before it raised it.

    A flag for the writes of others is raised behind a barrier.
    """
    return any(
        _has_learned(walk.signals - locks.given_back(late), late)
        and early.kind != "read"
        and any(
            early.serial < f.serial <= s.serial and (not _is_left_to_one(early, s) or _met_between(walk, early, s))
            for f in walk.block_fences
            for s in _raised_after(walk, early, late)
        )
        for early, late in ((a, b), (b, a))
    )


def _raised_after(walk: Walk, early: Access, late: Access) -> list[Access]:
    """Atomics and ordered stores behind the access, to memory that the way of the other one asks for."""
    told = {found for c in late.path for label in labels(c.term) for found in walk.sources.get(label, ())}
    strong = [a for a in walk.accesses if a.kind == "atomic" or (a.kind == "write" and a.order != "plain")]
    return [a for a in strong if a.serial > early.serial and a.object in told]


def is_unfenced(walk: Walk, locks: Locks, a: Access, b: Access) -> bool:
    """One block counts on what the other has signalled, and only the fence is missing."""
    return any(
        _has_learned(walk.grid_signals - locks.given_back(late), late) and bool(_signals_after(walk, early))
        for early, late in ((a, b), (b, a))
    )


def is_raised_unfenced(walk: Walk, a: Access, b: Access) -> bool:
    """A plain store reads as done from a flag that is raised behind it without a fence, in a chain where each waits and then tells.

    Not what is claimed or counted by atomics: that may be a lock, or a queue.
    """
    for early, late in ((a, b), (b, a)):
        if early.kind != "write" or early.order != "plain" or late.kind != "read":
            continue
        raised = _raised_after(walk, early, late)
        if not raised or any(_is_claimed_or_counted(walk, x.object) for x in raised):
            continue
        if not any(early.serial < fence.serial <= s.serial for fence in walk.fences for s in raised):
            return True
    return False


def _is_claimed_or_counted(walk: Walk, flag: MemoryObject) -> bool:
    """The kernel uses what an atomic that changes it returns; an addition of zero is a load."""
    results = {str(t.result.parts[0]) for t in walk.tickets if t.object is flag and t.step is not number(0)}
    results |= {label for label, taken in walk.takes.items() if taken.object is flag}
    return any(not results.isdisjoint(_labels_of(access)) for access in walk.accesses if results)


def _path_labels(access: Access) -> frozenset[str]:
    return frozenset().union(*(labels(conjunct.term) for conjunct in access.path))


def _labels_of(access: Access) -> frozenset[str]:
    terms = [access.offset, *(c.term for c in access.path)]
    return frozenset().union(*map(labels, terms), labels(access.value) if isinstance(access.value, Term) else ())


def is_told_without_fence(walk: Walk, a: Access, b: Access) -> bool:
    """An atomic or a flag on other memory tells a block of stores: `volatile` keeps both in memory, not in order.

    Where the array itself is what is waited for, it is a protocol of its own; a store that no condition asks for tells nothing.
    """
    labelled = frozenset().union(*map(_path_labels, walk.accesses))
    asked = {found for label in labelled for found in walk.sources.get(label, ())}
    for early, late in ((a, b), (b, a)):
        own = f"{MEMORY_PREFIX}{early.object.name}"
        waits = any(base_name(label) == own for conjunct in late.path for label in labels(conjunct.term))
        signals = [s for s in _signals_after(walk, early) if s.kind == "atomic" or s.order == "volatile"]
        told = any(s.object is not early.object and (s.kind == "atomic" or s.object in asked) for s in signals)
        if told and not waits and early.kind == "write" and _has_learned(walk.grid_signals, late):
            return True
    return False


def may_wait(walk: Walk, a: Access, b: Access) -> bool:
    """Threads may have waited for what others tell: in a loop, behind a condition on it, or for this memory itself."""
    if a.loops or b.loops or is_signalled(walk.signals, *(c.term for c in (*a.path, *b.path))):
        return True
    own = f"{MEMORY_PREFIX}{a.object.name}"
    conditions = dict.fromkeys(c.term for access in walk.accesses for c in access.path)
    return any(base_name(label) == own for condition in conditions for label in labels(condition))


def is_first_guess(walk: Walk, a: Access, b: Access) -> bool:
    """A plain read of what a compare-and-swap of the same thread then expects: a stale value costs one more round.

    Or, in shared memory, of what a minimum of the same thread is tried for only where the read does not make it needless.
    """
    read, other = (a, b) if a.kind == "read" else (b, a)
    if read.kind != "read" or other.kind != "atomic":
        return False
    later = [c for c in walk.accesses if c.object is read.object and c.serial > read.serial]
    tried = (c for c in later if c.order == EXTREME and c.offset is read.offset and _is_tested(read, c))
    if read.object.memory == "shared" and any(tried):
        return other.order == EXTREME
    swaps = [c for c in later if c.order == SWAP]
    return any(c.offset is read.offset and (_always_follows(read.path, c.path) or _tries_again(read, c)) for c in swaps)


def _is_tested(read: Access, later: Access) -> bool:
    """Between the two stands a condition on what was read, and nothing else."""
    here = {c.term for c in read.path}
    new = [c for c in later.path if c.term not in here]
    own = f"{MEMORY_PREFIX}{read.object.name}"
    return len(new) == 1 and own in map(base_name, labels(new[0].term)) and read.stack[:-1] == later.stack[:-1]


def _always_follows(path: Path, later: Path) -> bool:
    return _conditions(tuple(c for c in later if c.cause != "loop")) <= _conditions(path)


def _tries_again(read: Access, swap: Access) -> bool:
    """The swap is in a loop of the same function, which goes on until it succeeds or has nothing left to do.

    A test of what was read that stands in front of the loop is no guess.
    """
    here = {c.term for c in read.path}
    new = [c for c in swap.path if c.term not in here]
    own = f"{MEMORY_PREFIX}{read.object.name}"
    tested = any(c.cause == "branch" and own in map(base_name, labels(c.term)) for c in new)
    return read.stack[:-1] == swap.stack[:-1] and not tested and any(c.cause == "loop" for c in new)


def _has_learned(signals: set[str], access: Access) -> bool:
    return is_signalled(signals, *(conjunct.term for conjunct in access.path))


def _is_released(walk: Walk, access: Access, late: Access) -> bool:
    """Who writes signals it behind a fence; what is said of the launch on the way of the `late` one holds for all."""
    if access.kind == "atomic":
        return True
    common = tuple(conjunct for conjunct in late.path if scope_of(conjunct.term) == "launch")
    for later in _signals_after(walk, access):
        fenced = any(access.serial < fence.serial <= later.serial for fence in walk.fences)
        if fenced and (_follows((*access.path, *common), later.path) or _barrier_between(walk, access, later)):
            return True
    return False


def _signals_after(walk: Walk, access: Access) -> list[Access]:
    """Atomics and ordered stores behind the access, which may tell other blocks of it."""
    strong = [a for a in walk.accesses if a.kind == "atomic" or (a.kind == "write" and a.order != "plain")]
    return [a for a in strong if a.serial > access.serial and a.object.memory == "global"]


def _follows(path: Path, later: Path) -> bool:
    """Whoever takes the path takes the later one too, as far as their conditions show."""
    return _conditions(later) <= _conditions(path)


def _conditions(path: Path) -> set[Term]:
    """What holds on the way, one by one: `a && b` says the same as `b` inside of `a`."""
    return {part for c in path for part in conjuncts(c.term)}


def _is_left_to_one(access: Access, later: Access) -> bool:
    """`if (threadIdx.x == 0)` stands between: threads chosen by their number do the later one for the others."""
    chosen = (term for term in _conditions(later.path) - _conditions(access.path) if scope_of(term) == "thread")
    return any(
        all(scope_of_atom(a) != "thread" or str(a.parts[0]).startswith("threadIdx.") for a in free_symbols(t))
        for t in chosen
    )


def _met_between(walk: Walk, access: Access, later: Access) -> bool:
    """Threads of the block have met between the two: all of them, a counted number, or those of a warp."""
    serials = (
        [v.serial for v in walk.visits] + [c.serial for c in walk.counted] + [b.serial for b in walk.warp_barriers]
    )
    return any(access.serial < serial < later.serial for serial in serials)


def _barrier_between(walk: Walk, access: Access, later: Access) -> bool:
    return any(access.serial < visit.serial < later.serial for visit in walk.visits)


def ticket_facts(walk: Walk, threads: Threads, *terms: Term) -> list[Term]:
    """Two tickets of one counter are apart by what was added."""
    atoms = frozenset().union(*(free_symbols(term) for term in terms))
    used = [ticket for ticket in walk.tickets if ticket.result in atoms]
    return [
        apart(first, second, threads)
        for first in used
        for second in used
        if first.object is second.object and (threads.same_block or first.object.memory == "global")
    ]


def rests_on_doubtful_tickets(walk: Walk, a: Access, b: Access) -> bool:
    """A ticket of theirs may come twice: its counter is lowered, set by something else, or set between the two."""
    atoms = free_symbols(a.offset) | free_symbols(b.offset)
    used = [ticket for ticket in walk.tickets if ticket.result in atoms]
    for ticket in used:
        others = [c for c in walk.accesses if c.object is ticket.object and c.kind != "read" and c.order != COUNT]
        same = all(other.epoch == ticket.epoch for other in used if other.object is ticket.object)
        set_between = any(c.kind == "atomic" for c in others) or not (same and ticket.object.memory == "shared")
        if not ticket.counts or ticket.object in walk.disturbed or (others and set_between):
            return True
    return False


def apart(first: Ticket, second: Ticket, threads: Threads) -> Term:
    """Whoever comes later to a counter finds the step of the other one done."""
    mine, theirs = threads.first(first.result), threads.second(second.result)
    elsewhere = negation(equal(threads.first(first.offset), threads.second(second.offset)))
    after_mine, after_theirs = add(mine, threads.first(first.step)), add(theirs, threads.second(second.step))
    if _is_lowered(first) and _is_lowered(second):
        return disjunction(elsewhere, at_most(theirs, after_mine), at_most(mine, after_theirs))
    return disjunction(elsewhere, at_most(after_mine, theirs), at_most(after_theirs, mine))


def _is_lowered(ticket: Ticket) -> bool:
    most = interval(ticket.step)[1]
    return most is not None and most < 0
