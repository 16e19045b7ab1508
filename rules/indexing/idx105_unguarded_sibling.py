"""A kernel compares an index with a size before one use, and reads or writes with the same index elsewhere without it.

Bad:
    float a = i < n ? x[i] : 0;  float b = y[i];
    Load(t).Load(x + i, a, valid);  Load(t).Load(y + i, b);  Store(t).Store(z + i, a, valid);
    float a = i < n ? x[i] : 0;  ...  x[i] = a / sum;
    for (i0 = 0; i0 < n && i0 < chunk; i0 += 4 * blockDim.x) { i = i0 + threadIdx.x;  if (i < chunk) x[i] = 0; }
    v = x < w && y < h ? in[y * w + x] : 0;  c = col < w ? in[row * w + col] : 0;
    if (iy < 0 || iy >= h || ix >= w) continue;                                         // both are o * stride + k - pad
    x1 = x0 + 1, y1 = min(y0 + 1, h - 1);  v = in[y1 * w + x1];                          // both from alike places
    under = below < h ? next[x] : 0;  last = right < w ? next[right] : 0;               // with next = in + below * pitch
    y1 = y0 >= h - 1 ? h - 1 : y0 + 1;  x1 = x0 >= w ? w - 1 : x0 + 1;  v = in[y1 * w + x1];
    py = (y - dy + ny) % ny;  px = (x - dx) % nx;  v = in[py * nx + px];
Good:
    float a = i < n ? x[i] : 0;  float b = i < n ? y[i] : 0;
    Load(t).Load(x + i, a, valid);  Load(t).Load(y + i, b, valid);  Store(t).Store(z + i, a, valid);
    for (i0 = 0; i0 < n && i0 < chunk; i0 += 4 * blockDim.x) { i = i0 + threadIdx.x;  if (i < n && i < chunk) x[i] = 0; }

Limits: a pattern for reads of kernel parameters, for writes of an element that is used under the guard, and for loads and
stores of a block between the same statements; for a row of which one of two uses of an array, or of a pointer to that row, is
kept inside; a kernel whose threads leave before is left out, and a neighbour in a row that is longer than its side, or of a place
that a parameter bounds. An end that is compared has to be known for a number of places, and not for the last one, by what it
multiplies or what calls give; a remainder has to be of a number that begins at zero, and nothing may lift it afterwards.
"""

from collections.abc import Iterator
from dataclasses import replace

from cudalint.analysis.guards.block_counts import uncounted_collectives
from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.guards.half_clamped_places import half_clamped_places
from cudalint.analysis.guards.half_kept_chunks import half_kept_chunks
from cudalint.analysis.guards.half_tested_places import half_tested_places
from cudalint.analysis.guards.odd_remainders import odd_remainders
from cudalint.analysis.guards.odd_twins import odd_twins
from cudalint.analysis.guards.rows_beside import rows_beside
from cudalint.analysis.guards.unguarded_writes import unguarded_writes
from cudalint.analysis.text.guard_patterns import unguarded_siblings
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "IDX105", "unguarded-sibling", Level.ERROR, Subject.TEXT, "one use is guarded, another with the same index is not"
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in unguarded_siblings(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the guard of the other read", "guard both reads")
    for issue in unguarded_writes(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the guard of the other use", "guard the write, too"
        )
    for issue in uncounted_collectives(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the count of the other", "state how many are valid"
        )
    for issue in half_kept_chunks(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "both ends of the loop", "compare with both")
    for issue in half_tested_places(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the test of the other place", "test both ends")
    for issue in half_clamped_places(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the neighbour on the other side", "keep both neighbours inside"
        )
    for issue in odd_twins(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the place on the other side", "do as there")
    for issue in odd_remainders(subject):
        finding = guard_finding(issue, RULE.code, RULE.name, RULE.level, "the other remainder", "add the period, too")
        yield replace(finding, root=f"odd-remainder:{issue.function.name}:{issue.place.text[:80]}")
    for issue in rows_beside(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "where the row is kept inside", "compare the row here, too"
        )
