"""Leaders of warps write where all elements of their warp are behind the end.

Bad:
    while (first < n) { int i = first + threadIdx.x;  ...  if (threadIdx.x % 32 == 0) words[i / 32] = vote; }
Good:
    while (first < n) { int i = first + threadIdx.x;  ...  if (i < n && threadIdx.x % 32 == 0) words[i / 32] = vote; }

Limits: a pattern: the loop has to hold the block's first element against the size, and the kernel the thread's own one.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.guards.leader_patterns import unchecked_leaders
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX115", "unchecked-leader", Level.ERROR, Subject.TEXT, "leaders write although their warp has no element")
ADVICE = "let leaders write only where their element exists"


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in unchecked_leaders(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the block goes on while its first element exists", ADVICE
        )
