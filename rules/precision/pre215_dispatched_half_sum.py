"""A kernel adds up in the type of its elements, and a dispatch of the file launches it with one of 16 bits, too.

Bad:
    scalar_t sum = 0;   for (int r = 0; r < rows; ++r) sum += x[r * cols + c];     // AT_DISPATCH_FLOATING_TYPES_AND_HALF
Good:
    at::acc_type<scalar_t, true> sum = 0;   for (...) sum += x[r * cols + c];

Limits: a pattern: dispatch macros that name half or bfloat16, launches with `scalar_t` inside them, loops of more than 16 rounds.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.generic_sums import generic_sums
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE215", "dispatched-half-sum", Level.WARNING, Subject.TEXT, "a sum in a type that is dispatched as half")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in generic_sums(subject):
        yield guard_finding(
            issue,
            RULE.code,
            RULE.name,
            RULE.level,
            "",
            "accumulate in at::acc_type or float and convert the result once",
        )
