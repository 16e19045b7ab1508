"""Memory or a grid is made for a quotient that is rounded down, and another place of the file rounds the same number up.

Bad:
    size_t groups = channels / 32;  cudaMalloc(&x, groups * bytes);    // int groups = CEIL_DIV(channels, 32) where x is used
Good:
    size_t groups = CEIL_DIV(channels, 32);

Limits: a pattern: the two variables have one name and one divisor, and for a grid one size.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.launch.truncated_sizes import truncated_sizes
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "API110", "truncated-size", Level.ERROR, Subject.TEXT, "a size is rounded down here, and rounded up elsewhere"
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in truncated_sizes(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "where it is rounded up", "round both up")
