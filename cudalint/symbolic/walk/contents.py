"""What a contract promises of the contents of arrays, as axioms about the values that loads give.

values(idx) in [0, n)              every value read from `idx` lies there
values(table[b][0:len[b]]) ...     the same where the element's number satisfies a condition
offsets(cu, total)                 0 <= cu[i] <= cu[j] <= total for i <= j
"""

from __future__ import annotations

from collections.abc import Callable

from cudalint.contract import Contract, ElementValues, Offsets, Values
from cudalint.term import (
    Number,
    Term,
    add,
    at_most,
    conjunction,
    disjunction,
    less,
    negation,
    number,
    quotient,
    substitute,
    subtract,
)

MOST_PAIRS = 8


class Contents:
    """The promises by array; `term` gives the meaning of a contract's term in this launch."""

    def __init__(self, contract: Contract, term: Callable[[Term], Term]) -> None:
        self._term = term
        self._bounds: dict[str, list[tuple[Term, Term]]] = {}
        self._elements: dict[str, list[ElementValues]] = {}
        self._ordered: dict[str, dict[tuple[Term, Term], None]] = {}
        for fact in contract.facts:
            what = fact.what
            if isinstance(what, Values):
                self._bounds.setdefault(what.pointer, []).append((term(what.low), term(what.high)))
            elif isinstance(what, ElementValues):
                self._elements.setdefault(what.pointer, []).append(what)
            elif isinstance(what, Offsets):
                most = term(what.total)
                self._bounds.setdefault(what.pointer, []).append((number(0), add(most, number(1))))
                self._ordered[what.pointer] = {}

    def bounded(self) -> frozenset[str]:
        """The arrays of whose contents something is promised."""
        return frozenset((*self._bounds, *self._elements))

    def axioms(self, array: str, offset: Term, width: int, value: Term) -> list[Term]:
        """What holds of an integer that was read `offset` bytes into the array."""
        found = [conjunction(at_most(low, value), less(value, high)) for low, high in self._bounds.get(array, ())]
        index = quotient(offset, number(width))
        for each in self._elements.get(array, ()):
            low, high, where = (
                substitute(self._term(part), {each.index: index}) for part in (each.low, each.high, each.where)
            )
            inside = conjunction(at_most(low, value), less(value, high))
            found.append(disjunction(negation(where), inside))
        return found

    def order(self, array: str, offset: Term, width: int, value: Term) -> list[Term]:
        """Offsets that nothing writes, read at two places whose distance is known, are ordered as the places are."""
        known = self._ordered.get(array)
        if known is None:
            return []
        found, index = [], quotient(offset, number(width))
        for other, held in list(known)[-MOST_PAIRS:]:
            distance = subtract(index, other)
            if isinstance(distance, Number) and distance.value != 0:
                pair = (held, value) if distance.value > 0 else (value, held)
                found.append(at_most(*pair))
        known[index, value] = None
        return found
