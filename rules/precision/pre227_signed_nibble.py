"""Of the two numbers in a signed byte the lower one is taken with a mask, and the upper one brings the sign of the byte along.

Bad:
    low = (packed[i] & 15) - 8;   high = (packed[i] >> 4) - 8;             // const int8_t *packed: -8 to 7, less 8
Good:
    low = (packed[i] & 15) - 8;   high = ((packed[i] >> 4) & 15) - 8;

Limits: a pattern: signed bytes in variables and elements, in functions that do not work on the sign of four bits.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.signed_nibbles import signed_nibbles
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE227", "signed-nibble", Level.ERROR, Subject.TEXT, "four bits of a signed byte with its sign")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each upper half."""
    for issue in signed_nibbles(subject):
        advice = "take uint8_t, or mask both halves with 15"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the lower half is masked", advice)
