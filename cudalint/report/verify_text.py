"""`cudalint verify`: every obligation of every kernel with its verdict and facts, then a coverage table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cudalint.finding import Assumption, KernelResult, ObligationResult, ScanResult, Verdict
from cudalint.report import phrases
from cudalint.report.coverage import VERDICTS, verdicts
from cudalint.report.summary import NOTHING, last_line
from cudalint.report.terminal import Style, clean, width
from cudalint.rule import LoadedRule
from cudalint.source import SourceFile

KINDS = {Verdict.SAFE: "good", Verdict.VIOLATED: "error", Verdict.UNKNOWN: "warning", Verdict.UNREACHABLE: "dim"}
UNCALLED = "a device function that nobody calls"
COLUMNS = ("kernel", "place", *(verdict.value for verdict in VERDICTS), "complete", "exact")


def render(
    result: ScanResult, sources: Mapping[str, SourceFile], rules: Sequence[LoadedRule] = (), colour: bool = False
) -> str:
    style = Style(colour)
    kernels = sorted(result.kernels, key=lambda each: (each.span, each.name))
    lines: list[str] = []
    for kernel in kernels:
        lines += [*_kernel(kernel, style), ""]
    if kernels:
        lines += [*_table(kernels), ""]
    else:
        lines.append(style.paint(NOTHING, "warning"))
    return "\n".join([*lines, last_line(result)]) + "\n"


def _kernel(kernel: KernelResult, style: Style) -> Iterator[str]:
    what = f"  {UNCALLED}" if kernel.device else ""
    yield style.paint(f"{clean(kernel.name)}  {clean(str(kernel.span))}{what}", "bold")
    facts = _numbered(kernel)
    obligations = sorted(kernel.obligations, key=lambda each: (each.span, each.kind, each.verdict.value, each.detail))
    for obligation in obligations:
        yield _obligation(obligation, facts, kernel.span.path, style)
    if not obligations:
        yield "   no accesses" if kernel.complete else "   no accesses were read"
    for gap in sorted(kernel.unmodelled, key=lambda each: (each.span, each.reason)):
        yield f"   not understood: {clean(gap.reason)} ({clean(str(gap.span))})"
    for text, number in facts.items():
        yield f"   [{number}] {clean(text)}"


def _numbered(kernel: KernelResult) -> dict[str, int]:
    """The facts of the kernel's verdicts as text, numbered in order of first use."""
    texts: dict[str, int] = {}
    for obligation in sorted(kernel.obligations, key=lambda each: (each.span, each.kind)):
        for fact in obligation.facts:
            texts.setdefault(_fact(fact), len(texts) + 1)
    return texts


def _fact(fact: Assumption) -> str:
    where = phrases.place(fact.path, fact.line)
    return f"{fact.text} ({', '.join(filter(None, (fact.origin, where)))})"


def _obligation(obligation: ObligationResult, facts: Mapping[str, int], path: str, style: Style) -> str:
    span = obligation.span
    where = f"{span.line}:{span.column}" if span.path == path else str(span)
    verdict = style.paint(f"{obligation.verdict.value:<12}", KINDS[obligation.verdict])
    numbers = sorted({facts[_fact(fact)] for fact in obligation.facts})
    used = "".join(f"[{number}]" for number in numbers)
    reason = obligation.reason.value if obligation.reason else ""
    why = ": ".join(filter(None, (reason, clean(obligation.detail))))
    return f"   {clean(where):<10} {obligation.kind:<14} {verdict} {'  '.join(filter(None, (why, used)))}".rstrip()


def _table(kernels: Sequence[KernelResult]) -> Iterator[str]:
    """The coverage table: a row per kernel, then the total."""
    rows = [COLUMNS, *map(_row, kernels), _total(kernels)]
    widths = [max(width(row[column]) for row in rows) for column in range(len(COLUMNS))]
    for row in rows:
        cells = (cell + " " * (size - width(cell)) for cell, size in zip(row, widths))
        yield "  ".join(cells).rstrip()


def _row(kernel: KernelResult) -> tuple[str, ...]:
    counts = verdicts([kernel])
    numbers = (str(counts[verdict]) for verdict in VERDICTS)
    return clean(kernel.name), clean(str(kernel.span)), *numbers, _yes(kernel.complete), _yes(kernel.exact)


def _total(kernels: Sequence[KernelResult]) -> tuple[str, ...]:
    counts = verdicts(kernels)
    complete, exact = sum(k.complete for k in kernels), sum(k.exact for k in kernels)
    return (
        "total",
        _counted(kernels),
        *(str(counts[v]) for v in VERDICTS),
        str(complete),
        str(exact),
    )


def _counted(kernels: Sequence[KernelResult]) -> str:
    uncalled = sum(kernel.device for kernel in kernels)
    named = [phrases.plural(len(kernels) - uncalled, "kernel")]
    return ", ".join(named + ([phrases.plural(uncalled, "device function")] if uncalled else []))


def _yes(value: bool) -> str:
    return "yes" if value else "no"
