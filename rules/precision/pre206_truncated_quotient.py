"""A quotient of two integers is 0, or has lost its fraction, before it becomes a floating-point number.

Bad:
    float weight = 1 / (k * k);                                  // 0 for every window of more than one element
Good:
    float weight = 1.0f / (k * k);

Limits: a pattern: 1 over an integer, a number over a larger one, a part of a sum over the sum, what is gathered or counted
over a count, an element over a number that is called a total or count, elements of two arrays at one place, a product over a
size less one, and two sizes that the function is passed, whose quotient a real variable begins with or is set to, or, of one
quantity before and behind a change, a cast or a function makes real, and a place over a length as an exponent; where a
remainder is taken, quotients are whole on purpose.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.truncated_quotients import truncated_quotients
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE206", "truncated-quotient", Level.ERROR, Subject.TEXT, "a real number that integer division makes zero")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each quotient."""
    for issue in truncated_quotients(subject):
        yield guard_finding(
            issue,
            RULE.code,
            RULE.name,
            RULE.level,
            "here it is a real number",
            "cast one of the two to float, or write 1.0f for 1",
        )
