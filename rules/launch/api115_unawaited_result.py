"""The host reads or writes managed or pinned memory while a kernel or copy may still be at work on it.

A copy from pinned memory reads it when its turn comes: what the host writes there before that is copied. A kernel that is given
pinned memory, or another address of it (cudaHostGetDevicePointer), may store there until it has ended.

Bad:
    cudaMallocManaged(&x, n);  k<<<g, b>>>(x);  printf("%f", x[0]);
Good:
    cudaMallocManaged(&x, n);  k<<<g, b>>>(x);  cudaDeviceSynchronize();  printf("%f", x[0]);

Limits: within one function and what it calls directly; any call that is not known counts as one that waits; volatile
accesses are left out.
"""

from collections.abc import Iterator

from cudalint import ir
from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.host.misuse_finding import misuse_finding
from cudalint.symbolic.host.misuses import misuses

RULE = Rule(
    "API115", "unawaited-result", Level.ERROR, Subject.HOST, "managed memory that the host uses without waiting"
)


def check(subject: ir.Function, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for misuse in misuses(subject, context.unit):
        if misuse.kind == "unawaited":
            yield misuse_finding(
                misuse,
                RULE.code,
                RULE.name,
                RULE.level,
                subject,
                "wait for the device before the host goes on: cudaDeviceSynchronize()",
            )
