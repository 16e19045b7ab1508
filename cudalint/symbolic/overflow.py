"""Overflow on the way to an index (SEMANTICS 1): the C value and the mathematical value of an index differ.

Only what wraps by signed arithmetic or by a narrowing on the way to an access counts; wrapping inside a remainder or a bit
operation is how hashes work and is no consumer.
"""

from __future__ import annotations

from cudalint.symbolic.decide import ideal
from cudalint.symbolic.model import Obligation
from cudalint.symbolic.ordinary import DEVICE_BYTES
from cudalint.term import (
    Apply,
    Quotient,
    Remainder,
    Term,
    Wrapped,
    add,
    at_most,
    children,
    conjunction,
    disjunction,
    equal,
    negation,
    number,
    scale,
)


def overflow_obligations(bounds: list[Obligation]) -> list[Obligation]:
    """One obligation for each access whose index can wrap."""
    result: list[Obligation] = []
    for access in bounds:
        if not _wraps_on_the_way(access.index):
            continue
        meant = ideal(access.index)
        holds = disjunction(equal(access.index, meant), negation(_inside(access, meant)))
        result.append(
            Obligation(
                "overflow", access.access, None, access.span, access.path, holds,
                ideal(access.index), None, access.unit, access.stack, root=f"{access.root}:overflow",
                footprint=_footprint(access, meant),
            )
        )  # fmt: skip
    return result


def _footprint(access: Obligation, meant: Term) -> Term | None:
    """Bytes up to the end of the element that is meant, in memory that callers allocate and nothing sizes."""
    if access.object is None or access.object.memory != "global" or access.object.size is not None:
        return None
    return scale(add(meant, number(1)), access.unit)


def _inside(access: Obligation, meant: Term) -> Term:
    """The element that is meant lies in the object, or could: otherwise going out of bounds is the defect."""
    size = access.object.size if access.object is not None else None
    limit = number(DEVICE_BYTES) if size is None else size
    end = scale(add(meant, number(1)), access.unit)
    return conjunction(at_most(number(0), meant), at_most(end, limit))


def _wraps_on_the_way(term: Term) -> bool:
    if isinstance(term, Wrapped):
        return True
    if isinstance(term, Remainder | Apply):
        return False
    if isinstance(term, Quotient):
        return _wraps_on_the_way(term.parts[0])
    return any(_wraps_on_the_way(child) for child in children(term))
