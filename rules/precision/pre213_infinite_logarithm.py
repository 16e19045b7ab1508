"""The logarithms of a loaded probability and of its complement are taken: at 0 and 1 one of them is infinite.

Bad:
    loss = -(t * logf(p[i]) + (1.f - t) * logf(1.f - p[i]));
Good:
    loss = -(t * fmaxf(logf(p[i]), -100.f) + (1.f - t) * fmaxf(logf(1.f - p[i]), -100.f));

Limits: a pattern; a logarithm alone is left out, and so is a probability that a condition or a clamp keeps off its ends.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.infinite_logarithms import unbounded_logarithms
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "PRE213", "infinite-logarithm", Level.WARNING, Subject.TEXT, "the logarithms of a probability and of its complement"
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in unbounded_logarithms(subject):
        yield guard_finding(
            issue,
            RULE.code,
            RULE.name,
            RULE.level,
            "",
            "keep the probability off 0 and 1, or the logarithms above a bound",
        )
