"""A loop's step is a size divided by a number and rounded down: where the size is smaller, the loop never ends.

Bad:
    int step = channels / 64;  for (int c = 0; c < channels; c += step) ...
Good:
    int step = max(1, channels / 64);  for (int c = 0; c < channels; c += step) ...

Limits: a pattern: steps made of threads and blocks are left out, and functions that check the size or its remainder.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.loops.zero_steps import zero_steps
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("SYN502", "zero-step", Level.WARNING, Subject.TEXT, "a loop whose step is zero for small sizes")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in zero_steps(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "what the step is", "take at least one")
