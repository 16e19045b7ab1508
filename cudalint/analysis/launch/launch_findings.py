"""The finding that a wrong launch becomes: what every launch rule says in the same way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from cudalint.analysis.launch.launch_patterns import WrongLaunch
from cudalint.finding import Confidence, Evidence, Finding, Fix, Level, Related


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


def of_one_function(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Launches of one kernel, in the cases of one function, that go wrong in the same words are one finding at the first."""
    groups: dict[tuple[str, str | None, str, Confidence], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.span.path, finding.function, finding.root, finding.confidence), []).append(finding)
    for first, *others in groups.values():
        same = tuple(Related(other.span, "so does this launch") for other in others)
        yield replace(first, related=(*first.related, *same))
