"""A lane calls a warp operation with a mask that does not name the lane itself.

Bad:
    unsigned m = __ballot_sync(~0u, x > 0);  v = __shfl_sync(m, x, 0);      // lanes with x <= 0 call too
Good:
    unsigned m = __ballot_sync(~0u, x > 0);  if (x > 0) v = __shfl_sync(m, x, __ffs(m) - 1);

Limits: masks are followed where they are constants or the result of a ballot with a full mask.
"""

from collections.abc import Iterator

from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import WarpIssue
from cudalint.symbolic.synchronization.warp_finding import warp_finding

RULE = Rule(
    "SYN302", "mask-without-caller", Level.ERROR, Subject.WARP, "a lane calls a warp operation whose mask leaves it out"
)
ADVICE = "call it under the condition that made the mask, or use the mask of all lanes that call"


def check(subject: WarpIssue, context: Context) -> Iterator[Finding]:
    """The finding of one warp operation."""
    if subject.cause == "caller":
        message = f"the mask of this {subject.op} leaves out a lane that calls it"
        yield warp_finding(subject, RULE.code, RULE.name, RULE.level, context.contract, message, ADVICE)
