"""Values that wrap for extreme inputs alone: what was found of them at one access is tried at the next before anything is asked.

int i = row * cols + col;        no ordinary launch makes it wrap, 2^31 columns do
x[i] = y[i] + z[i + 1];          the launch that shows it of one access shows it of the others
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from cudalint.finding import Confidence, Verdict
from cudalint.symbolic.model import Obligation
from cudalint.symbolic.solver.question import Model
from cudalint.symbolic.verdicts.facts import wrapped_parts
from cudalint.term import Sum, Term, ideal, number, subtract

_Key: TypeAlias = tuple[frozenset[Term], Term, int, Term | None]


@dataclass(frozen=True, slots=True)
class Extreme:
    """A launch under which an index wraps, and whether it is ordinary; `path` is the way of the access that it was found for."""

    path: frozenset[Term]
    model: Model
    ordinary: bool


@dataclass(slots=True)
class Extremes:
    _found: dict[_Key, list[Extreme]] = field(default_factory=dict)

    def learn(self, obligation: Obligation, model: Model, ordinary: bool) -> None:
        """What is of high confidence is a finding, after which nothing is asked of these values."""
        surely = obligation.confidence is Confidence.HIGH
        if obligation.kind == "overflow" and obligation.verdict is Verdict.VIOLATED and not surely:
            self._found.setdefault(_key(obligation), []).append(Extreme(_path(obligation), model, ordinary))

    def known(self, obligation: Obligation) -> list[Extreme]:
        """Those of the same index up to a constant, on this way or a shorter one: no ordinary launch of theirs was overlooked."""
        if obligation.kind != "overflow":
            return []
        path = _path(obligation)
        return [
            each
            for each in self._found.get(_key(obligation), ())
            if each.path == path or (each.path < path and not each.ordinary)
        ]


def _key(obligation: Obligation) -> _Key:
    meant = ideal(obligation.index)
    moving = subtract(meant, number(meant.constant)) if isinstance(meant, Sum) else meant
    told = obligation.holds if obligation.footprint is None else None  # it speaks of the size of the memory
    return frozenset(wrapped_parts(obligation.holds)), moving, obligation.unit, told


def _path(obligation: Obligation) -> frozenset[Term]:
    return frozenset(conjunct.term for conjunct in obligation.path)
