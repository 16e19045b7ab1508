"""A variable or an array of a kernel is only ever added to: nothing gives it a first value.

Bad:
    float sum;  for (int i = tid; i < n; i += threads) sum += x[i];
    __shared__ int bins[256];  atomicAdd(&bins[x[i]], 1);
Good:
    float sum = 0.f;  ...
    __shared__ int bins[256];  bins[tid] = 0;  __syncthreads();  atomicAdd(&bins[x[i]], 1);

Limits: a pattern; a variable that any statement may set, or that is given away, is left out.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.initialisation.unset_sums import unset_sums
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX311", "unset-sum", Level.ERROR, Subject.TEXT, "a sum that begins with nothing")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each variable."""
    for issue in unset_sums(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "it is added to here", "begin with zero")
