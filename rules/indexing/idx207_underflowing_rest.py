"""`min(part, n - start)` in unsigned arithmetic, where `part` was rounded up so that the last start can lie beyond n.

Bad:
    size_t part = (n + k - 1) / k;  size_t m = min(part, n - i * part);   // n = 5, k = 4: the last starts at 6
Good:
    size_t start = min(n, i * part);  size_t m = min(part, n - start);

Limits: a pattern.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.overflow.narrowing import underflowing_rests
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX207", "underflowing-rest", Level.ERROR, Subject.TEXT, "an unsigned rest that wraps")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in underflowing_rests(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "clamp the start first")
