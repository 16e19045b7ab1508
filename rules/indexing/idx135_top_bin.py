"""The number of a bin is made of a value that may be the upper end of its range: there it names the bin behind the last one.

Bad:
    float v = fminf(fmaxf(x[i], 0.f), 1.f);  atomicAdd(&histogram[(int)(v * bins)], 1);
    if (x >= low && x <= high) { int bin = (x - low) / (high - low) * bins;  atomicAdd(&histogram[bin], 1); }
Good:
    int bin = min((int)(v * bins), bins - 1);
    if (x >= low && x < high) ...

Limits: a pattern: values that a function clamps to one, or that a comparison keeps within a closed range, and numbers of bins that
nothing asks about.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.guards.top_bins import top_bins
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX135", "top-bin", Level.ERROR, Subject.TEXT, "the end of a range as the number of a bin")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each number."""
    for issue in top_bins(subject):
        advice = "put the end into the last bin: min(bin, bins - 1)"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "what lets the end pass", advice)
