"""Two threads of a block touch one element of shared memory in one barrier interval, and one of them writes.

Bad:
    s[threadIdx.x] = x;  y = s[threadIdx.x ^ 1];                  // no barrier between the write and the read
Good:
    s[threadIdx.x] = x;  __syncthreads();  y = s[threadIdx.x ^ 1];

Limits: barriers for some threads of the block only are taken to order all; kernels with calls without a body are not
decided; nothing is assumed of lock-step execution within a warp. Code that counts on it with `volatile` is a warning; `volatile`
between warps is not judged where they may wait for each other.
"""

from collections.abc import Iterator, Sequence

from cudalint.finding import Dim3, Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import Race
from cudalint.symbolic.ordinary import WARP
from cudalint.symbolic.synchronization.race_finding import ordered_sides, race_finding
from cudalint.symbolic.walk.collectives import COLLECTIVE
from cudalint.symbolic.walk.phases import SET_UP
from cudalint.symbolic.walk.pipelines import IN_FLIGHT

RULE = Rule("SYN101", "shared-race", Level.ERROR, Subject.RACE, "data race in shared memory")
ADVICE = "put __syncthreads() between the two accesses, where all threads of the block reach it"
LANES = "put __syncwarp() between the two accesses, a read before it and the write behind it, or use shuffles"


def check(subject: Race, context: Context) -> Iterator[Finding]:
    """The finding of one missing barrier."""
    orders = {subject.first.order, subject.second.order}
    if subject.object.memory != "shared" or orders & {COLLECTIVE, IN_FLIGHT, SET_UP}:
        return
    first, second = ordered_sides(subject)
    threads = [side.thread for side in subject.witness.threads]
    if "volatile" in orders and _are_of_one_warp(threads, subject.witness.launch.block):
        message = (
            f"race on `{subject.object.name}`: this {first.kind} and the {second.kind} at line {second.span.line} "
            "count on the lanes of a warp to run in lock-step, which `volatile` does not make them do since sm_70"
        )
        yield race_finding(subject, RULE.code, RULE.name, Level.WARNING, context.contract, message, LANES)
        return
    message = (
        f"race on `{subject.object.name}`: this {first.kind} and the {second.kind} at line {second.span.line} "
        "are not separated by a barrier"
    )
    yield race_finding(subject, RULE.code, RULE.name, RULE.level, context.contract, message, ADVICE)


def _are_of_one_warp(threads: Sequence[Dim3], block: Dim3) -> bool:
    numbers = {(z * block[1] + y) * block[0] + x for x, y, z in threads}
    return len({number // WARP for number in numbers}) == 1
