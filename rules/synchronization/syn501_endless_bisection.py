"""A bisection over scores starts at their smallest value, which is minus infinity where a score is masked, and never ends.

Bad:
    low = smallest - 1;  do { mid = (low + high) / 2; ... low = mid; } while (above != below);
Good:
    low = isinf(smallest) ? -FLT_MAX : smallest - 1;

Limits: a pattern, where names say that the values are scores or logits.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.loops.endless_bisections import endless_bisections
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("SYN501", "endless-bisection", Level.ERROR, Subject.TEXT, "a bisection between bounds that may be infinite")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in endless_bisections(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "what ends the loop", "begin at a finite value")
