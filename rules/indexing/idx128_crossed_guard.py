"""A guard holds one coordinate against the side of another one.

Bad:
    if (x < image.rows && y < image.cols) image.ptr(y)[x] = 0;
    if (x < height && y < width) image[y * width + x] = 0;
    if (id0 < dims[0] && id1 < dims[0]) out[id1 * stride + id0] = 0;
    if (x >= image.cols || x >= image.rows) return;  image.ptr(y)[x] = 0;
    if (x < width && y < height) if (x == height - 1 || y == width - 1) edge[y * width + x] = 1;
    int below = y + 1 < width ? y + 1 : y;                  // where x is kept below width and y below height
    for (b < grad.size(0)) out[b][plane] = grad[plane][b];
    if (i >= n) return;  queries += (b * m + i) * 3;  for (k < n) ...       // in a grid for m
    if (c < h && r + j < h) out[(r + j) * h + c] = tile[..];   // in[(r + j) * w + c] has h rows of w elements
    if (inside(x, y, height, width)) ...                    // bool inside(int y, int x, int height, int width)
    if (i >= e.nx || j >= e.ny || k >= e.ny) return;        // nothing is compared with e.nz
Good:
    if (x < image.cols && y < image.rows) image.ptr(y)[x] = 0;

Limits: a pattern: which coordinate runs within a row has to be told by a row pointer, by a length of rows that is called so, or
by three other kernels of the file; numbered sides have to be numbered like their coordinates, and coordinates that are held
against `size(k)` have to stand in the order of the sides elsewhere; or one side is held against both coordinates of an element,
and the other one is at hand and read nowhere, or names tell whose it is; or one coordinate against both sides, and the other
one never; or each is compared with the last place of the other's side, or a neighbour is kept below the side of another
coordinate; or the rows of a transposed array are held against the length of a row, where another element of the function has
both sides in its guards; or a function of the file compares what names tell apart, and a call of it has them in the other order,
unless the function also has one in the order of the parameters, sets a coordinate anew, or has an index that fits. Two of three
coordinates that are held against one side have to be in one element with the third.
"""

from collections.abc import Iterator

from cudalint.analysis.coordinates.crossed_arguments import crossed_arguments
from cudalint.analysis.coordinates.crossed_clamps import crossed_clamps
from cudalint.analysis.coordinates.crossed_ends import crossed_ends
from cudalint.analysis.coordinates.crossed_guards import crossed_guards
from cudalint.analysis.coordinates.crossed_indices import crossed_indices
from cudalint.analysis.coordinates.doubled_sides import doubled_sides
from cudalint.analysis.coordinates.launched_sides import launched_sides
from cudalint.analysis.coordinates.transposed_guards import transposed_guards
from cudalint.analysis.coordinates.tripled_sides import tripled_sides
from cudalint.analysis.guards.doubled_places import doubled_places
from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.guards.unread_sides import unread_sides
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "IDX128", "crossed-guard", Level.ERROR, Subject.TEXT, "a coordinate is held against the side of another one"
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each guard."""
    for issue in crossed_guards(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "an element that it lets pass", "compare each with its own side"
        )
    for issue in crossed_indices(subject):
        advice = "use each coordinate on its own side"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "in the other order", advice)
    for issue in crossed_clamps(subject):
        advice = "keep each below its own side"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the neighbour", advice)
    for issue in launched_sides(subject):
        advice = "compare with the count that the launch is for"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the launch", advice)
    unread = list(unread_sides(subject))
    told = {id(issue.function) for issue in unread}
    doubled = [each for each in doubled_sides(subject) if id(each.function) not in told]
    told |= {id(issue.function) for issue in doubled}
    tripled = [each for each in tripled_sides(subject) if id(each.function) not in told]
    for issue in (*doubled, *tripled):
        advice = "compare each with its own side"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "an element that it lets pass", advice)
    for issue in unread:
        advice = "compare each with its own side"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "against the same side", advice)
    for issue in doubled_places(subject):
        advice = "compare each with its own side"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "an element of both", advice)
    for issue in transposed_guards(subject):
        advice = "compare the row with the number of rows"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the rows and columns of this one", advice)
    for issue in crossed_ends(subject):
        advice = "compare each with the end of its own side"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "crossed with this one", advice)
    for issue in crossed_arguments(subject):
        advice = "give them in the order of its parameters"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the function", advice)
