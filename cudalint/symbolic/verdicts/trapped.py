"""What a thread cannot come to: it has trapped at a misaligned vector before.

    x = *(float4 *)(row + i * n);   out[...] = s[n ...];        an n that 4 does not divide ends the thread at the first row

That a pointer is aligned is taken for granted as everywhere (contract: `data_ptr()` is 16-byte aligned).
"""

from __future__ import annotations

from collections.abc import Iterable

from cudalint.symbolic.model import Access, Obligation
from cudalint.term import TRUE, Term, equal, ideal, number, remainder

VECTOR = 8  # bytes of alignment from which on an access is one of several elements
MOST = 6


def aligned_before(obligation: Obligation, accesses: Iterable[Access]) -> list[Term]:
    """The vectors in global memory that the thread comes to before lie at whole multiples of their alignment."""
    way = {conjunct.term for conjunct in obligation.path}
    found: dict[Term, None] = {}
    for access in accesses:
        if access.span == obligation.span and access.object is obligation.object:
            break
        whole = access.align >= VECTOR and access.object.memory == "global" and access.object.before is None
        if whole and {conjunct.term for conjunct in access.path} <= way:
            aligned = equal(remainder(ideal(access.offset), number(access.align)), number(0))
            if aligned is not TRUE:
                found[aligned] = None
    return list(found)[-MOST:]
