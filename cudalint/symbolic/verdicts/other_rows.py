"""Rows of an array that memory chooses, where the index goes from one to the next by another length than theirs.

`cache[rows[i] * head_size + column]`, of `cache.size(0) * cache.size(1)` elements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cudalint.symbolic.model import MEMORY_PREFIX, Obligation
from cudalint.term import Apply, Sum, Symbol, Term, free_symbols, ideal, labels


def rows_of_other_length(obligation: Obligation, facts: Sequence[Term]) -> frozenset[Term]:
    """Values from memory that the index multiplies with sizes, which are no part of the product that the memory is as long as.

    None where memory has a part in the index in any other way, or where no fact compares the sizes with those of the memory:
    callers may pass the same ones by another name.
    """
    sides = _factors(obligation.extent)
    index = ideal(obligation.index)
    if obligation.kind != "bounds" or len(sides) < 2 or not isinstance(index, Sum):
        return frozenset()
    rows: set[Term] = set()
    for atoms, _ in index.monomials:
        read = [atom for atom in atoms if _is_read(atom)]
        if not read:
            if any(map(_rests_on_memory, atoms)):
                return frozenset()
            continue
        stride = [atom for atom in atoms if atom not in read]
        if len(read) > 1 or not stride or not all(isinstance(a, Symbol) and a.scope == "launch" for a in stride):
            return frozenset()
        compared = (free_symbols(fact) for fact in facts)
        if Counter(stride) <= Counter(sides) or all(c.isdisjoint(stride) or c.isdisjoint(sides) for c in compared):
            return frozenset()
        rows.update(read)
    return frozenset(rows)


def _factors(extent: Term | None) -> tuple[Term, ...]:
    """The sizes that the extent is a product of."""
    one = (
        extent.monomials[0][0] if isinstance(extent, Sum) and len(extent.monomials) == 1 and not extent.constant else ()
    )
    return one if all(isinstance(atom, Symbol) for atom in one) else ()


def _is_read(atom: Term) -> bool:
    return isinstance(atom, Apply) and str(atom.parts[0]).startswith(MEMORY_PREFIX)


def _rests_on_memory(atom: Term) -> bool:
    return any(label.startswith(MEMORY_PREFIX) for label in labels(atom))
