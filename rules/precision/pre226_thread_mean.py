"""What a block has added up of n elements is divided by the number of its threads: that is the mean only where they are as many.

Bad:
    for (int i = threadIdx.x; i < n; i += blockDim.x) s += x[i];   ...   float mean = sums[0] / blockDim.x;
Good:
    for (int i = threadIdx.x; i < n; i += blockDim.x) s += x[i];   ...   float mean = sums[0] / n;

Limits: a pattern: divisions by blockDim.x in kernels that no launch of the file gives a thread for each element.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.thread_means import thread_means
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE226", "thread-mean", Level.ERROR, Subject.TEXT, "a sum of elements over the number of threads")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each division."""
    for issue in thread_means(subject):
        advice = "divide by the number of elements"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the elements are added here", advice)
