"""A kernel gets memory of the host, or the host reads or writes memory of the device.

Bad:
    float *h = (float *)malloc(n);  k<<<g, b>>>(h);
    cudaMalloc(&d, n);  k<<<g, b>>>(d);  printf("%f", d[0]);
Good:
    cudaMalloc(&d, n);  k<<<g, b>>>(d);  cudaMemcpy(h, d, n, cudaMemcpyDeviceToHost);  printf("%f", h[0]);

Limits: within one function and what it calls directly; programs that ask for pageable memory access may hand out
memory of the host on purpose.
"""

from collections.abc import Iterator

from cudalint import ir
from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.host.misuse_finding import misuse_finding
from cudalint.symbolic.host.misuses import misuses

RULE = Rule(
    "API114", "foreign-memory", Level.ERROR, Subject.HOST, "host memory in a kernel, or device memory on the host"
)


def check(subject: ir.Function, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for misuse in misuses(subject, context.unit):
        if misuse.kind == "side":
            yield misuse_finding(
                misuse, RULE.code, RULE.name, RULE.level, subject, "copy it to the side that works on it"
            )
