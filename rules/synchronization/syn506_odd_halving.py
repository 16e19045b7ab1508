"""A reduction folds its elements in halves, and the launch gives it a number that is no power of two: some are never added.

Bad:
    for (int s = blockDim.x / 2; s > 0; s /= 2) { if (t < s) sum[t] += sum[t + s];  __syncthreads(); }      // <<<rows, 96>>>
Good:
    for (int n = blockDim.x; n > 1;) { int s = (n + 1) / 2;  if (t + s < n) sum[t] += sum[t + s];  __syncthreads();  n = s; }

Limits: loops that halve a number or sides of the block, and whose body does nothing but the fold, under a launch that is known. A
block whose size callers pass as such is taken to be fit. Whether the elements that are left out matter is not asked.
"""

from collections.abc import Iterator

from cudalint.finding import Confidence, Evidence, Finding, Fix, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import LostHalf

RULE = Rule("SYN506", "odd-halving", Level.ERROR, Subject.HALVED, "a fold in halves leaves elements out")


def check(subject: LostHalf, context: Context) -> Iterator[Finding]:
    """One finding for each loop."""
    name = subject.object.name
    values = ", ".join(f"{key.rpartition(':')[2]} = {value}" for key, value in subject.values)
    begins = f"{values}; " if values else ""
    yield Finding(
        code=RULE.code,
        name=RULE.name,
        level=RULE.level if subject.fixed else Level.WARNING,
        message=f"half of the elements of `{name}` is added to the other half, and of an odd number one is left out",
        span=subject.span,
        root=f"{RULE.name}:{name}",
        confidence=Confidence.HIGH,
        evidence=Evidence.WITNESS,
        trigger=f"{begins}{subject.count} elements: of the last {subject.left} one is added to none",
        launch_site=context.contract.launch_site if context.contract else None,
        fix=Fix("halve (n + 1) / 2 and add where t + s < n, or launch a power of two of threads"),
    )
