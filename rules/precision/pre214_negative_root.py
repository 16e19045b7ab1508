"""The root of a difference that is zero at its least, or the arc of a cosine, is NaN where rounding takes it out of its range; a
fast power is NaN for every negative number.

Bad:
    float var = sq / n - mean * mean;   y = sqrtf(var);        angle = acosf(dot(a, b));
    float loss = __powf(a - b, 2.f);
Good:
    y = sqrtf(fmaxf(var, 0.f));                                angle = acosf(fminf(fmaxf(dot(a, b), -1.f), 1.f));
    float loss = (a - b) * (a - b);

Limits: a pattern; variances from mean squares, distances from norms and products, dot products. What is clamped or is
asked about by a condition is left out; variances with a small number added to them are left to `--profile audit`.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.negative_roots import negative_roots
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "PRE214",
    "negative-root",
    Level.WARNING,
    Subject.TEXT,
    "a root or arc of a value that rounding takes out of its range",
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in negative_roots(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "made here", "keep the value within its range first"
        )
