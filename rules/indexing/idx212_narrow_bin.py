"""The place in an array is kept in a type that has fewer values than the array has elements: those behind are taken for the first.

Bad:
    __shared__ int counts[512];  unsigned char bin = (int)(x[i] * 512);   atomicAdd(&counts[bin], 1);
Good:
    __shared__ int counts[512];  unsigned short bin = (int)(x[i] * 512);  atomicAdd(&counts[bin], 1);

Limits: real numbers that are cut to 8 or 16 bits, and arrays whose number of elements is known; what whole numbers come to is for
the bounds of the access to say.
"""

from collections.abc import Iterator

from cudalint import ir
from cudalint.analysis.overflow.narrow_bins import narrow_bins
from cudalint.finding import Evidence, Finding, Fix, Level
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX212", "narrow-bin", Level.WARNING, Subject.FUNCTION, "a place in a type too small for the array")


def check(subject: ir.Function, context: Context) -> Iterator[Finding]:
    """One finding for each variable."""
    for each in narrow_bins(subject):
        yield Finding(
            code=RULE.code,
            name=RULE.name,
            level=RULE.level,
            message=f"`{each.name}` holds at most {each.largest}, and `{each.array}` has {each.elements} elements",
            span=each.span,
            root=f"narrow-bin:{each.name}:{each.span.line}",
            evidence=Evidence.PATTERN,
            function=subject.name,
            fix=Fix("keep the place in an int"),
        )
