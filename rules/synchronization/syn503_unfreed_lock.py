"""Threads wait for a lock that its owner cannot free before they arrive.

Bad:
    while (atomicCAS(lock, 0, 1) != 0);  sum[0] += x;  __syncthreads();  atomicExch(lock, 0);      // all threads of the block
Good:
    if (threadIdx.x == 0) while (atomicCAS(lock, 0, 1) != 0);  __syncthreads();  ...
    while (!done) if (atomicCAS(lock, 0, 1) == 0) { sum[0] += x; __threadfence(); atomicExch(lock, 0); done = true; }

Limits: a barrier between taking the lock and giving it back stops every device. Without one the lanes of a warp stop each other on
targets before sm_70 only, and nothing is said for later ones. Locks that are taken by compare-and-swap in a loop that asks for
nothing else.
"""

import re
from collections.abc import Iterator

from cudalint.finding import Evidence, Finding, Fix, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import BarrierIssue
from cudalint.symbolic.synchronization.lock_waits import HELD, OF_WARP

RULE = Rule("SYN503", "unfreed-lock", Level.ERROR, Subject.BARRIER, "threads wait for a lock that cannot be freed")
INDEPENDENT_THREADS = 70  # compute capability from which a lane makes progress while others of its warp spin


def check(subject: BarrierIssue, context: Context) -> Iterator[Finding]:
    """The finding of a lock that several threads of a block, or lanes of a warp, want."""
    if subject.cause == HELD:
        message = "another thread of the block may have this lock, and waits at a barrier for those that spin here"
    elif subject.cause == OF_WARP and _has_warps_in_step(context.target):
        message = "another lane of the warp may have this lock, and comes out of the loop only with the others"
    else:
        return
    yield Finding(
        code=RULE.code,
        name=RULE.name,
        level=RULE.level,
        message=message,
        span=subject.span,
        root="lock:wait",
        confidence=subject.confidence,
        evidence=Evidence.WITNESS,
        assumptions=subject.facts,
        witness=subject.witness,
        launch_site=context.contract.launch_site if context.contract else None,
        related=subject.related,
        fix=Fix("let one thread take the lock, or free it inside of the loop that takes it"),
    )


def _has_warps_in_step(target: str) -> bool:
    capability = re.fullmatch(r"sm_(\d+)[af]?", target)
    return capability is not None and int(capability[1]) < INDEPENDENT_THREADS
