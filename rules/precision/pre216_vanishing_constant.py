"""A number that is converted to half precision is too small for it, and becomes zero: an epsilon that protects nothing.

Bad:
    y[i] = x[i] / (norm + __float2half(1e-8f));                   // 0 / 0 where the norm is zero
Good:
    y[i] = __float2half(__half2float(x[i]) / (__half2float(norm) + 1e-8f));

Limits: positive numbers that stand there, or that are known where the kernel is compiled; bfloat16 has the range of float.
"""

from collections.abc import Iterator

from cudalint import ir
from cudalint.analysis.precision.vanishing_constants import vanishing_constants
from cudalint.finding import Evidence, Finding, Fix, Level
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "PRE216", "vanishing-constant", Level.WARNING, Subject.FUNCTION, "a small number that half precision makes zero"
)


def check(subject: ir.Function, context: Context) -> Iterator[Finding]:
    """One finding for each number of a statement."""
    for vanished in vanishing_constants(subject):
        yield Finding(
            code=RULE.code,
            name=RULE.name,
            level=RULE.level,
            message=f"{vanished.value:g} becomes 0 in {vanished.format}",
            span=vanished.span,
            root=f"vanish:{vanished.value:g}:{vanished.span.line}",
            evidence=Evidence.PATTERN,
            function=subject.name,
            fix=Fix("add it in float, and convert the result once"),
        )
