"""Blocks count on a flag or counter that is raised without a fence behind the data it stands for.

Bad:
    part[blockIdx.x] = sum;  last = atomicAdd(&done, 1) == gridDim.x - 1;  if (last) total(part);
    while (atomicCAS(lock, 0, 1)) ;  *sum += x;  atomicExch(lock, 0);          // the lock is free before the sum is there
Good:
    part[blockIdx.x] = sum;  __threadfence();  last = atomicAdd(&done, 1) == gridDim.x - 1;  if (last) total(part);

Limits: a fence anywhere between the data and the atomic is enough; the scope of the atomic is not compared with the fence's.
"""

from collections.abc import Iterator

from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import Race
from cudalint.symbolic.synchronization.race_finding import ordered_sides, race_finding

RULE = Rule("SYN104", "unfenced-flag", Level.ERROR, Subject.RACE, "flag or counter raised without a fence")
ADVICE = (
    "put __threadfence() between the write and the atomic, and __syncthreads() where another thread does the atomic"
)

LOCK_ADVICE = "put __threadfence() behind taking the lock and before giving it back"


def check(subject: Race, context: Context) -> Iterator[Finding]:
    """The finding of data that may arrive after their flag."""
    if not subject.unfenced or subject.object.memory != "global":
        return
    first, second = ordered_sides(subject)
    if subject.locked:
        message = (
            f"this {first.kind} of `{subject.object.name}` may become visible after the lock around it is free again"
        )
        yield race_finding(subject, RULE.code, RULE.name, RULE.level, context.contract, message, LOCK_ADVICE)
        return
    message = (
        f"this {first.kind} of `{subject.object.name}` may become visible after the flag that the {second.kind} "
        f"at line {second.span.line} relies on"
    )
    yield race_finding(subject, RULE.code, RULE.name, RULE.level, context.contract, message, ADVICE)
