"""A guard of several coordinates lets those pass of which one is inside and the other is not.

Bad:
    if (x >= width && y >= height) return;  image[y * width + x] = 0;
Good:
    if (x >= width || y >= height) return;

Limits: a pattern: the guard compares nothing but places in the launch with sizes that the kernel is given.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.guards.joined_guards import joined_guards
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX125", "joined-guard", Level.ERROR, Subject.TEXT, "a guard that needs every coordinate to be outside")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in joined_guards(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the guard", "one outside is enough: swap && and ||"
        )
