"""The rows of a tile are stored only where they exist, and loaded wherever the tile has them.

Bad:
    for (j < ROWS) v[j] = q[j * stride_q + i];     for (j < ROWS) if (first + j < len_q) out[...] = v[j];
Good:
    for (j < ROWS) v[j] = first + j < len_q ? q[j * stride_q + i] : 0;

Limits: a pattern: the step between rows has to be called like their number.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.guards.tile_rows import unguarded_rows
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX124", "unguarded-row", Level.ERROR, Subject.TEXT, "rows of the last tile are loaded without a guard")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each kernel."""
    for issue in unguarded_rows(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the guard of the other rows", "guard the load as well"
        )
