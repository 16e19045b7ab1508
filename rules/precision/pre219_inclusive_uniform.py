"""An index is made of a uniform number that includes one: it is the number of elements once in a while.

Bad:
    int j = (int)(curand_uniform(&state) * n);   sum += x[j];                  // x[n] where the number is 1
Good:
    int j = min((int)(curand_uniform(&state) * n), n - 1);   sum += x[j];

Limits: a pattern: products of a number of elements and a uniform number of cuRAND, hipRAND or rocRAND, which lies above 0 and goes
up to 1.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.inclusive_uniforms import inclusive_uniforms
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE219", "inclusive-uniform", Level.WARNING, Subject.TEXT, "a random index that may be one too large")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each conversion."""
    for issue in inclusive_uniforms(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "made here", "keep it below the number of elements: min(j, n - 1)"
        )
