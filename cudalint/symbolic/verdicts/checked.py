"""Values from memory that the kernel compares before it uses them: what its own guard lets through is no matter of contents.

int id = ids[token];
if (id < 0 || id > vocabulary) return;          // the guard says how large ids may be, and lets one too many through
x[id] = 0;
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from cudalint.symbolic.model import MEMORY_PREFIX, Conjunct
from cudalint.symbolic.ordinary import is_input
from cudalint.term import (
    All,
    Any_,
    Apply,
    AtMostZero,
    Flag,
    Sum,
    Symbol,
    Term,
    add,
    children,
    free_symbols,
    ideal,
    interval,
    multiply,
    number,
    rewrite,
)

_TYPE_RANGE = 1 << 30


def checked_contents(index: Term, path: Iterable[Conjunct], beyond: int = 0) -> frozenset[Term]:
    """The values from memory, of the index or of its path, that guards on the way bound on both sides by numbers and inputs.

    Of one that moves the index it is enough to be bounded on the side on which the index is outside: 1 beyond the end, -1 before
    the start, 0 where that does not matter.
    """
    path = tuple(path)
    bounds = [part.parts[0] for part in guard_parts(path) if isinstance(part, AtMostZero)]
    found = contents_in([index, *(guard.term for guard in path)])
    return frozenset(v for v in found if _is_bounded(v, bounds) or (beyond and _is_held(v, bounds, index, beyond)))


def guard_parts(path: Iterable[Conjunct]) -> Iterator[Term]:
    """The conditions of the path, each side of an `and` alone."""
    for guard in path:
        yield from guard.term.parts[0] if isinstance(guard.term, All) else (guard.term,)


def spoken_of(guard: Term) -> frozenset[Term]:
    """What a guard compares, but for where it has read it; that a counter stays inside its type says nothing of sizes."""
    if not isinstance(guard, All | Any_):
        compared = without(guard, frozenset(contents_in([guard])))
        return frozenset() if _is_type_limit(guard) else free_symbols(compared)
    parts = guard.parts[0]
    below = {_without_constant(multiply(number(-1), part.parts[0])) for part in parts if _is_type_limit(part)}
    own = (part for part in parts if not isinstance(part, AtMostZero) or _without_constant(part.parts[0]) not in below)
    return frozenset().union(*map(spoken_of, own))


def without(term: Term, values: frozenset[Term]) -> Term:
    """The term with a number in the place of each of the values."""
    return rewrite(term, lambda part: number(0) if part in values else None) if values else term


def contents_in(terms: Iterable[Term]) -> list[Term]:
    """Values from memory; not those that only the place of another one rests on."""
    found: list[Term] = []
    stack = list(terms)
    seen = set(stack)
    while stack:
        part = stack.pop()
        if isinstance(part, Symbol | Flag | Apply) and str(part.parts[0]).startswith(MEMORY_PREFIX):
            found.append(part)
            continue
        following = [child for child in children(part) if child not in seen]
        seen.update(following)
        stack += following
    return found


def _is_bounded(value: Term, bounds: list[Term]) -> bool:
    sides = {_side(value, bound) for bound in bounds}
    low, _ = interval(value)
    return 1 in sides and (-1 in sides or (low is not None and low >= 0))


def _is_held(value: Term, bounds: list[Term], index: Term, beyond: int) -> bool:
    """The index grows with the value, which a guard keeps from going farther on that side."""
    return _side(value, index) == 1 and beyond in {_side(value, bound) for bound in bounds}


def is_other_side(bound: Term, index: Term, moving: Set[Term], beyond: int) -> bool:
    """`for (j = K; j > kept[row]; j--) x[j]`: `bound <= 0` keeps the index from going far below, which it does above, or so."""
    atoms = moving & free_symbols(bound)
    return (
        bool(atoms)
        and beyond != 0
        and all(_sign(atom, ideal(bound)) * _sign(atom, ideal(index)) == -beyond for atom in atoms)
    )


def _sign(atom: Term, term: Term) -> int:
    """Of the factor with which an atom counts, where it stands in one product by itself and nowhere else; else 0."""
    monomials = term.monomials if isinstance(term, Sum) else (((term,), 1),)
    factors = [factor for atoms, factor in monomials if any(atom in free_symbols(part) for part in atoms)]
    alone = any(atoms == (atom,) for atoms, _ in monomials)
    return 0 if len(factors) != 1 or not alone else 1 if factors[0] > 0 else -1


def _side(value: Term, bound: Term) -> int:
    """1 where `bound <= 0` limits the value from above, -1 from below, 0 where it does neither."""
    if bound is value:
        return 1
    monomials = bound.monomials if isinstance(bound, Sum) else ()
    factors = [factor for atoms, factor in monomials if atoms == (value,)]
    others = [atom for atoms, _ in monomials if atoms != (value,) for atom in atoms]
    if not factors or not all(map(_is_made_of_inputs, others)):
        return 0
    return 1 if factors[0] > 0 else -1


def _is_made_of_inputs(atom: Term) -> bool:
    return all(map(is_input, free_symbols(atom)))


def _is_type_limit(guard: Term) -> bool:
    inner = guard.parts[0] if isinstance(guard, AtMostZero) else None
    return isinstance(inner, Sum) and abs(inner.constant) >= _TYPE_RANGE


def _without_constant(term: Term) -> Term:
    return add(term, number(-term.constant)) if isinstance(term, Sum) else term
