"""A launch passes the pointer of a tensor that lies in the memory of the host: the kernel cannot read it.

Bad:
    auto scales = torch::tensor({1.f, 0.5f});                        k<<<g, b>>>(scales.data_ptr<float>());
    auto sums = torch::zeros({n}, torch::kFloat);                    k<<<g, b>>>(sums.data_ptr<float>());
Good:
    auto scales = torch::tensor({1.f, 0.5f}).to(x.device());         k<<<g, b>>>(scales.data_ptr<float>());
    auto sums = torch::zeros({n}, x.options());                      k<<<g, b>>>(sums.data_ptr<float>());

Limits: a pattern, for tensors that the function itself makes or copies to the CPU; options in variables of which nothing is known,
and what callers pass, are left out, and so is a file that pins memory.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.memory.host_tensors import host_tensors
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "API128", "host-tensor", Level.ERROR, Subject.TEXT, "the memory of a CPU tensor in the arguments of a launch"
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each argument."""
    for issue in host_tensors(subject):
        yield guard_finding(
            issue,
            RULE.code,
            RULE.name,
            RULE.level,
            "it is made here",
            "make it with the options of a tensor of the device",
        )
