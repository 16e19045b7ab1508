"""A row is multiplied with the number of rows, where the length of a row was meant.

Bad:
    if (col < N) for (int k = 0; k < K; k++) sum += b[col * N + k];
Good:
    if (col < N) for (int k = 0; k < K; k++) sum += b[col * K + k];

Limits: a pattern for indices of two coordinates that are compared with one size each, both given to the kernel.
"""

from collections.abc import Iterator

from cudalint.analysis.guard_findings import guard_finding
from cudalint.analysis.own_strides import own_strides
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX129", "crossed-stride", Level.ERROR, Subject.TEXT, "a row is multiplied with the number of rows")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each product."""
    for issue in own_strides(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the element", "multiply with the length of a row")
