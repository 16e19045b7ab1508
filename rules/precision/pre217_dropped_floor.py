"""A divisor, a logarithm or a reciprocal root has no floor, where an otherwise equal statement of the file has one.

Bad:
    __global__ void norm_wide(...) { ...  y[i] = x[i] * rsqrtf(sum / n + eps); }
    __global__ void norm(...)      { ...  y[i] = x[i] * rsqrtf(sum / n); }             // a row of zeros becomes NaN
Good:
    __global__ void norm(...)      { ...  y[i] = x[i] * rsqrtf(sum / n + eps); }

Limits: a pattern; the two statements differ in the floor alone. A value that a condition asks about, or that is bounded where it
is made, is left out.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.dropped_floors import dropped_floors
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE217", "dropped-floor", Level.WARNING, Subject.TEXT, "a floor that the other of two statements has")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each statement."""
    for issue in dropped_floors(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the floor there", "add the same floor")
