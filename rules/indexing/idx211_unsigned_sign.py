"""A difference of unsigned numbers is asked whether it is below zero: it never is, and instead of -1 it is 4294967295.

Bad:
    unsigned first = i - radius;  if (first < 0) first = 0;              // max(i - radius, 0) alike
Good:
    unsigned first = i < radius ? 0 : i - radius;                        int first = max((int)i - radius, 0);

Limits: differences of 32 bits and more, as the kernel is compiled; one that another comparison may keep in bounds, or whose two
numbers are compared, is left out, as is the end of a loop.
"""

from collections.abc import Iterator

from cudalint import ir
from cudalint.analysis.overflow.unsigned_signs import unsigned_signs
from cudalint.finding import Evidence, Finding, Fix, Level
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX211", "unsigned-sign", Level.WARNING, Subject.FUNCTION, "an unsigned difference held against zero")


def check(subject: ir.Function, context: Context) -> Iterator[Finding]:
    """One finding for each difference."""
    for sign in unsigned_signs(subject):
        what = f"`{sign.name}`" if sign.name else "this difference"
        asked = "is held against 0" if sign.asked == "against 0" else f"is asked whether it {sign.asked}"
        yield Finding(
            code=RULE.code,
            name=RULE.name,
            level=RULE.level,
            message=f"{what} {asked}, and is unsigned: where it should be negative it is near 2^32",
            span=sign.span,
            root=f"unsigned-sign:{sign.name}:{sign.span.line}",
            evidence=Evidence.PATTERN,
            function=subject.name,
            fix=Fix("compare the two numbers before the subtraction, or subtract them as signed ones"),
        )
