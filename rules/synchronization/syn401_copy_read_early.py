"""Shared memory is read while an asynchronous copy to it may still be under way.

Bad:
    __pipeline_memcpy_async(&s[t], &x[i], 4);  __pipeline_commit();  __syncthreads();  y = s[t ^ 1];
Good:
    __pipeline_memcpy_async(&s[t], &x[i], 4);  __pipeline_commit();  __pipeline_wait_prior(0);  __syncthreads();  y = s[t ^ 1];

Copies by `cuda::memcpy_async` and `cooperative_groups::memcpy_async` count as well, through a pipeline or a barrier.

Limits: of what is in flight when an iteration of a loop begins, only what was begun before the loop is followed into it; copies of
earlier iterations that pass a barrier of the next one are unknown, and left to runs of the emulator. Copies by tensor maps and
barriers that inline PTX waits for are not modelled, and a function without a body is taken to wait.
"""

from collections.abc import Iterator

from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import Race
from cudalint.symbolic.synchronization.race_finding import ordered_sides, race_finding
from cudalint.symbolic.walk.pipelines import IN_FLIGHT

RULE = Rule("SYN401", "copy-read-early", Level.ERROR, Subject.RACE, "asynchronous copy without its wait")
ADVICE = "wait for the copy (its group, stage or barrier) and put __syncthreads() behind a wait for own copies alone"


def check(subject: Race, context: Context) -> Iterator[Finding]:
    """The finding of a read that no wait separates from the copy."""
    if IN_FLIGHT not in (subject.first.order, subject.second.order):
        return
    _, second = ordered_sides(subject)
    message = (
        f"the copy to `{subject.object.name}` is not waited for before the {second.kind} at line {second.span.line}"
    )
    yield race_finding(subject, RULE.code, RULE.name, RULE.level, context.contract, message, ADVICE)
