"""Strides that nothing relates to the launch: a meeting that needs particular values of them is no finding (DESIGN 3.7).

`out[row * stride + col]` meets itself where stride < cols. A caller passes a stride that keeps rows apart; so the two indices are
compared as polynomials in such strides, coefficient by coefficient.
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.symbolic.model import Access, MemoryObject
from cudalint.symbolic.ordinary import is_input
from cudalint.symbolic.synchronization.access_pairs import conjuncts
from cudalint.symbolic.synchronization.pairs import Threads
from cudalint.symbolic.verdicts.checked import spoken_of
from cudalint.symbolic.verdicts.facts import is_lost_argument
from cudalint.symbolic.verdicts.pitches import coefficients, pitches
from cudalint.symbolic.verdicts.stated_limits import is_limited
from cudalint.symbolic.walk import integers
from cudalint.symbolic.walk.environment import Environment
from cudalint.term import (
    AtMostZero,
    Choice,
    Number,
    Quotient,
    Remainder,
    Sum,
    Symbol,
    Term,
    add,
    at_most,
    conjunction,
    equal,
    free_symbols,
    ideal,
    multiply,
    number,
    remainder,
    scale,
    subterms,
    subtract,
    truncated_quotient,
)

SIDES = tuple(f"{name}.{axis}" for name in ("gridDim", "blockDim") for axis in "xyz")


def generic_strides(environment: Environment, a: Access, b: Access, threads: Threads, are_written: bool) -> Term | None:
    """The two offsets are equal for all values of the strides that nothing ties; None where there are no such strides.

    Where both places `are_written`, as in `out[at]` and `out[at + plane]`, how far planes are apart is such a stride, too.
    """
    one, before_one, behind_one = _unrounded(ideal(a.offset))
    other, before_other, behind_other = _unrounded(ideal(b.offset))
    loose = _loose(environment, a, b, threads, are_written)
    if not loose:
        return None
    loose |= {atom for offset in (one, other) for atom in _factors(offset) if _is_made_of(atom, loose)}
    left, right = coefficients(one, loose), coefficients(other, loose)
    zero = number(0)
    sizes = a.size + behind_one + before_other, b.size + behind_other + before_one
    conds: list[Term] = []
    for key in {**left, **right}:
        first, second = threads.first(left.get(key, zero)), threads.second(right.get(key, zero))
        conds.append(integers.overlap(first, sizes[0], second, sizes[1]) if not key else equal(first, second))
    return conjunction(*conds)


def has_loose_strides(environment: Environment, access: Access, threads: Threads) -> bool:
    """Where threads meet in this array is a question of strides that callers choose."""
    return bool(_loose(environment, access, access, threads, are_written=False))


def _loose(environment: Environment, a: Access, b: Access, threads: Threads, are_written: bool) -> set[Term]:
    """The strides that nothing ties."""
    offsets = [_unrounded(ideal(access.offset))[0] for access in (a, b)]
    tied = _tied(environment, a, b, threads)
    atoms = {*pitches(a.object, environment.facts), *(atom for offset in offsets for atom in _factors(offset))}
    if are_written:
        atoms |= {atom for offset in offsets for atom in _summands(offset)}
    return {atom for atom in atoms if _is_stride(atom, tied)}


def wide_strides(environment: Environment, a: Access, b: Access, threads: Threads) -> list[Term]:
    """What a stride is multiplied with moves in steps that leave room for what is added: as callers choose both.

    Of `h * head_size + i`, i below `rotated`, the sizes are two inputs, and guards and divisions that name them do not say which is
    larger. Their order is no part of the contract, yet a race that needs the wrong one is not the kernel's. Nor is one that needs
    a row of incomplete parts where blocks share a row and take their places apart, such as `row * n + i - i % 32 + i % 32 / 2`.
    Nor is one that goes further along a row than the row is long, by a number that the memory is not made of.
    A stride that is an argument of the kernel's template was chosen by the caller as well: by which instance is launched.
    """
    conds: dict[Term, None] = {}
    counted = _counted(a.object, environment) | _counted(b.object, environment)
    for offset in (ideal(a.offset), ideal(b.offset)):
        for stride in sorted(filter(is_input, _steps(offset) - counted), key=lambda t: t.digest):
            rest = coefficients(offset, {stride})
            added = frozenset().union(*(free_symbols(term) for key, term in rest.items() if stride not in key))
            others = (atom for atom in added if is_input(atom) and atom is not stride)
            conds |= {at_most(other, stride): None for other in sorted(others, key=lambda t: t.digest)}
            conds |= {equal(remainder(stride, part), number(0)): None for part in _parts(rest.get((), number(0)))}
    for access in (a, b):
        conds |= {at_most(length, stride): None for length, stride in _lengths_of_loops(access, counted)}
    conds |= dict.fromkeys((*_rooms_of_instance(environment, a), *_rooms_of_instance(environment, b)))
    return [renamed for cond in conds for renamed in dict.fromkeys((threads.first(cond), threads.second(cond)))]


def _lengths_of_loops(access: Access, counted: frozenset[Term]) -> Iterator[tuple[Term, Term]]:
    """`x[row * n + i]` of memory made of `n` columns, in a loop to `k`: how many of them, which the memory does not tell."""
    size = access.object.size
    made_of = free_symbols(size) if size is not None else frozenset[Term]()
    offset = ideal(access.offset)
    for stride in sorted(filter(is_input, (_factors(offset) & made_of) - counted), key=lambda t: t.digest):
        rest = coefficients(offset, {stride})
        added = frozenset().union(*(free_symbols(term) for key, term in rest.items() if stride not in key))
        for conjunct in access.path:
            parts = conjuncts(ideal(conjunct.term)) if conjunct.cause == "loop" else ()
            spoken = [free_symbols(p) for p in parts if isinstance(p, AtMostZero)]
            ends = frozenset().union(*(atoms for atoms in spoken if not atoms.isdisjoint(added)))
            for length in sorted(filter(is_input, ends - made_of), key=lambda t: t.digest):
                yield length, stride


def _rooms_of_instance(environment: Environment, access: Access) -> list[Term]:
    """`ids[row * experts + k]` behind `k < used`, in an instance for so many experts: no more of them are used.

    Nothing is said of an input that the launch depends on, or that the host code limits.
    """
    widths = sorted({int(arg) for arg in environment.kernel.template_args if arg.isdecimal()} - {0, 1})
    offset = ideal(access.offset)
    if not widths or not isinstance(offset, Sum):
        return []
    of_launch = frozenset().union(*(free_symbols(environment.builtin(name)) for name in SIDES))
    ends = [part.parts[0] for c in access.path for part in conjuncts(ideal(c.term)) if isinstance(part, AtMostZero)]
    found: list[Term] = []
    for width in widths:
        row = width * access.size
        inside = [(monomial, factor) for monomial, factor in offset.monomials if factor % row]
        if not inside or len(inside) == len(offset.monomials):
            continue
        place = add(*(_product(monomial, factor) for monomial, factor in inside))
        for end in ends:
            size = subtract(place, scale(end, access.size))  # of `place < size`, in bytes and one element more
            inputs = sorted(filter(is_input, free_symbols(size) - of_launch), key=lambda t: t.digest)
            ended = (a for a in inputs if scale(add(a, number(-1)), access.size) is size)
            found += [at_most(a, number(width)) for a in ended if not is_limited(a, environment)]
    return found


def _product(monomial: tuple[Term, ...], factor: int) -> Term:
    result: Term = number(factor)
    for atom in monomial:
        result = multiply(result, atom)
    return result


def _parts(place: Term) -> list[Term]:
    """The numbers by which a place along the blocks is divided."""
    if not any(isinstance(atom, Symbol) and atom.name.startswith("blockIdx.") for atom in free_symbols(place)):
        return []
    found: dict[Term, None] = {}
    for term in subterms([place]):
        if isinstance(term, Quotient | Remainder) and isinstance(term.parts[1], Number):
            found[term.parts[1]] = None
    return sorted(found, key=lambda t: t.digest)


def _tied(environment: Environment, a: Access, b: Access, threads: Threads) -> set[Term]:
    """Inputs that the launch or the guards of the accesses speak of, or by which the host works out how long the array is.

    Where no launch is known, guards bound threads but hardly ever blocks: sizes of the grid are the caller's to keep.
    """
    tied: set[Term] = set()
    if threads.same_block or environment.geometry is not None:
        for conjunct in (*a.path, *b.path):
            tied |= spoken_of(conjunct.term)
    for access in (a, b):
        tied |= _counted(access.object, environment)
    return tied.union(*(free_symbols(environment.builtin(name)) for name in SIDES))


def _counted(memory: MemoryObject, environment: Environment) -> frozenset[Term]:
    """`(length - 1) * stride + taps` elements: whoever counts them so knows that steps overlap; `rows * stride` says nothing.

    Nor does a tensor with strides, whose last element lies there however it is laid out, or a pitch that has room for a row.
    """
    size = None if memory.size is None or memory.described else ideal(memory.size)
    if not isinstance(size, Sum):
        return frozenset()
    parts = [frozenset(monomial) for monomial, _ in size.monomials] + ([frozenset()] if size.constant else [])
    told = frozenset(atom for part in parts for atom in part if any(atom not in other for other in parts))
    return told - pitches(memory, environment.facts)


def _is_stride(atom: Term, tied: set[Term]) -> bool:
    """An input, what is made of inputs (`nb / sizeof(float)`), or a value that the host code lost: nothing else speaks of it."""
    inputs = _chosen(atom)
    return bool(inputs) and all((is_input(part) or _is_lost(part)) and part not in tied for part in inputs)


def _is_made_of(atom: Term, strides: set[Term]) -> bool:
    """`step * rows / sizeof(float)`, as far apart as planes are: as far as callers choose, who choose the step."""
    inputs = _chosen(atom)
    known = all(is_input(part) or _is_lost(part) for part in inputs)
    return isinstance(atom, Quotient) and known and not inputs.isdisjoint(strides)


def _chosen(atom: Term) -> frozenset[Term]:
    """What the value is made of, without what a choice between several asks for."""
    if isinstance(atom, Choice):
        return _chosen(atom.parts[1]) | _chosen(atom.parts[2])
    return free_symbols(atom)


def _is_chosen(atom: Term) -> bool:
    return any(is_input(part) or _is_lost(part) for part in _chosen(atom))


def _is_lost(atom: Term) -> bool:
    return isinstance(atom, Symbol) and is_lost_argument(atom)


def _unrounded(offset: Term) -> tuple[Term, int, int]:
    """Where the element of `rows[(row * stride + column) / 4]` is without the rounding, how far before that it may begin, and how
    far behind."""
    parts, before, behind = [number(offset.constant if isinstance(offset, Sum) else 0)], 0, 0
    for monomial, factor in offset.monomials if isinstance(offset, Sum) else (((offset,), 1),):
        divided = _dividend(monomial[0]) if len(monomial) == 1 and factor > 0 else None
        if divided is None or factor % divided[1] or not any(map(_is_chosen, _factors(divided[0]))):
            parts.append(_product(monomial, factor))
            continue
        dividend, divisor = divided
        step = factor // divisor
        parts.append(scale(dividend, step))
        before += step * (divisor - 1)
        behind += step * (divisor - 1) if isinstance(monomial[0], Choice) else 0
    return add(*parts), before, behind


def _dividend(place: Term) -> tuple[Term, int] | None:
    """n and 4 of `n / 4`, rounded down or as C rounds."""
    divisors = [part.parts[1] for part in subterms([place]) if isinstance(part, Quotient)]
    divisors = [each for each in dict.fromkeys(divisors) if isinstance(each, Number) and each.value > 0]
    if isinstance(place, Quotient):
        return (place.parts[0], place.parts[1].value) if place.parts[1] in divisors else None
    for divisor in divisors if isinstance(place, Choice) else ():
        dividend = _unrounded(scale(place.parts[1], divisor.value))[0]
        if truncated_quotient(dividend, divisor) is place:
            return dividend, divisor.value
    return None


def _factors(offset: Term) -> set[Term]:
    """Atoms of products with more than one factor, also of those between which something chooses."""
    if isinstance(offset, Choice):
        return _factors(offset.parts[1]) | _factors(offset.parts[2])
    monomials = offset.monomials if isinstance(offset, Sum) else ()
    found = {atom for monomial, _ in monomials if len(monomial) > 1 for atom in monomial}
    return found.union(*(_factors(atom) for monomial, _ in monomials for atom in monomial if isinstance(atom, Choice)))


def _steps(offset: Term) -> set[Term]:
    """Of those the ones that a place in the launch, a counter of a loop or a value from memory is multiplied by."""
    monomials = offset.monomials if isinstance(offset, Sum) else ()
    still = {atom for monomial, _ in monomials if all(map(is_input, monomial)) for atom in monomial}
    moved = {atom for monomial, _ in monomials if not all(map(is_input, monomial)) for atom in monomial}
    return _factors(offset) - (still - moved)


def _summands(offset: Term) -> set[Term]:
    """Atoms that stand alone, or times a number."""
    monomials = offset.monomials if isinstance(offset, Sum) else ()
    return {monomial[0] for monomial, _ in monomials if len(monomial) == 1}
