"""The most that a file passes to its functions that launch, where it runs them for the rows of its tables of numbers alone.

const std::vector<Shape> shapes = {{128, 32}, {1024, 64}};        // of a test that runs for each
void run(float *x, int rows) { fill<<<rows, 64>>>(x, rows); }     run(x, params.rows): rows <= 1024
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from cudalint.analysis.text.caps import Caps
from cudalint.analysis.text.launch_text import text_launches
from cudalint.analysis.text.literal_tables import table_limits
from cudalint.analysis.text.text_program import program_of
from cudalint.finding import Confidence, Finding
from cudalint.ir.syntax import Outline

LARGE = 2.0**28  # from here on 32 bits may not hold the index: its elements may have several parts


@dataclass(frozen=True, slots=True)
class Passed:
    """The largest value of a parameter of a function, or of a member of any object there, where no function is named."""

    path: str
    function: str
    name: str
    limit: float


def largest_passed(outline: Outline) -> Iterator[Passed]:
    """What is known of a file by its tables; nothing of one that has none."""
    limits = table_limits(outline.root.text)
    if not limits:
        return
    yield from (Passed(outline.path, "", name, limit) for name, limit in limits.items())
    program = program_of(outline)
    for function in {id(launch.function): launch.function for launch in text_launches(program)}.values():
        caps = Caps(program, function)
        for name in program.scope(function).parameters:
            if function.role == "host" and (limit := caps.of_parameter(name)) is not None:
                yield Passed(outline.path, _last(function.name), name, limit)


def with_passed(findings: list[Finding], passed: Iterable[Passed]) -> list[Finding]:
    """Of lower confidence where an index overflows only for more than the file ever passes to the launch."""
    known = tuple(passed)
    return [replace(f, confidence=Confidence.MEDIUM) if _is_beyond(f, known) else f for f in findings]


def _is_beyond(finding: Finding, passed: tuple[Passed, ...]) -> bool:
    """The index would be in range if no value were larger than it gets, even with the one that counts most at its largest."""
    site, witness = finding.launch_site, finding.witness
    if site is None or witness is None or (witness.index or 0) < LARGE or finding.confidence is not Confidence.HIGH:
        return False
    here = [p for p in passed if p.path == site.path and p.function in ("", _last(site.host_function))]
    shares = [
        each.limit / value
        for name, value in witness.values.items()
        for each in here
        if value > 0 and _is_named(name, each)
    ]
    index = float(witness.index or 0)
    for share in shares:
        index *= min(1.0, share)
    return min(shares, default=1.0) < 1.0 and index * max(shares) < max(LARGE, (witness.index or 0) / 2)


def _is_named(value: str, passed: Passed) -> bool:
    name = value.rpartition(":")[2]
    return name == passed.name or (not passed.function and name.endswith(f".{passed.name}"))


def _last(name: str) -> str:
    return name.rpartition("::")[2]
