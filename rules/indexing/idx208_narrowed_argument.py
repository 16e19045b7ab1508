"""A launch casts a size of 64 bits, or of any type, to 32 bits although the kernel would take it as it is.

Bad:
    kernel<<<blocks(n), 128>>>((uint32_t)n, args...);        // with template <typename T> ... T n
    int n = x.numel();  kernel<<<blocks, 128>>>(x, n);       // with ... int64_t n
    int n = volume(sides);  kernel<<<blocks, 128>>>(x, n);   // and int64_t volume(...) of the file multiplies them
    int64_t begin = rank * shard;  kernel<<<b, 128>>>(x, begin, n);    // with ... int begin, int64_t n
Good:
    kernel<<<blocks(n), 128>>>(n, args...);

Limits: a pattern; a kernel that has 32 bits for its sizes is left out, as is a size that is checked before.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.overflow.narrowed_arguments import narrowed_arguments
from cudalint.analysis.overflow.narrowed_on_the_way import narrowed_on_the_way
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX208", "narrowed-argument", Level.WARNING, Subject.TEXT, "a launch cuts a size to 32 bits")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each argument."""
    for issue in narrowed_arguments(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the size", "pass the size as it is")
    for issue in narrowed_on_the_way(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "where it is passed", "keep it in 64 bits all the way"
        )
