"""A running maximum is still minus infinity where the data mask every value so far, and the exponential of inf - inf is NaN.

Bad:
    if (!mask[j]) s = -INFINITY;  float next = fmaxf(m, s);  sum = sum * expf(m - next) + expf(s - next);
Good:
    float p = next == -INFINITY ? 0.f : expf(s - next);

Limits: a pattern: maxima that begin at minus infinity, of values that become minus infinity under a condition of loaded data;
a function that tests for infinity anywhere is left alone, and so are masks by position alone, as causal ones. The maximum of a
whole row is told of where the code asks whether its sum is zero: else that a row has an element is left to the callers.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.masked_maxima import masked_maxima
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE207", "masked-maximum", Level.WARNING, Subject.TEXT, "a maximum of nothing but masked values")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each maximum."""
    for issue in masked_maxima(subject):
        advice = "take 0 for the exponential where the maximum is -inf, or mask with a large finite number"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the data mask a value here", advice)
