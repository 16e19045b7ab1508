"""A function allocates memory for its caller into its own copy of the pointer: the caller never sees the memory.

Bad:
    void upload(float *d, const float *h, int n) { cudaMalloc(&d, n * sizeof(float));  cudaMemcpy(d, h, ...); }
Good:
    void upload(float **d, const float *h, int n) { cudaMalloc(d, n * sizeof(float));  cudaMemcpy(*d, h, ...); }

Limits: a pattern: parameters that are plain pointers; one that is returned, stored, freed or given to other functions is left out.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.memory.lost_allocations import lost_allocations
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("API134", "lost-allocation", Level.ERROR, Subject.TEXT, "memory that is allocated into a copy of a pointer")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each allocation."""
    for issue in lost_allocations(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "passed by value", "take the pointer by reference: float *&d"
        )
