"""A grid is a size divided by what a block does, rounded down: the rest is lost, and a small size launches nothing.

Bad:
    int rows_per_block = max(1024 / cols, 1);  k<<<rows / rows_per_block, 1024>>>(x);
    k<<<n / 256, 256>>>(x, n);               // with if (i < n) x[i] = 1
    int blocks = n / 256;  if (blocks > 1024) blocks = 1024;  k<<<blocks, 256>>>(x, n);   // no block at all for n < 256
    dim3 block(32, 8);  k<<<div_up(n, block.x), block>>>(x, n);   // int i = blockIdx.x * blockDim.y + threadIdx.y
    if (n < 0) return;  k<<<(n + 255) / 256, 256>>>(x, n);        // no block at all for n == 0
Good:
    int rows_per_block = max(1024 / cols, 1);  k<<<(rows + rows_per_block - 1) / rows_per_block, 1024>>>(x, rows);
    k<<<(n + 255) / 256, 256>>>(x, n);
    dim3 block(32, 8);  k<<<div_up(n, block.y), block>>>(x, n);

Limits: a pattern: constants count as divisors only where the kernel compares its place with the size, or another side of
the grid is rounded up; functions that look at a remainder are left out.
"""

from collections.abc import Iterator

from cudalint.analysis.launch.empty_grids import empty_grids
from cudalint.analysis.launch.floored_grids import floored_grids
from cudalint.analysis.launch.launch_findings import launch_finding
from cudalint.analysis.launch.launch_patterns import truncated_grids
from cudalint.analysis.launch.mismatched_parts import mismatched_parts
from cudalint.analysis.launch.zero_sizes import zero_sizes
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("API108", "truncated-grid", Level.WARNING, Subject.TEXT, "a grid that leaves out the last rows")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place of a launch that is wrong."""
    wrongs = {wrong.place.start: wrong for wrong in (*floored_grids(subject), *truncated_grids(subject))}
    for _, wrong in sorted(wrongs.items()):
        why = "the rest of the division is left out, and a quotient of zero launches nothing"
        yield launch_finding(
            wrong, RULE.code, RULE.name, RULE.level, why, "round the division up, and guard the last rows"
        )
    for wrong in empty_grids(subject):
        if wrong.place.start not in wrongs:
            why = "a size of less than one block launches nothing, which is an error"
            yield launch_finding(wrong, RULE.code, RULE.name, RULE.level, why, "round the division up")
    for wrong in zero_sizes(subject):
        why = "a size of zero, which is let through, launches no block, which is an error"
        yield launch_finding(
            wrong, RULE.code, RULE.name, RULE.level, why, "return before the launch where there is nothing"
        )
    for wrong in mismatched_parts(subject):
        why = "what lies behind has no block"
        yield launch_finding(wrong, RULE.code, RULE.name, RULE.level, why, "divide by what a block takes")
