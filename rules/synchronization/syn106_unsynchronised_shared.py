"""The text shows two accesses of different threads to one element of shared memory with no barrier between them.

Bad:
    if (threadIdx.x == 0) s_total = total;  y[i] = x[i] / s_total;          // others may read before thread 0 writes
Good:
    if (threadIdx.x == 0) s_total = total;  __syncthreads();  y[i] = x[i] / s_total;

Counts of what the data say (`s_counts[bins[i]]++`) need an atomic even between barriers.

Limits: a pattern for code that cannot be walked; every call that may synchronise is taken for a barrier, and pointers into
shared memory that change are not followed. A device function that is given its lane, names no thread of the block and has barriers
of the warp alone is taken to be run by one warp.
"""

from collections.abc import Iterator
from dataclasses import replace

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.synchronization.helper_races import repeated_helpers
from cudalint.analysis.synchronization.lost_updates import lost_shared_updates
from cudalint.analysis.synchronization.race_patterns import last_of, shared_races
from cudalint.analysis.synchronization.storage_reuse import reused_storages
from cudalint.finding import NEXT_ROUND, Finding, Level, Related
from cudalint.ir.syntax import Outline, Syntax
from cudalint.rule import Context, Rule, Subject
from cudalint.source import Span

RULE = Rule("SYN106", "unsynchronised-shared", Level.ERROR, Subject.TEXT, "shared memory is shared without a barrier")
ADVICE = "put __syncthreads() between the two accesses, where all threads of the block reach it"
ATOMIC = "use atomicAdd, or give each thread a row of its own"
STORAGE = "put __syncthreads() between the two uses, or give each its own storage"


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each array and interval."""
    for race in shared_races(subject):
        found = guard_finding(race.issue, RULE.code, RULE.name, RULE.level, "the other access", ADVICE)
        yield _with_rounds(found, race.loop)
    for issue in repeated_helpers(subject):
        advice = "put __syncthreads() behind the read, or between the calls"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "what the next call writes", advice)
    for issue in lost_shared_updates(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", ATOMIC)
    for reuse in reused_storages(subject):
        found = guard_finding(reuse.issue, RULE.code, RULE.name, RULE.level, "the other use of the storage", STORAGE)
        yield _with_rounds(found, reuse.loop)


def _with_rounds(finding: Finding, loop: Syntax | None) -> Finding:
    """The finding with the loop whose rounds meet, and the place at its end where the barrier is missing."""
    last = None if loop is None else last_of(loop)
    if loop is None or last is None:
        return finding
    rounds = (
        Related(loop.span, NEXT_ROUND),
        Related(_end(last.span), "no barrier behind this statement"),
    )
    return replace(finding, related=(*finding.related, *rounds))


def _end(span: Span) -> Span:
    """Its last character, behind which the barrier belongs: a loop may be long."""
    return Span(span.path, span.end_line, max(1, span.end_column - 1), span.end_line, span.end_column)
