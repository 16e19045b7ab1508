"""A grid is a size divided by a number of rows that was worked out before: the rest is lost, and few rows launch nothing.

Bad:
    int rows_per_block = max(1024 / cols, 1);  k<<<rows / rows_per_block, 1024>>>(x);
Good:
    int rows_per_block = max(1024 / cols, 1);  k<<<(rows + rows_per_block - 1) / rows_per_block, 1024>>>(x, rows);

Limits: a pattern: divisors that are constants are left out, and functions that look at a remainder.
"""

from collections.abc import Iterator

from cudalint.analysis.launch_findings import launch_finding
from cudalint.analysis.launch_patterns import truncated_grids
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("API108", "truncated-grid", Level.WARNING, Subject.TEXT, "a grid that leaves out the last rows")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place of a launch that is wrong."""
    for wrong in truncated_grids(subject):
        why = "the rest of the division is left out, and a quotient of zero launches nothing"
        yield launch_finding(
            wrong, RULE.code, RULE.name, RULE.level, why, "round the division up, and guard the last rows"
        )
