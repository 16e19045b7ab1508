"""`1 << n` is an int and is compared with a value of 64 bits or of a template's type, or put into one.

Bad:
    while ((1 << bits) < range) bits++;                          // with int64_t range
    for (int i = 0; i < 64; ++i) if (hit(i)) mask |= 1 << i;      // with uint64_t mask
    uint64_t bit = 1 << (v & 63);   atomicOr(&words[v >> 6], 1 << (v % 64));
Good:
    while ((1ull << bits) < range) bits++;
    for (int i = 0; i < 64; ++i) if (hit(i)) mask |= 1ull << i;

Limits: a pattern for shifts by a counter, and by what is taken modulo more than 32.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.overflow.narrowing import narrow_shifts
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX206", "narrow-shift", Level.ERROR, Subject.TEXT, "an int shifted towards a 64-bit bound")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in narrow_shifts(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "shift 1ull")
