"""Guards that a wrapped place does not pass although the place that is meant would: elements behind 2^31 stay undone.

int i = blockIdx.x * blockDim.x + threadIdx.x;      if (i < n) x[i] = 0;          with size_t n: a negative i is a large number

Only a place beyond the largest int counts. What wraps from below, as in `(unsigned)(x - 1) < width`, asks two things at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cudalint.symbolic.indexing.guarded_places import PLACES
from cudalint.symbolic.model import Conjunct, Obligation
from cudalint.symbolic.ordinary import is_input
from cudalint.term import (
    Apply,
    AtMostZero,
    Quotient,
    Remainder,
    Symbol,
    Term,
    Wrapped,
    at_most,
    conjunction,
    free_symbols,
    ideal,
    interval,
    number,
    subterms,
    subtract,
)

INT_BITS = 32
BEYOND = 1 << (INT_BITS - 1)
_CHANGES = ("write", "atomic")


def wrapped_guards(bounds: list[Obligation]) -> Iterator[Obligation]:
    """For each guarded write that a place in an int decides: whoever is meant to come there does."""
    for access in bounds:
        if access.kind != "bounds" or access.access not in _CHANGES or access.object is None:
            continue
        if access.object.memory != "global":
            continue
        for place, conjunct in enumerate(access.path):
            narrow = _narrow_place(conjunct.term)
            if narrow is None:
                continue
            meant = conjunction(ideal(conjunct.term), at_most(number(BEYOND), ideal(narrow)))
            way = (*access.path[:place], Conjunct(meant, conjunct.cause), *access.path[place + 1 :])
            yield replace(
                access, kind="overflow", object=None, path=way, holds=conjunct.term, index=ideal(access.index),
                extent=None, root=f"{access.root}:overflow",
            )  # fmt: skip


def _narrow_place(guard: Term) -> Term | None:
    """The int that a comparison is about, where the launch alone decides it."""
    if not isinstance(guard, AtMostZero):
        return None
    for part in subterms([guard]):
        if isinstance(part, Wrapped) and part.parts[1] == INT_BITS and part.parts[2] and _is_of_launch(part):
            _, most = interval(subtract(ideal(part), ideal(guard.parts[0])))  # what the guard lets through
            return part if most is None or most >= BEYOND else None
    return None


def _is_of_launch(part: Term) -> bool:
    atoms = free_symbols(part)
    known = all(isinstance(a, Symbol) and (a.name in PLACES or is_input(a)) for a in atoms)
    plain = not any(isinstance(each, Apply | Remainder | Quotient) for each in subterms([part]))
    return known and plain and any(isinstance(a, Symbol) and a.name.startswith("blockIdx.") for a in atoms)
