"""How long rows are and how far apart they are, both read from one header of a file.

    fread(header, 4, 8, file);  cudaMalloc(&x, rows * header[3] * 4);      for (; i < header[2]; i += 32) x[row * header[3] + i]

Whoever wrote the file padded the rows: none is longer than what each of them takes. A number that the memory is made of
itself, as the sides of an image are, comes in any order with the other one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from cudalint.symbolic.model import Obligation
from cudalint.symbolic.ordinary import is_input
from cudalint.term import Sum, Symbol, Term, free_symbols, ideal, subterms


def lengths_and_pitches(obligation: Obligation, records: Collection[str]) -> Iterator[tuple[Symbol, Symbol]]:
    """Pairs of entries of one record: what limits the index without being in the extent, and what rows of the index start at."""
    extent = obligation.extent
    if obligation.kind != "bounds" or extent is None or not records:
        return
    inside = free_symbols(extent)
    terms = (obligation.holds, *(conjunct.term for conjunct in obligation.path))
    spoken = sorted(frozenset().union(*map(free_symbols, terms)) - inside, key=lambda t: t.digest)
    for pitch in sorted(_factors(obligation.index) & inside, key=lambda t: t.digest):
        record = _record(pitch, records)
        for length in spoken if record is not None else ():
            if isinstance(length, Symbol) and isinstance(pitch, Symbol) and _record(length, records) == record:
                yield length, pitch


def _factors(index: Term) -> set[Term]:
    """What places in the launch and counters of loops are multiplied by."""
    sums = (part for part in subterms([ideal(index)]) if isinstance(part, Sum))
    moving = (monomial for each in sums for monomial, _ in each.monomials if not all(map(is_input, monomial)))
    return {atom for monomial in moving if len(monomial) > 1 for atom in monomial}


def _record(atom: Term, records: Collection[str]) -> str | None:
    """The record that the number is an entry of."""
    if not isinstance(atom, Symbol) or not is_input(atom):
        return None
    return next((name for name in sorted(records) if atom.name.startswith(tuple(name + mark for mark in "[.#"))), None)
