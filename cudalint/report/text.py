"""The report for people: the public call first, then the point, the general condition, and the way out.

error[IDX101] global-bounds: write past the end of `out`                      kernel.cu:68:9
   silu_mul<2> launched by forward() at kernel.cu:157
   68 |         out[i] = g * u;
      |         ^^^^^^
   forward(x[1,1,8], gate[5,8]): total = 5; block (0,0,0) thread (1,0,0): index 4, extent 4
   whenever B*S*M % 4 != 0; assuming out = empty({B*S, M}) (kernel.cu:115)    emulated, needs 320 B
   fix: a scalar tail, or check M % 4 == 0 in forward()                       replay: .cudalint/replay/3f2a
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from cudalint.finding import Finding, Level, ScanResult, ThreadAccess
from cudalint.report import phrases
from cudalint.report.coverage import in_order
from cudalint.report.excerpt import excerpt
from cudalint.report.summary import summary
from cudalint.report.terminal import Style, clean, width
from cudalint.rule import LoadedRule
from cudalint.source import SourceFile, Span

RIGHT = 82
WRAP = 110
INDENT = "   "
MOST_NOTES = 3  # of one rule and message that are shown one by one
SHOWN_PLACES = 8


def render(
    result: ScanResult, sources: Mapping[str, SourceFile], rules: Sequence[LoadedRule] = (), colour: bool = False
) -> str:
    """All shown findings in order, notes that say the same at many places behind them, then what the scan covered."""
    style = Style(colour)
    lines: list[str] = []
    folded = _repeated_notes(result.findings)
    for finding in in_order(result.findings):
        if _saying(finding) not in folded:
            lines += [*entry(finding, sources, style), ""]
    for notes in folded.values():
        lines += [*_fold(notes, style), ""]
    return "\n".join([*lines, *summary(result, style)]) + "\n"


def _saying(finding: Finding) -> tuple[str, str, str]:
    return finding.code, finding.message, finding.fix.text if finding.fix else ""


def _repeated_notes(findings: Sequence[Finding]) -> dict[tuple[str, str, str], list[Finding]]:
    """Notes with one rule, message and fix at more places than a reader wants to see one by one."""
    notes: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in in_order(findings):
        if finding.level is Level.NOTE and finding.witness is None:
            notes.setdefault(_saying(finding), []).append(finding)
    return {saying: found for saying, found in notes.items() if len(found) > MOST_NOTES}


def _fold(notes: Sequence[Finding], style: Style) -> list[str]:
    """One entry for all of them, with the first places."""
    first = notes[0]
    level = f"{first.level.value}[{first.code}]"
    rest = f" {first.name}: {clean(first.message)}"
    counted = f"{len(notes)} places"
    padding = " " * max(2, RIGHT - width(level + rest))
    places = ", ".join(phrases.place(note.span.path, note.span.line) for note in notes[:SHOWN_PLACES])
    more = len(notes) - SHOWN_PLACES
    return [
        style.paint(level, first.level.value) + style.paint(rest, "bold") + padding + counted,
        *_paragraph(places + (f" and {more} more, which `--format json` lists" if more > 0 else "")),
        *_way_out(first),
    ]


def entry(finding: Finding, sources: Mapping[str, SourceFile], style: Style) -> list[str]:
    """One finding."""
    return [
        _header(finding, style),
        *_paragraph(phrases.call(finding)),
        *_points(finding, sources, style),
        *_paragraph(phrases.circumstances(finding)),
        *_paragraph(phrases.general(finding), phrases.evidence(finding)),
        *_related(finding),
        *_way_out(finding),
    ]


def _header(finding: Finding, style: Style) -> str:
    level = f"{finding.level.value}[{finding.code}]"
    rest = f" {finding.name}: {clean(finding.message)}"
    padding = " " * max(2, RIGHT - width(level + rest))
    return style.paint(level, finding.level.value) + style.paint(rest, "bold") + padding + clean(str(finding.span))


def _points(finding: Finding, sources: Mapping[str, SourceFile], style: Style) -> list[str]:
    """The source line, or for a race the lines of both threads side by side."""
    threads = finding.witness.threads if finding.witness else ()
    if len(threads) == 2:
        return _columns(threads[0], threads[1], finding, sources)
    return [INDENT + style.paint(line, "dim") for line in excerpt(sources, finding.span)]


def _columns(
    first: ThreadAccess, second: ThreadAccess, finding: Finding, sources: Mapping[str, SourceFile]
) -> list[str]:
    spans = [finding.span, *(related.span for related in finding.related)]
    left, right = _column(first, spans, sources), _column(second, [*spans[1:], *spans[:1]], sources)
    height = max(len(left), len(right))
    left += [""] * (height - len(left))
    right += [""] * (height - len(right))
    edge = min(max(map(width, left)) + 3, WRAP // 2)
    return [f"{INDENT}{a}{' ' * max(2, edge - width(a))}{b}".rstrip() for a, b in zip(left, right)]


def _column(side: ThreadAccess, known: Sequence[Span], sources: Mapping[str, SourceFile]) -> list[str]:
    """One thread: who it is, what it does, and its line of source."""
    element = f" element {side.index}" if side.index is not None else ""
    where = f" at {phrases.place(side.path, side.line)}"
    head = [f"block {phrases.dim(side.block)} thread {phrases.dim(side.thread)}", f"{side.kind}{element}{where}"]
    return [*map(clean, head), *excerpt(sources, _span_of(side, known, sources))]


def _span_of(side: ThreadAccess, known: Sequence[Span], sources: Mapping[str, SourceFile]) -> Span:
    """Where the access stands: the first known span of that line, else the whole line."""
    for span in known:
        if (span.path, span.line) == (side.path, side.line):
            return span
    source = sources.get(side.path)
    lines = source.lines() if source else []
    text = lines[side.line - 1] if 1 <= side.line <= len(lines) else ""
    start = len(text) - len(text.lstrip()) + 1
    return Span(side.path, side.line, start, side.line, len(text) + 1)


def _related(finding: Finding) -> Iterator[str]:
    shown = {(side.path, side.line) for side in finding.witness.threads} if finding.witness else set()
    for related in finding.related:
        if (related.span.path, related.span.line) in shown:
            continue
        yield from _paragraph(f"{related.span}: {related.message}")
    if finding.also_in:
        yield from _paragraph("also in " + ", ".join(finding.also_in))


def _way_out(finding: Finding) -> list[str]:
    replay = f"replay: {finding.replay}" if finding.replay else ""
    if finding.fix:
        return _paragraph(f"fix: {finding.fix.text}", replay)
    return _paragraph(replay)


def _paragraph(text: str, right: str = "") -> list[str]:
    """The text, wrapped and indented, with `right` in the right column of its last line."""
    lines = wrap(
        clean(text),
        WRAP,
        initial_indent=INDENT,
        subsequent_indent=INDENT * 2,
        break_long_words=False,
        break_on_hyphens=False,
    )
    if not right:
        return lines
    if not lines:
        return [INDENT + clean(right)]
    lines[-1] += " " * max(2, RIGHT - width(lines[-1])) + clean(right)
    return lines
