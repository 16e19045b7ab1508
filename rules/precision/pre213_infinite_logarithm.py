"""The logarithms of a loaded probability and of its complement are taken: at 0 and 1 one of them is infinite.

So is `p * log(p)`, which is NaN where p is 0.

Bad:
    loss = -(t * logf(p[i]) + (1.f - t) * logf(1.f - p[i]));
    entropy -= p[i] * logf(p[i]);
Good:
    loss = -(t * fmaxf(logf(p[i]), -100.f) + (1.f - t) * fmaxf(logf(1.f - p[i]), -100.f));

Limits: a pattern; a logarithm of something else than its factor is left out, and so is a probability that a condition or a clamp
keeps off its ends.
"""

from collections.abc import Iterator
from itertools import chain

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.infinite_logarithms import unbounded_logarithms, vanishing_products
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE213", "infinite-logarithm", Level.WARNING, Subject.TEXT, "the logarithm of a probability that can be 0")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in chain(unbounded_logarithms(subject), vanishing_products(subject)):
        yield guard_finding(
            issue,
            RULE.code,
            RULE.name,
            RULE.level,
            "",
            "keep the probability off 0 and 1, or the logarithms above a bound",
        )
