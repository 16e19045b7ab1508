"""Locks that are never freed: who holds one waits for threads that spin until they get it themselves.

    while (atomicCAS(lock, 0, 1) != 0) ;   total[0] += x;   __syncthreads();   atomicExch(lock, 0);

A thread that has the lock waits at the barrier for all of its block, and they for the lock. Without a barrier the lanes of a warp
come out of the loop together before sm_70, and the one that has the lock waits for the others in the same way (CUDA C++
Programming Guide, "Independent Thread Scheduling").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cudalint.finding import Related, ThreadAccess, Witness
from cudalint.source import Span
from cudalint.symbolic.issues import BarrierIssue
from cudalint.symbolic.model import Access, BarrierVisit, Claim, Taken
from cudalint.symbolic.synchronization.pairs import Threads, different_warps, is_approximate
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.walk.execute import Walk
from cudalint.term import FALSE, Term, equal, labels, negation, substitute

HELD, OF_WARP = "held lock", "lock of a warp"


def find_lock_waits(walk: Walk, decider: Decider) -> Iterator[BarrierIssue]:
    """At most one for each place where a lock is taken."""
    threads = Threads(decider, same_block=True)
    told: set[Span] = set()
    for access in walk.accesses:
        if access.kind != "atomic" or access.span in told:
            continue
        told.add(access.span)  # the first round of the loop stands for all
        first = next((t for t in walk.takes.values() if t.serial == access.serial), None)
        if first is None or not _is_waited_for(walk, first):
            continue
        last = max(other.serial for other in walk.accesses if other.span == access.span)
        changes = [a for a in walk.accesses if a.object is first.object and a.kind != "read" and a.span != access.span]
        release = next((change for change in changes if change.serial > access.serial), None)
        if release is None or release.serial < last:
            continue
        between = (v for v in walk.visits if last < v.serial < release.serial and v.point.kind == "block")
        barrier = next(between, None)
        issue = _issue(threads, access, first, barrier)
        if issue is not None:
            span = release.span if barrier is None else barrier.span
            text = "it is given back here" if barrier is None else "whoever has the lock waits for the others here"
            yield replace(issue, related=(Related(span, text),))


def _is_waited_for(walk: Walk, first: Taken) -> bool:
    """Something stands behind a loop that nobody leaves who found the lock taken in every round."""
    before = {conjunct.term for conjunct in first.path}
    later = (access.path for access in walk.accesses if access.serial > first.serial)
    conditions = {c.term: None for path in later for c in path if c.cause == "check" and c.term not in before}
    return any(_shuts_out(walk, first, condition) for condition in conditions)


def _shuts_out(walk: Walk, first: Taken, condition: Term) -> bool:
    claims = [walk.claims[label] for label in labels(condition) if label in walk.claims]
    own = [claim for claim in claims if _is_lock(claim, first)]
    held: dict[Term, Term] = {claim.result: claim.desired for claim in own}
    return bool(held) and len(own) == len(claims) and substitute(condition, held) is FALSE


def _is_lock(claim: Claim, first: Taken) -> bool:
    """It changes what it finds free (0 to 1), and is at the place of the first attempt."""
    return claim.object is first.object and claim.offset is first.offset and claim.expected is not claim.desired


def _issue(threads: Threads, access: Access, first: Taken, barrier: BarrierVisit | None) -> BarrierIssue | None:
    """Two threads of a block, or of a warp, want the same lock, and the one that has it comes to the barrier."""
    terms = [view(c.term) for c in first.path for view in (threads.first, threads.second)]
    terms += [threads.first(c.term) for c in barrier.path] if barrier is not None else []
    terms += [equal(threads.first(first.offset), threads.second(first.offset)), threads.different()]
    terms += [negation(different_warps(threads.decider))] if barrier is None else []
    model, confidence, _ = threads.decide("two want one lock", terms)
    if model is None or confidence is None:
        return None
    decider = threads.decider
    places = [decider.place(model, suffix) for suffix in ("@1", "@2")]
    sides = tuple(
        ThreadAccess(block, thread, kind, access.span.path, access.span.line)
        for (block, thread), kind in zip(places, ("has the lock", "waits for the lock"))
    )
    witness = Witness(
        launch=decider.shape(model), values=decider.input_values(model), block=sides[0].block, thread=sides[0].thread,
        threads=sides,
    )  # fmt: skip
    _, facts = decider.relevant(*(c.term for c in first.path))
    cause = OF_WARP if barrier is None else HELD
    return BarrierIssue(access.span, cause, witness, tuple(dict.fromkeys(facts)), confidence, is_approximate(terms))
