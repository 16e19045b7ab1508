"""A launch passes the memory of a transposed or expanded tensor, without its strides: the kernel reads it in another order.

Bad:
    auto t = x.transpose(0, 1);                k<<<g, b>>>(t.data_ptr<float>(), t.size(0), t.size(1));
    auto half = x.narrow(1, 0, n / 2);         k<<<g, b>>>(half.data_ptr<float>(), half.size(0), half.size(1));
    TORCH_CHECK(x.stride(1) == 1);             k<<<g, b>>>(x.data_ptr<float>(), x.size(0), x.size(1));
    auto w = weight.contiguous(), y = x;       k<<<g, b>>>(y.data_ptr<float>(), w.data_ptr<float>(), x.size(0), x.size(1));
Good:
    auto t = x.transpose(0, 1).contiguous();   k<<<g, b>>>(t.data_ptr<float>(), t.size(0), t.size(1));

Limits: a pattern, for views that the function makes itself, for parameters of which it checks some strides alone, and for those
that a function of a module takes as they come, beside others that it makes contiguous.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.memory.given_tensors import unasked_beside
from cudalint.analysis.memory.half_checked_strides import half_checked_strides
from cudalint.analysis.memory.reinterpreted_tensors import strided_tensors
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("API124", "strided-tensor", Level.WARNING, Subject.TEXT, "a kernel takes a view for contiguous")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in strided_tensors(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the view is made here", "make it contiguous, or pass its strides"
        )
    for issue in half_checked_strides(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "a stride that is checked", "check the outer stride, or pass it"
        )
    for issue in unasked_beside(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "this one is seen to", "make it contiguous, or pass its strides"
        )
