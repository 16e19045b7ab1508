"""A grid is rounded up to whole blocks and the kernel writes at its position, or one side of it, without a comparison.

Bad:
    set<<<(n + 255) / 256, 256>>>(x);   // with x[blockIdx.x * blockDim.x + threadIdx.x] = 1
    __global__ void set(int *x, int n) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }   // and no launch in the file
Good:
    set<<<(n + 255) / 256, 256>>>(x, n);   // with if (i < n) x[i] = 1

Limits: a pattern for positions along one side of a grid, or along one of two where the other is compared; for grids that are
not rounded up, only where the kernel gets a struct with a number that is set for it and read nowhere;
where the extent is known, global-bounds decides.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.guards.half_guarded import half_guarded
from cudalint.analysis.guards.sibling_guards import sibling_guards
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
    for issue in unread_members(subject):
        if issue.function.body.start not in told:
            yield guard_finding(
                issue, RULE.code, RULE.name, RULE.level, "set here", "compare the place with the number"
            )
