"""Vectors lie in shared memory behind as many single elements as the block has warps: they may not be aligned.

Bad:
    extern __shared__ float smem[];   vec.store(smem + num_warps + i * VEC);     // 5 warps: the address is 20 bytes in
Good:
    vec.store(smem + (num_warps + 3) / 4 * 4 + i * VEC);

Limits: a pattern; a kernel that the file only launches with whole groups of four warps is left out.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.memory.vector_offsets import vector_offsets
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX305", "vector-offset", Level.ERROR, Subject.TEXT, "vectors behind a number of elements of the block")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in vector_offsets(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "what moves it", "round it up to whole vectors")
