"""How accesses are meant: rows of vectors that are aligned, and clamped indices whose last element stands for no work.

A race that needs a misaligned row, or in which only clamped reads of idle threads take part, is of medium confidence: the
misaligned access traps, and what an idle thread reads is as a rule not used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cudalint.symbolic.execute import Walk
from cudalint.symbolic.model import Access, scope_of
from cudalint.symbolic.pairs import Threads
from cudalint.term import (
    FALSE,
    TRUE,
    AtMostZero,
    Choice,
    Sum,
    Term,
    children,
    equal,
    ideal,
    multiply,
    negation,
    number,
    remainder,
)

VECTOR_BYTES = (8, 16)  # accesses that are aligned to more than any scalar of theirs
ROW_LIMIT = 8


def intentions(walk: Walk, a: Access, b: Access, threads: Threads) -> list[Term]:
    """What holds of the two accesses where the code does what it is meant to do; empty where nothing suggests anything."""
    rows = _aligned_rows(_vectors_on_the_way(walk, a, b))
    return [*rows, *_unclamped(a, threads.first), *_unclamped(b, threads.second)]


def _vectors_on_the_way(walk: Walk, a: Access, b: Access) -> list[Access]:
    ways = [{c.term for c in access.path} for access in (a, b)]
    wide = [
        c for c in walk.accesses if c.size in VECTOR_BYTES and c.object.memory == "global" and c.object.before is None
    ]
    return [c for c in wide if any({conjunct.term for conjunct in c.path} <= way for way in ways)]


def _aligned_rows(vectors: Iterable[Access]) -> list[Term]:
    """`row * stride` is aligned for neighbouring rows only where the stride is."""
    found: dict[Term, None] = {}
    for access in vectors:
        offset = ideal(access.offset)
        for monomial, coefficient in offset.monomials if isinstance(offset, Sum) else ():
            varying = [atom for atom in monomial if scope_of(atom) != "launch"]
            if len(varying) != 1 or len(monomial) < 2:
                continue
            stride = number(coefficient)
            for atom in monomial:
                stride = stride if atom is varying[0] else multiply(stride, atom)
            aligned = equal(remainder(stride, number(access.size)), number(0))
            if aligned is not TRUE and aligned is not FALSE:
                found[aligned] = None
    return list(found)[:ROW_LIMIT]


def _unclamped(access: Access, seen: Callable[[Term], Term]) -> list[Term]:
    """A read at `min(last, i)` takes place at i."""
    if access.kind != "read":
        return []
    conds: list[Term] = []
    for part in _choices(ideal(access.offset)):
        cond, then, orelse = part.parts
        if not isinstance(cond, AtMostZero):
            continue
        fixed = [scope_of(side) != "thread" for side in (then, orelse)]
        if fixed == [True, False]:
            conds.append(seen(negation(cond)))
        elif fixed == [False, True]:
            conds.append(seen(cond))
    return conds


def _choices(term: Term) -> list[Choice]:
    found: list[Choice] = []
    stack, visited = [term], {term}
    while stack:
        part = stack.pop()
        if isinstance(part, Choice):
            found.append(part)
        following = [child for child in children(part) if child not in visited]
        visited.update(following)
        stack += following
    return found
