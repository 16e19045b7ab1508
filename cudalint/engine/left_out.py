"""What is proved under some launches and instances of a kernel, where others are left out for want of steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cudalint.contract import Contract, Geometry, Origin
from cudalint.finding import WHERE_WALKED, ObligationResult, Reason, Verdict
from cudalint.term import Number, Term

_OF_ORDER = ("race", "divergence")  # which the number of threads decides, too


def without_launches(
    results: Sequence[ObligationResult], walked: Sequence[Contract], left_out: Sequence[Contract]
) -> list[ObligationResult]:
    """What rests on facts of a launch is not proved of another one; of another block of threads nothing is."""
    blocks = {_block(contract) for contract in walked}
    same_threads = all(_block(contract) in blocks - {None} for contract in left_out)
    return [result if same_threads and not _is_of_launch(result) else opened(result) for result in results]


def _is_of_launch(result: ObligationResult) -> bool:
    origins = (Origin.LAUNCH.value, Origin.ORDINARY.value)  # ordinary ones with a place are of sizes at the launch
    of_launch = any(fact.origin in origins and fact.path is not None for fact in result.facts)
    return of_launch or result.kind.endswith(_OF_ORDER)


def _block(contract: Contract) -> tuple[Term | None, ...] | None:
    """Its sides, where they are numbers."""
    sides = next((fact.what.block for fact in contract.facts if isinstance(fact.what, Geometry)), None)
    return sides if sides is not None and all(isinstance(side, Number) for side in sides) else None


def opened(result: ObligationResult) -> ObligationResult:
    """What is proved of some instances is not proved of others: their constants may stand anywhere."""
    if result.verdict is not Verdict.SAFE:
        return result
    return replace(result, verdict=Verdict.UNKNOWN, reason=Reason.SOLVER_LIMIT, detail=WHERE_WALKED)
