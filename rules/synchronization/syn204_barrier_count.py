"""A barrier waits for another number of threads than come to it, or than its other users name.

Bad:
    if (warp == 0) asm("bar.arrive 1, 64;"); else asm("bar.sync 1, 32;");        // one barrier, two counts
    if (threadIdx.x < 96) asm("bar.sync 1, 64;");                                // three warps come where two are waited for
    if (threadIdx.x < 32) for (...) { asm("bar.sync 1, 64;"); ... }              // one warp, which waits for another one
Good:
    if (warp == 0) asm("bar.arrive 1, 64;"); else asm("bar.sync 1, 64;");

Limits: counts that are constants, numbers that are constants or computed from the number of the thread; who comes is counted
where that number alone decides it and the launch states the block as numbers. In loops only barriers at which all wait are
counted: fewer threads than it waits for, or more at once.
"""

from collections.abc import Iterator

from cudalint.finding import Evidence, Finding, Fix, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import BarrierIssue

RULE = Rule("SYN204", "barrier-count", Level.ERROR, Subject.BARRIER, "a barrier waits for another number of threads")


def check(subject: BarrierIssue, context: Context) -> Iterator[Finding]:
    """One finding for each barrier with a number."""
    if subject.cause != "count":
        return
    if subject.related:
        message = f"this barrier is for {subject.waited} threads, and elsewhere the same one is for {subject.came}"
    else:
        message = f"this barrier waits for {subject.waited} threads, and {subject.came} come to it"
    yield Finding(
        code=RULE.code,
        name=RULE.name,
        level=RULE.level,
        message=message,
        span=subject.span,
        root="barrier:count",
        confidence=subject.confidence,
        evidence=Evidence.WITNESS,
        witness=subject.witness,
        launch_site=context.contract.launch_site if context.contract else None,
        related=subject.related,
        fix=Fix("name as many threads as arrive at the barrier and wait for it, in whole warps"),
    )
