"""Sizes of the members of one object: how they go together is a matter of its class, which nothing in sight says.

k<<<n / 256, 256>>>(in.vals.data(), in.nnz)     // who fills `in` knows that vals holds nnz elements
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cudalint.symbolic.model import Obligation
from cudalint.symbolic.ordinary import is_input
from cudalint.symbolic.verdicts.checked import without
from cudalint.term import POWER_OF_TWO, Apply, Symbol, Term, free_symbols, subterms

_LENGTH = re.compile(r"\.(numel\(\)|size\(-?\d+\))$")
_MEMBER = re.compile(r"([^.]+(?:\.\d+)?)\.")  # the result of a call is t.1


def are_apart(obligation: Obligation, tied: set[Term]) -> bool:
    """The extent is the size of a member container, and the index goes by another member of that object, which is not `tied`."""
    size = obligation.object.size if obligation.object is not None else None
    if size is None or obligation.kind == "overflow":
        return False
    own = _objects(a for a in free_symbols(size) if _is_length(a))
    terms = (obligation.holds, *(c.term for c in obligation.path))
    others = (a for term in terms for a in free_symbols(term) if a not in tied and is_input(a))
    return bool(own) and not own.isdisjoint(_objects(others))


def is_rest_by_an_object(obligation: Obligation) -> bool:
    """The index is a rest by a divisor that an object holds: `n - divisor.d * (divisor.magic * n >> divisor.shift)`."""
    powers = [p for p in subterms([obligation.index]) if isinstance(p, Apply) and p.parts[0] == POWER_OF_TWO]
    shifting = _objects(a for power in powers for a in free_symbols(power))
    beside = free_symbols(without(obligation.index, frozenset(powers)))
    return not shifting.isdisjoint(_objects(a for a in beside if is_input(a)))


def _is_length(atom: Term) -> bool:
    return isinstance(atom, Symbol) and _LENGTH.search(atom.name) is not None


def _objects(atoms: Iterable[Term]) -> set[str]:
    """`in` of `in.nnz` and of `in.vals.numel()`; nothing of `x.numel()`, whose object is the container itself."""
    names = (_LENGTH.sub("", a.name) for a in atoms if isinstance(a, Symbol))
    return {match[1] for name in names if (match := _MEMBER.match(name))}
