"""Loops that end where two numbers are equal: a counter of steps of one that has not met its end has not passed it.

`for (i = 0; i != n; ++i)` and `while (j-- && more(j))` compare for equality. The test before the k-th iteration alone
says that i was not n there, which leaves room on both sides; all tests together say that i is below n if it began so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from cudalint.term import (
    FALSE,
    TRUE,
    IsZero,
    Number,
    Symbol,
    Term,
    Wrapped,
    add,
    at_most,
    disjunction,
    free_symbols,
    multiply,
    number,
    rewrite,
    substitute,
    subterms,
    subtract,
)


def not_passed(tests: Iterable[Term], iteration: Symbol, is_fixed: Callable[[Term], bool]) -> Iterator[Term]:
    """What follows for iteration k >= 1 from the tests of all iterations before it.

    `tests` hold in iteration k - 1 of every thread that goes on, as terms of k = `iteration`; `is_fixed` tells the
    symbols that are the same in each iteration. A fact reads "began beyond its end, or has not reached it".
    """
    for test in tests:
        for atom in subterms([test]):
            if isinstance(atom, IsZero) and iteration in free_symbols(atom) and _excludes(test, atom):
                yield from _of_distance(atom.parts[0], iteration, is_fixed)


def _excludes(test: Term, atom: Term) -> bool:
    """Whether the test fails where the two numbers are equal."""
    return rewrite(test, lambda term: TRUE if term is atom else None) is FALSE


def _of_distance(distance: Term, iteration: Symbol, is_fixed: Callable[[Term], bool]) -> Iterator[Term]:
    now = _ideal(distance, iteration)
    start, begun = (substitute(now, {iteration: number(k)}) for k in (0, 1))
    step = subtract(begun, start)
    if not (isinstance(step, Number) and abs(step.value) == 1 and all(map(is_fixed, free_symbols(start)))):
        return
    if subtract(now, add(start, multiply(step, iteration))) is not number(0):
        return
    if step.value > 0:
        yield disjunction(at_most(number(1), begun), at_most(now, number(-1)))
    else:
        yield disjunction(at_most(begun, number(-1)), at_most(number(1), now))


def _ideal(distance: Term, iteration: Symbol) -> Term:
    """The distance of the unwrapped counter: it meets an end within its type before it wraps."""
    if_counts = {t for t in subterms([distance]) if isinstance(t, Wrapped) and iteration in free_symbols(t)}
    return rewrite(distance, lambda term: _ideal(term.parts[0], iteration) if term in if_counts else None)
