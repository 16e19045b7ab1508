"""What a solver has to be told of `x ^ m`: it gives each x another result, and back from the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from cudalint.term import FALSE, TRUE, Apply, Term, disjunction, equal, negation

_EXCLUSIVE_OR = "bits ^"
_MOST_PAIRS = 60


def exclusive_or_lemmas(applications: Iterable[Term]) -> list[Term]:
    """`a ^ m == b ^ n` gives `a == b` where `m == n`, and `a ^ m == b` gives `b ^ n == a`.

    The partner `t ^ j` of a thread in a butterfly is nobody else's partner, and its own partner is the thread. In one row, two
    columns that are swizzled by the row stay two.
    """
    swapped = [each for each in applications if isinstance(each, Apply) and each.parts[0] == _EXCLUSIVE_OR]
    found: dict[Term, None] = {}
    for first, second in list(combinations(dict.fromkeys(swapped), 2))[:_MOST_PAIRS]:
        for same, a, b in _others(first, second):
            found[_implies(same, equal(first, second), equal(a, b))] = None
            found[_implies(same, equal(first, b), equal(second, a))] = None
            found[_implies(same, equal(second, a), equal(first, b))] = None
    found.pop(TRUE, None)
    return list(found)


def _others(first: Apply, second: Apply) -> Iterator[tuple[Term, Term, Term]]:
    """That two operands are equal, and the other ones: of an operand that both have, or of any two where they have none."""
    pairs = [
        (equal(mine, its), other, rest)
        for mine, other in (first.parts[1], first.parts[1][::-1])
        for its, rest in (second.parts[1], second.parts[1][::-1])
    ]
    common = [pair for pair in pairs if pair[0] is TRUE]
    return iter(common or [pair for pair in pairs if pair[0] is not FALSE])


def _implies(same: Term, condition: Term, consequence: Term) -> Term:
    return disjunction(negation(same), negation(condition), consequence)
