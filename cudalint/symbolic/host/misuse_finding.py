"""The finding that a misuse of memory by host code becomes."""

from __future__ import annotations

from cudalint import ir
from cudalint.finding import Evidence, Finding, Fix, Level, Related
from cudalint.symbolic.host.misuses import Misuse

_BEFORE = {"freed": "freed here", "unawaited": "begun here"}


def misuse_finding(misuse: Misuse, code: str, name: str, level: Level, function: ir.Function, advice: str) -> Finding:
    """With the place that comes before it, where it was allocated."""
    related = [] if misuse.before is None else [Related(misuse.before, _BEFORE[misuse.kind])]
    if misuse.memory.place is not None:
        related.append(Related(misuse.memory.place, f"`{misuse.memory.name}` is made here"))
    return Finding(
        code=code,
        name=name,
        level=level,
        message=misuse.text,
        span=misuse.span,
        root=f"{name}:{function.name}:{misuse.memory.name}",
        evidence=Evidence.PATTERN,
        related=tuple(related),
        function=function.name,
        fix=Fix(advice),
    )
