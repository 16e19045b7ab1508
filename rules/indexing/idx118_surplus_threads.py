"""A loop steps by the number of workers, the grid is rounded up, and the threads behind the last worker work as well.

Bad:
    for (int i = tid; i < n; i += workers) slots[tid].work(i);      // launched with ceil(workers / 256) blocks
Good:
    if (tid < workers) for (int i = tid; i < n; i += workers) slots[tid].work(i);

Limits: a pattern: the launch has to stand in the same file, and the thread's own number has to be used in the loop.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.loops.surplus_threads import surplus_threads
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX118", "surplus-threads", Level.ERROR, Subject.TEXT, "threads behind the last worker take part")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in surplus_threads(subject):
        advice = "compare the thread's number with the number of workers before the loop"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the rounded-up grid", advice)
