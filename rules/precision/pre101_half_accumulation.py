"""A loop adds into a variable of half precision, so that the sum loses what its format cannot hold.

Bad:
    half sum = 0;  for (int i = 0; i < n; i++) sum += x[i];       // beyond 2048 adding 1 changes nothing
Good:
    float sum = 0; for (int i = 0; i < n; i++) sum += __half2float(x[i]);

So does one that is converted in each round, by a cast or a function: `sum = down<half>(up(sum) + v)`. So do both sums of a
pair, `sum2 = __hfma2(a[i], b[i], sum2)`.

Limits: a pattern; arrays of pairs are not followed; sums of few terms are harmless, so left out are loops that end after at
most 16 rounds by their start, bound and step, by what the launches of the file give, or by the array that they go along, those
that halve or double their counter, those over the rows of threads of a block, and those over what a loop in steps of at most 16
has left. So are sums that begin anew within so many rounds, and those that have a part in what is added to them: smoothing,
compensated sums, prefix sums of a warp.
"""

from collections.abc import Iterator

from cudalint import ir
from cudalint.analysis.precision.accumulation import half_accumulations
from cudalint.finding import Evidence, Finding, Fix, Level
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE101", "half-accumulation", Level.WARNING, Subject.FUNCTION, "accumulation in half precision")


def check(subject: ir.Function, context: Context) -> Iterator[Finding]:
    """One finding for each accumulating assignment."""
    for accumulation in half_accumulations(subject, context.unit):
        yield Finding(
            code=RULE.code,
            name=RULE.name,
            level=RULE.level,
            message=f"`{accumulation.name}` accumulates in {accumulation.format}",
            span=accumulation.span,
            root=f"accumulate:{accumulation.name}",
            evidence=Evidence.PATTERN,
            function=subject.name,
            fix=Fix("accumulate in float and convert the result once"),
        )
