"""The smallest case that fails in the same way, by a written order, through one `consider()`.

    shrinker = Shrinker(start, order, fails, budget)        fails(case): whether it does, and the steps of its run
    shrinker.shrink(passes)                                 a pass gives candidates from the best case so far

Nothing but `consider` takes a case: it has to be smaller by the order, untried, within the budget, and to fail. Passes are
repeated until none of them gives anything smaller, so that what is shrunk stays as it is when it is shrunk again. The budget
counts runs and their steps, never time.

A launch is smaller with fewer bytes, then a smaller grid, a smaller block, smaller sizes, smaller values; contents are smaller
with fewer bytes that are not zero, then by the bytes themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from cudalint.finding import LaunchShape

Case = TypeVar("Case")
Pass = Callable[[Case], Iterator[Case]]
Bytes = npt.NDArray[np.uint8]
SMALLEST_PIECES = 1 << 12  # bytes of a buffer that are looked at one by one


@dataclass(slots=True)
class Budget:
    """Runs and steps that are left."""

    runs: int
    steps: int

    @property
    def is_spent(self) -> bool:
        return self.runs <= 0 or self.steps <= 0


class Shrinker(Generic[Case]):
    """`order` gives values that compare, equal for equal cases alone."""

    def __init__(
        self, start: Case, order: Callable[[Case], Any], fails: Callable[[Case], tuple[bool, int]], budget: Budget
    ) -> None:
        self.best = start
        self._order, self._fails, self._budget = order, fails, budget
        self._least = order(start)
        self._tried = {self._least}

    def consider(self, candidate: Case) -> bool:
        """Take the candidate if it is smaller and fails in the same way."""
        place = self._order(candidate)
        if self._budget.is_spent or not place < self._least or place in self._tried:
            return False
        self._tried.add(place)
        failed, steps = self._fails(candidate)
        self._budget.runs -= 1
        self._budget.steps -= steps
        if failed:
            self.best, self._least = candidate, place
        return failed

    def shrink(self, passes: Sequence[Pass[Case]]) -> Case:
        """The smallest case that the passes come to."""
        improved = True
        while improved and not self._budget.is_spent:
            improved = any(self._exhaust(each) for each in passes)
        return self.best

    def _exhaust(self, candidates: Pass[Case]) -> bool:
        improved = False
        while any(self.consider(candidate) for candidate in candidates(self.best)):
            improved = True
        return improved


def smaller(value: int, least: int) -> Iterator[int]:
    """Numbers between: the least one first, then by halves of the way, the next one last."""
    distance = value - least
    while distance > 0:
        yield value - distance
        distance //= 2


# --- launches --------------------------------------------------------------------------------------------------------------


def launch_order(size: int, shape: LaunchShape, values: Mapping[str, int]) -> tuple[Any, ...]:
    """`size` are the bytes, or elements, that the launch needs."""
    ordered = tuple(values[name] for name in sorted(values))
    return size, prod(shape.grid), prod(shape.block), sum(map(abs, ordered)), shape.grid, shape.block, ordered


def value_passes(
    names: Sequence[str], make: Callable[[dict[str, int]], Case | None], values_of: Callable[[Case], Mapping[str, int]],
    least: Callable[[str], int],
) -> list[Pass[Case]]:  # fmt: skip
    """All sizes at once, one of them, then those that are equal together; `make` gives None outside of the contract."""

    def made(case: Case, changed: dict[str, int]) -> Iterator[Case]:
        found = make({**values_of(case), **changed})
        if found is not None:
            yield found

    def at_once(case: Case) -> Iterator[Case]:
        values = values_of(case)
        for part in (8, 4, 2):
            yield from made(case, {n: max(min(values[n], least(n)), values[n] // part) for n in names})

    def alone(case: Case) -> Iterator[Case]:
        for name in names:
            for value in smaller(values_of(case)[name], least(name)):
                yield from made(case, {name: value})

    def together(case: Case) -> Iterator[Case]:
        values = values_of(case)
        for place, name in enumerate(names):
            for other in names[place + 1 :]:
                if values[other] == values[name]:
                    for value in smaller(values[name], max(least(name), least(other))):
                        yield from made(case, {name: value, other: value})

    return [at_once, alone, together]


# --- contents --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """Bytes of buffers by name. Those that are `kept` are promised to be as they are; what lies in `bounds` [low, high) as well."""

    data: Mapping[str, Bytes]
    widths: Mapping[str, int]  # bytes of an element that may be changed alone
    bounds: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    kept: frozenset[str] = frozenset()

    def changeable(self) -> list[str]:
        """Buffers that may hold zeros."""
        return [name for name in sorted(self.data) if name not in self.kept and self._may_be_zero(name)]

    def _may_be_zero(self, name: str) -> bool:
        low, high = self.bounds.get(name, (0, 1))
        return low <= 0 < high

    def with_zeros(self, name: str, first: int, end: int) -> Contents:
        changed = self.data[name].copy()
        changed[first:end] = 0
        return Contents({**self.data, name: changed}, self.widths, self.bounds, self.kept)


def contents_order(contents: Contents) -> tuple[Any, ...]:
    used = sum(int(np.count_nonzero(data)) for data in contents.data.values())
    return used, tuple(contents.data[name].tobytes() for name in sorted(contents.data))


def contents_passes() -> list[Pass[Contents]]:
    """Whole buffers, then halves of them down to single elements."""

    def whole(contents: Contents) -> Iterator[Contents]:
        for name in contents.changeable():
            yield contents.with_zeros(name, 0, len(contents.data[name]))

    def pieces(contents: Contents) -> Iterator[Contents]:
        for name in contents.changeable():
            data, width = contents.data[name], contents.widths.get(name, 1)
            used = np.flatnonzero(data)
            if not len(used):
                continue
            low, high = int(used[0]) // width * width, -(-(int(used[-1]) + 1) // width) * width
            size = max(width, (high - low) // 2 // width * width)
            while size >= width and (size > width or high - low <= SMALLEST_PIECES):
                for first in range(low, high, size):
                    if data[first : first + size].any():
                        yield contents.with_zeros(name, first, first + size)
                size = size // 2 // width * width

    return [whole, pieces]
