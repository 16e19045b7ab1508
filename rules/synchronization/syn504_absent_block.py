"""A loop waits for other blocks of the launch, which may not run before the blocks that wait have ended.

Bad:
    atomicAdd(arrived, 1);  while (*(volatile int*)arrived < gridDim.x) ;        // step<<<n / 256, 256>>>(arrived)
Good:
    cooperative_groups::this_grid().sync();                                      // cudaLaunchCooperativeKernel

Limits: loops and launches of one file, through one call; of a grid that is a member or a parameter as it is, what the file
gives it. Waiting for blocks with smaller numbers, or launches of which the grid is not known to grow, are of medium
confidence; waiting by tickets, for memory that nobody in the kernel changes, in one block alone, or under a grid that is
made of the number of multiprocessors, or compared with it, is not reported, nor is a method of an object whose declared type
is no class of the file.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.synchronization.block_waits import block_waits
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("SYN504", "absent-block", Level.ERROR, Subject.TEXT, "a loop waits for blocks that may not run")
ADVICE = "launch it with cudaLaunchCooperativeKernel and call grid.sync(), bound the grid by the occupancy, or split the kernel"


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each loop."""
    for issue in block_waits(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "what it waits for", ADVICE)
