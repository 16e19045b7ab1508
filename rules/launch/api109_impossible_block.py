"""A launch asks for blocks of more than 1024 threads, or than the kernel's bounds allow: it fails, and the output stays as it was.

Bad:
    dim3 block(64, 32);  k<<<grid, block>>>(x);
    __global__ void __launch_bounds__(128) k(float* x);  k<<<n, 256>>>(x);
    scan<<<1, number_of_blocks>>>(sums);                            // 4096 of them for a million elements
Good:
    dim3 block(32, 32);  k<<<grid, block>>>(x);

Limits: a size that is passed on as it is, or up to a constant, counts by its name alone (API103).
"""

from collections.abc import Iterator

from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.host.demands import LARGEST_BLOCK, Unmet
from cudalint.symbolic.host.unmet_finding import unmet_finding

RULE = Rule("API109", "impossible-block", Level.ERROR, Subject.DEMAND, "a block of more than 1024 threads")


def check(subject: Unmet, context: Context) -> Iterator[Finding]:
    """One finding for each launch that the device refuses."""
    if subject.demand.kind == "block":
        most = "has" if subject.limit == LARGEST_BLOCK else "by its launch bounds has"
        message = f"the launch asks for {subject.needed} threads in a block, which {most} at most {subject.limit}"
        advice = "make the block smaller and launch more of them"
        yield unmet_finding(subject, RULE.code, RULE.name, RULE.level, message, advice)
