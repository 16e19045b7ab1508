"""A cast stands before a unary plus: the operand between them is gone.

Bad:
    size_t i = (size_t)row * (size_t) + (size_t)col;
Good:
    size_t i = (size_t)row * (size_t)cols + (size_t)col;

Limits: a pattern.
"""

from collections.abc import Iterator

from cudalint.analysis.coordinates.slips import casts_of_a_sign
from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX203", "cast-of-sign", Level.ERROR, Subject.TEXT, "a cast that fell on a unary plus")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in casts_of_a_sign(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "write the missing operand")
