"""Two threads of a block touch one element of shared memory in one barrier interval, and one of them writes.

Bad:
    s[threadIdx.x] = x;  y = s[threadIdx.x ^ 1];                  // no barrier between the write and the read
Good:
    s[threadIdx.x] = x;  __syncthreads();  y = s[threadIdx.x ^ 1];

Limits: kernels with named, split or cluster barriers, asynchronous copies or calls without a body are not decided; nothing is
assumed of lock-step execution within a warp.
"""

from collections.abc import Iterator

from cudalint.finding import Evidence, Finding, Fix, Level, Related
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.model import Race
from cudalint.symbolic.phrases import coordinates

RULE = Rule("SYN101", "shared-race", Level.ERROR, Subject.RACE, "data race in shared memory")


def check(subject: Race, context: Context) -> Iterator[Finding]:
    """The finding of one missing barrier."""
    first, second = sorted((subject.first, subject.second), key=lambda access: (access.kind == "read", access.span))
    threads = " and ".join(f"thread {coordinates(side.thread)}" for side in subject.witness.threads)
    related = Related(second.span, f"{second.kind} of `{subject.object.name}` by another thread of the block")
    yield Finding(
        code=RULE.code,
        name=RULE.name,
        level=RULE.level,
        message=f"race on `{subject.object.name}`: this {first.kind} and the {second.kind} at line {second.span.line} "
        "are not separated by a barrier",
        span=first.span,
        root=f"{subject.object.name}:{first.kind}:{second.kind}",
        confidence=subject.confidence,
        evidence=Evidence.WITNESS,
        assumptions=subject.facts,
        witness=subject.witness,
        trigger=f"{threads} of one block meet at {subject.object.name}[{subject.witness.index}]",
        launch_site=context.contract.launch_site if context.contract else None,
        related=(*((related,) if second.span != first.span else ()), *subject.related),
        fix=Fix("put __syncthreads() between the two accesses, where all threads of the block reach it"),
    )
