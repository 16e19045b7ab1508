"""The temporary storage of a block-wide primitive (cub) is used again without a barrier in between.

Bad:
    a = BlockReduce(temp).Sum(x);  b = BlockReduce(temp).Sum(y);            // slow threads still read temp for a
Good:
    a = BlockReduce(temp).Sum(x);  __syncthreads();  b = BlockReduce(temp).Sum(y);

Limits: the storage is followed from the constructor of the primitive to its calls; warp-wide primitives are not followed.
"""

from collections.abc import Iterator

from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import Race
from cudalint.symbolic.synchronization.race_finding import ordered_sides, race_finding
from cudalint.symbolic.walk.collectives import COLLECTIVE

RULE = Rule("SYN105", "temp-storage-reuse", Level.ERROR, Subject.RACE, "temporary storage reused without a barrier")
ADVICE = "put __syncthreads() between the two uses, or give each its own storage"


def check(subject: Race, context: Context) -> Iterator[Finding]:
    """The finding of two uses in one barrier interval."""
    if COLLECTIVE not in (subject.first.order, subject.second.order):
        return
    first, second = ordered_sides(subject)
    if first.span == second.span:
        message = f"`{subject.object.name}` is used again in the next iteration without a barrier in between"
    else:
        message = f"`{subject.object.name}` is used here and at line {second.span.line} without a barrier in between"
    yield race_finding(subject, RULE.code, RULE.name, RULE.level, context.contract, message, ADVICE)
