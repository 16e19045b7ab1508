"""A barrier stands where only some threads of the block arrive.

Bad:
    if (threadIdx.x < 32) __syncthreads();
Good:
    if (threadIdx.x < 32) work();  __syncthreads();

Limits: barriers of equal number in both branches of one condition are taken to match where whole warps take one of them; lanes of
one warp at two barriers are a warning.
"""

from collections.abc import Iterator

from cudalint.finding import Evidence, Finding, Fix, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import BarrierIssue
from cudalint.symbolic.verdicts.phrases import parting_phrase

RULE = Rule("SYN201", "barrier-divergence", Level.ERROR, Subject.BARRIER, "barrier in divergent control flow")
SPLIT = "split warp"


def check(subject: BarrierIssue, context: Context) -> Iterator[Finding]:
    """The finding of a barrier under a condition that differs between threads."""
    if subject.cause not in ("branch", SPLIT):
        return
    split = subject.cause == SPLIT
    meeting = "grid" if subject.grid else "block"
    elsewhere = "waits elsewhere" if split else "does not arrive"
    yield Finding(
        code=RULE.code,
        name=RULE.name,
        level=Level.WARNING if split else RULE.level,
        message="lanes of one warp wait at different barriers"
        if split
        else f"not all threads of the {meeting} reach this "
        + ("block-wide primitive" if subject.primitive else "barrier"),
        span=subject.span,
        root="barrier:branch",
        confidence=subject.confidence,
        evidence=Evidence.WITNESS,
        assumptions=subject.facts,
        witness=subject.witness,
        trigger=parting_phrase(subject, elsewhere),
        launch_site=context.contract.launch_site if context.contract else None,
        related=subject.related,
        fix=Fix(f"move the barrier out of the condition, so that every thread of the {meeting} reaches it"),
    )
