"""Indices whose overflow is a violation of its own: an order of accesses is told as if they did not overflow (SEMANTICS 1).

if (i < n) y[row * stride + i] = x[i];     // `row * stride` overflows: reported; as mathematics has it each element is one thread's
"""

from __future__ import annotations

from collections.abc import Iterable

from cudalint.contract import Origin
from cudalint.finding import Assumption, Verdict
from cudalint.source import Span
from cudalint.symbolic.indexing.overflow import addressed
from cudalint.symbolic.issues import Analysis
from cudalint.symbolic.model import Access
from cudalint.symbolic.synchronization.access_pairs import as_meant
from cudalint.symbolic.verdicts.facts import wrapped_parts
from cudalint.term import TRUE, conjunction


def reported_overflows(analysis: Analysis) -> frozenset[Span]:
    """The accesses with an overflow that is violated, and none that is open."""
    found = [o for o in analysis.obligations if o.kind == "overflow"]
    violated = {o.span for o in found if o.verdict is Verdict.VIOLATED}
    return frozenset(violated - {o.span for o in found if o.verdict is Verdict.UNKNOWN})


def assumed_of_reports(accesses: Iterable[Access], reported: frozenset[Span]) -> tuple[Assumption, ...]:
    """That the indices with such a report, which may wrap, do not."""
    spans = dict.fromkeys(a.span for a in accesses if a.span in reported and _may_wrap(a))
    text = "the index does not overflow, which is a violation of its own"
    return tuple(Assumption(text, Origin.INFERRED.value, span.path, span.line) for span in sorted(spans))


def _may_wrap(access: Access) -> bool:
    return bool(wrapped_parts(access.offset)) or conjunction(*as_meant(addressed(access.offset))) is not TRUE
