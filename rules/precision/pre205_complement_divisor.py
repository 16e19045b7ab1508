"""Something is divided by one minus a loaded value, which is zero where the value is one.

Bad:
    g = a / (1 - alpha[i]);
Good:
    g = a / (1 - alpha[i] + 1e-9f);

Limits: a pattern; a test of the value is taken as the guard.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.float_patterns import complement_divisors
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE205", "complement-divisor", Level.WARNING, Subject.TEXT, "a division by one minus a loaded value")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in complement_divisors(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "add a small constant or test the value")
