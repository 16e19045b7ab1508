"""A warp operation's mask names lanes that do not come to it.

Bad:
    if (lane < 16) v += __shfl_down_sync(0xffffffff, v, 8);       // lanes 16 to 31 are named and never arrive
Good:
    v += __shfl_down_sync(0xffffffff, v, 8);                       // all lanes; or the mask 0x0000ffff under the condition

Limits: masks are followed where they are constants or the result of a ballot with a full mask; lanes that have left the kernel need
not arrive.
"""

from collections.abc import Iterator

from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import WarpIssue
from cudalint.symbolic.synchronization.warp_finding import warp_finding

RULE = Rule("SYN301", "divergent-warp-mask", Level.ERROR, Subject.WARP, "a warp mask names lanes that go another way")
ADVICE = "move the operation out of the condition, or make the mask of the lanes that take it: __ballot_sync before the branch"


def check(subject: WarpIssue, context: Context) -> Iterator[Finding]:
    """The finding of one warp operation."""
    if subject.cause == "absent":
        message = f"the mask of this {subject.op} names lanes of the warp that do not reach it"
        yield warp_finding(subject, RULE.code, RULE.name, RULE.level, context.contract, message, ADVICE)
