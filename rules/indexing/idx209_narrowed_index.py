"""An index is computed from sizes of 64 bits and kept in a variable of 32.

Bad:
    const int at = row * width + column;  out[at] = x;            // int64_t row, width
Good:
    const int64_t at = row * width + column;  out[at] = x;

Limits: a pattern: two factors of a product are variables of 64 bits, and nothing in the file keeps them small.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.overflow.narrowed_indices import narrowed_indices
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX209", "narrowed-index", Level.WARNING, Subject.TEXT, "an index of 64 bits is kept in 32")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each variable."""
    for issue in narrowed_indices(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the element", "keep the index in 64 bits")
