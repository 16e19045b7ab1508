"""What is said of a file without a walk of its kernels: by its functions, by launches that no device takes, by its text.

A rule that fails there costs what it would have said of the one subject: a note says so, and the file counts as failed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from cudalint import ir
from cudalint.analysis.launch.tabled_launches import Passed, largest_passed
from cudalint.engine.options import ScanOptions
from cudalint.engine.registry import rules, selected_codes
from cudalint.finding import Finding, Note
from cudalint.frontend.header_names import header_names
from cudalint.frontend.outline import outline
from cudalint.frontend.translate import Translation
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Subject, shown_by_default
from cudalint.source import SourceFile
from cudalint.symbolic.host.counted import Counted
from cudalint.symbolic.host.demands import Demand, unmet
from cudalint.symbolic.host.retyped import Retyped
from cudalint.symbolic.host_vocabulary import speaking

_NAMED, _FIXED = "API104", "API136"  # too much shared memory, by its text and by its number


@dataclass(frozen=True, slots=True)
class Remarks:
    """Findings, by where they come from; `passed` is what the files never exceed."""

    patterns: tuple[Finding, ...]
    refused: tuple[Finding, ...]
    texts: tuple[Finding, ...]
    passed: tuple[Passed, ...] = ()


def remarks_of(
    translation: Translation,
    demands: list[Demand | Counted | Retyped],
    paths: frozenset[str],
    texts: list[SourceFile],
    options: ScanOptions,
    root: str,
) -> tuple[Remarks, list[Note]]:
    """The remarks on the functions, launches and demands at the `paths` and on the `texts`."""
    failed: list[str] = []
    with speaking(options.vocabulary):
        outlines = [outline(source, header_names(source, root)) for source in texts]
        said = tuple(_text_findings(translation, outlines, options, failed))
        asked = _told_once(said, _demand_findings(translation, demands, paths, options, failed), options)
        patterns = tuple(_patterns(translation, paths, options, failed))
        remarks = Remarks(
            patterns,
            tuple(asked),
            tuple(f for f in said if not any(_is_same_unset(f, each) for each in patterns)),
            tuple(each for text in outlines for each in largest_passed(text)),
        )
    path = translation.source.path
    text = "; ".join(dict.fromkeys(failed))
    return remarks, [Note(f"{text}; CUDALINT_TRACEBACK=1 shows where", path, failed=True)] if failed else []


def ask_rules(subject: Subject, about: object, context: Context, failed: list[str] | None = None) -> Iterator[Finding]:
    """What the rules find; where there is a list of those that `failed`, one costs the others nothing."""
    for loaded in rules():
        if loaded.rule.subject is not subject:
            continue
        try:
            yield from loaded.check(about, context)
        except Exception as error:
            if failed is None or os.environ.get("CUDALINT_TRACEBACK"):
                raise
            failed.append(
                f"{loaded.rule.code} was not asked to the end: internal error: {type(error).__name__}: {error}"
            )


def is_explained(finding: Finding, refused: Iterable[Finding]) -> bool:
    """A launch that no contract fits is the one that the device refuses."""
    site = finding.launch_site
    return (
        finding.code == "CUL002"
        and site is not None
        and any((f.code, f.span.path, f.span.line) == ("API109", site.path, site.line) for f in refused)
    )


def _is_same_unset(said: Finding, finding: Finding) -> bool:
    """The function in IR has the use of a variable that the text finds without a first value."""
    if said.code != "IDX311" or finding.code not in ("IDX301", "IDX302"):
        return False
    return any((r.span.path, r.span.line) == (said.span.path, said.span.line) for r in finding.related)


def _patterns(
    translation: Translation, paths: frozenset[str], options: ScanOptions, failed: list[str]
) -> Iterator[Finding]:
    incomplete = frozenset(id_ for entry in translation.kernels if not entry.complete for id_ in entry.functions)
    text = {translation.source.path: translation.source.lines()} if incomplete else {}
    for function in translation.unit.functions.values():
        if function.span.path not in paths:
            continue
        subject = Subject.HOST if function.role is ir.Role.HOST else Subject.FUNCTION
        of_it = text if function.id in incomplete else {}
        context = Context(translation.unit, None, None, options.targets[0], of_it)
        for finding in ask_rules(subject, function, context, failed):
            kernel = function.name if function.role is ir.Role.KERNEL else finding.kernel
            yield replace(finding, kernel=kernel)


def _told_once(said: Iterable[Finding], asked: Iterable[Finding], options: ScanOptions) -> list[Finding]:
    """What is asked for without what the text says of the same launch, where that is shown."""
    codes = selected_codes(options.select, options.ignore, options.profile)
    shown = {(f.span.path, f.span.line) for f in said if f.code == _NAMED and f.code in codes and shown_by_default(f)}
    return [f for f in asked if f.code != _FIXED or (f.span.path, f.span.line) not in shown]


def _demand_findings(
    translation: Translation,
    demands: list[Demand | Counted | Retyped],
    paths: frozenset[str],
    options: ScanOptions,
    failed: list[str],
) -> Iterator[Finding]:
    text = {translation.source.path: translation.source.lines()}
    context = Context(translation.unit, None, None, options.targets[0], text)
    own = [d for d in demands if d.span.path in paths]
    for failure in unmet([d for d in own if isinstance(d, Demand)]):
        yield from ask_rules(Subject.DEMAND, failure, context, failed)
    for counted in dict.fromkeys(d for d in own if isinstance(d, Counted)):
        yield from ask_rules(Subject.COUNTED, counted, context, failed)
    for each in dict.fromkeys(d for d in own if isinstance(d, Retyped)):
        yield from ask_rules(Subject.RETYPED, each, context, failed)


def _text_findings(
    translation: Translation, outlines: list[Outline], options: ScanOptions, failed: list[str]
) -> Iterator[Finding]:
    context = Context(translation.unit, None, None, options.targets[0])
    for text in outlines:
        yield from ask_rules(Subject.TEXT, text, context, failed)
