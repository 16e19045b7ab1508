"""A loop adds real numbers to a variable for whole ones, which drops a fraction in every round.

Bad:
    int sum = 0;  for (int i = t; i < n; i += 256) sum += fabsf(x[i]);       // 0 where all of them are below 1
Good:
    float sum = 0.f;  for (int i = t; i < n; i += 256) sum += fabsf(x[i]);

So does a sum of thrust or std that begins with a whole number: `thrust::reduce(x.begin(), x.end(), 0)` of floats adds up in int.

Limits: a pattern: `+=` and `-=` of a variable of the function, inside a loop; what was rounded before is whole on purpose. A sum
of thrust or std whose result is whole, too, is of medium confidence.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.truncated_device_sums import truncated_device_sums
from cudalint.analysis.precision.truncated_sums import truncated_sums
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "PRE218", "truncated-sum", Level.ERROR, Subject.TEXT, "a sum of real numbers that integers are too coarse for"
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each step."""
    for issue in truncated_sums(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "declare the sum as float")
    for issue in truncated_device_sums(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "begin with 0.0f")
