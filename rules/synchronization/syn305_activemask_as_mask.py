"""`__activemask()` is the mask of a shuffle between lanes: it says who happens to run together, not who should take part.

Bad:
    unsigned m = __activemask();  v += __shfl_down_sync(m, v, 16);          // the lanes may have been split before
Good:
    v += __shfl_down_sync(0xffffffff, v, 16);                               // or a mask from __ballot_sync before the branch

Limits: one lane that acts for those that happen to be active (a leader by `__ffs`, `__match_any_sync`) is right, and not reported.
"""

from collections.abc import Iterator

from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import WarpIssue
from cudalint.symbolic.synchronization.warp_finding import warp_finding

RULE = Rule("SYN305", "activemask-as-mask", Level.WARNING, Subject.WARP, "__activemask() as the mask of an exchange")
ADVICE = "compute the mask before the branch with __ballot_sync, or use the full mask where all lanes arrive"


def check(subject: WarpIssue, context: Context) -> Iterator[Finding]:
    """The finding of one warp operation."""
    if subject.cause == "activemask":
        message = f"the mask of this {subject.op} is __activemask(): lanes that should take part may be missing"
        yield warp_finding(subject, RULE.code, RULE.name, RULE.level, context.contract, message, ADVICE)
