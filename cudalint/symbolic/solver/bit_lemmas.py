"""What a solver has to be told of `x ^ m`: it gives each x another result, and back from the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from cudalint.term import Apply, Term, disjunction, equal, negation

_EXCLUSIVE_OR = "bits ^"
_MOST_PAIRS = 60


def exclusive_or_lemmas(applications: Iterable[Term]) -> list[Term]:
    """`a ^ m == b ^ m` gives `a == b`, and `a ^ m == b` gives `b ^ m == a`, for each two with one operand in common.

    The partner `t ^ j` of a thread in a butterfly is nobody else's partner, and its own partner is the thread.
    """
    swapped = [each for each in applications if isinstance(each, Apply) and each.parts[0] == _EXCLUSIVE_OR]
    found: dict[Term, None] = {}
    for first, second in list(combinations(dict.fromkeys(swapped), 2))[:_MOST_PAIRS]:
        for a, b in _others(first, second):
            found[_implies(equal(first, second), equal(a, b))] = None
            found[_implies(equal(first, b), equal(second, a))] = None
    return list(found)


def _others(first: Apply, second: Apply) -> Iterator[tuple[Term, Term]]:
    """The other operands, for each operand that both have."""
    for mine, other in (first.parts[1], first.parts[1][::-1]):
        for same, its in (second.parts[1], second.parts[1][::-1]):
            if mine is same:
                yield other, its


def _implies(condition: Term, consequence: Term) -> Term:
    return disjunction(negation(condition), consequence)
