"""A grid that is rounded up says that sizes are no multiples of the block: `kernel<<<(n + 255) / 256, 256>>>(x, n)`."""

from __future__ import annotations

from collections.abc import Iterable

from cudalint.term import Number, Term, number, substitute


def makes_room_for_a_rest(sides: Iterable[Term], atoms: Iterable[Term], value: int) -> bool:
    """For one element beyond `value` the grid has a further block, and for the next one it has no other."""
    wanted = list(atoms)

    def blocks(side: Term, size: int) -> Term:
        return substitute(side, dict.fromkeys(wanted, number(size)))

    for side in sides:
        whole, first, second = (blocks(side, value + more) for more in range(3))
        if first is not whole and first is second and isinstance(whole, Number) and isinstance(first, Number):
            return True
    return False
