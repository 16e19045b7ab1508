"""Of three numbered values in a row the last repeats its neighbour.

Bad:
    s11 = nb[1];  s12 = nb[2];  s13 = nb[2];
Good:
    s13 = nb[3];

Limits: a pattern: names and values have to count in step before.
"""

from collections.abc import Iterator

from cudalint.analysis.coordinates.slips import repeated_dimensions
from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX110", "repeated-dimension", Level.WARNING, Subject.TEXT, "a dimension that was copied, not counted on")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in repeated_dimensions(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the value that is repeated", "count on")
