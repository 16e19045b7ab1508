"""Two arguments of a launch are named like each other's parameters.

Bad:
    __global__ void wave(float4 *out, int width, int height);   wave<<<grid, block>>>(out, mesh_height, mesh_width);
Good:
    wave<<<grid, block>>>(out, mesh_width, mesh_height);

So are two sides of one thing, `in.size.width, in.size.height`, for parameters that are called `src_h, src_w`.

Limits: a pattern: names of at least three letters, where each holds all words of the other's parameter, or widths, heights, rows
and columns; what is transposed by its name is left out, and sides of which the file gives the kernel both orders.
"""

from collections.abc import Iterator
from itertools import chain

from cudalint.analysis.launch.launch_findings import launch_finding
from cudalint.analysis.launch.swapped_arguments import swapped_arguments
from cudalint.analysis.launch.swapped_sides import swapped_sides
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("API111", "swapped-arguments", Level.ERROR, Subject.TEXT, "two arguments of a launch are swapped")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each pair."""
    found = {wrong.place.start: wrong for wrong in chain(swapped_sides(subject), swapped_arguments(subject))}
    for wrong in found.values():
        why = "each is named like the other's parameter"
        yield launch_finding(wrong, RULE.code, RULE.name, RULE.level, why, "swap the two")
