"""A launch asks for more than 48 KiB of dynamic shared memory, which an instance of a template fixes, and nobody raises the limit.

Bad:
    constexpr int bytes = Tile<128, 64>::bytes;  k<Tile<128, 64>><<<grid, 256, bytes>>>(x);              // 65536: the launch fails
Good:
    cudaFuncSetAttribute(k<Tile<128, 64>>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);

Limits: sizes that depend on inputs are left to their names (API104); a file that sets an attribute of any kernel is left out.
"""

from collections.abc import Iterator

from cudalint.analysis.launch.raised_limits import raises_limits
from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.host.demands import Unmet
from cudalint.symbolic.host.unmet_finding import unmet_finding

RULE = Rule("API136", "impossible-shared", Level.ERROR, Subject.DEMAND, "a fixed size of shared memory beyond 48 KiB")


def check(subject: Unmet, context: Context) -> Iterator[Finding]:
    """One finding for each launch that the device refuses."""
    if subject.demand.kind == "shared" and not raises_limits(context.unit, context.text):
        message = f"the launch asks for {subject.needed} bytes of dynamic shared memory, more than {subject.limit}"
        advice = "set cudaFuncAttributeMaxDynamicSharedMemorySize before the launch"
        yield unmet_finding(subject, RULE.code, RULE.name, RULE.level, message, advice)
