"""A loop of the host goes on until a flag of the device is down, and nothing takes it down: it never ends.

Bad:
    cudaMemset(changed, 0, 4);
    do { relax<<<g, b>>>(d, changed);  cudaMemcpy(&again, changed, 4, cudaMemcpyDeviceToHost); } while (again);
Good:
    do { cudaMemset(changed, 0, 4);  relax<<<g, b>>>(d, changed);  cudaMemcpy(&again, changed, 4, cudaMemcpyDeviceToHost); }
    while (again);

Limits: a pattern: flags that the function allocates or that are variables of the file, in loops that end by them alone, with
kernels of the file that only set them to constants.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.loops.standing_flags import standing_flags
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("SYN509", "standing-flag", Level.ERROR, Subject.TEXT, "a loop until a flag is down that nothing takes down")
ADVICE = "set the flag back in each round, before the launch"


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each loop."""
    for issue in standing_flags(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the kernel sets it here", ADVICE)
