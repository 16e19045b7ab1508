"""One defect is one finding: the first operation that goes wrong, its consequences as related locations (SEMANTICS 9)."""

from __future__ import annotations

from dataclasses import dataclass

from cudalint.finding import Confidence, Verdict
from cudalint.symbolic.decide import ideal
from cudalint.symbolic.model import Obligation

_RANK = {Confidence.HIGH: 0, Confidence.MEDIUM: 1, Confidence.LOW: 2, None: 3}


@dataclass(frozen=True, slots=True)
class Defect:
    """`consequences` go wrong with the same index."""

    primary: Obligation
    consequences: tuple[Obligation, ...]


def defects(obligations: list[Obligation]) -> list[Defect]:
    """Violated obligations grouped by the mathematical value of their index, in the order of the walk."""
    groups: dict[tuple[object, ...], list[Obligation]] = {}
    for obligation in obligations:
        if obligation.verdict is Verdict.VIOLATED:
            groups.setdefault(_cause(obligation), []).append(obligation)
    result: list[Defect] = []
    for members in groups.values():
        ordered = sorted(members, key=_order)
        primary = ordered[0]
        rest = [m for m in members if m is not primary and m.span != primary.span]
        result.append(Defect(primary, tuple(rest)))
    return result


def _cause(obligation: Obligation) -> tuple[object, ...]:
    """An index that overflows is one defect for each object that it leads to; else equal indices share a defect."""
    if obligation.kind == "overflow":
        return "overflow", obligation.root.partition(":")[0]
    return ("index", ideal(obligation.index))


def _order(obligation: Obligation) -> tuple[int, bool, bool]:
    return _RANK[obligation.confidence], obligation.approximate, obligation.kind != "overflow"
