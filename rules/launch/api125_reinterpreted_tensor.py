"""A launch takes the memory of a tensor for elements of another width than the tensor was made with.

Bad:
    auto b = bias.to(torch::kHalf);    k<<<g, t>>>(reinterpret_cast<float *>(b.data_ptr()));
    TORCH_CHECK(x.is_cuda() && x.dim() == 2);    k<<<g, t>>>(static_cast<float *>(x.data_ptr()));   // of any type
Good:
    auto b = bias.to(torch::kFloat);   k<<<g, t>>>(reinterpret_cast<float *>(b.data_ptr()));

Limits: a pattern, for tensors that the function itself converts or makes with a type that stands there, taken for one that
stands there or for each of a dispatch; types of one width, and wider types of vectors and bytes, are not compared. For parameters
of functions that the file registers, where the function checks the tensor and asks no tensor for its type.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.memory.given_tensors import untyped_tensors
from cudalint.analysis.memory.reinterpreted_tensors import reinterpreted_tensors
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("API125", "reinterpreted-tensor", Level.ERROR, Subject.TEXT, "a tensor is taken for one of another width")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in reinterpreted_tensors(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the type is chosen here", "convert to the type of the kernel"
        )
    for issue in untyped_tensors(subject):
        yield guard_finding(issue, RULE.code, RULE.name, Level.WARNING, "", "check the type, or use data_ptr<float>()")
