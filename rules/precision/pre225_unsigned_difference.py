"""The size of a difference of unsigned numbers is asked for as a real number: where it should be negative it is near 2^32.

Bad:
    sum += fabsf(a[i] - b[i]);                                   // const unsigned *a, *b: 1 - 2 is 4294967295
Good:
    sum += fabsf((float)a[i] - (float)b[i]);

Limits: a pattern: absolute values and powers of differences of 32 bits that no condition compares; smaller numbers are subtracted
as int.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.unsigned_differences import unsigned_differences
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE225", "unsigned-difference", Level.ERROR, Subject.TEXT, "the size of an unsigned difference")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each difference."""
    for issue in unsigned_differences(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "", "convert the two numbers before the subtraction"
        )
