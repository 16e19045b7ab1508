"""A kernel reads or writes outside a shared array, or outside the shared memory that the launch provides.

Bad:
    __shared__ float tile[256];  tile[threadIdx.x + 1] = x;      // thread 255 writes tile[256]
Good:
    __shared__ float tile[257];

Limits: dynamic shared memory is checked where the launch states its size.
"""

from collections.abc import Iterator

from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.verdicts.defects import Defect
from cudalint.symbolic.verdicts.found import bounds_finding

RULE = Rule("IDX102", "shared-bounds", Level.ERROR, Subject.OBLIGATION, "shared memory access out of bounds")


def check(subject: Defect, context: Context) -> Iterator[Finding]:
    """Findings for accesses of shared memory."""
    obligation = subject.primary
    if obligation.kind == "overflow" or obligation.object is None or obligation.object.memory != "shared":
        return
    advice = f"make `{obligation.object.name}` as large as the block and its halo need, or guard the index"
    yield bounds_finding(subject, RULE.code, RULE.name, context.contract, advice)
