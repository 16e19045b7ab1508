"""A value is compared with NaN, which is equal to nothing: the comparison says the same for every value.

Bad:
    if (x[i] == NAN) found = 1;
Good:
    if (isnan(x[i])) found = 1;

Limits: NaN as it is written, `NAN`, `nanf("")`, `quiet_NaN()`, not in a variable.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.nan_comparisons import nan_comparisons
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE210", "nan-comparison", Level.ERROR, Subject.TEXT, "a comparison with NaN")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in nan_comparisons(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "ask isnan()")
