"""The largest of floats is found by comparing their bits as integers, which orders the negative ones the wrong way round.

Bad:
    out[t] = -FLT_MAX;   atomicMax((int *)&out[t], __float_as_int(v));
Good:
    if (v >= 0) atomicMax((int *)&out[t], __float_as_int(v)); else atomicMin((unsigned *)&out[t], __float_as_uint(v));

Limits: a pattern: elements of memory that the kernel is given, and maxima that begin with the lowest number, in files that set
something to the lowest number.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.ordered_bits import ordered_bits
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE221", "ordered-bits", Level.WARNING, Subject.TEXT, "negative floats that are compared by their bits")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each comparison."""
    for issue in ordered_bits(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "made here", "use atomicMin on unsigned bits for negative numbers"
        )
