"""Findings from warp operations: what every warp rule says in the same way."""

from __future__ import annotations

from cudalint.contract import Contract
from cudalint.finding import Evidence, Finding, Fix, Level
from cudalint.symbolic.issues import WarpIssue
from cudalint.symbolic.verdicts.phrases import coordinates


def warp_finding(
    issue: WarpIssue, code: str, name: str, level: Level, contract: Contract | None, message: str, advice: str
) -> Finding:
    """The finding of a warp operation that goes wrong."""
    return Finding(
        code=code,
        name=name,
        level=level,
        message=message,
        span=issue.span,
        root=f"warp:{issue.op}:{issue.cause}",
        confidence=issue.confidence,
        evidence=Evidence.PATTERN if issue.witness is None else Evidence.WITNESS,
        assumptions=issue.facts,
        witness=issue.witness,
        trigger=_trigger(issue),
        launch_site=contract.launch_site if contract else None,
        related=issue.related,
        fix=Fix(advice),
    )


def _trigger(issue: WarpIssue) -> str | None:
    if issue.witness is None:
        return None
    caller, other = issue.witness.threads
    if issue.cause in ("caller", "width", "distance", "activemask", "past the block"):
        return f"thread {coordinates(caller.thread)} calls it"
    return f"thread {coordinates(caller.thread)} calls it, thread {coordinates(other.thread)} of its warp does not take part"
