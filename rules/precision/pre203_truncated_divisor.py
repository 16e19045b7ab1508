"""A constant divided by a size is 0 for large sizes, and something is divided by it.

Bad:
    int part = 256 / n;  int parts = (m + part - 1) / part;       // n = 257
Good:
    int part = max(256 / n, 1);

Limits: a pattern; a test or a maximum between the two is taken as the guard.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.float_patterns import truncated_divisors
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE203", "truncated-divisor", Level.ERROR, Subject.TEXT, "a divisor that integer division makes zero")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in truncated_divisors(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the division by it", "make it at least 1")
