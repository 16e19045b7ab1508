"""A guard holds the flat index against all elements, where threads behind the end of a row already read the next one.

Bad:
    for (int c = 0; c < cols; c += blockDim.x) { int i = c + threadIdx.x + row * cols;  if (i < rows * cols) sum += x[i]; }
Good:
    for (int c = 0; c < cols; c += blockDim.x) { int i = c + threadIdx.x + row * cols;  if (c + threadIdx.x < cols) sum += x[i]; }

Limits: a pattern: the loop has to count to the length of the row, and the product of the guard to name it.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.guards.row_tails import flat_guards
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX113", "flat-guard", Level.ERROR, Subject.TEXT, "a flat guard around the elements of one row")
ADVICE = "compare the place in the row with the length of the row"


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in flat_guards(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the index of an element of a row", ADVICE)
