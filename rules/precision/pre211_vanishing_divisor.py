"""A norm or a largest magnitude divides, which is zero where all elements are: a row of zeros becomes NaN.

Bad:
    for (...) s += x[i] * x[i];   y[i] = x[i] * rsqrtf(s);
Good:
    for (...) s += x[i] * x[i];   y[i] = x[i] * rsqrtf(s + eps);

Limits: a pattern; sums and moving averages of squares and of absolute values, and their largest, gathered in the function, also
through shared memory, shuffles and reductions. What any condition asks about is left out, also by
a variable that says it, or counts it.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.vanishing_divisors import vanishing_divisors
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE211", "vanishing-divisor", Level.WARNING, Subject.TEXT, "a division by a norm that may be zero")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in vanishing_divisors(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "add a small number, or ask for zero first")
