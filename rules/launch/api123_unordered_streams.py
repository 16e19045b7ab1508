"""Work on one stream uses what another stream writes, or frees it, and nothing orders the two.

Bad:
    produce<<<g, b, 0, s>>>(x);   consume<<<g, b, 0, t>>>(x, y);
Good:
    produce<<<g, b, 0, s>>>(x);   cudaEventRecord(e, s);   cudaStreamWaitEvent(t, e);   consume<<<g, b, 0, t>>>(x, y);

So is work on a stream that was made with cudaStreamNonBlocking, beside cudaMemset() or cudaMemcpy(), which are work of the default
stream; the host does not wait for a fill, or a copy on the device, before it goes on.

So is an event without a time that is recorded behind such work, where nothing in the file waits for it or asks for it, and the
other work stands in another function of the class.

An event that a stream waits for right before it is recorded, behind work of another stream, is waited for too early.

Limits: a pattern, within one function, or members alone where an event is recorded for nobody: streams in variables or members of
their own, buffers that both name whole, on one way through the function. Any call that may wait counts as one that does; an event
counts where it is recorded behind the first work, on another stream than the one that waits for it. Two launches of one kernel may
work on parts of a buffer.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.launch.early_waits import early_waits
from cudalint.analysis.launch.unheard_events import unheard_events
from cudalint.analysis.launch.unordered_streams import unordered_streams
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("API123", "unordered-streams", Level.ERROR, Subject.TEXT, "two streams at work on one buffer")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    unordered = list(unordered_streams(subject))
    functions = {id(issue.function) for issue in unordered}
    unheard = (issue for issue in unheard_events(subject) if id(issue.function) not in functions)
    for issue in (*unordered, *unheard):
        yield guard_finding(
            issue,
            RULE.code,
            RULE.name,
            RULE.level,
            "the other work",
            "record an event behind the first work, and let the other stream wait for it",
        )
    for issue in early_waits(subject):
        yield guard_finding(
            issue,
            RULE.code,
            RULE.name,
            RULE.level,
            "the record",
            "record the event first, then let the other stream wait for it",
        )
