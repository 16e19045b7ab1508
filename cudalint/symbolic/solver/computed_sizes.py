"""Sizes that the host computes: `chosen2 == (chosen1 >= 9 ? 8 : chosen1)`, `chosen1 == (rows + 15) / 16`.

Values that are worth a try are those of its inputs; what it computes from them follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from cudalint.symbolic.ordinary import is_computed_input
from cudalint.symbolic.solver.parts import conjuncts
from cudalint.term import IsZero, Sum, Symbol, Term, Undefined, add, evaluate, free_symbols, subtract


def computed_sizes(constraints: Iterable[Term]) -> dict[Symbol, Term]:
    """What each size that the host computes is computed from, by equations in which it stands alone."""
    found: dict[Symbol, Term] = {}
    for choices in _equations(constraints):
        size, other = next(((s, o) for s, o in choices if is_computed_input(s) and s not in found), (None, None))
        if size is not None and other is not None:
            found[size] = other
    return found


def told_sizes(constraints: Iterable[Term]) -> dict[Symbol, Term]:
    """Sizes of the launch that an equation says for others, none of which is one itself: `elements == rows * columns`."""
    found: dict[Symbol, Term] = {}
    for choices in _equations(constraints):
        taken = frozenset().union(*map(free_symbols, found.values()))
        for size, other in choices:
            if (
                size.scope == "launch"
                and size not in taken
                and size not in found
                and free_symbols(other).isdisjoint(found)
            ):
                found[size] = other
                break
    return found


def _equations(constraints: Iterable[Term]) -> Iterator[list[tuple[Symbol, Term]]]:
    """Of each equation the sizes that stand alone in it, and what each is."""
    for part in (part for constraint in constraints for part in conjuncts(constraint)):
        zero = part.parts[0] if isinstance(part, IsZero) else None
        alone: list[tuple[Symbol, Term]] = []
        if not isinstance(zero, Sum):
            continue
        for monomial, factor in zero.monomials:
            size = monomial[0]
            if len(monomial) == 1 and abs(factor) == 1 and isinstance(size, Symbol):
                other = subtract(size, zero) if factor == 1 else add(size, zero)
                alone += [(size, other)] if size not in free_symbols(other) else []
        yield alone


def inputs_of(sizes: Iterable[Symbol], computed: Mapping[Symbol, Term]) -> tuple[Symbol, ...]:
    """The sizes, with what they are computed from in place of those that are."""
    found: dict[Symbol, None] = {}
    seen: set[Symbol] = set()
    pending = list(sizes)[::-1]
    while pending:
        size = pending.pop()
        if size in seen:
            continue
        seen.add(size)
        if size not in computed:
            found[size] = None
            continue
        atoms = sorted(free_symbols(computed[size]), key=lambda atom: atom.digest, reverse=True)
        pending += [atom for atom in atoms if isinstance(atom, Symbol) and atom.scope == "launch"]
    return tuple(found)


def with_computed(pins: dict[Symbol, int], computed: Mapping[Symbol, Term]) -> dict[Symbol, int]:
    """The values of the inputs, and of what follows from them."""
    values = {pin.name: value for pin, value in pins.items()}
    found, left = dict(pins), dict(computed)
    for _ in computed:
        for size, term in list(left.items()):
            try:
                found[size] = values[size.name] = evaluate(term, values)
            except Undefined:
                continue
            del left[size]
    return found
