"""Guards by a size of a place that nothing but the thread decides: `if (blockIdx.x * blockDim.x + threadIdx.x < n)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce

from cudalint import ir
from cudalint.symbolic.indexing.block_steps import block_steps
from cudalint.symbolic.model import Access
from cudalint.symbolic.ordinary import is_input
from cudalint.symbolic.solver.parts import conjuncts
from cudalint.symbolic.walk.environment import DIMENSION_OF, Environment
from cudalint.symbolic.walk.execute import Walk
from cudalint.term import (
    AtMostZero,
    Number,
    Quotient,
    Sum,
    Symbol,
    Term,
    add,
    free_symbols,
    ideal,
    interval,
    multiply,
    number,
    scale,
    substitute,
    subtract,
)

PLACES = {f"{place}.{axis}": f"{size}.{axis}" for place, size in DIMENSION_OF.items() for axis in "xyz"}


@dataclass(frozen=True, slots=True)
class Guard:
    """`place < wanted`, where `place` grows with the numbers of threads and blocks; one more thread would be at `reached`."""

    place: Term
    wanted: Term
    step: Term  # from the place of a thread to that of the next
    reached: Term
    axes: frozenset[str]  # the dimensions of the launch that `reached` is made of


class Guards:
    """The guards of the accesses of one walk: many writes are compared with all others, and each is looked at once."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._all: dict[int, list[Guard]] = {}
        self._gapless: dict[int, dict[Term, Guard]] = {}

    def of(self, access: Access) -> dict[Term, Guard]:
        """Guards by a size from outside of a place that nothing but the thread decides, by that size."""
        found = self._gapless.get(id(access))
        if found is None:
            found = self._gapless[id(access)] = {}
            for guard in self._every(access):
                wanted = guard.wanted
                if _is_gapless(guard, self._walk.environment) and (
                    wanted not in found or _is_later(guard.reached, found[wanted].reached)
                ):
                    found[wanted] = guard
        return found

    def gaps(self, access: Access) -> dict[Term, Guard]:
        """Those whose next block goes on later than the threads of a block end; `reached` is the first between."""
        walk = self._walk
        found: dict[Term, Guard] = {}
        for guard in self._every(access):
            blocks: dict[Term, Term] = {a: number(0) for a in free_symbols(guard.place) if _is_block(a)}
            threads: dict[Term, Term] = {a: number(0) for a in free_symbols(guard.place) if _is_thread(a)}
            first = substitute(_reached(guard.place, guard.step, walk.environment, threads), blocks)
            for block in blocks:
                others = {a: zero for a, zero in blocks.items() if a is not block}
                following = substitute(guard.place, {**threads, **others, block: number(1)})
                step = subtract(following, substitute(guard.place, {**threads, **blocks}))
                if not _is_stepped(block, step, walk):
                    continue
                if not threads:  # the block has one thread along that side
                    found[guard.wanted] = replace(guard, reached=add(substitute(guard.place, blocks), number(1)))
                    continue
                _, high = interval(subtract(first, following))
                if high is not None and high < 0:
                    found[guard.wanted] = replace(guard, reached=first)
        return found

    def _every(self, access: Access) -> list[Guard]:
        if id(access) not in self._all:
            self._all[id(access)] = _all_guards(access, self._walk)
        return self._all[id(access)]


def _is_stepped(block: Term, step: Term, walk: Walk) -> bool:
    """The kernel says `blockIdx.y * 8 + threadIdx.y`; who leaves gaps on purpose computes more than that."""
    axis = str(block.parts[0])[-1:]
    dimension = walk.environment.builtin(f"blockDim.{axis}")
    if not isinstance(step, Number) or not isinstance(dimension, Number) or dimension.value >= step.value:
        return False
    unit = walk.environment.unit
    return step.value in block_steps((f for f in unit.functions.values() if f.role is not ir.Role.HOST), axis)


def _all_guards(access: Access, walk: Walk) -> list[Guard]:
    """With those whose places have gaps between blocks."""
    environment = walk.environment
    found: list[Guard] = []
    strided: set[Term] = set()
    asked = (ideal(p.parts[0]) for c in access.path for p in conjuncts(c.term) if isinstance(p, AtMostZero))
    settled = _settled(access, walk)
    for difference in (*asked, *settled):
        place = place_of(difference)
        wanted = subtract(place, difference)
        if place is number(0) or not (difference in settled or any(map(is_input, free_symbols(wanted)))):
            continue
        wanted = add(wanted, number(1))
        if not _is_of_thread(place) or not all(map(is_input, free_symbols(wanted))):
            if not all(map(_is_known, free_symbols(place))):
                strided |= free_symbols(wanted)  # each thread goes on, up to the same size
            continue
        step = _step(place)
        if step is None:
            continue
        sizes = _sizes(place)
        reached = _reached(place, step, environment, sizes)
        found.append(Guard(place, wanted, step, reached, frozenset(sizes.values())))
    return [guard for guard in found if strided.isdisjoint(free_symbols(guard.wanted))]


def _sizes(place: Term) -> dict[Term, str]:
    """The dimension of the launch behind each number of a thread or block."""
    return {a: PLACES[a.name] for a in free_symbols(place) if isinstance(a, Symbol) and a.name in PLACES}


def _reached(place: Term, step: Term, environment: Environment, along: Iterable[Term]) -> Term:
    """Where one thread more would be, behind the last along these."""
    sizes = _sizes(place)
    last = {a: subtract(environment.builtin(sizes[a]), number(1)) for a in along}
    return add(substitute(place, last), step)


def _is_block(atom: Term) -> bool:
    return isinstance(atom, Symbol) and atom.name.startswith("blockIdx.")


def _is_thread(atom: Term) -> bool:
    return isinstance(atom, Symbol) and atom.name.startswith("threadIdx.")


def _settled(access: Access, walk: Walk) -> list[Term]:
    """Guards of which the numbers of the launch left nothing, by a size that the launch was not made for another of."""
    if access.loops or any(c.cause == "loop" for c in access.path):
        return []
    return [guard.difference for guard in walk.settled if guard.covers(access.serial)]


def _step(place: Term) -> Term | None:
    """How far the next thread is."""
    if not isinstance(place, Sum):
        return number(1)
    single = [c for m, c in place.monomials if len(m) == 1]
    if single:
        return number(min(single))
    ((monomial, coefficient), *others) = place.monomials
    factors = [a for a in monomial if _is_size(a)]
    if others or len(factors) != len(monomial) - 1:
        return None
    return scale(reduce(multiply, factors), coefficient)


def _is_gapless(guard: Guard, environment: Environment) -> bool:
    """The next block begins no further on than the block before it ends: who leaves gaps writes but some places."""
    place, sizes = guard.place, _sizes(guard.place)
    threads: dict[Term, Term] = {a: environment.builtin(d) for a, d in sizes.items() if not _is_block(a)}
    origin: dict[Term, Term] = {a: number(0) for a in sizes}
    row = subtract(substitute(place, {**origin, **threads}), substitute(place, origin))
    for block in filter(_is_block, sizes):
        step = subtract(substitute(place, {block: number(1)}), substitute(place, {block: number(0)}))
        low, _ = interval(subtract(row, step))
        if threads and (low is None or low < 0):
            return False
    return True


def _is_later(last: Term, other: Term) -> bool:
    low, _ = interval(subtract(last, other))
    return low is not None and low >= 0


def place_of(difference: Term) -> Term:
    """The part of `place - wanted + 1` that is not the same for all threads, with what its factors are."""
    if not isinstance(difference, Sum):
        return difference if _varies(difference) else number(0)
    kept = [term for term in _summands(difference) if _varies(term)]
    return add(*kept) if kept else number(0)


def _summands(term: Sum) -> Iterator[Term]:
    for monomial, coefficient in term.monomials:
        product: Term = number(1)
        for atom in monomial:
            product = multiply(product, atom)
        yield scale(product, coefficient)


def _varies(term: Term) -> bool:
    return not all(map(_is_size, free_symbols(term)))


def _is_known(atom: Term) -> bool:
    return _is_size(atom) or (isinstance(atom, Symbol) and atom.name in PLACES)


def _is_size(atom: Term) -> bool:
    return is_input(atom) or (isinstance(atom, Symbol) and atom.name in PLACES.values())


def _is_of_thread(place: Term) -> bool:
    """It grows with the thread and the block, and with nothing else."""
    if isinstance(place, Sum):
        return all(c > 0 and all(map(_is_of_thread_or_size, m)) for m, c in place.monomials)
    return _is_of_thread_or_size(place)


def _is_of_thread_or_size(atom: Term) -> bool:
    if isinstance(atom, Symbol):
        return _is_known(atom)
    if isinstance(atom, Quotient):
        return isinstance(atom.parts[1], Number) and atom.parts[1].value > 0 and _is_of_thread(atom.parts[0])
    return False
