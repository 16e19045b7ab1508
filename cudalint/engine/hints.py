"""Annotations beside the code: those that a configuration has for a kernel, and those that reach none."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches

from cudalint.engine.options import ScanOptions
from cudalint.finding import Finding, Note
from cudalint.frontend.instances import instances_in
from cudalint.frontend.syntax import Annotation
from cudalint.frontend.translate import KernelEntry, Translation
from cudalint.project.configuration import ConfigurationError, Hint, load
from cudalint.rule import Context, Subject, ToolIssue
from cudalint.source import Span

CALLED = "the device function behind it is checked where it is called: what holds there is told before `__global__` functions"
NOWHERE = "no kernel is defined behind it; it belongs right before the definition of a `__global__` function"


def hints_of(hints: Mapping[str, tuple[Hint, ...]], entry: KernelEntry) -> tuple[Annotation, ...]:
    """The hints for a kernel, by its name or its qualified name, as if they stood before it."""
    names = dict.fromkeys((entry.name, entry.qualified))
    return tuple(_annotation(hint, entry) for name in names for hint in hints.get(name, ()))


def _annotation(hint: Hint, entry: KernelEntry) -> Annotation:
    end = hint.column + len(hint.text)
    return Annotation(hint.text, Span(hint.path, hint.line, hint.column, hint.line, end), entry.name_span)


def unused_hints(hints: Mapping[str, tuple[Hint, ...]], kernels: Collection[str]) -> Iterator[Note]:
    """Hints for a name that no kernel has and one has nearly: other files may hold the kernels of the others."""
    for name, lines in hints.items():
        last = name.rpartition("::")[2]
        near = get_close_matches(last, sorted(set(kernels)), 1, 0.7) if last not in kernels else []
        if near and lines:
            text = f"hints for `{name}`: no kernel of that name was analysed; did you mean `{near[0]}`?"
            yield Note(text, lines[0].path, lines[0].line)


def ignored_configuration(root: str) -> list[Note]:
    """Of a project whose code is not trusted: that it has settings, which have no effect."""
    try:
        found = load(root)
    except ConfigurationError as error:
        return [Note("configuration ignored (--untrusted)", error.path)]
    given = [Note("configuration ignored (--untrusted)", found.path)] if found.path is not None else []
    hinted = ((name, hint) for name, hints in found.hints.items() for hint in hints)
    given += [Note(f"hint for `{n}` ignored (--untrusted): {h.text}", h.path, h.line) for n, h in hinted]
    return given


def lost_annotations(translation: Translation, paths: frozenset[str], options: ScanOptions) -> Iterator[Finding]:
    """Annotations that no kernel follows, and instances of kernels that there are not: both are without effect."""
    from cudalint.engine.remarks import ask_rules

    if options.untrusted:
        return
    context = Context(translation.unit, None, None, options.targets[0])
    written = [a for index in translation.indexes for a in index.annotations if a.span.path in paths]
    for issue in _issues(written, translation):
        yield from (replace(f, function=None) for f in ask_rules(Subject.TOOL, issue, context))


def _issues(written: Iterable[Annotation], translation: Translation) -> Iterator[ToolIssue]:
    names = {entry.name for entry in translation.kernels}
    places = {entry.name_span for entry in translation.kernels}
    for annotation in written:
        asked = [name.partition("<")[0].rpartition("::")[2].strip() for name in instances_in([annotation.text])]
        if annotation.kernel is None and not asked:
            yield ToolIssue("CUL001", NOWHERE, annotation.span)
        elif annotation.kernel is not None and annotation.kernel not in places:
            yield ToolIssue("CUL001", CALLED, annotation.span)
        for name in asked:
            if name not in names:
                near = get_close_matches(name, sorted(names), 1, 0.5)
                hint = f"; did you mean `{near[0]}`?" if near else ""
                yield ToolIssue("CUL001", f"there is no kernel `{name}` to instantiate{hint}", annotation.span)
