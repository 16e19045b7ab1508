"""A kernel that may start before the one in front of it has ended reads or writes its memory without having waited for it.

Bad:
    __global__ void use(const float* x, float* y) { float v = x[i];  cudaGridDependencySynchronize();  y[i] = v; }
    attr.val.programmaticStreamSerializationAllowed = 1;  fill<<<g, b>>>(x);  cudaLaunchKernelEx(&config, use, x, y);
Good:
    __global__ void use(const float* x, float* y) { cudaGridDependencySynchronize();  float v = x[i];  y[i] = v; }

Limits: launches and kernels of one file. Where no earlier kernel of the same host function stores to the memory, what is read
before the wait may be constant: medium confidence. A function that the file does not define is taken to wait.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.synchronization.dependent_launches import early_reads
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "SYN110",
    "early-dependent-access",
    Level.ERROR,
    Subject.TEXT,
    "access before the kernel in front has been waited for",
)
ADVICE = (
    "call cudaGridDependencySynchronize() (griddepcontrol.wait) before the first access to memory of earlier kernels"
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each kernel."""
    for issue in early_reads(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "launched here", ADVICE)
