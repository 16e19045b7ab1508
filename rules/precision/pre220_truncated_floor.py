"""A number that may be negative is cut off towards zero where the next lower integer, or the nearest one, is meant.

Bad:
    int x0 = (int)sx;   float f = sx - x0;   if (x0 >= 0 && x0 < w) ...        // f is negative between -1 and 0
    if (!(sx > -1.f && sx < w)) return 0;  int x0 = (int)sx;  float f = sx - x0;
    int q = max(-128, min(127, (int)(v + 0.5f)));                              // -1.75 becomes -1
Good:
    int x0 = (int)floorf(sx);   float f = sx - x0;   if (x0 >= 0 && x0 < w) ...
    int q = max(-128, min(127, __float2int_rn(v)));

Limits: a pattern: weights of an interpolation where the integer is compared with zero or the number with a negative one, and
roundings by a half that are clamped to a range from below zero. A number that any other condition or a clamp asks about before
its conversion is left out, and so are numbers that are never negative (the thread's place times a scale that the function is
handed, unsigned elements), and weights whose own sign is looked at. Of positive numbers: a row that is found by a product with
the rounded reciprocal of its length, `(int)(i * (1.0f / width))`, unless the row is put right by a step, or all launches of the
file give a power of two.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.reciprocal_rows import reciprocal_rows
from cudalint.analysis.precision.truncated_floors import truncated_floors
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE220", "truncated-floor", Level.WARNING, Subject.TEXT, "a negative number is cut off, not rounded down")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each conversion."""
    for issue in truncated_floors(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "what it is used for", "use floorf(x), or rintf(x) to round"
        )
    for issue in reciprocal_rows(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the rounded reciprocal", "divide the integers: i / width"
        )
