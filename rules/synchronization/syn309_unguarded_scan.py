"""A scan of a warp adds what a shuffle brings on every lane: those below the distance get their own value, and count it twice.

Bad:
    for (int d = 1; d < 32; d *= 2) { int up = __shfl_up_sync(~0u, sum, d);  sum += up; }
Good:
    for (int d = 1; d < 32; d *= 2) { int up = __shfl_up_sync(~0u, sum, d);  if (lane >= d) sum += up; }

Limits: a pattern: sums and products in a for loop over distances that reach 16, which no lane leaves, with `__shfl_up_sync` or the
shfl_up of a cooperative group itself. Told where lanes other than the last one, which has the right sum, take it behind the loop.
What a device function gives back only counts where its name says that it is a scan; one that is called a reduction is left out.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.synchronization.unguarded_scans import unguarded_scans
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("SYN309", "unguarded-scan", Level.ERROR, Subject.TEXT, "a scan that adds a lane's own value again")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each sum."""
    for issue in unguarded_scans(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "taken here", "add it where lane >= distance only")
