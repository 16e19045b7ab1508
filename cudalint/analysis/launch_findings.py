"""The finding that a wrong launch becomes: what every launch rule says in the same way."""

from __future__ import annotations

from cudalint.analysis.launch_patterns import WrongLaunch
from cudalint.finding import Confidence, Evidence, Finding, Fix, Level


def launch_finding(wrong: WrongLaunch, code: str, name: str, level: Level, why: str, advice: str) -> Finding:
    """`why` follows the text of the wrong place: `grid.y = rows: a grid has at most 65535 blocks there`."""
    return Finding(
        code=code,
        name=name,
        level=level,
        message=f"{wrong.text}: {why}",
        span=wrong.place.span,
        root=f"{name}:{wrong.launch.kernel}:{wrong.text}",
        confidence=Confidence.HIGH if wrong.stated else Confidence.MEDIUM,
        evidence=Evidence.PATTERN,
        kernel=wrong.launch.kernel or None,
        function=wrong.launch.function.name,
        fix=Fix(advice),
    )
