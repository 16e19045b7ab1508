"""A number of rows or tokens is the y or z side of a grid, which has at most 65535 blocks.

Bad:
    dim3 grid(cols / 256, rows);  k<<<grid, 256>>>(x);           // 65536 rows are an invalid launch
Good:
    dim3 grid(rows, cols / 256);  k<<<grid, 256>>>(x);           // grid.x goes up to 2^31 - 1

Limits: a pattern: how large a size gets is read from its name, from a kernel that goes on with steps of the grid, from a division
of all elements of a tensor by its last side, from what objects are made for (`Clusters(200000)`), or from a check that lets more
pass (`if (n > 1 << 20) return`, also in a function of the file that is asked before the launch). A function that speaks of the
limit is left out, or bounds a product with the size, or has another launch for the large ones; sizes whose names say nothing, and
rows of logits, with the words of a vocabulary along another side, are left to `--profile audit`. A side of which the block of the
same launch is as large, or a small part, is left out: more are an invalid block first.
"""

from collections.abc import Iterator

from cudalint.analysis.launch.launch_findings import launch_finding, of_one_function
from cudalint.analysis.launch.launch_patterns import tall_grids
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("API102", "row-grid", Level.WARNING, Subject.TEXT, "a number of rows decides grid.y or grid.z")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each side of a function's grids that is wrong."""
    yield from of_one_function(_places(subject))


def _places(subject: Outline) -> Iterator[Finding]:
    for wrong in tall_grids(subject):
        why = "a grid has at most 65535 blocks on this side"
        yield launch_finding(
            wrong, RULE.code, RULE.name, RULE.level, why, "put rows on grid.x, or loop over them in the kernel"
        )
