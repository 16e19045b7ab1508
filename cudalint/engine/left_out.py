"""What is proved under some launches and instances of a kernel, where others are left out for want of steps.

Nothing of it is said of the others: they may pass other numbers, memory and blocks, and a number that is passed is part of what is
proved without being a fact of its own.
"""

from __future__ import annotations

from dataclasses import replace

from cudalint.finding import WHERE_WALKED, ObligationResult, Reason, Verdict


def opened(result: ObligationResult) -> ObligationResult:
    """What was proved is unknown, and says where it was."""
    if result.verdict is not Verdict.SAFE:
        return result
    return replace(result, verdict=Verdict.UNKNOWN, reason=Reason.SOLVER_LIMIT, detail=WHERE_WALKED)
