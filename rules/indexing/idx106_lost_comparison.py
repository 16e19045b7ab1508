"""A sum of positions stands where a comparison was meant.

Bad:
    if (offset + threadIdx.x) x[offset + threadIdx.x] = 0;
Good:
    if (offset + threadIdx.x < n) x[offset + threadIdx.x] = 0;

Limits: a pattern: sums of integers that hold a place in the launch.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.guards.missing_guards import lost_comparisons
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX106", "lost-comparison", Level.ERROR, Subject.TEXT, "a sum as a condition")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in lost_comparisons(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the condition", "compare the sum with the size")
