"""A kernel that waits for the whole grid is launched as if it did not: the barrier fails, or never ends.

Bad:
    cg::this_grid().sync();                          // in step(), launched by step<<<blocks, 256>>>(x)
Good:
    cudaLaunchCooperativeKernel(step, blocks, 256, args);

Limits: a pattern: barriers of `grid_group` in the kernel or in a device function of the file that it calls; a kernel that asks
`is_valid()` is left out.
"""

from collections.abc import Iterator

from cudalint.analysis.launch.launch_findings import launch_finding
from cudalint.analysis.launch.plain_grid_launches import plain_grid_launches
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "API117", "uncooperative-launch", Level.ERROR, Subject.TEXT, "a grid barrier in a launch that is not cooperative"
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each launch."""
    for wrong in plain_grid_launches(subject):
        yield launch_finding(
            wrong,
            RULE.code,
            RULE.name,
            RULE.level,
            "a launch in <<<>>> is not cooperative",
            "launch it by cudaLaunchCooperativeKernel, with no more blocks than are resident at once",
        )
