"""Sizes that are worth a try where products of them are asked for: primes, and those that make a product large."""

from __future__ import annotations

from collections.abc import Iterable

from cudalint.symbolic.solver.encoder import prepared_for, sizes_of
from cudalint.symbolic.solver.parts import conjuncts
from cudalint.symbolic.solver.question import nearest
from cudalint.term import Symbol, Term, free_symbols, interval

LIKELY_SIZES = ((5, 7, 11, 13, 3), (129, 65, 33, 257, 47), (90_001, 50_021, 4099, 1031, 521))
LARGE_SIDE = 1 << 20
LARGE_PRODUCT = 1 << 36
LARGE_ENOUGH = 1 << 12
MOST_CARRIED = 3
FULL_INDEX = 1.5e9  # an element whose number still fits into 32 bits, when twice the number does not


def sizes_to_try(factors: tuple[Symbol, ...]) -> list[dict[str, int]]:
    """Assignments that are worth a try: sizes that divide nothing, small, middling, large, and just as large as fits."""
    sizes = [factor for factor in factors if not factor.name.startswith(("gridDim.", "blockDim."))]
    root = int(FULL_INDEX ** (1 / max(1, len(sizes))))
    full = tuple(root - place for place in range(len(sizes)))
    turned = LIKELY_SIZES[0][: len(sizes)][::-1]  # so that each of two sizes is once the larger one
    return [
        {size.name: nearest(size, values[place % len(values)]) for place, size in enumerate(sizes)}
        for values in (LIKELY_SIZES[0], turned, *LIKELY_SIZES[1:], full)
        if values
    ]


def sizes_that_carry(constraints: Iterable[Term], factors: tuple[Symbol, ...]) -> list[dict[str, int]]:
    """Assignments under which one product alone gets large: `place * stride` with a large stride, which bounds no place.

    What bounds the place stays open, so that the question is linear, and all other sizes are as small as they may be.
    """
    parts = [prepared_for(part) for constraint in constraints for part in conjuncts(constraint)]
    found: list[dict[str, int]] = []
    linear = (part for part in parts if not part.products)
    sides = {leaf for part in linear if any(map(_is_place, part.leaves)) for leaf in part.leaves}
    for product in dict.fromkeys(product for part in parts for product in part.products):
        places = frozenset().union(*map(free_symbols, product)).difference(*map(sizes_of, product))
        sizes = [size for atom in product for size in sizes_of(atom)]
        large = [size for size in sizes if nearest(size, LARGE_SIDE) >= LARGE_ENOUGH]
        if not places or len(large) != 1:
            continue
        bounds = (part for part in parts if not part.products and not places.isdisjoint(part.leaves))
        open_ = {leaf for part in bounds for leaf in part.leaves}
        if large[0] in sides or large[0] in open_:
            continue
        pins = {f.name: nearest(f, 1) for f in factors if f not in open_}
        pins[large[0].name] = nearest(large[0], LARGE_SIDE)
        if pins not in found:
            found.append(pins)
    return found[:MOST_CARRIED]


def _is_place(leaf: Term) -> bool:
    return isinstance(leaf, Symbol) and leaf.scope != "launch"


def permits(size: Symbol, value: int | None) -> bool:
    low, high = interval(size)
    return value is not None and (low is None or low <= value) and (high is None or value <= high)
