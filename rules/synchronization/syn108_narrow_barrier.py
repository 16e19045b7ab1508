"""A barrier of the warp stands where the same function asks for a barrier of the block in the same case.

Bad:
    if (t < n) v = src[t];  if (in_place) __syncwarp();  if (t < n) dst[t] = v;  // elsewhere: if (in_place) __syncthreads();
Good:
    if (t < n) v = src[t];  if (in_place) __syncthreads();  if (t < n) dst[t] = v;

Limits: a pattern: both barriers stand alone under one flag, and no condition on the thread stands around the narrow one.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.synchronization.barrier_scopes import narrow_barriers
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("SYN108", "narrow-barrier", Level.ERROR, Subject.TEXT, "a barrier of the warp in place of one of the block")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each barrier."""
    for issue in narrow_barriers(subject):
        advice = "use __syncthreads(), or show that one warp is all that comes here"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the barrier of the block", advice)
