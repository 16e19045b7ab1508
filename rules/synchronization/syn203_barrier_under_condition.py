"""The text shows a barrier under a condition on which the threads of a block differ.

Bad:
    for (int i = threadIdx.x; i < n; i += blockDim.x) { work(i);  __syncthreads(); }
Good:
    for (int i = threadIdx.x; i < n; i += blockDim.x) work(i);
    __syncthreads();

The same holds for a loop with a barrier that threads leave, or whose round they pass over, on a condition of their own:
`if (done) break;` behind a tile that all have loaded together.

Limits: a pattern for code that cannot be walked; loops whose bound is rounded up or a constant are left out.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.synchronization.barrier_patterns import divergent_barriers
from cudalint.analysis.synchronization.left_loops import left_loops
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "SYN203", "barrier-under-condition", Level.ERROR, Subject.TEXT, "barrier under a condition on the thread's place"
)
ADVICE = "move the barrier out of the condition, so that every thread of the block reaches it"


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each condition, and for each loop that threads leave one by one."""
    for issue in divergent_barriers(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the condition on which threads differ", ADVICE)
    for issue in left_loops(subject):
        advice = "leave the loop with all threads: if (__syncthreads_and(done)) break;"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the barrier", advice)
