"""Where the rows of a tensor have a multiple of 4 elements, so has the whole tensor, of whatever rank.

CHECK(x.size(-1) == w.size(0) && w.size(0) % 4 == 0)        x.numel() % 4 == 0
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from cudalint.symbolic.host.same import representatives
from cudalint.term import (
    All,
    IsZero,
    Number,
    Remainder,
    Sum,
    Symbol,
    Term,
    Wrapped,
    equal,
    free_symbols,
    number,
    remainder,
)

SIZE = re.compile(r"^(.*)\.size\((-?\d+)\)$")


def whole_counts(path: Iterable[Term], count: Symbol) -> Iterator[Term]:
    """What the conditions say of the number of elements of a tensor by sizes of it, or by what equals one."""
    conds = [part for cond in path for part in (cond.parts[0] if isinstance(cond, All) else (cond,))]
    rests = [c.parts[0] for c in conds if isinstance(c, IsZero) and isinstance(c.parts[0], Remainder)]
    rests = [rest for rest in rests if isinstance(rest.parts[1], Number)]
    if not rests:
        return
    same = representatives(conds)
    owner, places = count.name.removesuffix(".numel()"), dict[Term, int]()
    for atom in sorted({a for c in conds for a in free_symbols(c)}, key=lambda a: a.digest):
        named = SIZE.match(str(atom.parts[0]))
        if named is not None and named[1] == owner:
            places[same.get(atom, atom)] = int(named[2])
    for rest in rests:
        factors = [same.get(factor, factor) for factor in _factors(rest.parts[0])]
        of = [places[factor] for factor in factors if factor in places]
        from_one_end = len({place < 0 for place in of}) == 1
        if len(of) == len(factors) == len(set(of)) and from_one_end:
            yield equal(remainder(count, rest.parts[1]), number(0))


def _factors(term: Term) -> tuple[Term, ...]:
    """The factors of a product without others, as the host means it: what it computes fits into its signed types."""
    while isinstance(term, Wrapped) and term.parts[2]:
        term = term.parts[0]
    if isinstance(term, Sum):
        if len(term.monomials) != 1 or term.monomials[0][1] != 1 or term.constant:
            return ()
        return tuple(f for factor in term.monomials[0][0] for f in (_factors(factor) or (factor,)))
    return (term,)
