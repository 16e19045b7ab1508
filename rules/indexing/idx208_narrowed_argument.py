"""A launch casts a size of 64 bits, or of any type, to 32 bits although the kernel would take it as it is.

Bad:
    kernel<<<blocks(n), 128>>>((uint32_t)n, args...);        // with template <typename T> ... T n
Good:
    kernel<<<blocks(n), 128>>>(n, args...);

Limits: a pattern; a kernel whose parameter has 32 bits is left out, as is a size that is checked before.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.overflow.narrowed_arguments import narrowed_arguments
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX208", "narrowed-argument", Level.WARNING, Subject.TEXT, "a launch cuts a size to 32 bits")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each argument."""
    for issue in narrowed_arguments(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the size", "pass the size as it is")
