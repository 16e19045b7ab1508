"""The width of a shuffle is not a power of two up to 32, or no larger than the distance: the lane gets its own value.

Bad:
    v = __shfl_sync(0xffffffff, v, 0, 24);
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d, 16);     // the first round doubles each value
Good:
    v = __shfl_sync(0xffffffff, v, 0, 16);
    for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d, 16);

Limits: widths and distances are checked where they are constants after inlining, instantiation and unrolling.
"""

from collections.abc import Iterator

from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import WarpIssue
from cudalint.symbolic.synchronization.warp_finding import warp_finding

RULE = Rule("SYN306", "shuffle-width", Level.ERROR, Subject.WARP, "a shuffle's width is no power of two, or too small")
ADVICE = "use 2, 4, 8, 16 or 32"
WIDER = "use a width of twice the distance or more, or begin with half of the width"


def check(subject: WarpIssue, context: Context) -> Iterator[Finding]:
    """The finding of one warp operation."""
    if subject.cause == "width":
        message = f"the width of this {subject.op} is not a power of two up to 32"
        yield warp_finding(subject, RULE.code, RULE.name, RULE.level, context.contract, message, ADVICE)
    if subject.cause == "distance":
        message = f"the width of this {subject.op} is no larger than the distance: each lane gets its own value"
        yield warp_finding(subject, RULE.code, RULE.name, RULE.level, context.contract, message, WIDER)
