"""The end of a text report: what was not analysed and why, what is not shown, and the figures in the last line."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.finding import KernelResult, Level, Note, Noted, ScanResult, Verdict
from cudalint.report import phrases
from cudalint.report.coverage import Coverage, coverage, gaps, launched, reasons
from cudalint.report.terminal import Style, clean

SHOWN_REASONS = 4
SHOWN_UNCHECKED = 3
NOTHING = "warning: no CUDA kernel found: nothing was checked"
MISSING = "no extent is known for the memory behind them; a launch or `// cudalint: extent(x) = n` would settle them"


def summary(result: ScanResult, style: Style) -> Iterator[str]:
    """Notes, what was not understood or decided, counts of findings, and the last line with the figures."""
    notes = sorted(result.notes, key=_note_order)
    unchecked = [note for note in notes if note.kind is Noted.UNCHECKED]
    hidden = frozenset(unchecked[SHOWN_UNCHECKED:])
    for note in notes:
        if note not in hidden:
            yield _note(note, style, warn=note.failed or (note.path is None and not result.kernels))
    if hidden:
        functions = phrases.plural(len(hidden), "more function")
        yield f"{functions} launch on conditions that nothing checks; the JSON report lists their lines to paste"
    if not result.kernels and not any("no CUDA" in note.text for note in result.notes):
        yield style.paint(NOTHING, "warning")
    yield from _not_analysed(result)
    yield _findings(result, style)
    yield last_line(result)


def last_line(result: ScanResult) -> str:
    """`2 files, 3 kernels analysed (3 complete, 2 exact); accesses: 9 safe, 1 violated, 0 unknown, 0 unreachable`."""
    cover = coverage(result)
    files = phrases.plural(cover.files, "file")
    if cover.files_failed:
        files += f" ({cover.files_failed:,} failed)"
    counts = ", ".join(
        f"{number:,} {verdict.value}{_apart(cover) if verdict is Verdict.SAFE else ''}"
        for verdict, number in cover.obligations.items()
    )
    kernels = phrases.plural(cover.kernels, "kernel")
    line = f"{files}, {kernels} analysed ({cover.complete:,} complete, {cover.exact:,} exact); accesses: {counts}"
    return line + _uncalled(cover)


def _uncalled(cover: Coverage) -> str:
    """`; 2 device functions that nobody calls: 3 safe, 1 violated, 0 unknown, 0 unreachable`."""
    if not cover.uncalled:
        return ""
    counts = ", ".join(f"{number:,} {verdict.value}" for verdict, number in cover.uncalled_obligations.items())
    return f"; {phrases.plural(cover.uncalled, 'device function')} that nobody calls: {counts}"


def _apart(cover: Coverage) -> str:
    return f" ({cover.conditional:,} under inferred preconditions)" if cover.conditional else ""


def explain_parse(kernels: tuple[KernelResult, ...]) -> Iterator[str]:
    """Per kernel what was not understood, and what is understood but has no modelled value."""
    for kernel in sorted(kernels, key=lambda each: (each.span, each.name)):
        if kernel.complete and kernel.exact:
            continue
        state = "complete, not exact" if kernel.complete else "not complete"
        yield f"{clean(kernel.name)} ({clean(str(kernel.span))}): {state}"
        for word, found in (("not understood", kernel.unmodelled), ("no modelled value", kernel.opaque)):
            for gap in sorted(found, key=lambda each: (each.span, each.reason)):
                yield f"   {clean(str(gap.span))}: {word}: {clean(gap.reason)}"


def _note_order(note: Note) -> tuple[str, int, str]:
    return note.path or "", note.line or 0, note.text


def _note(note: Note, style: Style, warn: bool) -> str:
    where = phrases.place(note.path, note.line)
    kind = "warning" if warn else "note"
    return style.paint(f"{kind}:", kind) + " " + clean(f"{where}: {note.text}" if where else note.text)


def _not_analysed(result: ScanResult) -> Iterator[str]:
    kernels = launched(result)
    incomplete = sum(not kernel.complete for kernel in kernels)
    if incomplete:
        why = _top(gaps(kernels)) or "the kernel could not be read"
        yield f"not fully understood: {phrases.plural(incomplete, 'kernel')} ({why}); --explain-parse lists every place"
    unknown = coverage(result).obligations[Verdict.UNKNOWN]
    if unknown:
        yield f"not decided: {_top(reasons(kernels))}; `cudalint verify` lists every access"
    if any(reason == "no-extent" for reason, _ in reasons(kernels)):
        yield f"   no-extent: {MISSING}"


def _top(ranking: list[tuple[str, int]]) -> str:
    """`12 no-extent, 3 memory-value, 2 others`."""
    words = [f"{number:,} {clean(word)}" for word, number in ranking[:SHOWN_REASONS]]
    rest = sum(number for _, number in ranking[SHOWN_REASONS:])
    return ", ".join(words + ([f"{rest:,} for other reasons"] if rest else []))


def _findings(result: ScanResult, style: Style) -> str:
    """`1 error, 2 warnings; not shown: 3 medium, 1 low (--profile audit)`."""
    counts = [(level, sum(each.level is level for each in result.findings)) for level in Level]
    words = [style.paint(phrases.plural(number, level.value), level.value) for level, number in counts if number]
    text = ", ".join(words) if words else "no findings"
    hidden = [f"{number:,} {word}" for word, number in sorted(result.hidden.items()) if number]
    how = " (--profile audit)" if any(word != "suppressed" for word in result.hidden) else ""
    return f"{text}; not shown: {', '.join(hidden)}{how}" if hidden else text
