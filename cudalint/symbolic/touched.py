"""What a launch as a whole needs of memory: an overflow at sizes for which no device holds the arrays is none.

    float *row = scores + blockIdx.x * cols;         block 2048 of 2^20 rows wraps within 8 GiB,
    row[threadIdx.x] = 0;                            and the last block writes at 4 TiB

Blocks at the end of the grid reach farthest; their accesses are what the arrays are made for, whatever thread is the witness.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from cudalint.symbolic.checked import contents_in, guard_parts
from cudalint.symbolic.environment import AXES, Environment
from cudalint.symbolic.model import MemoryObject, Obligation
from cudalint.symbolic.query import Model
from cudalint.term import (
    Symbol,
    Term,
    Undefined,
    add,
    at_most,
    conjunction,
    disjunction,
    ideal,
    negation,
    number,
    scale,
    substitute,
)

Needs: TypeAlias = dict[MemoryObject, tuple[Term, Term, int]]


class Touched:
    """The accesses of a launch to memory that callers allocate and nothing sizes, as its outermost blocks make them."""

    def __init__(self, accesses: Iterable[Obligation], environment: Environment) -> None:
        self._accesses = [a for a in accesses if _is_allocated_by_callers(a)]
        self._environment = environment
        self._made: list[tuple[MemoryObject, Term, Term]] | None = None
        self._asked: tuple[Model | None, Needs] = (None, {})

    def needs(self, model: Model) -> Needs:
        """For each array the farthest access: when it is made, the bytes up to its end, and how many these are here."""
        if self._asked[0] is model:
            return self._asked[1]
        farthest: Needs = {}
        for found, guard, end in self._at_the_last_blocks():
            try:
                reached = model.value(end) if model.value(guard) else 0
            except Undefined:
                continue
            if reached > 0 and (found not in farthest or reached > farthest[found][2]):
                farthest[found] = guard, end, reached
        self._asked = model, farthest
        return farthest

    def _at_the_last_blocks(self) -> list[tuple[MemoryObject, Term, Term]]:
        if self._made is None:
            places = self._last_places()
            different = {(a.object, a.index, a.unit, a.path): a for a in self._accesses}.values()
            moved = (_moved(access, place) for access in different for place in places)
            self._made = list(dict.fromkeys(moved))
        return self._made

    def _last_places(self) -> list[dict[Term, Term]]:
        """The first and the last thread of the blocks at the corners of the grid, the farthest first."""
        places: list[dict[Term, Term]] = [{}]
        for axis in reversed(AXES):
            sides = self._ends(f"blockIdx.{axis}", f"gridDim.{axis}")
            places = [place | side for side in sides for place in places]
        threads = [self._ends(f"threadIdx.{axis}", f"blockDim.{axis}") for axis in AXES]
        first = {t: end for sides in threads for t, end in sides[-1].items()}
        last = {t: end for sides in threads for t, end in sides[0].items()}
        return [place | ends for place in places for ends in (first, last)]

    def _ends(self, name: str, size: str) -> list[dict[Term, Term]]:
        """The last and the first value of a place in the launch."""
        place = self._environment.builtin(name)
        if not isinstance(place, Symbol):
            return [{}]
        return [{place: add(self._environment.builtin(size), number(-1))}, {place: number(0)}]


def fits(needs: Needs, told: Term | None, memory: int) -> Term:
    """The arrays as far as these accesses reach, and those whose sizes are told, fit into so much memory."""
    guards = [negation(guard) for guard, _, _ in needs.values()]
    return disjunction(*guards, at_most(add(*(end for _, end, _ in needs.values()), told or number(0)), number(memory)))


def _is_allocated_by_callers(access: Obligation) -> bool:
    found = access.object
    if found is None or found.memory != "global" or access.kind == "overflow":
        return False
    return (found.size is None or found.described) and not contents_in((access.index,))


def _moved(access: Obligation, place: Mapping[Term, Term]) -> tuple[MemoryObject, Term, Term]:
    """The access in another place; what memory holds lets it happen."""
    assert access.object is not None
    guard = conjunction(*(part for part in guard_parts(access.path) if not contents_in((part,))))
    end = scale(add(ideal(access.index), number(1)), access.unit)
    return access.object, ideal(substitute(guard, place)), substitute(end, place)
