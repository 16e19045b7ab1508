"""Which bytes of the records of an array a place may be: other members are not changed by a write to it.

lanes[k].done    64*k + 8, 4 bytes        meets neither lanes[j].count, at 64*j + 12, nor anything but `done` of a lane
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from math import gcd

from cudalint.symbolic.model import MemoryObject
from cudalint.term import Number, Sum, Term


@dataclass(frozen=True, slots=True)
class Places:
    """`size` bytes at `start`, and at what lies any number of steps from there; a step of 0 is one place."""

    step: int
    start: int
    size: int

    def meet(self, other: Places) -> bool:
        """Whether they may share a byte."""
        step = gcd(self.step, other.step)
        apart = other.start - self.start
        if step == 0:
            return -other.size < apart < self.size
        return apart % step < self.size or step - apart % step < other.size


EVERYWHERE = Places(1, 0, 1)
MOST = 32  # of one array


def few(places: Set[Places]) -> frozenset[Places]:
    """Of many, what holds them all."""
    return frozenset(places) if len(places) <= MOST and EVERYWHERE not in places else frozenset((EVERYWHERE,))


def places_of(offset: Term, size: int) -> Places:
    """Where an access of that many bytes may lie, whatever the values that its offset is made of."""
    if isinstance(offset, Number):
        return Places(0, offset.value, size)
    if isinstance(offset, Sum):
        return Places(gcd(*(coefficient for _, coefficient in offset.monomials)), offset.constant, size)
    return EVERYWHERE


def merge_places(
    a: Mapping[MemoryObject, frozenset[Places]], b: Mapping[MemoryObject, frozenset[Places]]
) -> Mapping[MemoryObject, frozenset[Places]]:
    """What either holds, by array."""
    if a == b or not b:
        return a
    return {**a, **{found: few(a.get(found, frozenset()) | places) for found, places in b.items()}}
