"""A barrier in shared memory is used by threads that do not know that it has been set up.

Bad:
    if (threadIdx.x == 0) init(&bar, blockDim.x);  bar.arrive_and_wait();
Good:
    if (threadIdx.x == 0) init(&bar, blockDim.x);  __syncthreads();  bar.arrive_and_wait();

Limits: barriers of `cuda::barrier`; those that inline PTX sets up by their numbers are not told apart.
"""

from collections.abc import Iterator

from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import Race
from cudalint.symbolic.synchronization.race_finding import race_finding
from cudalint.symbolic.walk.phases import SET_UP

RULE = Rule("SYN403", "unready-barrier", Level.ERROR, Subject.RACE, "a barrier is used before it is set up for all")
ADVICE = "put __syncthreads() between setting the barrier up and the first use by other threads"


def check(subject: Race, context: Context) -> Iterator[Finding]:
    """The finding of a barrier that one thread sets up while another arrives."""
    accesses = (subject.first, subject.second)
    if SET_UP not in (access.order for access in accesses):
        return
    other = next((access for access in accesses if access.order != SET_UP), subject.second)
    what = "set up by another thread" if other.order == SET_UP else "used"
    message = (
        f"the barrier `{subject.object.name}` may be {what} at line {other.span.line} before it has been set up here"
    )
    yield race_finding(subject, RULE.code, RULE.name, RULE.level, context.contract, message, ADVICE)
