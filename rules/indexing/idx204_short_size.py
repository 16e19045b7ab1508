"""A device function takes a number of rows, columns or tokens in 16 bits, or a function returns bytes in 16 bits.

Bad:
    __device__ void mask(float *x, int16_t max_col);             // keys beyond 32767 are cut off
Good:
    __device__ void mask(float *x, int max_col);

Limits: a pattern of names and types.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.overflow.narrowing import short_sizes
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX204", "short-size", Level.WARNING, Subject.TEXT, "a size in 16 bits")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in short_sizes(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "use int or size_t")
