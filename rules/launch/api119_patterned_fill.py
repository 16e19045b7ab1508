"""A fill sets every byte to an ordinary number, where the elements have several bytes: 1 becomes 16843009, or 2.4e-38.

Bad:
    cudaMemset(weights, 1, n * sizeof(float));
Good:
    fill<<<grid, block>>>(weights, 1.f, n);

Limits: pointers that the function declares or is passed with their type; 0, -1, 63, 127, 128, 255 and numbers in hexadecimal are
patterns on purpose.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.memory.patterned_fills import patterned_fills
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("API119", "patterned-fill", Level.ERROR, Subject.TEXT, "a fill with a byte in place of an element")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in patterned_fills(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "", "set the elements by a kernel, thrust::fill or a copy"
        )
