"""Every thread, or every block, sets up its generator in the same way: all of them draw the same random numbers.

Bad:
    curand_init(seed, 0, 0, &state);
Good:
    curand_init(seed, i, 0, &state);

Limits: a pattern: generators of kernels whose seed, sequence and offset are made of parameters and places alone. Those that are
kept in memory, in a file that sets up others too, may belong to requests with seeds of their own: medium confidence.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.shared_sequences import shared_sequences
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE224", "shared-sequence", Level.WARNING, Subject.TEXT, "all threads draw the same random numbers")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each generator."""
    for issue in shared_sequences(subject):
        yield guard_finding(
            issue,
            RULE.code,
            RULE.name,
            RULE.level,
            "set up here",
            "give each thread a sequence: its index in the launch",
        )
