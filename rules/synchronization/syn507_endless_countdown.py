"""A loop counts an unsigned number down until it is negative, which it never is: it does not end, and leaves its data.

Bad:
    for (unsigned t = steps - 1; t >= 0; --t) total += x[t];
Good:
    for (unsigned t = steps; t-- > 0;) total += x[t];

Limits: a pattern: loops that are not left from within, and in which no other condition asks about the number.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.loops.endless_countdowns import endless_countdowns
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("SYN507", "endless-countdown", Level.ERROR, Subject.TEXT, "an unsigned number is counted down below zero")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each loop."""
    for issue in endless_countdowns(subject):
        yield guard_finding(
            issue,
            RULE.code,
            RULE.name,
            RULE.level,
            "counted down here",
            "count with a signed number, or test before: i-- > 0",
        )
