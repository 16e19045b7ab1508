"""The calls that lead to what goes wrong inside of a function: who has the helper from elsewhere looks for the call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cudalint.finding import Finding, Related
from cudalint.source import Span
from cudalint.symbolic.issues import BarrierIssue, Race, WarpIssue
from cudalint.symbolic.verdicts.defects import Defect

MOST_CALLS = 6


def with_calls(finding: Finding, about: object) -> Finding:
    """The finding of a race, barrier, warp or access with the calls on its way, the kernel's own first."""
    told = {(span.path, span.line) for span in (finding.span, *(related.span for related in finding.related))}
    calls = [call for call in dict.fromkeys(_calls(about)) if (call.path, call.line) not in told]
    related = tuple(Related(call, "called from here") for call in calls[:MOST_CALLS])
    return replace(finding, related=(*finding.related, *related)) if related else finding


def _calls(about: object) -> Iterator[Span]:
    if isinstance(about, Race):
        yield from (*about.first.stack[:-1], *about.second.stack[:-1])
    elif isinstance(about, Defect):
        yield from about.primary.stack[:-1]
    elif isinstance(about, BarrierIssue | WarpIssue):
        yield from about.stack[:-1]
