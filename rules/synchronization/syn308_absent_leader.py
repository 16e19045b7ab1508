"""Lanes that are some of their warp let its lane 0 add for them all, and lane 0 may not be one of them.

Bad:
    auto active = cg::coalesced_threads();
    if (threadIdx.x % 32 == 0) base = atomicAdd(count, active.size());      // nobody adds where lane 0 is not active
    base = active.shfl(base, 0);
Good:
    if (active.thread_rank() == 0) base = atomicAdd(count, active.size());  // or lane == __ffs(mask) - 1

Limits: a pattern: a variable that an atomic sets where the lane is zero, and that lane 0 of a coalesced group is asked for, or of a
mask from a ballot, `__activemask` or `__match_any_sync`, under a condition.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.synchronization.absent_leaders import absent_leaders
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("SYN308", "absent-leader", Level.ERROR, Subject.TEXT, "a leader that may not be among its lanes")
ADVICE = "let the first of the lanes lead: thread_rank() == 0 of the group, lane == __ffs(mask) - 1"


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each choice of a leader."""
    for issue in absent_leaders(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the lanes that take its number", ADVICE)
