"""Memory is given to a kernel, a copy or a second free after it was freed.

Bad:
    k<<<g, b>>>(d);  cudaFree(d);  cudaMemcpy(h, d, n, cudaMemcpyDeviceToHost);
Good:
    k<<<g, b>>>(d);  cudaMemcpy(h, d, n, cudaMemcpyDeviceToHost);  cudaFree(d);

Limits: within one function, for variables whose address goes nowhere else; members and elements of arrays are left out.
"""

from collections.abc import Iterator

from cudalint import ir
from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.host.misuse_finding import misuse_finding
from cudalint.symbolic.host.misuses import misuses

RULE = Rule("API112", "freed-memory", Level.ERROR, Subject.HOST, "memory that is used after it was freed")


def check(subject: ir.Function, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for misuse in misuses(subject, context.unit):
        if misuse.kind == "freed":
            yield misuse_finding(misuse, RULE.code, RULE.name, RULE.level, subject, "free it behind its last use")
