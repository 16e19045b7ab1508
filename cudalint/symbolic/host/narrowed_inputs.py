"""Numbers of 64 bits that a launch knows through a conversion alone, as those of a list of strides.

    p.stride_h = int(stride[0]);  k<<<grid, 256>>>(x, p);

Nothing else of the launch, neither a size nor the grid, speaks of the number itself: whoever converts it takes it to fit.
"""

from __future__ import annotations

from collections.abc import Iterable

from cudalint.contract import Assume, Fact
from cudalint.symbolic.host.fact_forms import all_terms
from cudalint.symbolic.host.values import APPROXIMATE
from cudalint.term import Symbol, Term, Wrapped, free_symbols, interval, rewrite, symbol

BITS = 32
LEAST, MOST = -(1 << BITS - 1), (1 << BITS - 1) - 1
_CONVERTED = "converted "


def narrowed_inputs(facts: Iterable[Fact]) -> list[Symbol]:
    """The inputs that the facts, apart from conditions, name as `int(s)` only and that may be larger."""
    told = [term for fact in facts if not isinstance(fact.what, Assume) for term in all_terms(fact.what)]
    converted: set[Symbol] = set()

    def leaf(part: Term) -> Term | None:
        found = converted_input(part)
        if found is None:
            return None
        converted.add(found)
        return symbol(f"{_CONVERTED}{found.name}")

    others = frozenset().union(*(free_symbols(rewrite(term, leaf)) for term in told))
    return sorted(converted - others, key=lambda s: s.name)


def converted_input(part: Term) -> Symbol | None:
    """The input of a conversion to int that it may change."""
    if not isinstance(part, Wrapped) or part.parts[1] != BITS or not part.parts[2]:
        return None
    inner = part.parts[0]
    if not isinstance(inner, Symbol) or inner.name.startswith(APPROXIMATE):
        return None
    low, high = interval(inner)
    fits = low is not None and high is not None and low >= LEAST and high <= MOST
    return None if fits else inner
