"""A Python file: each CUDA source in its strings is analysed as a file, and reported where it was written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from cudalint import ir
from cudalint.analysis.operators import Operator, prototypes, registered
from cudalint.engine.file import FileResult, analyse_file
from cudalint.engine.options import ScanOptions
from cudalint.engine.relocate import Relocation
from cudalint.engine.remarks import ask_rules
from cudalint.finding import Finding, Gap, KernelResult, Note
from cudalint.frontend.python_strings import EmbeddedSource, embedded_sources
from cudalint.frontend.python_values import HOLE
from cudalint.frontend.syntax import Suppression
from cudalint.frontend.translate import ALONE, ParseOptions, Surroundings
from cudalint.project.callers import Neighbour
from cudalint.project.configuration import Hint
from cudalint.project.named_kernels import taken_by_name
from cudalint.rule import Context, Subject
from cudalint.source import SourceFile, Span
from cudalint.symbolic.host.retyped import Retyped

_UNSET = "IDX308"
_OF_LAUNCHES = frozenset(("API109", "API127", "API136", "CUL002", "CUL003", _UNSET))
_COMMENT = re.compile(r"#[ \t]*cudalint:[ \t]*ignore[ \t]*\[([^\]\n]*)\]([^\n]*)")


def analyse_python(
    source: SourceFile, parse: ParseOptions, root: str, options: ScanOptions, hints: dict[str, tuple[Hint, ...]]
) -> FileResult:
    """What the strings of the file say, one result for all of them."""
    results = [_unit(embedded, parse, root, options, hints) for embedded in embedded_sources(source)]
    return FileResult(
        findings=tuple(f for r in results for f in r.findings),
        kernels=tuple(k for r in results for k in r.kernels),
        notes=tuple(dict.fromkeys(n for r in results for n in r.notes)),
        plans=tuple(p for r in results for p in r.plans),
        replays=tuple(p for r in results for p in r.replays),
        suppressions=(*(s for r in results for s in r.suppressions), *_python_comments(source)),
        unchecked=tuple(u for r in results for u in r.unchecked),
    )


def _python_comments(source: SourceFile) -> Iterator[Suppression]:
    """`# cudalint: ignore[IDX101] reason` at the end of a line of Python."""
    for match in _COMMENT.finditer(source.text):
        line = source.text.count("\n", 0, match.start()) + 1
        column = match.start() - source.text.rfind("\n", 0, match.start())
        rules = tuple(rule for part in match[1].split(",") if (rule := part.strip()))
        span = Span(source.path, line, column, line, column + len(match[0]))
        yield Suppression(rules, match[2].strip(), line, span)


def python_around(embedded: EmbeddedSource) -> tuple[Neighbour, ...]:
    """The Python file around the source, where it may call functions of the module that this is compiled to."""
    text = embedded.source.text
    if "torch" not in text or "<<<" not in text:
        return ()
    path = embedded.host.absolute
    told = {operator.function: operator for operator, _ in registered({path: text})}
    names = (name for name in prototypes([text]) if name not in told)
    operators = (*told.values(), *(Operator(name, function=name) for name in names))
    return (Neighbour(path, frozenset(), library=(path,), operators=operators, around=(path,)),)


def parse_options(embedded: EmbeddedSource, parse: ParseOptions) -> ParseOptions:
    """The options of the scan with those of the compiling call."""
    return replace(
        parse,
        includes=parse.includes + embedded.includes,
        defines=parse.defines + embedded.defines,
        std=embedded.std or parse.std,
    )


def _unit(
    embedded: EmbeddedSource,
    parse: ParseOptions,
    root: str,
    options: ScanOptions,
    hints: dict[str, tuple[Hint, ...]],
) -> FileResult:
    around = python_around(embedded)
    taken = frozenset(name.decode() for name in taken_by_name(embedded.host.text.encode("utf-8", "replace")))
    result = analyse_file(
        embedded.source,
        parse_options(embedded, parse),
        root,
        options,
        hints,
        Surroundings(by_name=taken) if taken else ALONE,
        neighbours=around,
    )
    relocation = Relocation(embedded.source.path, embedded.places(), embedded.words)
    result = replace(
        result,
        findings=(*_moved(result.findings, embedded, relocation), *_of_numbers(embedded, options)),
        kernels=relocation.moved(result.kernels),
        notes=(*relocation.moved(result.notes), *unread_launches(embedded)),
        suppressions=relocation.moved(result.suppressions),
        unchecked=relocation.moved(result.unchecked),
    )
    return replace(result, kernels=tuple(with_holes(k, embedded) for k in result.kernels))


def _moved(findings: tuple[Finding, ...], embedded: EmbeddedSource, relocation: Relocation) -> Iterator[Finding]:
    """Those that are about what somebody wrote, at their places in the Python file."""
    for finding in findings:
        moved = relocation.moved(finding)
        if not _is_of_wording(finding, embedded) and (moved.code != _UNSET or _is_unset(moved, embedded)):
            yield moved


def _is_unset(finding: Finding, embedded: EmbeddedSource) -> bool:
    """Whether Python says nothing of the memory between its line and the launch: not all that sets it is worded."""
    host = embedded.host_line
    if host is None or not finding.related or finding.kernel is not None:
        return True
    first, last = finding.span.line, finding.related[-1].span.line
    lines = embedded.host.text.splitlines()
    made = re.match(r"\s*(\w+)\s*(:[^=]*)?=(?!=)", lines[first - 1])
    return made is not None and not any(re.search(rf"\b{made[1]}\b", line) for line in lines[first : last - 1])


def _is_of_wording(finding: Finding, embedded: EmbeddedSource) -> bool:
    """Whether it is about how the host code is spelt in C++, which nobody wrote; what a launch asks of the device is none."""
    line = embedded.host_line
    inside = line is not None and finding.span.path == embedded.source.path and finding.span.line >= line
    return inside and finding.code not in _OF_LAUNCHES


def _of_numbers(embedded: EmbeddedSource, options: ScanOptions) -> Iterator[Finding]:
    """Numbers that the launches of the file hand on as bytes of another type."""
    context = Context(ir.Unit(embedded.source.path, {}), None, None, options.targets[0])
    for span, number in embedded.numbers:
        subject = Retyped(span, "", number.kernel, f"argument {number.place}", "", number.held, number.taken)
        yield from ask_rules(Subject.RETYPED, subject, context)


def unread_launches(embedded: EmbeddedSource) -> tuple[Note, ...]:
    """Launches of Python that are in no contract."""
    path = embedded.source.path
    return tuple(
        Note(f"the launch at {path}:{span.line} is not read ({why}): what it passes is in no contract", path)
        for span, why in embedded.unread
    )


def with_holes(kernel: KernelResult, embedded: EmbeddedSource) -> KernelResult:
    """Gaps that come from what is filled in at run time say so; a text that passed an unknown call is no whole text."""
    gaps = _named(kernel.unmodelled, embedded.holes)
    gaps += tuple(Gap(f"the source passes through {call} at run time", kernel.span) for call in embedded.through)
    complete = kernel.complete and not embedded.through
    opaque = _named(kernel.opaque, embedded.holes)
    return replace(kernel, unmodelled=gaps, opaque=opaque, complete=complete, exact=kernel.exact and complete)


def _named(gaps: tuple[Gap, ...], holes: Mapping[str, str]) -> tuple[Gap, ...]:
    return tuple(dict.fromkeys(Gap(_reason(gap.reason, holes), gap.span) for gap in gaps))


def _reason(reason: str, holes: Mapping[str, str]) -> str:
    match = re.search(rf"\b({HOLE}\w+)", reason)
    if match is None or match[1] not in holes:
        return reason
    return f"`{holes[match[1]]}` is filled in by Python at run time"
