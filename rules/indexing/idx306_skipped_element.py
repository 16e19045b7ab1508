"""One loop leaves out elements of a thread's array under a condition; a later loop adds up all of them.

Bad:
    for (int i = 0; i < 4; ++i) { if (row[i] < 0) continue;  v[i] = x[row[i]]; }
    for (int i = 0; i < 4; ++i) sum += v[i];
    if (i >= R) tile[t - R] = x[i - R];  __syncthreads();  for (int k = -R; k <= R; ++k) sum += tile[t + k];
Good:
    for (int i = 0; i < 4; ++i) { v[i] = 0;  if (row[i] < 0) continue;  v[i] = x[row[i]]; }
    tile[t - R] = i >= R ? x[i - R] : 0;

Limits: a pattern for arrays at the counter of two loops with one bound, and for the border in front of a shared tile, which is read
wherever the thread has an element. Not told where the tile has another name, or is set anywhere but at the thread's own place and
behind that, nor where what is made of the border is used on a condition.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.initialisation.skipped_elements import skipped_elements
from cudalint.analysis.initialisation.unset_borders import unset_borders
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX306", "skipped-element", Level.ERROR, Subject.TEXT, "a loop skips elements that a later loop takes")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in skipped_elements(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "where it is taken", "set every element first")
    for issue in unset_borders(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "where it is read", "set it to zero otherwise")
