"""Overflow on the way to an index (SEMANTICS 1): the C value and the mathematical value of an index differ.

Only what wraps by signed arithmetic or by a narrowing on the way to an access counts; wrapping inside a remainder or a bit
operation is how hashes work and is no consumer.
"""

from __future__ import annotations

from cudalint.symbolic.model import Obligation
from cudalint.symbolic.ordinary import DEVICE_BYTES
from cudalint.term import (
    Apply,
    Quotient,
    Remainder,
    Sum,
    Term,
    Wrapped,
    add,
    at_most,
    children,
    conjunction,
    disjunction,
    equal,
    ideal,
    negation,
    number,
    quotient,
    rewrite,
    scale,
)

ADDRESS_BITS = 64


def overflow_obligations(bounds: list[Obligation]) -> list[tuple[Obligation, Obligation]]:
    """Each access whose index can wrap, and the obligation that it does not."""
    result: list[tuple[Obligation, Obligation]] = []
    for access in bounds:
        if not _wraps_on_the_way(access.index):
            continue
        meant = ideal(access.index)
        given = addressed(access.index, access.unit)
        if not _wraps_on_the_way(given):
            continue
        holds = disjunction(equal(given, meant), negation(_inside(access, meant)))
        overflow = Obligation(
            "overflow", access.access, None, access.span, access.path, holds,
            ideal(access.index), None, access.unit, access.stack, root=f"{access.root}:overflow",
            footprint=_footprint(access, meant),
        )  # fmt: skip
        result.append((access, overflow))
    return result


def addressed(index: Term, unit: int = 1) -> Term:
    """The index without the wrapping of 64 bits that addresses do again: `p + (a - b) * stride` of unsigned values."""
    if isinstance(index, Quotient) and index.parts[1] is number(unit):
        return quotient(_modular(index.parts[0]), index.parts[1])
    return _modular(index)


def _modular(term: Term) -> Term:
    """The same modulo 2^64, through sums and products; a quotient or choice takes the value that C has."""
    memo: dict[Term, Term] = {}

    def leaf(part: Term) -> Term | None:
        if isinstance(part, Wrapped) and part.parts[1] == ADDRESS_BITS:
            return rewrite(part.parts[0], leaf, memo)
        return None if isinstance(part, Sum) else part

    return rewrite(term, leaf, memo)


def _footprint(access: Obligation, meant: Term) -> Term | None:
    """Bytes up to the end of the element that is meant, in memory that callers allocate and nothing sizes."""
    if access.object is None or access.object.memory != "global" or _told_size(access) is not None:
        return None
    return scale(add(meant, number(1)), access.unit)


def _told_size(access: Obligation) -> Term | None:
    """The size of the memory, where the code says it and not a struct that somebody fills."""
    found = access.object
    return None if found is None or found.described else found.size


def _inside(access: Obligation, meant: Term) -> Term:
    """The element that is meant lies in the object, or could: otherwise going out of bounds is the defect."""
    size = _told_size(access)
    limit = number(DEVICE_BYTES) if size is None else size
    end = scale(add(meant, number(1)), access.unit)
    return conjunction(at_most(number(0), meant), at_most(end, limit))


def _wraps_on_the_way(term: Term) -> bool:
    pending, seen = [term], {term}
    while pending:
        part = pending.pop()
        if isinstance(part, Wrapped):
            return True
        if isinstance(part, Remainder | Apply):
            continue
        following = part.parts[:1] if isinstance(part, Quotient) else children(part)
        pending += [child for child in following if child not in seen]
        seen.update(following)
    return False
