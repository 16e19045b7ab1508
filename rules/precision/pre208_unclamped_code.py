"""A real number is rounded or cut off into a byte, and nothing keeps it within what a byte holds: too large ones start again below.

Bad:
    q[i] = static_cast<int8_t>(rintf(x[i] * inverse_scale));                              // 128 becomes -128
Good:
    q[i] = static_cast<int8_t>(fminf(fmaxf(rintf(x[i] * inverse_scale), -128.f), 127.f));

Limits: a pattern: elements times or over a scale that the kernel is passed as a number or as the first element of an array, also in
a function of one number that all callers give such products; of medium confidence where the file looks
for a largest value, of which the scale may be made.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.unclamped_codes import unclamped_codes
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE208", "unclamped-code", Level.WARNING, Subject.TEXT, "a rounded number that no byte may hold")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each conversion."""
    for issue in unclamped_codes(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "where it is rounded", "clamp to the range of the type first"
        )
