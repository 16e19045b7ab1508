"""One thread counts its block as done after a fence, but no barrier makes it wait for the other threads of the block.

Bad:
    part[i] = x;  __threadfence();  if (threadIdx.x == 0) ticket = atomicInc(&done, gridDim.x - 1);
Good:
    part[i] = x;  __threadfence();  __syncthreads();  if (threadIdx.x == 0) ticket = atomicInc(&done, gridDim.x - 1);

The same holds without a fence where all threads add to what the last block then reads, each with an atomic.

The last block may not see what others have stored where no fence at all stands before the counter.

The same holds for a queue that one thread releases, where other functions of the file wait for the block before they do.

A flag that another block waits for stands behind what that block then reads.

A function that only frees a lock, or a flag that a waiting function of the file reads, has a fence before it:
    void unlock() { atomicExch(word, 0); }          void unlock() { __threadfence();  atomicExch(word, 0); }

Limits: a pattern; counters whose result nobody looks at and other ways to signal are not seen. What a function does whose text is
not in the file may be a fence, for locks and flags of functions; such a flag has to be declared in the file, as a number.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.synchronization.early_flags import early_flags
from cudalint.analysis.synchronization.signal_patterns import early_signals, unordered_releases
from cudalint.analysis.synchronization.unfenced_counters import unfenced_counters
from cudalint.analysis.synchronization.unfenced_releases import unfenced_releases
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("SYN107", "early-signal", Level.ERROR, Subject.TEXT, "a block signals before all of its threads are done")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each counter, and for each release."""
    for issue in early_signals(subject):
        advice = "put __syncthreads() before the counter, and behind the fence where there is one"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "what all threads do before", advice)
    for issue in unfenced_counters(subject):
        advice = "put __threadfence() between the stores and the counter"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "what is stored before", advice)
    for issue in unordered_releases(subject):
        advice = "put __syncthreads() before the release"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the barrier elsewhere", advice)
    for issue in early_flags(subject):
        advice = "store the data, then __threadfence(), then raise the flag"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "what is stored behind it", advice)
    for issue in unfenced_releases(subject):
        advice = "put __threadfence() before it"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "what is stored before", advice)
