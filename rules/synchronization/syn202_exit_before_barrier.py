"""Threads return before a barrier, and others read behind it what they would have written.

Bad:
    if (i >= n) return;  s[threadIdx.x] = x[i];  __syncthreads();  y = s[threadIdx.x + 1];
    if (i >= n) return;  y[i] = 0;  grid.sync();               // a barrier of the grid waits for those that left, too
Good:
    s[threadIdx.x] = i < n ? x[i] : 0;  __syncthreads();  y = s[threadIdx.x + 1];
    if (i < n) y[i] = 0;  grid.sync();

Limits: an exit before a barrier is legal on sm_70 and later when the others do not need what the exited threads would have written,
and is a note of medium confidence then; for older targets every such exit is told.
"""

import re
from collections.abc import Iterator

from cudalint.finding import Confidence, Evidence, Finding, Fix, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import BarrierIssue
from cudalint.symbolic.verdicts.phrases import parting_phrase

RULE = Rule("SYN202", "exit-before-barrier", Level.WARNING, Subject.BARRIER, "threads exit before a barrier")
INDEPENDENT_THREADS = 70  # compute capability from which a barrier does not wait for threads that have exited


def check(subject: BarrierIssue, context: Context) -> Iterator[Finding]:
    """The finding of a barrier behind an early return."""
    if subject.cause != "exit":
        return
    legal = not (subject.needed or _waits_for_exited(context.target))
    yield Finding(
        code=RULE.code,
        name=RULE.name,
        level=Level.NOTE if legal else RULE.level,
        message=f"threads of the {'grid' if subject.grid else 'block'} may have returned before this "
        + ("block-wide primitive, which uses what each of them brings" if subject.primitive else "barrier")
        + (", which is legal from sm_70 on: nobody behind it needs what they would have written" if legal else ""),
        span=subject.span,
        root="barrier:exit",
        confidence=Confidence.MEDIUM if legal and subject.confidence is Confidence.HIGH else subject.confidence,
        evidence=Evidence.WITNESS,
        assumptions=subject.facts,
        witness=subject.witness,
        trigger=parting_phrase(subject, "has returned"),
        launch_site=context.contract.launch_site if context.contract else None,
        related=subject.related,
        fix=Fix("let every thread reach the barrier and guard the work instead of returning"),
    )


def _waits_for_exited(target: str) -> bool:
    capability = re.fullmatch(r"sm_(\d+)[af]?", target)
    return capability is not None and int(capability[1]) < INDEPENDENT_THREADS
