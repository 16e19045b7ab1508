"""The last block is found by a counter that nobody sets back, so that only the first launch has one.

Bad:
    __device__ unsigned done;  ...  ticket = atomicAdd(&done, 1);  if (ticket == gridDim.x - 1) finish();
Good:
    if (ticket == gridDim.x - 1) { finish();  if (threadIdx.x == 0) done = 0; }
    ticket = atomicInc(&done, gridDim.x - 1);        // it begins anew by itself

A counter that is set before a loop of launches, and read back in each round, counts on from round to round, too, where the list
that it counts begins anew or the loop ends when it is zero.

A counter that a function reads behind its own launch, and sets nowhere, counts on in the second call. Nothing is said where the
function takes the difference to what it has kept, sets it against a number that counts on, too, or leaves the program by it.

Limits: a pattern; counters that are variables of the file, whose name stands nowhere else, in kernels that may be launched again:
not from `std::call_once`, from the beginning of a static variable or behind a flag that stays set. Of counters that are passed to
the kernel, those of loops are looked at, where the loop has no other name for their memory and what is added is positive by sight.
"""

from collections.abc import Iterator
from itertools import chain

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.loops.standing_counters import standing_counters
from cudalint.analysis.synchronization.read_counters import counted_on
from cudalint.analysis.synchronization.unreset_counters import unreset_counters
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("SYN505", "unreset-counter", Level.ERROR, Subject.TEXT, "a counter that only the first launch can use")
ADVICE = "let the last block set the counter to zero, or count with atomicInc and gridDim.x - 1"


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each counter."""
    for issue in unreset_counters(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the counter", ADVICE)
    for issue in chain(counted_on(subject), standing_counters(subject)):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "added to here", "set it to zero before the launch"
        )
