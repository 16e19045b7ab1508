"""`min(part, n - start)` in unsigned arithmetic, where `part` was rounded up so that the last start can lie beyond n.

So with the length of a row less one, where the row may be empty.

Bad:
    size_t part = (n + k - 1) / k;  size_t m = min(part, n - i * part);   // n = 5, k = 4: the last starts at 6
    for (unsigned j = 0; j < end - begin - 1; ++j) ...                    // begin = offsets[i], end = offsets[i + 1]
Good:
    size_t start = min(n, i * part);  size_t m = min(part, n - start);

Limits: a pattern; a function that compares the length, or one of both ends, with anything else is left out.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.overflow.empty_rows import underflowing_lengths
from cudalint.analysis.overflow.narrowing import underflowing_rests
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX207", "underflowing-rest", Level.ERROR, Subject.TEXT, "an unsigned rest that wraps")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in underflowing_rests(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "clamp the start first")
    for issue in underflowing_lengths(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "add to the left side what is subtracted")
