"""The rows of a tile are stored only where they exist, and loaded wherever the tile has them; or only its columns are kept inside.

Bad:
    for (j < ROWS) v[j] = q[j * stride_q + i];     for (j < ROWS) if (first + j < len_q) out[...] = v[j];
    for (i < cols; i += 32) for (j < rows; j += 8) if (i + tx < cols) sum += x[(j + ty) * stride + i + tx];
    for (j = 0; j < TILE; j += 8) if (x < width && y < height) tile[ty + j][tx] = in[(y + j) * width + x];
Good:
    for (j < ROWS) v[j] = first + j < len_q ? q[j * stride_q + i] : 0;

Limits: a pattern: the step between rows has to be called like their number; or both places are the counter of a loop and a
thread of the block, and one of them is compared with the end of its loop; or the first row of a tile is asked about in each
round of a loop that goes on by several rows.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.guards.half_counted import half_counted
from cudalint.analysis.guards.tile_rows import unguarded_rows
from cudalint.analysis.guards.unmoved_guards import unmoved_guards
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
    for issue in half_counted(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the guard of the other place", "guard both places"
        )
    for issue in unmoved_guards(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the row that is used", "compare the row of the round"
        )
