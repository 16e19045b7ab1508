"""The exit status of a scan."""

from __future__ import annotations

from cudalint.finding import Level, ScanResult, Verdict
from cudalint.report.coverage import conditional, launched, verdicts

OK, FOUND, INCOMPLETE = 0, 1, 3
RANK = {Level.ERROR: 3, Level.WARNING: 2, Level.NOTE: 1}
THRESHOLD = {"error": 3, "warning": 2, "note": 1, "never": 4}


def exit_status(
    result: ScanResult, fail_level: str, require_complete: bool = False, require_proof: bool = False
) -> int:
    """1 for a shown finding at the fail level or above, else 3 for what could not be analysed or was required, else 0."""
    if any(RANK[finding.level] >= THRESHOLD[fail_level] for finding in result.findings):
        return FOUND
    if any(note.failed for note in result.notes):
        return INCOMPLETE
    if require_complete and not all(kernel.complete for kernel in launched(result)):
        return INCOMPLETE
    if require_proof and not proved(result):
        return INCOMPLETE
    return OK


def proved(result: ScanResult) -> bool:
    """Whether every kernel was read in full and every obligation is safe or unreachable, whatever callers pass."""
    kernels = launched(result)
    counts = verdicts(kernels)
    undecided = counts[Verdict.UNKNOWN] or counts[Verdict.VIOLATED] or conditional(kernels)
    return all(k.complete for k in kernels) and not undecided
