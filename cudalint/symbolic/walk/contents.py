"""What a contract promises of the contents of arrays, as axioms about the values that loads give.

values(idx) in [0, n)              every value read from `idx` lies there
values(table[b][0:len[b]]) ...     the same where the element's number satisfies a condition
offsets(cu, total)                 0 <= cu[i] <= cu[j] <= total for i <= j

What host code has filled memory with (`h[j] = j` for all of it) is a value for each element that the kernel leaves as it is.
One number everywhere, as of `memset`, is where a program begins: nothing is proved by it, for a kernel is meant for what comes
later, too.
"""

from __future__ import annotations

from collections.abc import Callable

from cudalint import ir
from cudalint.contract import Contract, ElementValues, Held, Offsets, Placed, Values
from cudalint.finding import Assumption
from cudalint.symbolic.walk import integers
from cudalint.term import (
    FALSE,
    Number,
    Term,
    Wrapped,
    add,
    at_most,
    conjunction,
    disjunction,
    equal,
    free_symbols,
    keep,
    less,
    negation,
    number,
    quotient,
    substitute,
    subtract,
    symbol,
)

MOST_PAIRS = 8
MOST_PLACED = 32  # numbers of a table of which a place that is not known is compared with each
_PLACE = keep(symbol("~element", 0, None, "thread"))
_INT_BITS = 32


class Contents:
    """The promises by array; `term` gives the meaning of a contract's term in this launch."""

    def __init__(self, contract: Contract, term: Callable[[Term], Term]) -> None:
        self._term = term
        self._bounds: dict[str, list[tuple[Term, Term]]] = {}
        self._elements: dict[str, list[ElementValues]] = {}
        self._ordered: dict[str, dict[tuple[Term, Term], None]] = {}
        self._held: dict[str, tuple[Held, Assumption]] = {}
        self._placed: dict[str, list[tuple[Placed, Assumption]]] = {}
        self.filled: dict[Term, Assumption] = {}  # what axioms about such values rest on
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
            elif isinstance(what, Placed):
                self._placed.setdefault(what.pointer, []).append((what, fact.assumption()))
            elif isinstance(what, Held) and (what.passed or what.index in free_symbols(what.value)):
                self._held[what.pointer] = what, fact.assumption()

    def bounded(self) -> frozenset[str]:
        """The arrays of whose contents something is promised or known."""
        return frozenset((*self._bounds, *self._elements, *self._held, *self._placed))

    def left_as_filled(self, array: str, type_: ir.Type, offset: Term, value: Term) -> list[Term]:
        """What holds of a number of that type, read `offset` bytes into an array that nobody has written since the launch."""
        width = ir.size_of(type_)
        if array not in self._held or width is None or not isinstance(type_, ir.Int):
            return []
        known, told = self._held[array]
        index = quotient(offset, number(width))
        inside = conjunction(at_most(number(0), index), less(index, self._term(known.count)))
        held = substitute(self._term(substitute(known.value, {known.index: _PLACE})), {_PLACE: index})
        if isinstance(held, Wrapped) and held.parts[2] and held.parts[1] >= _INT_BITS:
            held, limit = held.parts[0], 1 << (held.parts[1] - 1)  # the host's program did not overflow
            inside = conjunction(inside, at_most(number(-limit), held), less(held, number(limit)))
        axiom = disjunction(negation(inside), equal(value, held))
        self.filled[axiom] = told
        return [axiom]

    def left_as_placed(self, variable: str, type_: ir.Int, offset: Term, value: Term) -> list[Term]:
        """The same for a variable of the device, where the host's copies are numbers of the same width."""
        found: list[Term] = []
        known = [(p, told) for p, told in self._placed.get(variable, ()) if p.width == ir.size_of(type_)]
        for placed, told in known if len(known) <= MOST_PLACED or isinstance(offset, Number) else ():
            here = equal(offset, number(placed.offset))
            if here is not FALSE:
                axiom = disjunction(negation(here), equal(value, integers.convert(self._term(placed.value), type_)))
                self.filled[axiom] = told
                found.append(axiom)
        return found

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
