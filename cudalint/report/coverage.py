"""How much of the code the scan speaks about: the figures of the summary and of JSON's `coverage`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from cudalint.finding import Finding, KernelResult, Level, ScanResult, Verdict, is_conditional

VERDICTS = (Verdict.SAFE, Verdict.VIOLATED, Verdict.UNKNOWN, Verdict.UNREACHABLE)


@dataclass(frozen=True, slots=True)
class Coverage:
    files: int
    files_failed: int
    kernels: int
    complete: int
    exact: int
    obligations: dict[Verdict, int]
    conditional: int  # of those that are safe: under relations between sizes that nothing checks
    uncalled: int = 0  # device functions that nobody calls; the figures above do not count them
    uncalled_obligations: dict[Verdict, int] = field(default_factory=dict)


def coverage(result: ScanResult) -> Coverage:
    kernels, uncalled = launched(result), [each for each in result.kernels if each.device]
    return Coverage(
        files=result.files,
        files_failed=result.files_failed,
        kernels=len(kernels),
        complete=sum(kernel.complete for kernel in kernels),
        exact=sum(kernel.exact for kernel in kernels),
        obligations=verdicts(kernels),
        conditional=conditional(kernels),
        uncalled=len(uncalled),
        uncalled_obligations=verdicts(uncalled),
    )


def launched(result: ScanResult) -> list[KernelResult]:
    """The kernels, without the device functions that nobody calls: no program comes to those."""
    return [kernel for kernel in result.kernels if not kernel.device]


def verdicts(kernels: Iterable[KernelResult]) -> dict[Verdict, int]:
    """How many obligations of the kernels have each verdict; every verdict is a key."""
    counts = Counter(obligation.verdict for kernel in kernels for obligation in kernel.obligations)
    return {verdict: counts[verdict] for verdict in VERDICTS}


def conditional(kernels: Iterable[KernelResult]) -> int:
    """How many obligations are safe under relations between sizes that nothing checks."""
    return sum(is_conditional(obligation) for kernel in kernels for obligation in kernel.obligations)


def reasons(kernels: Iterable[KernelResult]) -> list[tuple[str, int]]:
    """Why obligations are unknown, most frequent first."""
    unknown = (each for kernel in kernels for each in kernel.obligations if each.verdict is Verdict.UNKNOWN)
    return ranked(each.reason.value if each.reason else "not stated" for each in unknown)


def gaps(kernels: Iterable[KernelResult]) -> list[tuple[str, int]]:
    """What was not understood, most frequent first."""
    return ranked(gap.reason for kernel in kernels for gap in kernel.unmodelled)


def ranked(words: Iterable[str]) -> list[tuple[str, int]]:
    return sorted(Counter(words).items(), key=lambda item: (-item[1], item[0]))


def overall(result: ScanResult) -> str:
    """The scan in one word: violated, unknown, safe, or nothing when there was no kernel to look at.

    `violated` needs a shown error or warning; `safe` that every kernel is complete and every obligation decided, none of them
    under a relation that nothing checks.
    """
    if any(finding.level is not Level.NOTE for finding in result.findings):
        return "violated"
    kernels = launched(result) or result.kernels
    counts = verdicts(kernels)
    undecided = counts[Verdict.UNKNOWN] or counts[Verdict.VIOLATED] or not all(k.complete for k in kernels)
    if undecided or conditional(kernels) or result.files_failed:
        return "unknown"
    return "safe" if kernels else "nothing"


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """By location, then rule, then what tells two findings at one place apart."""
    return sorted(findings, key=lambda each: (each.span, each.code, each.kernel or "", each.root, each.message))
