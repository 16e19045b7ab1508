"""A loop leaves the other elements undone: its body does not depend on its counter, or its step is its own end.

Bad:
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += n) y[i] = x[i];     // gridDim.x * blockDim.x is meant
    for (int i = 0; i < 32; i += 8) tile[ty][tx] = in[index];
Good:
    for (int i = 0; i < 32; i += 8) tile[ty + i][tx] = in[index + i * width];

Limits: a pattern; loops that are named as repetitions are left out, and so are steps to the end where every launch of the file
supplies a thread for each element.
"""

from collections.abc import Iterator

from cudalint.analysis.coordinates.slips import idle_loops
from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.loops.single_rounds import single_rounds
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "IDX111", "idle-loop", Level.WARNING, Subject.TEXT, "a loop that writes the same elements in every iteration"
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in idle_loops(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "use the counter in the index")
    for issue in single_rounds(subject):
        advice = "go on by the number of threads of the grid"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the end that is the step", advice)
