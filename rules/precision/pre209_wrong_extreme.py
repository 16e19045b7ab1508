"""A search for the largest or smallest value begins with FLT_MIN, the smallest number above zero.

Bad:
    float m = FLT_MIN;   m = fmaxf(m, x[i]);      // a row of negative numbers has the maximum 1.2e-38
Good:
    float m = -FLT_MAX;  m = fmaxf(m, x[i]);

Limits: a pattern; a largest value among squares, absolute values and exponentials may begin there.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.wrong_extremes import wrong_extremes
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE209", "wrong-extreme", Level.ERROR, Subject.TEXT, "a search for an extreme that begins above zero")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in wrong_extremes(subject):
        yield guard_finding(
            issue,
            RULE.code,
            RULE.name,
            RULE.level,
            "",
            "begin with -FLT_MAX or -INFINITY for the largest, with FLT_MAX for the smallest value",
        )
