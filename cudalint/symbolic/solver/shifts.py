"""Shifts by fewer places than a word has: what C leaves undefined is no example of anything."""

from __future__ import annotations

from collections.abc import Iterable

from cudalint.term import POWER_OF_TWO, Apply, Term, at_most, conjunction, number, subterms

WORD = 32


def shifts_that_are_defined(terms: Iterable[Term]) -> list[Term]:
    """For each shift in the terms: the number of places is in [0, 32)."""
    powers = (part for part in subterms(terms) if isinstance(part, Apply) and part.parts[0] == POWER_OF_TWO)
    places = sorted({part.parts[1][0] for part in powers}, key=lambda term: term.digest)
    return [conjunction(at_most(number(0), place), at_most(place, number(WORD - 1))) for place in places]
