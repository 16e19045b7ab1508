"""A stage of a pipeline that the block shares is filled without being acquired, never released, or read too early or too late.

Bad:
    pipe.consumer_wait();  pipe.consumer_release();  y = tile[t];
    cuda::memcpy_async(tile, x, n, pipe);  pipe.producer_commit();  y = tile[t];  pipe.consumer_wait();
Good:
    pipe.consumer_wait();  y = tile[t];  pipe.consumer_release();

Limits: pipelines with a shared state, in the function that makes them, in the order of its text; those that are handed to other
functions are not judged.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.synchronization.pipeline_stages import misused_stages
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("SYN404", "unordered-stage", Level.ERROR, Subject.TEXT, "a pipeline's stage is used out of its order")
ADVICE = "acquire a stage before it is filled, wait for it before it is read, and release it when all have read it"


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each pipeline."""
    for issue in misused_stages(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the other call", ADVICE)
