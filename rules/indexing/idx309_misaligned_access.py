"""A number or vector is read or written at an address that is no multiple of its size: a kernel that does so stops.

Bad:
    const double *payload = reinterpret_cast<const double *>(packet + 12);          // packet comes from cudaMalloc
    float4 v = *reinterpret_cast<const float4 *>(row + threadIdx.x);
Good:
    const double *payload = reinterpret_cast<const double *>(packet + 16);
    float4 v = *reinterpret_cast<const float4 *>(row + 4 * threadIdx.x);

Limits: memory is taken to begin at a multiple of every size; of numbers from outside only the sizes of tensors count, which
their host function has to check, and others are left alone.
"""

from collections.abc import Iterator

from cudalint.finding import Evidence, Finding, Fix, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import Misaligned
from cudalint.symbolic.verdicts.phrases import coordinates

RULE = Rule("IDX309", "misaligned-access", Level.ERROR, Subject.ALIGNMENT, "an access that its type does not allow")


def check(subject: Misaligned, context: Context) -> Iterator[Finding]:
    """One finding for each object."""
    access, witness = subject.access, subject.witness
    block, thread = coordinates(witness.block), coordinates(witness.thread)
    yield Finding(
        code=RULE.code,
        name=RULE.name,
        level=RULE.level,
        message=f"this {access.kind} of {access.size} bytes of `{access.object.name}` is not aligned to {access.align}",
        span=subject.span,
        root=f"misaligned:{access.object.name}",
        evidence=Evidence.WITNESS,
        assumptions=subject.facts,
        witness=witness,
        trigger=f"block {block} thread {thread}",
        launch_site=context.contract.launch_site if context.contract else None,
        fix=Fix(f"begin at a multiple of {access.align} bytes, or take smaller pieces"),
    )
