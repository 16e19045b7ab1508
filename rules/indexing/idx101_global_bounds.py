"""A kernel reads or writes global memory outside the allocation.

Bad:
    out[blockIdx.x * blockDim.x + threadIdx.x] = 0;              // the last block has threads beyond n
Good:
    if (i < n) out[i] = 0;

Limits: an access whose pointer has no known extent is not decided (`cudalint verify` lists it with the annotation that
would settle it); neither is one whose index comes from memory that nothing bounds. Rows that are longer than they are
apart, where one header that is read from a file says both, are left to `--profile audit`.
"""

from collections.abc import Iterator

from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.verdicts.defects import Defect
from cudalint.symbolic.verdicts.found import bounds_finding

RULE = Rule("IDX101", "global-bounds", Level.ERROR, Subject.OBLIGATION, "global memory access out of bounds")


def check(subject: Defect, context: Context) -> Iterator[Finding]:
    """Findings for accesses of global and constant memory."""
    obligation = subject.primary
    if obligation.kind == "overflow" or obligation.object is None:
        return
    if obligation.object.memory in ("global", "constant"):
        advice = f"guard the access with the extent of `{obligation.object.name}`, or check the sizes before the launch"
        yield bounds_finding(subject, RULE.code, RULE.name, context.contract, advice)
