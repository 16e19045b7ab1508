"""What annotations promise of the contents of memory, compared with what host code has filled it with.

    // cudalint: values(idx) in [0, n)            for (i = 0; i < n; i++) h[i] = i + 1;  cudaMemcpy(idx, h, ...)    broken: h[n - 1]
    // cudalint: distinct(slots except -1)        cudaMemset(slots, 0xff, bytes)                                    kept

A promise is broken where the first and last elements break it, whatever the inputs are; it is kept where any elements keep it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cudalint.contract import Contract, Distinct, ElementValues, Held, Initial, Offsets, Values, What
from cudalint.term import (
    Term,
    add,
    at_most,
    conjunction,
    disjunction,
    equal,
    keep,
    less,
    negation,
    number,
    substitute,
    subtract,
    symbol,
)

ANY, OTHER = keep(symbol("any element", 0, None)), keep(symbol("any other element", 0, None))
FEW = 8  # elements: an array of ordinary size has as many
Meaning = Callable[[Term], Term]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`kept` is what the first and last elements need; `broken` says when any of them break the promise.

    `ordinary` holds of arrays that have more than a few elements.
    """

    kept: Term
    broken: Term
    ordinary: Term


def compared_contents(what: What, launch: Contract, meaning: Meaning) -> Comparison | None:
    """None where the promise is no such one, or nothing is known of what the memory holds; terms as the launch means them."""
    if not isinstance(what, Values | ElementValues | Offsets | Distinct | Initial):
        return None
    known = next((f.what for f in launch.facts if isinstance(f.what, Held) and f.what.pointer == what.pointer), None)
    if known is None:
        return None
    array = _Array(known, meaning)
    last = subtract(array.count, number(1))
    pairs = ((number(0), number(1)), (number(0), last), (subtract(last, number(1)), last))
    samples = [rule for first, second in pairs for rule in _rules(what, array, meaning, first, second)]
    inside = conjunction(at_most(number(0), ANY), less(ANY, OTHER), less(OTHER, array.count))
    alone = conjunction(equal(array.count, number(1)), equal(ANY, number(0)), equal(OTHER, number(0)))
    rules = conjunction(*_rules(what, array, meaning, ANY, OTHER))
    one = conjunction(*_of_one(what, array, meaning, ANY))
    broken = disjunction(conjunction(inside, negation(rules)), conjunction(alone, negation(one)))
    return Comparison(conjunction(*samples), broken, at_most(number(FEW), array.count))


@dataclass(frozen=True, slots=True)
class _Array:
    held: Held
    meaning: Meaning

    @property
    def count(self) -> Term:
        return self.meaning(self.held.count)

    def at(self, place: Term) -> Term:
        return substitute(self.meaning(self.held.value), {self.held.index: place})


def _rules(what: What, array: _Array, meaning: Meaning, first: Term, second: Term) -> Iterator[Term]:
    """What two elements, of which the first stands before the second, have to keep."""
    for place in (first, second):
        yield from _of_one(what, array, meaning, place)
    a, b = array.at(first), array.at(second)
    if isinstance(what, Offsets):
        yield at_most(a, b)
    if isinstance(what, Distinct):
        differ = negation(equal(a, b))
        yield differ if what.exempt is None else disjunction(differ, equal(a, number(what.exempt)))


def _of_one(what: What, array: _Array, meaning: Meaning, place: Term) -> Iterator[Term]:
    value = array.at(place)
    if isinstance(what, Values):
        yield conjunction(at_most(meaning(what.low), value), less(value, meaning(what.high)))
    elif isinstance(what, ElementValues):
        low, high, where = (substitute(meaning(t), {what.index: place}) for t in (what.low, what.high, what.where))
        yield disjunction(negation(where), conjunction(at_most(low, value), less(value, high)))
    elif isinstance(what, Offsets):
        total = add(meaning(what.total), number(0))
        yield conjunction(at_most(number(0), value), at_most(value, total))
    elif isinstance(what, Initial) and what.value is not None:
        yield equal(value, number(what.value))
