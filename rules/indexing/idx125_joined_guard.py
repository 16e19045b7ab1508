"""A guard of several coordinates lets those pass of which one is inside and the other is not.

Bad:
    if (x >= width && y >= height) return;  image[y * width + x] = 0;
    int x = floorf(fx), y = floorf(fy);  if (x >= 0 && x < width && y >= 0) sum += image[y * width + x];
Good:
    if (x >= width || y >= height) return;
    if (x >= 0 && x < width && y >= 0 && y < height) sum += image[y * width + x];

Limits: a pattern: the guard compares nothing but places in the launch with sizes that the kernel is given; of a window
three sides are asked about, for coordinates that come out of real numbers, or that a function is handed beside an end that it never
reads.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.guards.half_windows import half_windows
from cudalint.analysis.guards.joined_guards import joined_guards
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX125", "joined-guard", Level.ERROR, Subject.TEXT, "a guard that needs every coordinate to be outside")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in joined_guards(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the guard", "one outside is enough: swap && and ||"
        )
    for issue in half_windows(subject):
        advice = "compare the other one with its end, too"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "beside it", advice)
