"""The logarithm of one and an exponential is taken, which overflows beyond 88, although the result is about the exponent itself.

Bad:
    y[i] = logf(1.f + expf(x[i]));
Good:
    y[i] = x[i] > 20.f ? x[i] : log1pf(expf(x[i]));

Limits: a pattern; an exponent with a minus sign or a clamp, and one that a condition asks about, is left out.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.infinite_logarithms import overflowing_softplus
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE212", "overflowing-softplus", Level.WARNING, Subject.TEXT, "log(1 + exp(x)) of an unbounded x")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in overflowing_softplus(subject):
        yield guard_finding(
            issue,
            RULE.code,
            RULE.name,
            RULE.level,
            "",
            "return x itself where it is large, or max(x, 0) + log1p(exp(-|x|))",
        )
