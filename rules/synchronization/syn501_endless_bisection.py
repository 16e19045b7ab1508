"""A bisection comes to bounds that a round does not change, and never ends: minus infinity of a masked score, or neighbours.

Bad:
    low = smallest - 1;  do { mid = (low + high) / 2; ... low = mid; } while (above != below);
    while (lo < hi) { mid = (lo + hi) / 2;  if (x[mid] <= key) lo = mid; else hi = mid - 1; }
Good:
    low = isinf(smallest) ? -FLT_MAX : smallest - 1;
    while (lo < hi) { mid = (lo + hi + 1) / 2;  if (x[mid] <= key) lo = mid; else hi = mid - 1; }

Limits: a pattern. Of floating bounds it is told where names say that the values are scores or logits; of integers where the bounds
and the data alone decide about a round, and nothing but a match leaves the loop.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.loops.endless_bisections import endless_bisections
from cudalint.analysis.loops.stuck_bisections import stuck_bisections
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "SYN501",
    "endless-bisection",
    Level.ERROR,
    Subject.TEXT,
    "a bisection between bounds that a round may leave as they are",
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in endless_bisections(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "what ends the loop", "begin at a finite value")
    for issue in stuck_bisections(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the middle of the bounds", "round the middle to the other side"
        )
