"""Loops in a row read the same array: the first up to a window, a later one up to the end; nothing relates the two.

So does a window that begins anywhere in a segment, and so does a loop up to the capacity of an object whose number of elements
the function compares another place with.

Bad:
    while (i < window) sum += in[i++];      while (i < n) { sum += in[i] - in[i - window]; ++i; }
    if (i >= list.size) return;             for (j = 0; j < list.capacity; ++j) near += list.data[j] < list.data[i];
    end = offsets[r + 1];                   for (p = offsets[r]; p < end; ++p) for (j = 0; j < k; ++j) sum += in[p + j];
Good:
    for (p = offsets[r]; p + k <= end; ++p) for (j = 0; j < k; ++j) sum += in[p + j];
    while (i < window && i < n) sum += in[i++];

Limits: a pattern for sizes that the kernel is given; bounds that were computed or loaded are left out, as is a loop to a capacity
that compares its elements with a number, adds them up, stores or copies them, or names a mark of those that are there, and one of
an array that another kernel fills with a constant. Windows of a segment have to begin at each element; one that looks for a mark,
or weighs its elements for an output at its own place, is in doubt.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.loops.capacity_loops import capacity_loops
from cudalint.analysis.loops.segment_windows import segment_windows
from cudalint.analysis.loops.window_loops import window_loops
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX119", "unbounded-window", Level.ERROR, Subject.TEXT, "a window may be larger than what it slides over")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in window_loops(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the end of the array", "compare with both bounds")
    for issue in capacity_loops(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "how many there are", "stop at the last element")
    for issue in segment_windows(subject):
        advice = "begin no window that does not fit: p + k <= end"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "an element of the window", advice)
