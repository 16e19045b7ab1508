"""Two sums of loaded values start from zero and one is divided by the other: where all values are zero the result is NaN.

So it is where a sum over the segment between two offsets is divided by its length, and the segment is empty, and where a sum of
what a mask lets pass divides, which lets nothing pass.

Bad:
    y = weighted / total;                                        // both are sums over the window
    for (e = offsets[i]; e < offsets[i + 1]; ++e) sum += x[e];   y[i] = sum / (offsets[i + 1] - offsets[i]);
    for (c < n) if (keep[c]) sum += expf(x[c] - top);            y[i] = expf(x[i] - top) / sum;
Good:
    y = total > 0 ? weighted / total : 0;

Limits: a pattern; a test of the divisor, a maximum or a small start value is taken as the guard.
"""

from collections.abc import Iterator
from itertools import chain

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.empty_segments import empty_segments
from cudalint.analysis.precision.float_patterns import empty_sums
from cudalint.analysis.precision.masked_sums import masked_sums
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE204", "empty-sum", Level.WARNING, Subject.TEXT, "a quotient of two sums or a mean that can be 0 / 0")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in chain(empty_sums(subject), empty_segments(subject), masked_sums(subject)):
        yield guard_finding(
            issue,
            RULE.code,
            RULE.name,
            RULE.level,
            "",
            "test the divisor, or start it from the smallest positive value",
        )
