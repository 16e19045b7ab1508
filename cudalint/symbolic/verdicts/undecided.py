"""Accesses of which it is not known whether they stay inside, because nobody says how much memory there is, or where they lead."""

from __future__ import annotations

from cudalint.finding import Reason, Verdict
from cudalint.source import Span
from cudalint.symbolic.model import MemoryObject
from cudalint.symbolic.walk.execute import Walk

_OPEN = (Reason.NO_EXTENT, Reason.UNTIED_EXTENT, Reason.OVERFLOW, Reason.LOOP_INVARIANT, Reason.SOLVER_LIMIT)


def undecided_bounds(walk: Walk) -> set[tuple[Span, MemoryObject]]:
    """Their places, with the memory."""
    return {
        (o.span, o.object)
        for o in walk.obligations
        if o.object is not None and o.kind == "bounds" and o.verdict is Verdict.UNKNOWN and o.reason in _OPEN
    }
