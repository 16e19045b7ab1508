"""The host reads memory before anything has waited for the asynchronous copy that fills it.

Bad:
    cudaMemcpyAsync(count, counter, sizeof(int), cudaMemcpyDeviceToHost, stream);  if (*count > 0) ...
    for (...) { memcpy(pinned, part, bytes);  cudaMemcpyAsync(x, pinned, bytes, cudaMemcpyHostToDevice, stream); }
Good:
    cudaMemcpyAsync(count, ...);  cudaStreamSynchronize(stream);  if (*count > 0) ...

A copy to memory that is not pinned waits with the runtimes of today, though its manual no longer promises that: variables, arrays
and vectors of the function itself are left to `--profile audit`.

Limits: a pattern: pointers that the function is given and its own numbers, arrays, vectors and pinned memory, members that the
file makes pinned memory for, also those of objects (`s->sum`, and `mask.get()` of a class of the file), up to the first call that
is not known to wait for nothing, or the first object made whose class may wait in its constructor or, at the end of its block, in
its destructor; functions and macros of the file that come to a wait count as one. Pinned memory that the function allocates is
the matter of `unawaited-result`, too. Memory that one call fills and the next one fills again is told of where an event is recorded
behind its copy, and nothing in the file waits for that.
"""

from collections.abc import Iterator
from itertools import chain

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.memory.refilled_sources import refilled_sources
from cudalint.analysis.memory.unawaited_copies import unawaited_copies
from cudalint.analysis.memory.unawaited_holders import unawaited_holders
from cudalint.analysis.memory.unheard_copies import unheard_copies
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("API132", "unawaited-copy", Level.WARNING, Subject.TEXT, "memory that a copy may still fill or read")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each copy."""
    for issue in chain(
        unawaited_copies(subject), unawaited_holders(subject), refilled_sources(subject), unheard_copies(subject)
    ):
        yield guard_finding(
            issue,
            RULE.code,
            RULE.name,
            RULE.level,
            "the copy",
            "wait for the stream first: cudaStreamSynchronize(stream)",
        )
