"""The statement after a guard without braces is indented like the guarded one and uses the guarded index.

Bad:
    if (i < n)
        a[i] = 0;
        b[i] = 0;
Good:
    if (i < n) {
        a[i] = 0;
        b[i] = 0;
    }

Limits: a pattern of lines and columns.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.guards.missing_guards import unbraced_guards
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX107", "unbraced-guard", Level.ERROR, Subject.TEXT, "a guard without braces covers one statement of two")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in unbraced_guards(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the guard that ends before it", "put braces around both"
        )
