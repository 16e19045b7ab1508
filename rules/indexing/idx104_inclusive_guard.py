"""A guard lets an index pass that equals the number of elements.

Bad:
    int row = blockIdx.x;  if (row > num_rows) return;  x[row] = 0;   // row == num_rows goes on
    int i = blockIdx.x * blockDim.x + threadIdx.x;  if (i > work) return;  // launched with work / blockDim.x blocks, rounded up
    if (h >= 0 && h < height && w >= 0 && w <= width) ...             // of two sides one stops before its end
    if (t >= 0 && h >= 0 && w >= 0 && t < depth && w < width) ...     // of three sides one has no end
    if (t >= 0 && t < depth) if (h >= 0 && h < height) if (w < width) ...  // w = column - pad: one side has no beginning
    for (int i = offsets[row]; i <= offsets[row + 1]; i++) x[i] = 0;  // the next row begins there
    for (int task = first; task <= num_tasks; task += all) run(task); // with first and all made of the grid
    int row = i / columns;  if (row <= rows) x[i] = 0;                // what the row is made of chooses the element
    while (i < n && count <= K) if (...) found[count++] = i;          // of K results the one behind the last
    for (unsigned k = 0; k <= pat_len; ++k) same &= text[i + k] == pat[k];
    int down = h < height - 1 ? 1 : 0, right = w < width ? 1 : 0;     // of two steps one leaves the last element
    start = slot >= 0 ? ends[slot - 1] : 0;                           // the place before the first
    y0 = min(y, height - 1), y1 = min(y0 + 1, height);                // of two clamps one is to the row behind the last
    if (y >= height) y1 = y = height - 1; else y1 = y + 1;            // beside if (x >= width - 1) x1 = x = width - 1; else ...
    for (i = at; i < n; i++) sum += i == n ? 0 : x[i + 1];            // asked of n, and never of n - 1
    if (bin > bins) bin = bins - 1;  atomicAdd(&histogram[bin], 1);   // a clamp that the number of bins passes
    if (i * step + id <= length) x[row * length + i * step + id] = 0; // in another kernel: i * step + id < length
    if (first + i <= end) x[first + i] = 0;                           // and `end - first` counts the elements
    if (block_start + offset > n) return;                             // a sum of places
    int upper = lower + count;  for (int i = lower; i <= upper; i++) sum += x[i];
    if (z >= depth) return;  front = z < depth ? at + plane : at;     // asked twice, and never of the neighbour
    head = head == N ? 0 : head + 1;  ring[head] = v;                 // float ring[N]
    return i < 0 ? i + n : i > n ? i - n : i;                         // the place n goes round to the first
    if (row < height && column >= 0 && column < width) ...            // row = top + i and column = left + j begin at a border
    if (i < n) out[n - i] = in[i];                                    // the place behind the last for i = 0
    at = atomicAdd(count, 1);  if (at <= capacity) queue[at] = v;     // cudaMalloc(&queue, capacity * sizeof(int))
Good:
    if (row >= num_rows) return;
    if (h >= 0 && h < height && w >= 0 && w < width) ...

Limits: a pattern: the bound is a number of elements by its name, by the launch or by the rows of the memory that the index
chooses from (`x[row * length + place]`), or is left out where it is compared beside another one, in two other functions that
make the place alike, or by a loop around that counts up to the place; or where the same comparison elsewhere in the file stops
before its bound, in the same function only in a loop with the same head. Arrays of offsets, which have one more, are left out.
"""

from collections.abc import Iterator
from itertools import chain

from cudalint.analysis.coordinates.odd_steps import odd_steps
from cudalint.analysis.guards.below_first import below_first
from cudalint.analysis.guards.closed_beside_open import closed_beside_open
from cudalint.analysis.guards.closed_clamps import closed_arguments, closed_clamps, late_clamps
from cudalint.analysis.guards.closed_comparisons import closed_comparisons
from cudalint.analysis.guards.closed_counts import closed_counts
from cudalint.analysis.guards.closed_places import closed_places
from cudalint.analysis.guards.closed_rounds import closed_rounds
from cudalint.analysis.guards.closed_rows import closed_rows
from cudalint.analysis.guards.closed_segments import closed_segments
from cudalint.analysis.guards.closed_tickets import closed_tickets
from cudalint.analysis.guards.flat_ends import flat_ends
from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.guards.late_wraps import closed_lengths, late_periods, late_wraps
from cudalint.analysis.guards.mirrored_places import mirrored_places
from cudalint.analysis.guards.missed_lasts import missed_lasts
from cudalint.analysis.guards.neighbour_clamps import neighbour_clamps
from cudalint.analysis.guards.odd_ranges import odd_ranges
from cudalint.analysis.guards.repeated_guards import repeated_guards
from cudalint.analysis.guards.stored_counts import stored_counts
from cudalint.analysis.text.guard_patterns import inclusive_guards
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX104", "inclusive-guard", Level.ERROR, Subject.TEXT, "a guard lets one element too many pass")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    told = set()
    for issue in inclusive_guards(subject):
        told.add(issue.place.start)
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the index that it lets pass", "compare with >=")
    for issue in flat_ends(subject):
        if issue.place.start not in told:
            told.add(issue.place.start)
            yield guard_finding(
                issue, RULE.code, RULE.name, RULE.level, "the element of that thread", "compare with >="
            )
    for issue in closed_comparisons(subject):
        if issue.place.start not in told:
            told.add(issue.place.start)
            yield guard_finding(
                issue, RULE.code, RULE.name, RULE.level, "stops before it", "compare as the other one does"
            )
    for issue in closed_beside_open(subject):
        if issue.place.start not in told:
            told.add(issue.place.start)
            yield guard_finding(
                issue, RULE.code, RULE.name, RULE.level, "stops before it", "compare as the other one does"
            )
    for issue in odd_ranges(subject):
        if issue.place.start not in told:
            told.add(issue.place.start)
            yield guard_finding(
                issue, RULE.code, RULE.name, RULE.level, "beside this one", "compare as the other one does"
            )
    for issue in closed_rounds(subject):
        if issue.place.start not in told:
            told.add(issue.place.start)
            yield guard_finding(
                issue, RULE.code, RULE.name, RULE.level, "the piece of work that it lets pass", "compare with <"
            )
    for issue in closed_segments(subject):
        if issue.place.start not in told:
            yield guard_finding(
                issue, RULE.code, RULE.name, RULE.level, "an element of the next piece", "compare with <"
            )
    for issue in chain(
        closed_places(subject),
        closed_counts(subject),
        closed_rows(subject),
        closed_tickets(subject),
        stored_counts(subject),
        odd_steps(subject),
    ):
        if issue.place.start not in told:
            told.add(issue.place.start)
            yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "what it lets pass", "compare with <")
    for issue in below_first(subject):
        told.add(issue.place.start)
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the element at -1", "compare with > 0")
    for issue in repeated_guards(subject):
        if issue.place.start not in told:
            told.add(issue.place.start)
            yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "asked here", "compare the neighbour's place")
    for issue in chain(late_wraps(subject), closed_lengths(subject)):
        if issue.place.start not in told:
            told.add(issue.place.start)
            yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "used here", "stop before its length")
    for issue in chain(late_periods(subject), late_clamps(subject)):
        if issue.place.start not in told:
            told.add(issue.place.start)
            yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "compare with >=")
    for issue in chain(missed_lasts(subject), neighbour_clamps(subject)):
        told.add(issue.place.start)
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the element behind", "compare with the last place"
        )
    for issue in chain(closed_clamps(subject), closed_arguments(subject)):
        if issue.place.start not in told:
            told.add(issue.place.start)
            yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "beside it", "clamp to the last place")
    for issue in mirrored_places(subject):
        if issue.place.start not in told:
            told.add(issue.place.start)
            yield guard_finding(
                issue, RULE.code, RULE.name, RULE.level, "what lets the first place pass", "count from the last place"
            )
