"""Memory is given back to another allocator than the one that made it: it is not freed, or the heap is damaged.

Bad:
    cudaMallocHost(&h, n);  ...  free(h);
    cudaMalloc(&d, n);  ...  cudaFreeHost(d);
Good:
    cudaMallocHost(&h, n);  ...  cudaFreeHost(h);
    cudaMalloc(&d, n);  ...  cudaFree(d);

Limits: within one function, for variables whose address goes nowhere else; memory that was registered is left out.
"""

from collections.abc import Iterator

from cudalint import ir
from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.host.misuse_finding import misuse_finding
from cudalint.symbolic.host.misuses import misuses

RULE = Rule("API133", "mismatched-free", Level.ERROR, Subject.HOST, "memory that goes back to another allocator")


def check(subject: ir.Function, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for misuse in misuses(subject, context.unit):
        if misuse.kind == "released":
            yield misuse_finding(
                misuse, RULE.code, RULE.name, RULE.level, subject, "free it with the counterpart of its allocator"
            )
