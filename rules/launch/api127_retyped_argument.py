"""A launch hands a kernel elements of one type, and the kernel takes them for another one.

Bad:
    TORCH_CHECK(idx.scalar_type() == torch::kLong);   k<<<g, t>>>(reinterpret_cast<int *>(idx.data_ptr()));
    k((g,), (t,), (cp.random.rand(n), 0.5))           # of k(const float *x, float a): both are doubles
Good:
    auto ids = idx.to(torch::kInt);                   k<<<g, t>>>(ids.data_ptr<int>());
    k((g,), (t,), (cp.random.rand(n, dtype=cp.float32), cp.float32(0.5)))

Limits: tensors and arrays whose type a check, a dispatch or what made them settles, and numbers of Python whose type stands there;
kernels that are no templates.
Bytes, vectors, integers over memory of 16 bits, and types of one width (but for half and bfloat16) are left out, as memory is
packed like that on purpose; so are Python's integers for narrower ones, whose low bytes are the number.
"""

from collections.abc import Iterator

from cudalint.finding import Confidence, Evidence, Finding, Fix, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.host.retyped import Retyped

RULE = Rule(
    "API127", "retyped-argument", Level.ERROR, Subject.RETYPED, "an argument that the kernel takes for another type"
)


def check(subject: Retyped, context: Context) -> Iterator[Finding]:
    """One finding for each argument."""
    of = f"`{subject.of}` holds {subject.held}" if subject.of else f"what is passed is {subject.held}"
    yield Finding(
        code=RULE.code,
        name=RULE.name,
        level=RULE.level,
        message=f"{of}, and the kernel takes {subject.parameter} for {subject.taken}",
        span=subject.span,
        root=f"{RULE.name}:{subject.function}:{subject.kernel}:{subject.parameter}",
        confidence=Confidence.HIGH,
        evidence=Evidence.PATTERN,
        kernel=subject.kernel,
        function=subject.function,
        fix=Fix("convert it to the type of the parameter before the launch"),
    )
