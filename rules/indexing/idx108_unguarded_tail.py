"""A grid is rounded up to whole blocks and the kernel writes at its position, or one side of it, without a comparison.

Bad:
    set<<<(n + 255) / 256, 256>>>(x);   // with x[blockIdx.x * blockDim.x + threadIdx.x] = 1
    __global__ void set(int *x, int n) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }   // and no launch in the file
    for (int k = 0; k < (n + blockDim.x - 1) / blockDim.x; k++) sum += x[k * blockDim.x + threadIdx.x];
    int end = align_to(columns, 32);  for (int c = lane; c < end; c += 32) sum += x[row * columns + c];
    for (; i < round_down(n, 32); i += 32) { take(*p);  p += 32; }   take(*p);
    int i = thread * 4;  if (i < n) v = *(float4 *)(x + i);           // launched for (n + 3) / 4 vectors
    for (int k = 0; k < ITEMS; k++) if (i < n) x[i + k * THREADS] = 0;
Good:
    set<<<(n + 255) / 256, 256>>>(x, n);   // with if (i < n) x[i] = 1

Limits: a pattern for positions along one side of a grid, or along one of two where the other is compared; for rounds that a
function rounds up, or down, itself; for grids that are
not rounded up, only where the kernel gets a struct with a number that is set for it and read nowhere;
where the extent is known, global-bounds decides.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.first_of_several import first_of_several
from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.guards.half_guarded import half_guarded
from cudalint.analysis.guards.lost_remainders import lost_remainders
from cudalint.analysis.guards.sibling_guards import sibling_guards
from cudalint.analysis.guards.unfilled_rounds import unfilled_rounds
from cudalint.analysis.guards.unread_sizes import unasked_counts, unread_members, unread_sizes
from cudalint.analysis.text.tail_patterns import unguarded_tails
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "IDX108", "unguarded-tail", Level.ERROR, Subject.TEXT, "a grid that is rounded up, and a kernel without a guard"
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    told = {issue.function.body.start for issue in sibling_guards(subject)}  # IDX122 says where others ask
    for issue in (*unguarded_tails(subject), *unread_sizes(subject), *half_guarded(subject), *unasked_counts(subject)):
        if issue.function.body.start in told:
            continue
        told.add(issue.function.body.start)
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the rounded-up grid", "give the kernel the size and compare"
        )
    for issue in first_of_several(subject):
        if issue.function.body.start not in told:
            told.add(issue.function.body.start)
            yield guard_finding(
                issue, RULE.code, RULE.name, RULE.level, "the rounded-up grid", "compare the place of each element"
            )
    for issue in unfilled_rounds(subject):
        if issue.function.body.start not in told:
            told.add(issue.function.body.start)
            yield guard_finding(
                issue, RULE.code, RULE.name, RULE.level, "the rounds", "compare the place with the size"
            )
    for issue in lost_remainders(subject):
        if issue.function.body.start not in told:
            yield guard_finding(
                issue, RULE.code, RULE.name, RULE.level, "the whole steps", "compare with the size first"
            )
    for issue in unread_members(subject):
        if issue.function.body.start not in told:
            yield guard_finding(
                issue, RULE.code, RULE.name, RULE.level, "set here", "compare the place with the number"
            )
