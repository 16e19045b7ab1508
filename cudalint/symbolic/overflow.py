"""Overflow on the way to an index (SEMANTICS 1): the C value and the mathematical value of an index differ.

Only what wraps by signed arithmetic or by a narrowing on the way to an access counts; wrapping inside a remainder or a bit
operation is how hashes work and is no consumer.
"""

from __future__ import annotations

from cudalint.symbolic.decide import ideal
from cudalint.symbolic.model import Obligation
from cudalint.term import Apply, Quotient, Remainder, Term, Wrapped, children, equal


def overflow_obligations(bounds: list[Obligation]) -> list[Obligation]:
    """One obligation for each access whose index can wrap."""
    result: list[Obligation] = []
    for access in bounds:
        if not _wraps_on_the_way(access.index):
            continue
        result.append(
            Obligation(
                "overflow", access.access, None, access.span, access.path, equal(access.index, ideal(access.index)),
                ideal(access.index), None, access.unit, access.stack, root=f"{access.root}:overflow",
            )
        )  # fmt: skip
    return result


def _wraps_on_the_way(term: Term) -> bool:
    if isinstance(term, Wrapped):
        return True
    if isinstance(term, Remainder | Apply):
        return False
    if isinstance(term, Quotient):
        return _wraps_on_the_way(term.parts[0])
    return any(_wraps_on_the_way(child) for child in children(term))
