"""A loop takes whole chunks from its input and stops while exactly one is left, which then fills a buffer to the brim.

Bad:
    while (len > CHUNK + done) { ... done += CHUNK; }   memcpy(buffer, data + done, len - done);
Good:
    while (len >= CHUNK + done) { ... done += CHUNK; }

Limits: a pattern, where the function elsewhere takes it for granted that the buffer is never full.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.loops.chunk_loops import early_stops
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX121", "early-stop", Level.ERROR, Subject.TEXT, "a loop over chunks leaves one, and the buffer is full")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in early_stops(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the chunk that is left", "take it in the loop: `>=`"
        )
