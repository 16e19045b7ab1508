"""A buffer that lives on between calls is allocated by the first one, for its sizes: a later call with more leaves it.

Bad:
    static float* scratch = nullptr;  if (!scratch) cudaMalloc(&scratch, n * sizeof(float));
    static auto scratch = torch::empty({x.size(0)}, x.options());
Good:
    static size_t held = 0;  if (n > held) { cudaFree(scratch);  cudaMalloc(&scratch, n * sizeof(float));  held = n; }
    auto scratch = torch::empty({x.size(0)}, x.options());

Limits: a pattern within one function: the size comes from its parameters, nothing there compares these with what is held or with a
constant, and nothing else in the file frees the buffer or makes it anew. Functions of which all callers in sight pass the same
constant, or that main calls once, are left out.
"""

from collections.abc import Iterator

from cudalint.analysis.memory.first_call_buffers import first_call_buffers
from cudalint.finding import Confidence, Evidence, Finding, Fix, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "API126", "first-call-buffer", Level.WARNING, Subject.TEXT, "a buffer that keeps the size of the first call"
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each buffer."""
    for found in first_call_buffers(subject):
        yield Finding(
            code=RULE.code,
            name=RULE.name,
            level=RULE.level,
            message=f"`{found.name}` keeps the size of the first call: a later one with a larger `{found.size}` leaves it",
            span=found.made.span,
            root=f"{RULE.name}:{found.function.name}:{found.name}",
            confidence=Confidence.HIGH,
            evidence=Evidence.PATTERN,
            function=found.function.name,
            fix=Fix("keep the size beside the buffer and make it anew when more is needed, or allocate in each call"),
        )
