"""Threads of tiles write the pixels of an image by a flat place, and no thread asks whether its pixel is in the image.

Bad:
    int pixel = y * size.x + x;  image[pixel] = v;               // launched with <<<tiles, block>>>
Good:
    if (x >= size.x || y >= size.y) return;

Limits: a pattern, where the function that launches is given the number of tiles and does not relate it to the size.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.guards.tile_tails import tile_tails
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX123", "tile-tail", Level.ERROR, Subject.TEXT, "pixels of tiles that reach beyond the image")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each kernel."""
    for issue in tile_tails(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the tiles", "compare the place with the size")
