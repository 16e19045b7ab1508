"""A copy or fill of the host code is longer than the buffer that it writes or reads.

Bad:
    cudaMalloc(&y, n * sizeof(float));  cudaMemset(y, 0, n * sizeof(y));              // a pointer has 8 bytes
Good:
    cudaMalloc(&y, n * sizeof(float));  cudaMemset(y, 0, n * sizeof(*y));

Limits: in host functions that lead to a launch; where buffer and copy are made of different inputs, only callers know. A copy that
is too long because a size wraps is left to `--profile audit`.
"""

from collections.abc import Iterator

from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.host.demands import Unmet
from cudalint.symbolic.host.unmet_finding import unmet_finding

RULE = Rule("IDX116", "oversized-copy", Level.ERROR, Subject.DEMAND, "a copy or fill longer than its buffer")


def check(subject: Unmet, context: Context) -> Iterator[Finding]:
    """One finding for each side of a copy that is too short."""
    demand = subject.demand
    if demand.kind not in ("write", "read"):
        return
    verb = "writes" if demand.kind == "write" else "reads"
    message = f"`{demand.call}` {verb} {subject.needed} bytes of `{demand.of}`, which has {subject.limit}"
    yield unmet_finding(subject, RULE.code, RULE.name, RULE.level, message, "copy what the buffer was made for")
