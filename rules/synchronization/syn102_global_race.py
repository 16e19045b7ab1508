"""Two threads touch one element of global memory with nothing between them, and one of them writes.

Bad:
    total[0] += x[i];                                             // every thread updates one element: updates are lost
    y[i] = x[i + 1];  x[i] = 0;                                   // another block may have written x[i + 1]
Good:
    atomicAdd(&total[0], x[i]);
    y[i] = x[i + 1];                                              // and x is written by the next launch

Limits: two pointer parameters are taken not to overlap unless the host passes one buffer twice; strides that nothing relates to the
launch are taken to keep rows apart; locks are not modelled; where an index comes from memory whose contents nothing bounds, the
finding is shown in the audit profile. So are updates through an array whose name says that its values are distinct
(`unique_keys`, `permutation`), races that need clamped reads (`x[min(i, n - 1)]`) of idle threads, or rows that the
vector loads of the kernel do not fit. A kernel without a known launch that reads no blockIdx is taken to have one block.
"""

from collections.abc import Iterator

from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import Race
from cudalint.symbolic.synchronization.race_finding import is_lost_update, ordered_sides, race_finding

RULE = Rule("SYN102", "global-race", Level.ERROR, Subject.RACE, "data race in global memory")


def check(subject: Race, context: Context) -> Iterator[Finding]:
    """The finding of one element that several threads use."""
    kinds = {subject.first.kind, subject.second.kind}
    if subject.object.memory != "global" or "atomic" in kinds or subject.unfenced:
        return
    first, second = ordered_sides(subject)
    name = subject.object.name
    if is_lost_update(subject):
        message = f"lost updates of `{name}`: several threads read and write one element without an atomic"
        advice = "use an atomic operation, or let each thread update an element of its own"
    elif subject.across_blocks:
        message = f"race on `{name}`: this {first.kind} and the {second.kind} at line {second.span.line} are of different blocks"
        advice = "give each block elements of its own, use atomics, or split the kernel in two launches"
    else:
        message = (
            f"race on `{name}`: this {first.kind} and the {second.kind} at line {second.span.line} "
            "are not separated by a barrier"
        )
        advice = "give each thread elements of its own, or put __syncthreads() between the two accesses"
    yield race_finding(subject, RULE.code, RULE.name, RULE.level, context.contract, message, advice)
