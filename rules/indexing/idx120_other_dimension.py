"""A conditional asks whether one dimension is larger than 1 and then takes its neighbour.

Bad:
    int step = out_w * (kernel_h > 1 ? kernel_w : 1);
Good:
    int step = out_w * (kernel_h > 1 ? kernel_h : 1);

Limits: a pattern for names that differ in their axis alone.
"""

from collections.abc import Iterator

from cudalint.analysis.coordinates.slips import asked_of_another
from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX120", "other-dimension", Level.WARNING, Subject.TEXT, "one dimension is asked about, another is taken")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in asked_of_another(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the dimension that is asked about", "take what was asked about"
        )
