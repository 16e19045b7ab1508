"""Exponentials of raw values are summed and divided by, or their logarithm is taken: beyond 88 they overflow to inf.

Bad:
    sum += expf(x[i]);  ...  y[i] /= sum;
    sum += expf(x[i] - row_max);  ...  y[i] = expf(x[i]) / sum;
Good:
    sum += expf(x[i] - row_max);

Limits: a pattern; a kernel that speaks of a maximum, other than to find it, is left out, but for elements whose maximum it finds
or subtracts in other exponentials.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.float_patterns import unshifted_softmaxes
from cudalint.analysis.precision.unshifted_values import unshifted_values
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE202", "unshifted-softmax", Level.ERROR, Subject.TEXT, "a softmax that does not subtract the maximum")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each function."""
    told = list(unshifted_softmaxes(subject))
    functions = {id(issue.function) for issue in told}
    for issue in [*told, *(issue for issue in unshifted_values(subject) if id(issue.function) not in functions)]:
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "subtract the row's maximum in the exponent")
