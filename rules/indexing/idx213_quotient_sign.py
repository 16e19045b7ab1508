"""A quotient is asked whether it is below zero, and not the number: C rounds towards zero, so that -1 / 16 is 0.

Bad:
    int64_t slot = slots[token], page = slot / size, at = slot % size;  if (page < 0) return;     // slot -1: page 0, place -1
Good:
    if (slot < 0) return;

Limits: a pattern for numbers that are read from memory and divided with a remainder, where nothing asks about the number itself.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.guards.quotient_signs import quotient_signs
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX213", "quotient-sign", Level.ERROR, Subject.TEXT, "a quotient held against zero for its number")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each question."""
    for issue in quotient_signs(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the remainder", "ask the number itself: `slot < 0`"
        )
