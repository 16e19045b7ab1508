"""The bytes of a copy or fill are counted with the size of a pointer, not of what it points to.

Bad:
    float *y = ...;  cudaMemset(y, 0, n * sizeof(y));
Good:
    float *y = ...;  cudaMemset(y, 0, n * sizeof(*y));

Limits: a pattern for pointers that the function declares; elements of 8 bytes are left out.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.memory.pointer_sizes import pointer_sizes
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX131", "pointer-size", Level.ERROR, Subject.TEXT, "bytes that are counted with the size of a pointer")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each call."""
    for issue in pointer_sizes(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "take the size of what the pointer points to")
