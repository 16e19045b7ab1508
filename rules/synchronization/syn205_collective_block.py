"""A collective of a block is made for another number of threads than the launch has.

Bad:
    __global__ void total(...) { ... cub::BlockReduce<float, 128>(storage).Sum(part); }
    total<<<blocks, 256>>>(...);                              // the other 128 threads are left out of the sum, or worse
Good:
    total<<<blocks, 128>>>(...);

Limits: cub's collectives, launches that state the block as numbers. An array of temporary storage is one collective for each row of
threads.
"""

from collections.abc import Iterator

from cudalint.finding import Evidence, Finding, Fix, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import BarrierIssue

RULE = Rule(
    "SYN205", "collective-block", Level.ERROR, Subject.BARRIER, "a collective is made for another number of threads"
)


def check(subject: BarrierIssue, context: Context) -> Iterator[Finding]:
    """One finding for each number of threads that a kernel's collectives are made for."""
    if subject.cause != "collective":
        return
    yield Finding(
        code=RULE.code,
        name=RULE.name,
        level=RULE.level,
        message=f"this collective is for {subject.waited} threads, and the block has {subject.came}",
        span=subject.span,
        root="barrier:collective",
        confidence=subject.confidence,
        evidence=Evidence.WITNESS,
        witness=subject.witness,
        launch_site=context.contract.launch_site if context.contract else None,
        fix=Fix(f"launch blocks of {subject.waited} threads, or make the collective for {subject.came}"),
    )
