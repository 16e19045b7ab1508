"""Columns that a kernel names: `sizes[row][2]`, `edges[2 * e + 1]` of a tensor whose width nothing but its stride speaks of.

x[row * x.size(1) + 2]        whoever passes x gives it three columns, or more
x[row * x.size(1) + col]      goes by threads or a loop: that it ends with the row is up to the kernel
"""

from __future__ import annotations

from cudalint.term import Symbol, Term, free_symbols, ideal, interval, number, substitute

MOST_COLUMNS = 16  # that a kernel takes one by one: a 4 x 4 matrix


def named_columns(index: Term, size: Term, path: Term, geometry: frozenset[Term]) -> list[Term]:
    """The sizes of the tensor that no guard and no launch goes by, if the place inside of a row is a small constant."""
    beside = free_symbols(path) | geometry
    found = (a for a in free_symbols(size) if isinstance(a, Symbol) and a.scope == "launch" and ".size(" in a.name)
    columns: list[Term] = sorted((a for a in found if a not in beside), key=lambda a: a.digest)
    if not columns:
        return []
    low, high = interval(substitute(ideal(index), {a: number(0) for a in columns}))
    return columns if low is not None and high is not None and 0 <= low == high < MOST_COLUMNS else []
