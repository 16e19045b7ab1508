"""A shuffle reads from a lane that does not take part: past the end of the block, gone, or not in the mask.

Bad:
    if (i >= n) return;  v += __shfl_down_sync(0xffffffff, v, 16);          // lanes past n have returned and hold nothing
Good:
    float v = i < n ? x[i] : 0.f;  v += __shfl_down_sync(0xffffffff, v, 16);

A result that is read under one condition only (`if (lane + 16 < n) v += other;`) is asked for where that holds.

Limits: a condition on numbers that are read from memory leaves it to the audit profile, and so does one on the number of lanes
in a mask; the source lane is followed for constant widths; xor shuffles for distances that are powers of two;
a block size that a caller names (`block_size`, `threads`) is taken to be a multiple of 32 outside the audit profile.
"""

from collections.abc import Iterator

from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import WarpIssue
from cudalint.symbolic.synchronization.warp_finding import warp_finding

RULE = Rule("SYN303", "shuffle-inactive-lane", Level.ERROR, Subject.WARP, "a shuffle reads a lane that is not there")
ADVICE = "let every lane of the warp reach the shuffle with a neutral value"
CAUSES = {
    "past the block": "this {} reads lanes past the end of the block, whose size is no multiple of 32",
    "exited": "this {} reads lanes that may have returned before it",
    "not named": "this {} reads lanes that its mask does not name",
}


def check(subject: WarpIssue, context: Context) -> Iterator[Finding]:
    """The finding of one warp operation."""
    if subject.cause in CAUSES:
        message = CAUSES[subject.cause].format(subject.op)
        yield warp_finding(subject, RULE.code, RULE.name, RULE.level, context.contract, message, ADVICE)
