"""A thread reads or writes outside one of its own local arrays.

Bad:
    float acc[4];  for (int i = 0; i <= 4; i++) acc[i] = 0;
Good:
    float acc[4];  for (int i = 0; i < 4; i++) acc[i] = 0;

Limits: an index that comes from memory is of low confidence.
"""

from collections.abc import Iterator

from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.verdicts.defects import Defect
from cudalint.symbolic.verdicts.found import bounds_finding

RULE = Rule("IDX103", "local-bounds", Level.ERROR, Subject.OBLIGATION, "local array access out of bounds")


def check(subject: Defect, context: Context) -> Iterator[Finding]:
    """Findings for accesses of local arrays."""
    obligation = subject.primary
    if obligation.kind == "overflow" or obligation.object is None or obligation.object.memory != "local":
        return
    advice = f"keep the index below the size of `{obligation.object.name}`"
    yield bounds_finding(subject, RULE.code, RULE.name, context.contract, advice)
