"""The line of source that a finding points to, underlined.

68 |         out[i] = a[i] * b[i];
   |         ^^^^^^
"""

from __future__ import annotations

from collections.abc import Mapping

from cudalint.report.terminal import clean, width
from cudalint.source import SourceFile, Span

CONTEXT = 72  # code points kept on each side of the mark in very long lines


def source_line(sources: Mapping[str, SourceFile], path: str, line: int) -> str | None:
    """The text of a line, or None where it is not known."""
    source = sources.get(path)
    if source is None:
        return None
    lines = source.lines()
    return lines[line - 1] if 1 <= line <= len(lines) else None


def excerpt(sources: Mapping[str, SourceFile], span: Span) -> list[str]:
    """The numbered line and its underline; nothing where the source is not known."""
    text = source_line(sources, span.path, span.line)
    if text is None or not text.strip():
        return []
    start, stop = marked(text, span)
    before, mark, after = _window(text, start, stop)
    number = str(span.line)
    underline = " " * width(clean(before)) + "^" * max(1, width(clean(mark)))
    code = clean(before) + clean(mark) + clean(after)
    return [f"{number} | {code}".rstrip(), f"{' ' * len(number)} | {underline}"]


def marked(text: str, span: Span) -> tuple[int, int]:
    """The 0-based part of the span's first line that the span covers, at least one column, without trailing blanks."""
    start = min(max(span.column - 1, 0), len(text))
    whole = len(text.rstrip())
    stop = min(span.end_column - 1, len(text)) if span.end_line == span.line else whole
    return start, max(stop, start + 1)


def _window(text: str, start: int, stop: int) -> tuple[str, str, str]:
    """What stands before, in and after the mark, cut where the line is very long."""
    before, mark, after = text[:start], text[start:stop], text[stop:]
    if len(text) <= 2 * CONTEXT:
        return before, mark, after
    if len(before) > CONTEXT:
        before = "…" + before[-CONTEXT:]
    if len(mark) > CONTEXT:
        return before, mark[:CONTEXT], "…"
    return before, mark, after if len(after) <= CONTEXT else after[:CONTEXT] + "…"
