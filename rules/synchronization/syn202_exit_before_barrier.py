"""Threads return before a barrier that others of their block still wait at.

Bad:
    if (i >= n) return;  s[threadIdx.x] = x[i];  __syncthreads();  y = s[threadIdx.x + 1];
Good:
    s[threadIdx.x] = i < n ? x[i] : 0;  __syncthreads();

Limits: legal on sm_70 and later when the others do not need what the exited threads would have written, so it is shown in the audit
profile only.
"""

from collections.abc import Iterator

from cudalint.finding import Evidence, Finding, Fix, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.model import BarrierIssue
from cudalint.symbolic.phrases import coordinates

RULE = Rule(
    "SYN202", "exit-before-barrier", Level.WARNING, Subject.BARRIER, "threads exit before a barrier", audit=True
)


def check(subject: BarrierIssue, context: Context) -> Iterator[Finding]:
    """The finding of a barrier behind an early return."""
    if subject.cause != "exit":
        return
    waits, absent = subject.witness.threads
    yield Finding(
        code=RULE.code,
        name=RULE.name,
        level=RULE.level,
        message="threads of the block may have returned before this barrier",
        span=subject.span,
        root="barrier:exit",
        confidence=subject.confidence,
        evidence=Evidence.WITNESS,
        assumptions=subject.facts,
        witness=subject.witness,
        trigger=f"thread {coordinates(waits.thread)} waits, thread {coordinates(absent.thread)} has returned",
        launch_site=context.contract.launch_site if context.contract else None,
        fix=Fix("let every thread reach the barrier and guard the work instead of returning"),
    )
