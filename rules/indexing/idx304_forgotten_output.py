"""Threads that leave the kernel early set one of its outputs and leave the others as their memory was.

Bad:
    if (!mask[tile]) { color[p] = background; return; }
    color[p] = sum;  depth[p] = d;
Good:
    if (!mask[tile]) { color[p] = background; depth[p] = 0; return; }

Limits: a pattern; an output that tells by its name whether or how many of the others count excuses them, and one that is set to a
value named for none, such as unassigned.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.initialisation.forgotten_outputs import forgotten_outputs
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "IDX304", "forgotten-output", Level.ERROR, Subject.TEXT, "threads that leave early set one output of several"
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in forgotten_outputs(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "where the others set it", "set every output there"
        )
