"""A row is multiplied with the number of rows, where the length of a row was meant.

Bad:
    if (col < N) for (int k = 0; k < K; k++) sum += b[col * N + k];
    for (int d = 0; d < D; d++) sum += x[i * D + d] * x[j * V + d];
    b = i / w / tiles % rows;  n = i / w / tiles / rows;  y[i] = x[(n * tiles + b) * w];
    w = i % width;  h = i / height;  image[h][w] = 0;
    if (h < H && w < W) v = x[(c * W + h) * H + w];
    for (int c = threadIdx.x; c < rows; c += 128) sum += x[blockIdx.x * cols + c];     // launched with `rows` blocks
Good:
    if (col < N) for (int k = 0; k < K; k++) sum += b[col * K + k];
    for (int d = 0; d < D; d++) sum += x[i * D + d] * x[j * D + d];

Limits: a pattern for indices of two coordinates that are compared with one size each, both given to the kernel; or of two rows
of one array, whose column is compared with the length of one of them; or of a place that two other functions of the file
work out from another of the same sizes; or of digits of one number that the length of another digit puts together; or of two
neighbours that are each kept below the other one's length; or of a row for each block, where the column is compared with the
number of blocks, and nothing with the length of a row.
"""

from collections.abc import Iterator

from cudalint.analysis.coordinates.crossed_digits import crossed_digits
from cudalint.analysis.coordinates.crossed_lengths import crossed_lengths
from cudalint.analysis.coordinates.foreign_radices import foreign_radices
from cudalint.analysis.coordinates.odd_definitions import odd_definitions
from cudalint.analysis.coordinates.own_strides import own_strides, two_lengths
from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX129", "crossed-stride", Level.ERROR, Subject.TEXT, "a row is multiplied with the number of rows")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each product."""
    for issue in own_strides(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the element", "multiply with the length of a row")
    for issue in two_lengths(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "another row", "multiply with the length of a row")
    for issue in odd_definitions(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "as it is elsewhere", "take the size that the others take"
        )
    for issue in crossed_digits(subject):
        advice = "divide by the side that the remainder is taken of"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "of the same number", advice)
    for issue in foreign_radices(subject):
        advice = "multiply with what the remainder is taken of"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the sum", advice)
    for issue in crossed_lengths(subject):
        advice = "multiply with, and compare with, the length of a row"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the comparison", advice)
