"""Rows that are read as vectors begin where their length puts them, which need not be where a vector may lie.

Bad:
    line = reinterpret_cast<const float4*>(x + row * cols);   // with a loop for the last cols % 4 elements
Good:
    one element at a time unless cols % 4 == 0

Limits: a pattern; told only where the kernel itself takes care of a rest of the row, and nothing asks for alignment.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.memory.row_vectors import row_vectors
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX307", "row-vector", Level.ERROR, Subject.TEXT, "vectors in rows that are not aligned")
ADVICE = "read vectors only where the row's length is a multiple of them, or up to the first aligned element by itself"


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each kernel."""
    for issue in row_vectors(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the loop for the rest of a row", ADVICE)
