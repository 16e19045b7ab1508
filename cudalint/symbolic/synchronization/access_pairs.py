"""Two accesses as terms: under which conditions they conflict, store the same, or are meant to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from cudalint.symbolic.model import ITERATION_PREFIX, Access, Aggregate, MemoryObject, Value, scope_of
from cudalint.symbolic.synchronization.pairs import Threads
from cudalint.symbolic.verdicts.facts import wrapped_parts
from cudalint.symbolic.walk.collectives import COLLECTIVE
from cudalint.symbolic.walk.pipelines import IN_FLIGHT
from cudalint.term import (
    FALSE,
    TRUE,
    All,
    Any_,
    IsZero,
    Sum,
    Symbol,
    Term,
    at_most,
    conjunction,
    disjunction,
    equal,
    free_symbols,
    ideal,
    is_truth,
    less,
    negation,
    number,
    rewrite,
    scale,
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


def reads_own_copy(a: Access, b: Access, scopes: tuple[str, ...]) -> bool:
    """A read of an element that the thread has written itself, which others write with the same value: `s[row] = v; t = s[row];`.

    A value that was stored there between the two is not equal to it for all who store, and they race as stores.
    """
    write, read = (a, b) if b.kind == "read" else (b, a)
    if write.kind != "write" or read.kind != "read" or write.value is None or write.serial >= read.serial:
        return False
    if write.loops or read.loops or write.offset is not read.offset or write.size != read.size:
        return False
    return scope_of(write.value) in scopes and {c.term for c in write.path} <= {c.term for c in read.path}


def values_differ(a: Access, b: Access, threads: Threads) -> list[Term]:
    """Two stores of equal numbers, or of structures whose members are equal, are no race."""
    if not (_is_store(a) and _is_store(b)) or a.size != b.size:
        return []
    pairs = _numbers_of_both(a.value, b.value)
    if not pairs or any(is_truth(each) for pair in pairs for each in pair):
        return []
    return [disjunction(*(negation(equal(threads.first(left), threads.second(right))) for left, right in pairs))]


def is_excluded_by(equations: tuple[Term, ...], term: Term) -> bool:
    """No term is left once each one that an equation has is put in the place of the other: `row(t1) == row(t2)`."""
    for equation in equations:
        zero = equation.parts[0] if isinstance(equation, IsZero) else None
        if isinstance(zero, Sum) and zero.constant == 0 and len(zero.monomials) == 2:
            (left, one), (right, other) = zero.monomials
            if len(left) == len(right) == 1 and one == -other:
                kept, replaced = left[0], right[0]
                term = rewrite(term, lambda part, old=replaced, new=kept: new if part is old else None)  # type: ignore[misc]
    return term is FALSE


@dataclass(frozen=True, slots=True)
class Digits:
    """Of `row1 * n + column1 == row2 * n + column2`: rows and columns are equal where both columns are `in_range`, below n."""

    equations: tuple[Term, Term]
    in_range: Term


def two_digits(place: Term) -> Digits | None:
    """The digits of an equation of two places with the same one stride; None for other equations."""
    zero = place.parts[0] if isinstance(place, IsZero) else None
    parts = zero.monomials if isinstance(zero, Sum) and zero.constant == 0 else ()
    high, low = [p for p in parts if len(p[0]) == 2], [p for p in parts if len(p[0]) == 1]
    if len(high) != 2 or len(low) != 2 or high[0][1] != -high[1][1] or low[0][1] != -low[1][1]:
        return None
    stride = set(high[0][0]) & set(high[1][0])
    rows = [atom for monomial, _ in high for atom in monomial if atom not in stride]
    columns = [monomial[0] for monomial, _ in low]
    factor, unit = abs(high[0][1]), abs(low[0][1])
    if len(stride) != 1 or len(rows) != 2 or factor % unit or not (_is_renamed(*rows) and _is_renamed(*columns)):
        return None
    end = scale(stride.pop(), factor // unit)
    inside = (conjunction(at_most(number(0), column), less(column, end)) for column in columns)
    return Digits((equal(*rows), equal(*columns)), conjunction(*inside))


def _is_renamed(one: Term, other: Term) -> bool:
    """The same of two threads."""
    names = (sorted(str(atom.parts[0]).partition("@")[0] for atom in free_symbols(term)) for term in (one, other))
    return next(names) == next(names)


def with_value_made(access: Access, made: Callable[[Term], Term]) -> Access:
    """The access with what `made` has for its number, or for the members of what it stores."""
    value = access.value
    if isinstance(value, Aggregate):
        leaves = {at: (t, made(v) if isinstance(v, Term) else v) for at, (t, v) in value.leaves.items()}
        return replace(access, value=Aggregate(value.type, leaves))
    return replace(access, value=made(value)) if isinstance(value, Term) else access


def numbers_in(value: Value | None) -> list[Term]:
    """The value, or the members of a structure; without those that are pointers."""
    if isinstance(value, Aggregate):
        return [leaf for _, leaf in value.leaves.values() if isinstance(leaf, Term)]
    return [value] if isinstance(value, Term) else []


def _numbers_of_both(one: Value | None, other: Value | None) -> list[tuple[Term, Term]]:
    """The numbers that two values are made of, member by member; none where they are made of other things."""
    if isinstance(one, Aggregate) and isinstance(other, Aggregate) and one.type == other.type:
        left, right = numbers_in(one), numbers_in(other)
        alike = len(left) == len(one.leaves) and len(right) == len(other.leaves)
        return list(zip(left, right)) if alike and one.leaves.keys() == other.leaves.keys() else []
    return [(one, other)] if isinstance(one, Term) and isinstance(other, Term) else []


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


def uniform_scopes(array: MemoryObject) -> tuple[str, ...]:
    """Whose values are the same for all threads that the array may race between."""
    return ("launch", "block") if array.memory == "shared" else ("launch",)


def guard_as_meant(guard: Term, uniform: tuple[str, ...]) -> list[Term]:
    """The same for a condition: a bound is the same for all threads; an alternative counts where no plain one holds."""
    found: list[Term] = []
    for part in conjuncts(guard):
        options = part.parts[0] if isinstance(part, Any_) else (part,)
        plain = [option for option in options if not wrapped_parts(option)]
        varying = [w for w in wrapped_parts(part) if scope_of(w) not in uniform]
        found += [disjunction(*plain, same) for w in varying for same in as_meant(w)]
    return found


def without_wrapped(cond: Term) -> Term:
    """A weaker condition: the parts of it in which unsigned or narrow values may wrap count as true."""
    if isinstance(cond, All):
        return conjunction(*map(without_wrapped, cond.parts[0]))
    if isinstance(cond, Any_):
        return disjunction(*map(without_wrapped, cond.parts[0]))
    return TRUE if as_meant(cond) else cond
