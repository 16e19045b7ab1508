"""The text sets a barrier in shared memory up by one thread, and others use it with no barrier of the block in between.

Bad:
    if (threadIdx.x == 0) mbarrier_init(&full, 1);  mbarrier_wait(&full, 0);
Good:
    if (threadIdx.x == 0) mbarrier_init(&full, 1);  __syncthreads();  mbarrier_wait(&full, 0);

Limits: a pattern for barriers of inline PTX and of libraries, by the names of what sets them up and waits; those of `cuda::barrier`
are followed (SYN403). What a single thread does, and what lambdas and other functions do, is not judged.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.synchronization.unready_barriers import unready_barriers
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("SYN406", "early-barrier-use", Level.ERROR, Subject.TEXT, "a barrier is used before it is set up for all")
ADVICE = "put __syncthreads() (cluster_sync() for a cluster) behind setting the barrier up"


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each function."""
    for issue in unready_barriers(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the use", ADVICE)
