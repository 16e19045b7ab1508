"""The width of a shuffle is not a power of two up to 32; the result is undefined.

Bad:
    v = __shfl_sync(0xffffffff, v, 0, 24);
Good:
    v = __shfl_sync(0xffffffff, v, 0, 16);

Limits: widths are checked where they are constants after inlining and instantiation.
"""

from collections.abc import Iterator

from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import WarpIssue
from cudalint.symbolic.synchronization.warp_finding import warp_finding

RULE = Rule("SYN306", "shuffle-width", Level.ERROR, Subject.WARP, "a shuffle's width is no power of two up to 32")
ADVICE = "use 2, 4, 8, 16 or 32"


def check(subject: WarpIssue, context: Context) -> Iterator[Finding]:
    """The finding of one warp operation."""
    if subject.cause == "width":
        message = f"the width of this {subject.op} is not a power of two up to 32"
        yield warp_finding(subject, RULE.code, RULE.name, RULE.level, context.contract, message, ADVICE)
