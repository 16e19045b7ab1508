"""One defect is one finding: the first operation that goes wrong, its consequences as related locations (SEMANTICS 9)."""

from __future__ import annotations

from dataclasses import dataclass

from cudalint.finding import Confidence, Verdict
from cudalint.symbolic.model import Obligation
from cudalint.term import Number, Sum, Term, ideal, number, subtract

NEAR = 10  # lines

_RANK = {Confidence.HIGH: 0, Confidence.MEDIUM: 1, Confidence.LOW: 2, None: 3}


@dataclass(frozen=True, slots=True)
class Defect:
    """`consequences` go wrong with the same index, or with one that is a constant away."""

    primary: Obligation
    consequences: tuple[Obligation, ...]


def defects(obligations: list[Obligation]) -> list[Defect]:
    """Violated obligations grouped by the mathematical value of their index, in the order of the walk.

    Neighbours, such as the four words of a record behind one missing guard, are one defect where they leave the same
    memory on the same side and path.
    """
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
    return _joined(result)


def _joined(found: list[Defect]) -> list[Defect]:
    """The defects, those of neighbours in one."""
    joined: list[Defect] = []
    known: dict[tuple[object, ...], list[int]] = {}
    for defect in found:
        places = known.setdefault(_neighbourhood(defect.primary), [])
        near = next((n for n in places if _is_near(joined[n].primary, defect.primary)), None)
        if near is None:
            places.append(len(joined))
            joined.append(defect)
        else:
            joined[near] = _with(joined[near], defect)
    return joined


def _neighbourhood(obligation: Obligation) -> tuple[object, ...]:
    """Equal for accesses that leave one object on one side, on one path, with indices that differ by a constant."""
    witness = obligation.witness
    if obligation.kind == "overflow" or obligation.object is None or witness is None or witness.index is None:
        return (id(obligation),)
    path = frozenset(conjunct.term for conjunct in obligation.path)
    moving = _without_constant(ideal(obligation.index))
    return obligation.object, obligation.unit, obligation.kind, witness.index < 0, moving, path


def _without_constant(index: Term) -> Term:
    if isinstance(index, Number):
        return number(0)
    return subtract(index, number(index.constant)) if isinstance(index, Sum) else index


def _is_near(one: Obligation, other: Obligation) -> bool:
    return one.span.path == other.span.path and abs(one.span.line - other.span.line) <= NEAR


def _with(defect: Defect, other: Defect) -> Defect:
    """One defect of two: the surer one is told, the first of the walk where they are equally sure."""
    first, second = sorted((defect, other), key=lambda each: _order(each.primary))
    return Defect(first.primary, (*first.consequences, second.primary, *second.consequences))


def _cause(obligation: Obligation) -> tuple[object, ...]:
    """An index that overflows is one defect for each object that it leads to; else equal indices share a defect."""
    if obligation.kind == "overflow":
        return "overflow", obligation.root.partition(":")[0]
    return ("index", ideal(obligation.index))


def _order(obligation: Obligation) -> tuple[int, bool, bool]:
    return _RANK[obligation.confidence], obligation.approximate, obligation.kind != "overflow"
