"""Sizes that the host computes for a check that is not told: they fit into their type, as what it passes to a launch does.

CHECK(data.numel() == width * height * UNKNOWN);  k<<<grid, block>>>(data, width, height)        width * height fits
"""

from __future__ import annotations

from collections.abc import Callable

from cudalint.symbolic.walk import integers
from cudalint.term import TRUE, Any_, Apply, Choice, Term, Wrapped, free_symbols, rewrite

FITS = "what the host computes fits into its signed types"
SIZE_BITS = 32


def sizes_that_fit(cond: Term, is_lost: Callable[[Term], bool]) -> list[Term]:
    """That its signed arithmetic stays in range, as far as it knows its operands.

    What is computed under a condition of its own is left out: the check may hold without it.
    """
    found: dict[Term, None] = {}
    memo: dict[Term, Term] = {}

    def leaf(part: Term) -> Term | None:
        if isinstance(part, Any_ | Apply):
            return part
        if isinstance(part, Choice):
            rewrite(part.parts[0], leaf, memo)
            return part
        if isinstance(part, Wrapped) and part.parts[2] and part.parts[1] >= SIZE_BITS:
            inner, bits, _ = part.parts
            if not any(map(is_lost, free_symbols(inner))):
                limit = 1 << (bits - 1)
                found[integers.between(-limit, inner, limit - 1)] = None
        return None

    rewrite(cond, leaf, memo)
    found.pop(TRUE, None)
    return list(found)
