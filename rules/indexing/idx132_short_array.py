"""An array that a function declares has fewer elements than its own text takes.

Bad:
    float votes[36];  ...  votes[36] = votes[0];                                        // one more, to close the circle
    float b[PER_THREAD - 1];  for (int k = 0; k < PER_THREAD; ++k) b[k] = 0;
    __shared__ float parts[THREADS];  ...  parts[THREADS] = sum;                        // the result, behind the parts
    __shared__ int shape[AXES];  if (threadIdx.x < AXES + 1) shape[threadIdx.x] = 0;
Good:
    float votes[37];  ...  votes[36] = votes[0];

Limits: a pattern, for functions that no path can be followed through: arrays of one dimension, an index that is made of
numbers, constants, arguments of the template, threads that a condition keeps below such a sum, and counters of loops that
nothing leaves early, and a length that differs from it by a number. Where several accesses take too much, the length is
wrong, else the access. local-bounds and shared-bounds decide the others.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.memory.short_arrays import short_arrays
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX132", "short-array", Level.ERROR, Subject.TEXT, "an array is shorter than what is taken of it")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each array."""
    for issue in short_arrays(subject):
        advice = "declare as many elements as are taken"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the other side", advice)
