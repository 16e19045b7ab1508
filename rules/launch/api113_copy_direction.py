"""The direction of a copy contradicts whose memory its two sides are.

Bad:
    cudaMemcpy(d, h, n, cudaMemcpyDeviceToHost);
Good:
    cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);

Limits: within one function, for variables that it allocates; memory that it is given, managed memory and
`cudaMemcpyDefault` fit all.
"""

from collections.abc import Iterator

from cudalint import ir
from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.host.misuse_finding import misuse_finding
from cudalint.symbolic.host.misuses import misuses

RULE = Rule("API113", "copy-direction", Level.ERROR, Subject.HOST, "a copy whose direction its buffers contradict")


def check(subject: ir.Function, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for misuse in misuses(subject, context.unit):
        if misuse.kind == "direction":
            yield misuse_finding(
                misuse, RULE.code, RULE.name, RULE.level, subject, "put the destination first, and say where both are"
            )
