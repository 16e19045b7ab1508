"""The time to an event is asked while the event may still be to come: the call fails, and the time stays unset.

Bad:
    k<<<g, b>>>(x);  cudaEventRecord(stop);  cudaEventElapsedTime(&ms, start, stop);
Good:
    k<<<g, b>>>(x);  cudaEventRecord(stop);  cudaEventSynchronize(stop);  cudaEventElapsedTime(&ms, start, stop);

Limits: a pattern within one function; calls that wait for the device, copies on the default stream, and functions whose name is
not one of the runtime's or of the C library's, count as waiting.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.launch.unready_events import unready_events
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("API130", "unready-event", Level.WARNING, Subject.TEXT, "the time to an event that nobody has waited for")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each question."""
    for issue in unready_events(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "recorded here", "wait for it first: cudaEventSynchronize()"
        )
