"""How accesses are meant: rows of whole, aligned vectors, masks of powers of two, and clamped indices that stand for no work.

A race that needs a misaligned row or one with half a vector at its end, or in which only clamped reads of idle threads take
part, is of medium confidence: the misaligned access traps, rows of `(row * n + column) / 2` are made for an even n, and what
an idle thread reads is as a rule not used. So is one that needs `t & (n - 1)` of an n that is no power of two and, of a kernel
that nothing launches, one that needs a part of dynamic memory that was split at numbers to be left because of an input, or blocks
that are neither in one line of the grid nor beside each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce

from cudalint.symbolic.model import Access, scope_of
from cudalint.symbolic.ordinary import is_input
from cudalint.symbolic.synchronization.pairs import Threads
from cudalint.symbolic.walk.environment import Environment
from cudalint.symbolic.walk.execute import Walk
from cudalint.term import (
    FALSE,
    TRUE,
    All,
    Apply,
    AtMostZero,
    Choice,
    Number,
    Quotient,
    Sum,
    Term,
    add,
    at_most,
    children,
    conjunction,
    disjunction,
    equal,
    free_symbols,
    ideal,
    multiply,
    negation,
    number,
    remainder,
    subterms,
    subtract,
)

VECTOR_BYTES = (4, 8, 16)  # accesses that may be wider than the elements of the array
PARTS = (2, 4, 8)  # elements of a vector
ROW_LIMIT = 8
BITS_AND = "bits &"
MASK_BITS = 21  # of sizes that are ordinary


def intentions(walk: Walk, a: Access, b: Access, threads: Threads) -> list[Term]:
    """What holds of the two accesses where the code does what it is meant to do; empty where nothing suggests anything."""
    rows = _aligned_rows(_vectors_on_the_way(walk, a, b))
    parts = dict.fromkeys((*_whole_parts(a), *_whole_parts(b)))
    masks = dict.fromkeys((*_whole_masks(a), *_whole_masks(b)))
    own = [] if walk.environment.launch_known else [*_own_part(a, b, threads.first), *_own_part(b, a, threads.second)]
    return [*rows, *parts, *masks, *own, *_unclamped(a, threads.first), *_unclamped(b, threads.second)]


def near_blocks(environment: Environment, threads: Threads) -> Term:
    """The blocks of the two threads lie in one line of the grid, or beside each other.

    `out[blockIdx.y * 1024 + blockIdx.x * 128 + threadIdx.x]` is for grids of 8 blocks along x. Where nothing tells the grid, a
    meeting of the ninth with the first of the next row says nothing of the kernel.
    """
    places = [environment.builtin(f"blockIdx.{axis}") for axis in "xyz"]
    apart = [subtract(threads.first(place), threads.second(place)) for place in places]
    same = [equal(each, number(0)) for each in apart]
    lines = [conjunction(*(cond for other, cond in enumerate(same) if other != axis)) for axis in range(3)]
    beside = conjunction(*(conjunction(at_most(number(-1), each), at_most(each, number(1))) for each in apart))
    return disjunction(*lines, beside)


def _own_part(lower: Access, upper: Access, seen: Callable[[Term], Term]) -> list[Term]:
    """Of one array that is split by hand at numbers, an input that nothing limits counts within the part that is its own."""
    starts = [_constant(ideal(access.offset)) for access in (lower, upper)]
    if lower.object.memory != "shared" or starts[0] >= starts[1] or isinstance(lower.object.size, Number):
        return []
    if not any(is_input(atom) for conjunct in lower.path for atom in free_symbols(conjunct.term)):
        return []
    return [seen(at_most(add(ideal(lower.offset), number(lower.size)), number(starts[1])))]


def _whole_masks(access: Access) -> list[Term]:
    """`t & (length - 1)` is `t % length`: the length, which is the same for all threads, is a power of two."""
    found: dict[Term, None] = {}
    for part in subterms([ideal(access.offset)]):
        if not isinstance(part, Apply) or part.parts[0] != BITS_AND:
            continue
        for mask in children(part):
            length = add(mask, number(1))
            if scope_of(mask) == "launch" and not isinstance(mask, Number):
                found[disjunction(*(equal(length, number(1 << bit)) for bit in range(MASK_BITS)))] = None
    return list(found)[:ROW_LIMIT]


def _whole_parts(access: Access) -> list[Term]:
    """`column / head_size` behind `column < hidden`: a row has whole heads."""
    divided = [t.parts for t in subterms([ideal(access.offset)]) if isinstance(t, Quotient) and is_input(t.parts[1])]
    guards = [g.parts[0] for c in access.path for g in _conjuncts(ideal(c.term)) if isinstance(g, AtMostZero)]
    found: dict[Term, None] = {}
    for place, part in divided:
        for guard in guards:
            end = subtract(place, guard)
            row = add(end, number(-end.constant)) if isinstance(end, Sum) else end
            if is_input(row) and row is not part:
                found[equal(remainder(row, part), number(0))] = None
    return list(found)[:ROW_LIMIT]


def _conjuncts(term: Term) -> tuple[Term, ...]:
    return term.parts[0] if isinstance(term, All) else (term,)


def _constant(place: Term) -> int:
    if isinstance(place, Number):
        return place.value
    return place.constant if isinstance(place, Sum) else 0


def _vectors_on_the_way(walk: Walk, a: Access, b: Access) -> list[Access]:
    ways = [{c.term for c in access.path} for access in (a, b)]
    wide = [
        c for c in walk.accesses if c.size in VECTOR_BYTES and c.object.memory == "global" and c.object.before is None
    ]
    return [c for c in wide if any({conjunct.term for conjunct in c.path} <= way for way in ways)]


def _aligned_rows(vectors: Iterable[Access]) -> list[Term]:
    """`row * stride` is aligned for neighbouring rows only where the stride is, and a whole number of vectors likewise."""
    found: dict[Term, None] = {}
    for access in vectors:
        offset = ideal(access.offset)
        for place, unit in ((offset, access.size), *_vector_places(offset, access.size)):
            for stride in _strides(place):
                aligned = equal(remainder(stride, number(unit)), number(0))
                if aligned is not TRUE and aligned is not FALSE:
                    found[aligned] = None
    return list(found)[:ROW_LIMIT]


def _vector_places(offset: Term, size: int) -> list[tuple[Term, int]]:
    """Of `((half2*)x)[(row * n + column) / 2]` the place in elements, and how many of them a vector has."""
    monomials = offset.monomials if isinstance(offset, Sum) else ()
    quotients = [atom for (atom, *others), factor in monomials if not others and factor == size]
    found = [q.parts for q in quotients if isinstance(q, Quotient) and isinstance(q.parts[1], Number)]
    return [(place, parts.value) for place, parts in found if parts.value in PARTS]


def _strides(place: Term) -> list[Term]:
    """What each row, column and so on of a sum of products is multiplied with, and where a part of it begins."""
    strides: list[Term] = []
    for monomial, coefficient in place.monomials if isinstance(place, Sum) else ():
        varying = [atom for atom in monomial if scope_of(atom) != "launch"]
        if len(varying) < min(2, len(monomial)):
            fixed = (atom for atom in monomial if atom not in varying)
            strides.append(reduce(multiply, fixed, number(coefficient)))
    return strides


def _unclamped(access: Access, seen: Callable[[Term], Term]) -> list[Term]:
    """A read at `min(last, i)` takes place at i."""
    if access.kind != "read":
        return []
    conds: list[Term] = []
    for part in _choices(ideal(access.offset)):
        cond, then, orelse = part.parts
        if not isinstance(cond, AtMostZero):
            continue
        fixed = [scope_of(side) != "thread" for side in (then, orelse)]
        if fixed == [True, False]:
            conds.append(seen(negation(cond)))
        elif fixed == [False, True]:
            conds.append(seen(cond))
    return conds


def _choices(term: Term) -> list[Choice]:
    found: list[Choice] = []
    stack, visited = [term], {term}
    while stack:
        part = stack.pop()
        if isinstance(part, Choice):
            found.append(part)
        following = [child for child in children(part) if child not in visited]
        visited.update(following)
        stack += following
    return found
