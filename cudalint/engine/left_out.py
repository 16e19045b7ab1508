"""What is proved under some launches and instances of a kernel, where others are not analysed for want of steps.

Of the others it is asked whether each proof holds under them as well (`Effort` of its own, no witnesses). Of what is not
proved there nothing is said: they may pass other numbers, memory and blocks, and a number that is passed is part of what is
proved without being a fact of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from cudalint import ir
from cudalint.contract import Contract
from cudalint.finding import WHERE_WALKED, ObligationResult, Reason, Verdict, is_conditional
from cudalint.symbolic.model import ResultKey, is_proved, result_key
from cudalint.symbolic.solver.effort import Effort

OF_ORDER = ("-race", "-divergence")
MOST = 32  # launches and instances of which is asked whether they uphold what is proved


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A launch of an instance that is not analysed."""

    kernel: ir.Function
    contract: Contract


def upheld(
    results: list[ObligationResult], unit: ir.Unit, left_out: Iterable[LeftOut], effort: Effort, unseen: bool = False
) -> list[ObligationResult]:
    """The results; what is not proved of all that were left out is open, and says so. Of what is `unseen` nothing can be."""
    proved = frozenset(_key(r) for r in results if _is_proved(r)) - {_key(r) for r in results if not _is_proved(r)}
    open_ = frozenset(map(_key, results)) - proved
    lost = proved if unseen else frozenset()
    for number, left in enumerate(left_out):
        if number >= MOST or effort.is_tired or lost >= proved:
            lost |= proved
            break
        lost |= _not_upheld(unit, left, proved - lost, open_ | lost, effort)
    known = {_key(r) for r in results}
    kept = [_opened(r) if _key(r) in lost or _is_taken(r) else r for r in results]
    return kept + [ObligationResult(kind, span, *_OPEN) for kind, span in sorted(lost - known)]


def _not_upheld(
    unit: ir.Unit, left: LeftOut, proved: frozenset[ResultKey], open_: frozenset[ResultKey], effort: Effort
) -> frozenset[ResultKey]:
    """What is proved under other contracts and not under this one, and what only this one comes to and does not prove."""
    from cudalint.symbolic import analyse

    found = analyse.proofs_under(unit, left.kernel, left.contract, open_, effort)
    if found.contradictory:
        return proved
    lost = {result_key(o) for o in (*found.obligations, *found.sync_results) if not is_proved(o)}
    if found.order_unknown:
        lost |= {key for key in proved if key[0].endswith(OF_ORDER)}
    return frozenset(lost - open_)


_OPEN = Verdict.UNKNOWN, Reason.SOLVER_LIMIT, (), WHERE_WALKED


def _key(result: ObligationResult) -> ResultKey:
    return result.kind, result.span


def _is_proved(result: ObligationResult) -> bool:
    return result.verdict in (Verdict.SAFE, Verdict.UNREACHABLE) and not _is_taken(result)


def _is_taken(result: ObligationResult) -> bool:
    """Safe under a relation that nothing checks, which was looked for under the launches that were analysed alone."""
    return result.verdict is Verdict.SAFE and is_conditional(result)


def _opened(result: ObligationResult) -> ObligationResult:
    if result.verdict not in (Verdict.SAFE, Verdict.UNREACHABLE):
        return result
    return replace(result, verdict=Verdict.UNKNOWN, reason=Reason.SOLVER_LIMIT, detail=WHERE_WALKED)
