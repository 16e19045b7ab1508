"""Shared memory is read while an asynchronous copy to it may still be under way.

Bad:
    __pipeline_memcpy_async(&s[t], &x[i], 4);  __pipeline_commit();  __syncthreads();  y = s[t ^ 1];
Good:
    __pipeline_memcpy_async(&s[t], &x[i], 4);  __pipeline_commit();  __pipeline_wait_prior(0);  __syncthreads();  y = s[t ^ 1];

Limits: copies that are in flight when a loop of unknown length begins are not followed into it; bulk copies and mbarriers are not
modelled.
"""

from collections.abc import Iterator

from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.model import Race
from cudalint.symbolic.pipelines import IN_FLIGHT
from cudalint.symbolic.race_finding import ordered_sides, race_finding

RULE = Rule("SYN401", "copy-read-early", Level.ERROR, Subject.RACE, "asynchronous copy without its wait")
ADVICE = "wait for the group (cp.async.wait_group, __pipeline_wait_prior) and put __syncthreads() behind the wait"


def check(subject: Race, context: Context) -> Iterator[Finding]:
    """The finding of a read that no wait separates from the copy."""
    if IN_FLIGHT not in (subject.first.order, subject.second.order):
        return
    _, second = ordered_sides(subject)
    message = (
        f"the copy to `{subject.object.name}` is not waited for before the {second.kind} at line {second.span.line}"
    )
    yield race_finding(subject, RULE.code, RULE.name, RULE.level, context.contract, message, ADVICE)
