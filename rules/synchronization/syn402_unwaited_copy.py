"""The text starts an asynchronous copy, or an arrival at a barrier, and reads the memory without ever waiting.

Bad:
    cg::memcpy_async(block, tile, x, sizeof(tile));  y = tile[threadIdx.x];
Good:
    cg::memcpy_async(block, tile, x, sizeof(tile));  cg::wait(block);  y = tile[threadIdx.x];

A wait that allows as many groups in flight as have been committed waits for nothing, either. Nor does one that allows some in the
last rounds of a pipeline, where nothing is committed any more: `if (t + 1 < tiles) { fetch(t + 1); commit(); } wait_prior(1);`.

Limits: a function that waits for anything at all is taken to wait for the right thing. It speaks where copy-read-early and
shared-race could not follow the code.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.synchronization.idle_waits import idle_waits
from cudalint.analysis.synchronization.missed_commits import missed_commits
from cudalint.analysis.synchronization.unwaited_copies import unwaited_copies
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("SYN402", "unwaited-copy", Level.ERROR, Subject.TEXT, "asynchronous copy that nothing waits for")
ADVICE = "wait for it before the read: cg::wait(group), barrier.wait(token) or arrive_and_wait()"


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each array, and for the first wait of a function."""
    for issue in unwaited_copies(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the read", ADVICE)
    for issue in idle_waits(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "what is copied before", "let one group less go on"
        )
    for issue in missed_commits(subject):
        advice = "commit in each round, with or without copies"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the copy, or the condition of its commit", advice)
