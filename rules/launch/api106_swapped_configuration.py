"""The grid and the block of a launch, or the sides of its grid, are in the wrong order.

Bad:
    k<<<threads, blocks>>>(x);
    k<<<dim3(width / 256, rows), 256>>>(x, width);        // if (blockIdx.y * 256 + threadIdx.x < width)
Good:
    k<<<blocks, threads>>>(x);
    k<<<dim3(rows, width / 256), 256>>>(x, width);

Limits: a pattern: names that say what they are count, and sizes that the kernel compares along another side of the grid.
"""

from collections.abc import Iterator

from cudalint.analysis.launch.crossed_sides import crossed_sides
from cudalint.analysis.launch.launch_findings import launch_finding
from cudalint.analysis.launch.launch_patterns import swapped_configurations
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("API106", "swapped-configuration", Level.WARNING, Subject.TEXT, "a grid, block or sides in the wrong order")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place of a launch that is wrong."""
    for wrong in swapped_configurations(subject):
        why = "the grid comes first"
        yield launch_finding(wrong, RULE.code, RULE.name, RULE.level, why, "swap the two")
    for wrong in crossed_sides(subject):
        why = "one of them has too few blocks"
        yield launch_finding(wrong, RULE.code, RULE.name, RULE.level, why, "swap the sides of the grid")
