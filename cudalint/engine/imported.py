"""Reports of compute-sanitizer from runs made elsewhere: at the access of a finding they confirm it, others are new findings.

A log says file, line and kind; the file is the project's whose path ends like the one that was compiled. What lies in no file of
the project, or behind the end of one, is told in a note and is no finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from cudalint.confirm.sanitizer_log import Frame, Report
from cudalint.engine.registry import rules
from cudalint.finding import Confidence, Evidence, Finding, Level, Note, Related
from cudalint.source import Span

_OF_KINDS: dict[str, tuple[str, ...]] = {
    "out_of_bounds": ("IDX1", "IDX2"),
    "null": ("IDX1", "IDX2", "API112", "API114"),
    "misaligned": ("IDX305", "IDX307", "IDX309"),
    "uninitialised": ("IDX301", "IDX302", "IDX303", "IDX306", "IDX308"),
    "race": ("SYN1", "SYN4"),
    "divergence": ("SYN2",),
}
_OWN = {"null": "IDX101", "misaligned": "IDX309", "uninitialised": "IDX303", "race": "SYN101", "divergence": "SYN201"}
_OF_MEMORY = {"shared": "IDX102", "local": "IDX103"}
MOST_NAMED = 5  # lines of the log that are quoted in notes
Line = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Imported:
    """The findings with what the log confirms, those that it adds, and notes on the rest."""

    findings: tuple[Finding, ...]
    added: tuple[Finding, ...] = ()
    notes: tuple[Note, ...] = ()


class Project:
    """Texts of the files that a report may belong to, by their paths from the root."""

    def __init__(self, texts: Mapping[str, Sequence[str]]) -> None:
        self.texts = texts
        self._named: dict[str, list[str]] = {}
        for path in sorted(texts):
            self._named.setdefault(path.rpartition("/")[2], []).append(path)

    def place(self, frame: Frame) -> Line | str:
        """The file and the line of the project; or why there is none."""
        written = frame.path.replace("\\", "/")
        wanted = [part for part in PurePosixPath(written).parts if part not in ("/", ".")]
        matching: dict[int, list[str]] = {}
        for path in self._named.get(wanted[-1], ()) if wanted else ():
            matching.setdefault(_alike(wanted, PurePosixPath(path).parts), []).append(path)
        if not matching:
            return f"{written} is no file of the project"
        best = matching[max(matching)]
        if len(best) > 1 and frame.function:
            best = [path for path in best if any(frame.function in line for line in self.texts[path])] or best
        if len(best) > 1:
            return f"{written} may be any of {', '.join(sorted(best)[:MOST_NAMED])}"
        if not 1 <= frame.line <= len(self.texts[best[0]]):
            return f"{written}:{frame.line} lies behind the end of {best[0]}: the run was of another version"
        return best[0], frame.line

    def span(self, line: Line) -> Span:
        """The text of a line."""
        text = self.texts[line[0]][line[1] - 1]
        first = len(text) - len(text.lstrip()) + 1
        return Span(line[0], line[1], first, line[1], max(first + 1, len(text.rstrip()) + 1))


def _alike(wanted: Sequence[str], parts: Sequence[str]) -> int:
    """How many of the last parts of two paths are the same."""
    count = 0
    for one, other in zip(reversed(wanted), reversed(parts)):
        if one != other:
            break
        count += 1
    return count


@dataclass(slots=True)
class _Seen:
    """Reports of one finding, or of one place."""

    reports: list[Report] = field(default_factory=list)

    @property
    def reason(self) -> str:
        first, count = self.reports[0], sum(report.count for report in self.reports)
        who = f" by {first.who}" if first.who else ""
        more = f" ({count} reports)" if count > 1 else ""
        return f"compute-sanitizer {first.tool}: {first.text.rstrip('.')}{who}{more}"


def imported(findings: Iterable[Finding], reports: Iterable[Report], project: Project) -> Imported:
    """What the reports say of the findings."""
    known = list(findings)
    around: dict[Line, set[int]] = {}
    for number, finding in enumerate(known):
        for place in _lines(finding):
            around.setdefault(place, set()).add(number)
    confirmed: dict[int, _Seen] = {}
    own: dict[tuple[str, tuple[Line, ...]], _Seen] = {}
    elsewhere: dict[str, int] = {}
    for report in reports:
        places = _places(report, project)
        if isinstance(places, str):
            elsewhere[places] = elsewhere.get(places, 0) + report.count
            continue
        there = sorted(set.intersection(*(around.get(place, set()) for place in places)))
        meant = [number for number in there if _is_kind(report, known[number])]
        for number in meant:
            confirmed.setdefault(number, _Seen()).reports.append(report)
        if not meant:
            own.setdefault((_code(report), places), _Seen()).reports.append(report)
    marked = tuple(_confirmed(f, confirmed[n].reason) if n in confirmed else f for n, f in enumerate(known))
    added = tuple(_finding(code, places, seen, project) for (code, places), seen in own.items())
    return Imported(marked, added, tuple(Note(f"{_times(count)}: {text}") for text, count in sorted(elsewhere.items())))


def _times(count: int) -> str:
    return "a report of the log" if count == 1 else f"{count} reports of the log"


def _places(report: Report, project: Project) -> tuple[Line, ...] | str:
    """Where the sides of a report are in the project; or why they are nowhere."""
    if not report.kind:
        return f"it is about no kernel: {report.text[:100]}"
    placed = [frame for frame in report.sides if frame.path]
    if not placed:
        names = ", ".join(f"`{frame.function}`" for frame in report.sides if frame.function)
        return f"no line in {names or 'it'}: the program was built without -lineinfo"
    found = [project.place(frame) for frame in placed]
    lines = tuple(dict.fromkeys(place for place in found if not isinstance(place, str)))
    around = [project.place(frame) for frame in report.callers if frame.path]
    if not lines:  # in a header of somebody else, called from a line of ours
        lines = tuple(place for place in around if not isinstance(place, str))[:1]
    return lines or next(place for place in found if isinstance(place, str))


def _is_kind(report: Report, finding: Finding) -> bool:
    return finding.code.startswith(_OF_KINDS[report.kind])


def _lines(finding: Finding) -> Iterator[Line]:
    """The lines of all that a finding names as a part of it."""
    for span in (finding.span, *(related.span for related in finding.related)):
        yield from ((span.path, line) for line in range(span.line, span.end_line + 1))
    if finding.witness is not None:
        yield from ((side.path, side.line) for side in finding.witness.threads)


def _code(report: Report) -> str:
    if report.kind == "out_of_bounds":
        return _OF_MEMORY.get(report.memory, "IDX101")
    return _OWN[report.kind]


def _confirmed(finding: Finding, reason: str) -> Finding:
    """It was seen: neither does it need an extreme input, nor is it refuted."""
    level = _level(finding.code) if finding.evidence is Evidence.REFUTED else finding.level
    return replace(
        finding, evidence=Evidence.CONFIRMED, evidence_reason=reason, confidence=Confidence.HIGH, level=level
    )


def _level(code: str) -> Level:
    return next((each.rule.level for each in rules() if each.rule.code == code), Level.ERROR)


def _finding(code: str, places: tuple[Line, ...], seen: _Seen, project: Project) -> Finding:
    report = seen.reports[0]
    name = next((each.rule.name for each in rules() if each.rule.code == code), "sanitizer-report")
    spans = [project.span(place) for place in places]
    text = report.text.rstrip(".").removeprefix("Error: ").removeprefix("Warning: ").partition(" between ")[0]
    kernel = next((frame.function for frame in (*reversed(report.callers), *report.sides) if frame.function), None)
    function = next((frame.function for frame in report.sides if frame.function), None)
    root = "log:" + " | ".join(project.texts[path][line - 1].strip() for path, line in places)
    return Finding(
        code, name, Level.WARNING if report.warning else Level.ERROR, f"{text[:1].lower()}{text[1:]}", spans[0], root,
        evidence=Evidence.CONFIRMED, evidence_reason=seen.reason, kernel=kernel, function=function, trigger=seen.reason,
        related=tuple(Related(span, "the other access") for span in spans[1:]),
    )  # fmt: skip


def texts_of(root: str, sources: Iterable[tuple[str, str]], reports: Iterable[Report]) -> dict[str, list[str]]:
    """Lines of the scanned sources, and of files below the root that reports name by their whole paths."""
    found = {path: text.splitlines() for path, text in sources}
    for report in reports:
        for frame in (*report.sides, *report.callers):
            path = _below(root, frame.path)
            if path is not None and path not in found:
                try:
                    found[path] = (Path(root) / path).read_text("utf-8", "replace").splitlines()
                except OSError:
                    continue
    return found


def _below(root: str, written: str) -> str | None:
    """The path from the root of a file that is there, without leaving it."""
    if not written or "\0" in written:
        return None
    top = Path(root).resolve()
    try:
        whole = (top / written).resolve()
        inside = whole.is_relative_to(top) and whole.is_file()
    except (OSError, ValueError, RuntimeError):
        return None
    return whole.relative_to(top).as_posix() if inside else None
