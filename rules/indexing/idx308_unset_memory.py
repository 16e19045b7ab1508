"""A kernel adds to memory that nothing has set since it was allocated.

Bad:
    cudaMalloc(&sum, sizeof(float));  total<<<grid, block>>>(x, sum, n);             // atomicAdd(sum, part)
    auto out = torch::empty({n}, x.options());  scatter<<<grid, block>>>(x.data_ptr<float>(), out.data_ptr<float>());
Good:
    cudaMalloc(&sum, sizeof(float));  cudaMemset(sum, 0, sizeof(float));  total<<<grid, block>>>(x, sum, n);
    auto out = torch::zeros({n}, x.options());

An input that is never copied to the device, while the others of its launch are, is the same defect, and so is a counter that a
function is given, has a kernel add to and copies back, unless who calls it in the same file may set it.

Classes and functions of the file that only allocate are looked through: `Buffer<float> sum(1);`, `float *sum = make(1);`.

So is a counter whose atomic update decides how the kernel goes on, though nobody takes the counter itself.

Limits: a pattern: local variables that the launch is the first to name, beside other launches that only add to the memory or
read it, and kernels of the same file that neither write the memory nor hand it on.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.initialisation.unset_counters import unset_counters
from cudalint.analysis.initialisation.unset_memory import unset_memory
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX308", "unset-memory", Level.ERROR, Subject.TEXT, "memory that nothing has set is added to")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each allocation, and for each counter."""
    for issue in [*unset_memory(subject), *unset_counters(subject)]:
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "what it held is taken here", "set it before the launch"
        )
