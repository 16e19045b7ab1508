"""A function is given a stream, or asks for the current one, and some of its work goes to the default stream.

Bad:
    void f(float *x, cudaStream_t stream) { a<<<g, b, 0, stream>>>(x);  b<<<g, b>>>(x); }   // b may overtake a
Good:
    b<<<g, b, 0, stream>>>(x);

A stream of an object, `res.stream()`, counts as given where the work on it and the work without a stream share a buffer.
So are copies and fills that do not wait, beside launches on a member that was made with cudaStreamNonBlocking, too, and
a launch without a stream in a function that is given tensors, where others of the file launch on the current one, or where
the function chooses the device of its tensors (CUDAGuard of torch). One that does neither may be meant for the default stream
alone. So is memory of cudaMallocAsync() that goes back on the default stream, or on that of the thread, where the one it came
from is at hand.

Limits: a pattern; launches, asynchronous copies and fills, cub device algorithms, and the work of library handles that the file
makes are looked at.
"""

from collections.abc import Iterator

from cudalint.analysis.launch.freed_streams import freed_on_default
from cudalint.analysis.launch.given_streams import other_streams
from cudalint.analysis.launch.handle_streams import handles_without_stream
from cudalint.analysis.launch.launch_findings import launch_finding
from cudalint.analysis.launch.launch_patterns import WrongLaunch
from cudalint.analysis.launch.sibling_streams import guarded_on_default, sibling_streams
from cudalint.analysis.launch.stream_expressions import streams_of_objects
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "API107", "forgotten-stream", Level.WARNING, Subject.TEXT, "work on the default stream beside a given stream"
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place of a launch that is wrong."""
    found: dict[int, WrongLaunch] = {}
    for analysis in (
        other_streams,
        sibling_streams,
        guarded_on_default,
        handles_without_stream,
        streams_of_objects,
        freed_on_default,
    ):
        for wrong in analysis(subject):
            found.setdefault(wrong.place.start, wrong)
    for wrong in found.values():
        why = "its order with the other work is lost"
        yield launch_finding(wrong, RULE.code, RULE.name, RULE.level, why, "pass the stream")
