"""An allocation has room for fewer bytes than its number of elements takes.

Bad:
    float2 *v;  cudaMalloc(&v, n * sizeof(float));
    float *m;   cudaMalloc(&m, n);                      // elsewhere n * sizeof(float)
Good:
    float2 *v;  cudaMalloc(&v, n * sizeof(float2));
    float *m;   cudaMalloc(&m, n * sizeof(float));

Limits: a pattern: of types whose size the language fixes, and of products with one number of elements; a size without any
`sizeof` counts where the file multiplies the same number with one.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.memory.short_allocations import short_allocations
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX126", "short-allocation", Level.ERROR, Subject.TEXT, "an allocation too small for its elements")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each allocation."""
    for issue in short_allocations(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "multiply with the size of the element")
