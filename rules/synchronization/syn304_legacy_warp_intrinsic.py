"""A warp intrinsic without `_sync`: since sm_70 lanes do not run in lock-step, and which lanes take part is undefined.

Bad:
    v += __shfl_down(v, 16);  if (__any(p)) ...
Good:
    v += __shfl_down_sync(0xffffffff, v, 16);  if (__any_sync(0xffffffff, p)) ...

Limits: code for HIP, where the forms without `_sync` are the usual ones, is reported too.
"""

from collections.abc import Iterator

from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import WarpIssue
from cudalint.symbolic.synchronization.warp_finding import warp_finding

RULE = Rule("SYN304", "legacy-warp-intrinsic", Level.WARNING, Subject.WARP, "warp intrinsic without _sync")
ADVICE = "use the _sync form with the mask of the lanes that take part"


def check(subject: WarpIssue, context: Context) -> Iterator[Finding]:
    """The finding of one warp operation."""
    if subject.cause == "legacy":
        message = f"`{subject.op}` without a mask: which lanes take part is undefined since sm_70"
        yield warp_finding(subject, RULE.code, RULE.name, RULE.level, context.contract, message, ADVICE)
