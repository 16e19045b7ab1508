"""A result of a reduction that only the first thread holds is what all threads go on with.

Bad:
    for (int d = 16; d > 0; d /= 2) z += __shfl_down_sync(mask, z, d);
    out[c] = x[c] / z;
Good:
    for (int d = 16; d > 0; d /= 2) z += __shfl_xor_sync(mask, z, d);
    out[c] = x[c] / z;

Limits: a pattern: folds by shuffles and results of cub, also through helpers of the file, that elements of memory are made of by
arithmetic, at a place of the lane's own.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.leader_results import leader_results
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "PRE223", "leader-result", Level.ERROR, Subject.TEXT, "all threads use a result that only the first one has"
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each write."""
    for issue in leader_results(subject):
        yield guard_finding(
            issue,
            RULE.code,
            RULE.name,
            RULE.level,
            "the result comes from here",
            "hand it to all: __shfl_sync(mask, value, 0), __shfl_xor_sync in the fold, or shared memory and a barrier",
        )
