"""A loop multiplies a 32-bit value until it passes a bound, and the value can wrap to below the bound again.

Bad:
    for (int d = 0; d < 3 && stride <= size; d++) stride *= n;   // n = 65536: 2^32 is 0
Good:
    for (int d = 0; d < 3 && stride <= size; d++) stride *= n;   // with uint64_t stride

Limits: a pattern: factors that are constants are left out.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.overflow.narrowing import wrapping_powers
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX205", "wrapping-power", Level.WARNING, Subject.TEXT, "a power that wraps before its bound")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in wrapping_powers(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the bound", "use 64 bits, or bound the factor first"
        )
