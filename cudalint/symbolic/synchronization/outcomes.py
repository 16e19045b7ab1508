"""What the comparisons of the accesses of one object gave."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from cudalint.finding import Reason
from cudalint.symbolic.issues import Race
from cudalint.symbolic.model import Access


@dataclass(slots=True)
class Found:
    where: object  # one missing barrier, or one object that blocks share
    race: Race


@dataclass(slots=True)
class Outcome:
    """What the comparisons of one object gave."""

    found: list[Found] = field(default_factory=list)
    reason: Reason | None = None
    asked: int = 0
    settled: set[tuple[object, ...]] = field(default_factory=set)
    compared: Counter[tuple[object, ...]] = field(default_factory=Counter)  # comparisons of two lines
    open: Counter[tuple[object, ...]] = field(default_factory=Counter)  # of two lines, that decided nothing
    met: dict[int, Access] = field(default_factory=dict)  # what two threads may do at a time, wherever it is

    def doubt(self, reason: Reason) -> None:
        self.reason = self.reason or reason
