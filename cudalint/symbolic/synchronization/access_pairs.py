"""Two accesses as terms: under which conditions they conflict, store the same, or are meant to."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.symbolic.model import ITERATION_PREFIX, Access, scope_of
from cudalint.symbolic.synchronization.pairs import Threads
from cudalint.symbolic.verdicts.facts import wrapped_parts
from cudalint.symbolic.walk.collectives import COLLECTIVE
from cudalint.symbolic.walk.pipelines import IN_FLIGHT
from cudalint.term import (
    TRUE,
    All,
    Any_,
    IsZero,
    Sum,
    Symbol,
    Term,
    disjunction,
    equal,
    free_symbols,
    ideal,
    is_truth,
    negation,
    number,
    substitute,
    subtract,
)

INT_BITS = 32


def pair_key(a: Access, b: Access) -> tuple[object, ...]:
    return a.span, a.kind, b.span, b.kind, IN_FLIGHT in (a.order, b.order)


def equal_of_both(term: Term, other: Term, threads: Threads) -> Term:
    return equal(threads.first(ideal(term)), threads.second(ideal(other)))


_STRONG = ("relaxed", "acquire", "release", "acq_rel")


def may_conflict(a: Access, b: Access, threads: Threads) -> bool:
    if _is_strong(a) and _is_strong(b):
        return not threads.same_block and (a.narrow or b.narrow)
    return (a.kind, b.kind) != ("read", "read")


def _is_strong(access: Access) -> bool:
    """An atomic, or a load or store of a memory order: two of them race with nothing, whatever they order."""
    return access.kind == "atomic" or access.order in _STRONG


def other_rounds(a: Access, b: Access, threads: Threads) -> Term:
    """Two threads at one call of a block-wide primitive meet there unless they are in different iterations."""
    if not (a.order == b.order == COLLECTIVE and a.serial == b.serial):
        return TRUE
    inside = [c.term for c in a.path if c.cause == "loop"]  # loops that are over left no condition of this kind
    rounds = {
        x
        for term in inside
        for x in free_symbols(term)
        if isinstance(x, Symbol) and x.name.startswith(ITERATION_PREFIX)
    }
    apart = (negation(equal(threads.first(x), threads.second(x))) for x in sorted(rounds, key=lambda x: x.name))
    return disjunction(*apart)


def _is_store(access: Access) -> bool:
    """A store, or the half of an atomic exchange that writes."""
    return access.kind == "write" or (access.kind == "atomic" and access.value is not None)


def same_value(a: Access, b: Access, scopes: tuple[str, ...]) -> bool:
    """Both store one and the same value, equal for all threads of a scope: benign (SEMANTICS 16)."""
    if not (_is_store(a) and _is_store(b)) or a.value is None:
        return False
    return a.value is b.value and scope_of(a.value) in scopes


def values_differ(a: Access, b: Access, threads: Threads) -> list[Term]:
    """Two stores of equal integers are no race."""
    if not (_is_store(a) and _is_store(b)) or a.size != b.size:
        return []
    if not isinstance(a.value, Term) or not isinstance(b.value, Term) or is_truth(a.value) or is_truth(b.value):
        return []
    return [negation(equal(threads.first(a.value), threads.second(b.value)))]


def substituted(term: Term, equations: list[Term]) -> Term:
    """The term after the equations between two symbols, or of a symbol and a number, are used up."""
    for equation in equations:
        for part in conjuncts(equation):
            solved = _solved(part)
            if solved is not None:
                term = substitute(term, {solved[0]: solved[1]})
    return term


def _solved(equation: Term) -> tuple[Term, Term] | None:
    """symbol = rest, from an equation in which the symbol stands alone with the factor 1 or -1."""
    if not isinstance(equation, IsZero):
        return None
    zero = equation.parts[0]
    if isinstance(zero, Symbol):
        return zero, number(0)
    if not isinstance(zero, Sum) or len(zero.monomials) > 2:
        return None
    for monomial, coefficient in zero.monomials:
        if len(monomial) == 1 and isinstance(monomial[0], Symbol) and abs(coefficient) == 1:
            rest = subtract(monomial[0], zero) if coefficient == 1 else subtract(zero, subtract(number(0), monomial[0]))
            return monomial[0], rest
    return None


def together(a: Access, b: Access) -> Iterator[tuple[Term, Term]]:
    """The conditions under which both lie between the same two barriers of the grid."""
    for point, first in a.grid_phases:
        for other, second in b.grid_phases:
            if point is other:
                yield first, second


def conjuncts(term: Term) -> tuple[Term, ...]:
    return term.parts[0] if isinstance(term, All) else (term,)


def as_meant(term: Term) -> list[Term]:
    """Unsigned and narrow values in the term are what mathematics makes them."""
    return [equal(w, w.parts[0]) for w in wrapped_parts(term) if w.parts[1] < INT_BITS or not w.parts[2]]


def guard_as_meant(guard: Term) -> list[Term]:
    """The same for a condition: a bound is the same for all threads; an alternative counts where no plain one holds."""
    found: list[Term] = []
    for part in conjuncts(guard):
        options = part.parts[0] if isinstance(part, Any_) else (part,)
        plain = [option for option in options if not wrapped_parts(option)]
        varying = [w for w in wrapped_parts(part) if scope_of(w) != "launch"]
        found += [disjunction(*plain, same) for w in varying for same in as_meant(w)]
    return found
