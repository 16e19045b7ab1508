"""Two sums of loaded values start from zero and one is divided by the other: where all values are zero the result is NaN.

Bad:
    y = weighted / total;                                        // both are sums over the window
Good:
    y = total > 0 ? weighted / total : 0;

Limits: a pattern; a test of the divisor, a maximum or a small start value is taken as the guard.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.float_patterns import empty_sums
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE204", "empty-sum", Level.WARNING, Subject.TEXT, "a quotient of two sums that can both be zero")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in empty_sums(subject):
        yield guard_finding(
            issue,
            RULE.code,
            RULE.name,
            RULE.level,
            "",
            "test the divisor, or start it from the smallest positive value",
        )
