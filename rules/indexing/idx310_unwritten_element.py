"""Elements of a result that no thread of the launch writes: the caller gets whatever the memory held.

Bad:
    auto y = torch::empty_like(x);  k<<<n / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());  return y;
    if (threadIdx.x < cols) out[row * cols + threadIdx.x] = v;               // blocks of 256, rows of any length
Good:
    k<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);          // with if (i < n)
    for (int c = threadIdx.x; c < cols; c += blockDim.x) out[row * cols + c] = v;

The host function makes the memory without values, gives it to one launch, and returns or copies back all of it, or
gives it to an operation that takes every element (`torch::softmax`).

Limits: small launches that were run; memory that is filled by what other memory holds, by several launches, or handed out in
part, and sizes that nothing relates to those of the memory are left out, as is what rounds a size up.
"""

from collections.abc import Iterator

from cudalint.finding import Evidence, Finding, Fix, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.host.text import plain
from cudalint.symbolic.issues import Unwritten
from cudalint.symbolic.verdicts.phrases import coordinates

RULE = Rule("IDX310", "unwritten-element", Level.ERROR, Subject.UNWRITTEN, "elements of a result that nothing writes")


def check(subject: Unwritten, context: Context) -> Iterator[Finding]:
    """One finding for each result."""
    name, launch = subject.object.name, subject.launch
    sizes = ", ".join(f"{plain(size)} = {value}" for size, value in subject.values[:8])
    shape = f"grid {coordinates(launch.grid)} block {coordinates(launch.block)}"
    yield Finding(
        code=RULE.code,
        name=RULE.name,
        level=RULE.level,
        message=f"no thread writes `{name}[{subject.first}]`, and nothing else does: {subject.missing} of "
        f"{subject.count} elements are left as their memory was",
        span=subject.span,
        root=f"unwritten:{name}",
        evidence=Evidence.EMULATED,
        assumptions=subject.facts,
        trigger=f"{sizes}; {shape}" if sizes else shape,
        launch_site=context.contract.launch_site if context.contract else None,
        fix=Fix("let the launch come to every element, or give the memory values when it is made"),
    )
