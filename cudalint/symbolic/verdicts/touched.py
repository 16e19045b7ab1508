"""What a launch as a whole needs of memory: an overflow at sizes for which no device holds the arrays is none.

    float *row = scores + blockIdx.x * cols;         block 2048 of 2^20 rows wraps within 8 GiB,
    row[threadIdx.x] = 0;                            and the last block writes at 4 TiB

Blocks at the end of the grid reach farthest; their accesses are what the arrays are made for, whatever thread is the witness.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from cudalint.symbolic.model import MemoryObject, Obligation
from cudalint.symbolic.ordinary import COUNT
from cudalint.symbolic.solver.question import Model
from cudalint.symbolic.verdicts.checked import contents_in, guard_parts
from cudalint.symbolic.walk.environment import AXES, Environment
from cudalint.term import (
    Symbol,
    Term,
    Undefined,
    add,
    at_most,
    conjunction,
    disjunction,
    free_symbols,
    ideal,
    negation,
    number,
    scale,
    substitute,
)

Needs: TypeAlias = dict[MemoryObject, tuple[Term, Term, int]]


class Touched:
    """The accesses of a launch to memory that callers allocate and nothing else sizes, as its outermost blocks make them."""

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
    """The arrays as far as these accesses reach, and those whose sizes are told, fit into so much memory.

    Those that only their own number of elements sizes have as many as that.
    """
    guards = [negation(guard) for found, (guard, _, _) in needs.items() if _own_size(found) is None]
    whole = at_most(add(*to_allocate(needs), told or number(0)), number(memory))
    sizes = [(end, _own_size(found)) for found, (_, end, _) in needs.items()]
    return conjunction(disjunction(*guards, whole), *(at_most(end, size) for end, size in sizes if size is not None))


def to_allocate(needs: Needs) -> list[Term]:
    """The bytes of each array that nothing sizes."""
    return [end for found, (_, end, _) in needs.items() if _own_size(found) is None]


def are_long_enough(needs: Needs, model: Model) -> bool:
    """The launch stays inside the arrays that only their own number of elements sizes."""
    sizes = [(_own_size(found), reached) for found, (_, _, reached) in needs.items()]
    return all(reached <= model.value(size) for size, reached in sizes if size is not None)


def _is_allocated_by_callers(access: Obligation) -> bool:
    found = access.object
    if found is None or found.memory != "global" or access.kind == "overflow" or contents_in((access.index,)):
        return False
    return found.size is None or found.described or _own_size(found) is not None


def _own_size(found: MemoryObject) -> Term | None:
    """The bytes of a tensor of which nothing but its number of elements is known."""
    size = None if found.described else found.size
    names = [atom.name for atom in free_symbols(size) if isinstance(atom, Symbol)] if size is not None else []
    return size if len(names) == 1 and names[0].endswith(COUNT) else None


def _moved(access: Obligation, place: Mapping[Term, Term]) -> tuple[MemoryObject, Term, Term]:
    """The access in another place; what memory holds lets it happen."""
    assert access.object is not None
    guard = conjunction(*(part for part in guard_parts(access.path) if not contents_in((part,))))
    end = scale(add(ideal(access.index), number(1)), access.unit)
    return access.object, ideal(substitute(guard, place)), substitute(end, place)
