"""The finding that a wrong guard or a slip becomes: what these rules say in the same way."""

from __future__ import annotations

from cudalint.analysis.text.guard_patterns import GuardIssue
from cudalint.finding import Confidence, Evidence, Finding, Fix, Level, Related

REACHED = "reached from here"  # said of what stands behind


def guard_finding(issue: GuardIssue, code: str, name: str, level: Level, about: str, advice: str) -> Finding:
    """`about` says what the related place is."""
    function = issue.function
    related = () if issue.about is None else (Related(issue.about.span, about),)
    behind = tuple(Related(node.span, REACHED) for node in issue.behind)
    return Finding(
        code=code,
        name=name,
        level=level,
        message=issue.text,
        span=issue.place.span,
        root=f"{name}:{function.name}:{issue.place.text[:80]}",
        confidence=Confidence.HIGH if issue.certain else Confidence.MEDIUM,
        evidence=Evidence.PATTERN,
        kernel=function.name if function.role == "kernel" else None,
        function=function.name,
        related=(*related, *behind),
        fix=Fix(advice),
    )
