"""An exponential stands above and below a fraction, so that large inputs give inf / inf, which is NaN.

Bad:
    float e = expf(2 * x);  y = (e - 1) / (e + 1);               // NaN from x = 45 on
Good:
    y = tanhf(x);

Limits: a pattern; exponentials of negated or shifted arguments are left out, as are fractions behind isinf or isfinite of the
exponential.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.float_patterns import overflowing_ratios
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE201", "overflowing-ratio", Level.ERROR, Subject.TEXT, "an exponential above and below a fraction")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in overflowing_ratios(subject):
        yield guard_finding(
            issue,
            RULE.code,
            RULE.name,
            RULE.level,
            "",
            "use a function without the overflow, such as tanhf, or divide by the exponential first",
        )
