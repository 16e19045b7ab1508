"""The body of a loop does not depend on its counter, so that the other elements are left undone.

Bad:
    for (int i = 0; i < 32; i += 8) tile[ty][tx] = in[index];
Good:
    for (int i = 0; i < 32; i += 8) tile[ty + i][tx] = in[index + i * width];

Limits: a pattern; loops that are named as repetitions are left out.
"""

from collections.abc import Iterator

from cudalint.analysis.guard_findings import guard_finding
from cudalint.analysis.slips import idle_loops
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "IDX111", "idle-loop", Level.WARNING, Subject.TEXT, "a loop that writes the same elements in every iteration"
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in idle_loops(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "use the counter in the index")
