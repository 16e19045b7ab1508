"""Work runs on a stream that waits for no other, and its results are taken before anybody has waited for it.

Bad:
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);  k<<<g, b, 0, s>>>(y);  cudaMemcpy(host, y, n, cudaMemcpyDeviceToHost);
    auto s = at::cuda::getStreamFromPool();  k<<<g, b, 0, s>>>(y.data_ptr<float>());  return y;
Good:
    k<<<g, b, 0, s>>>(y);  cudaStreamSynchronize(s);  cudaMemcpy(host, y, n, cudaMemcpyDeviceToHost);
    k<<<g, b, 0, at::cuda::getCurrentCUDAStream()>>>(y.data_ptr<float>());  return y;

Limits: a pattern within one function: copies on the default stream of what the kernel gets to write, and functions of tensors that
never wait; anything that sounds like waiting counts as that, and so does a function that gets the stream.
"""

from collections.abc import Iterator

from cudalint.analysis.launch.launch_findings import launch_finding
from cudalint.analysis.launch.unjoined_streams import unjoined_streams
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("API118", "unjoined-stream", Level.ERROR, Subject.TEXT, "results of a stream that nobody has waited for")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each function and stream."""
    for wrong in unjoined_streams(subject):
        yield launch_finding(
            wrong,
            RULE.code,
            RULE.name,
            RULE.level,
            "a stream that does not block may still be at work",
            "wait for the stream, or launch on the current one",
        )
