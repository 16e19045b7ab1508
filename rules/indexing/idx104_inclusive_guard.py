"""A guard lets an index pass that equals the number of elements.

Bad:
    int row = blockIdx.x;  if (row > num_rows) return;  x[row] = 0;   // row == num_rows goes on
Good:
    if (row >= num_rows) return;

Limits: a pattern: the bound is a number of elements by its name; arrays of offsets, which have one more, are left out.
"""

from collections.abc import Iterator

from cudalint.analysis.guard_findings import guard_finding
from cudalint.analysis.guard_patterns import inclusive_guards
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX104", "inclusive-guard", Level.ERROR, Subject.TEXT, "a guard lets one element too many pass")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in inclusive_guards(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the index that it lets pass", "compare with >=")
