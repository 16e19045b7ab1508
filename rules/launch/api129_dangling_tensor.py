"""A launch gets a pointer into a tensor that ended with the statement which asked it for the pointer.

Bad:
    const float *p = x.contiguous().data_ptr<float>();                              // a copy, freed here
    auto y = torch::empty_like(x);   k<<<g, b>>>(p, y.data_ptr<float>());           // y may lie where the copy lay
Good:
    auto c = x.contiguous();   const float *p = c.data_ptr<float>();

Limits: a pattern: pointers in variables of the function, of tensors that are made, converted or copied in the same expression.
A tensor that has the type and the order already is no copy, and the pointer good by chance; one that is checked to be contiguous
is left out.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.memory.dangling_tensors import dangling_tensors
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("API129", "dangling-tensor", Level.ERROR, Subject.TEXT, "a pointer into a tensor that nobody keeps")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each pointer."""
    for issue in dangling_tensors(subject):
        yield guard_finding(
            issue,
            RULE.code,
            RULE.name,
            RULE.level,
            "the kernel gets it here",
            "keep the tensor in a variable of its own",
        )
