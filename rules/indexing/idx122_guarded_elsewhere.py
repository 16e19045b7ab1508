"""An element is used at a row that may be padding: other functions ask about the row, this one about the column only.

Bad:
    if (key < keys_end) score += mask[query * keys + key];                  // load(): query < queries_end ? ...
    if (x < out.cols) out.row(y)[x] = 0;                                    // blur(): if (x < out.cols && y < out.rows)
    const int row = at[i];  if (row < rows) x[row] = in[i];                 // get(): if (at[i] >= 0) out[i] = x[at[i]];
    const int id = ids[blockIdx.x];  atomicAdd(&grad[id * d + i], y[i]);     // forward(): id < vocab ? table[id * d + i] : 0
Good:
    if (key < keys_end && query < queries_len) score += mask[query * keys + key];
    if (x < out.cols && y < out.rows) out.row(y)[x] = 0;

Limits: a pattern: the row has one name in both functions, and its bound begins with one word; or both kernels place their
threads alike, or hold them against the sides of one object, and no launch of the file says that there is no padding. A kernel
that asks about nothing is told of where it alone is silent of those that make the place alike and get the size, and its launch
rounds that side up; or where it asks a view for one of two sides, and no launch of the file is known. Entries
of a list are told of where the kernel is given the end as well, and reads it nowhere.
"""

from collections.abc import Iterator
from itertools import chain

from cudalint.analysis.guards.dropped_guards import dropped_guards
from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.guards.guarded_elsewhere import guarded_elsewhere
from cudalint.analysis.guards.half_guarded import half_guarded_views
from cudalint.analysis.guards.sibling_guards import sibling_guards
from cudalint.analysis.guards.unasked_entries import unasked_entries
from cudalint.analysis.guards.unsigned_entries import unsigned_entries
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "IDX122", "guarded-elsewhere", Level.WARNING, Subject.TEXT, "a row that other functions compare with its bound"
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each function."""
    told: set[int] = set()
    every = chain(
        guarded_elsewhere(subject), sibling_guards(subject), dropped_guards(subject), half_guarded_views(subject)
    )
    for issue in every:
        if id(issue.function) not in told:
            told.add(id(issue.function))
            yield guard_finding(
                issue, RULE.code, RULE.name, RULE.level, "where the row is compared", "compare the row here, too"
            )
    for issue in unsigned_entries(subject):
        if id(issue.function) not in told:
            told.add(id(issue.function))
            yield guard_finding(
                issue, RULE.code, RULE.name, RULE.level, "where it is asked", "leave out entries below 0"
            )
    for issue in unasked_entries(subject):
        if id(issue.function) not in told:
            told.add(id(issue.function))
            yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "where it is compared", "compare it here, too")
