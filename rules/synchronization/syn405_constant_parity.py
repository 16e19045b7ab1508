"""A loop waits for the same parity of a barrier in every round, so that only the first wait is one.

Bad:
    for (int k = 0; k < n; ++k) { begin_copy(bar);  while (!bar.try_wait_parity(0)) ;  use(tile); }
Good:
    for (int k = 0; k < n; ++k) { begin_copy(bar);  while (!bar.try_wait_parity(k & 1)) ;  use(tile); }

Limits: waits by functions that say in their names that they wait for a parity, or for an mbarrier, with a constant in the text.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.synchronization.barrier_parities import constant_parities
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("SYN405", "constant-parity", Level.ERROR, Subject.TEXT, "a wait in a loop for one parity of a barrier")
ADVICE = "change the parity with every phase that the barrier has ended"


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each wait."""
    for issue in constant_parities(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the barrier", ADVICE)
