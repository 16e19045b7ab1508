"""Accesses to memory of no known extent, whose place along one side is compared with a size elsewhere and not on their way.

    row = blockIdx.y * TILE + threadIdx.y;  column = blockIdx.x * TILE + threadIdx.x;
    if (column < columns) tile[..] = in[row * columns + column];        nothing keeps row below the number of rows
    ...
    if (other < rows && ..) out[..] = tile[..];                         other = blockIdx.y * TILE + threadIdx.x

What is the same for all threads of a block is the base of a place. Who compares one place of a base with a size says that the
last block reaches beyond it: so does every other place of that base. Memory that is also used behind such a comparison is left
out: where it is not, that is meant (a halo that lies inside, whole vectors), or another rule's business.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from cudalint.source import Span
from cudalint.symbolic.issues import UnguardedSide
from cudalint.symbolic.model import ITERATION_PREFIX, MEMORY_PREFIX, Access, MemoryObject, scope_of
from cudalint.symbolic.ordinary import is_input
from cudalint.symbolic.solver.effort import Effort
from cudalint.symbolic.solver.monomials import divided, monomials, product
from cudalint.symbolic.solver.parts import conjuncts
from cudalint.symbolic.solver.query import Solver
from cudalint.symbolic.solver.question import Model, Query
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.verdicts.undecided import undecided_bounds
from cudalint.symbolic.walk.environment import Environment
from cudalint.symbolic.walk.execute import Walk
from cudalint.term import (
    AtMostZero,
    Choice,
    Monomial,
    Quotient,
    Sum,
    Symbol,
    Term,
    Undefined,
    add,
    at_most,
    free_symbols,
    ideal,
    labels,
    less,
    multiply,
    negate,
    number,
    scale,
    substitute,
    subterms,
)

MOST_ASKED = 24  # questions about one kernel
MOST_COPIES = 2  # of one access, from rounds of a loop that was unrolled
MOST_SIZES = 4  # with which places of one base are compared


Guards: TypeAlias = dict[Term, Span]  # sizes, each with the first guard that speaks of it


@dataclass(frozen=True, slots=True)
class _Place:
    """`base` moves with the block, `local` with the thread and its rounds."""

    base: Term
    local: Term


def find_unguarded_sides(walk: Walk, decider: Decider) -> Iterator[UnguardedSide]:
    """One for each access and base, at its first copy."""
    if walk.stopped or walk.environment.contract.dead:
        return
    known = _compared(walk.accesses)
    for base, size, launch in _launched(walk.environment):
        known.setdefault(base, {}).setdefault(size, launch)
    if not known:
        return
    shared = {o for o, kinds in _uses(walk.accesses).items() if len(kinds) > 1}
    open_ = undecided_bounds(walk)
    guarded = {(a.object, base) for a in walk.accesses for base in known if _is_told(a, base)}
    own = Decider(decider.environment, walk.axioms, Solver(Effort()), decider.blocks)
    asked: Counter[tuple[Span, Term]] = Counter()
    told: set[tuple[str, int, Term]] = set()
    for access in walk.accesses:
        if access.object.memory != "global" or access.object in shared or (access.span, access.object) not in open_:
            continue
        for place in _places(access, known):
            key, where = (access.span, place.base), (access.span.path, access.span.line, place.base)
            if where in told or asked[key] >= MOST_COPIES or sum(asked.values()) >= MOST_ASKED:
                continue
            if (access.object, place.base) in guarded or not _is_free(access, place):
                continue
            if _has_room_for_blocks(access, place, walk.environment):
                continue
            asked[key] += 1
            found = _beyond_all(access, place, known[place.base], own)
            if found is not None:
                told.add(where)
                yield found


def _uses(accesses: list[Access]) -> dict[MemoryObject, set[str]]:
    """How each object is used: what is read and written is often made for the threads, and not for the data."""
    found: dict[MemoryObject, set[str]] = {}
    for access in accesses:
        found.setdefault(access.object, set()).add(access.kind)
    return found


# --- what is compared ----------------------------------------------------------------------------------------------------


def _compared(accesses: list[Access]) -> dict[Term, Guards]:
    """The sizes with which the guards and clamps of the kernel compare places of threads, by the base of the place."""
    found: dict[Term, Guards] = {}
    seen: set[Term] = set()
    for access in accesses:
        clamps = [part.parts[0] for part in subterms((access.offset,)) if isinstance(part, Choice)]
        for part in (*(p for c in access.path for p in conjuncts(c.term)), *clamps):
            compared = None if part in seen else _comparison(part)
            seen.add(part)
            if compared is not None:
                place, size = compared
                found.setdefault(place.base, {}).setdefault(size, access.span)
    return {base: sizes for base, sizes in found.items() if len(sizes) <= MOST_SIZES}


def _comparison(part: Term) -> tuple[_Place, Term] | None:
    """`place < size`, without what a step or the width of a vector adds to the size."""
    difference = ideal(part.parts[0]) if isinstance(part, AtMostZero) else None
    if not isinstance(difference, Sum) or _reads(part):
        return None
    parts: dict[str, list[Term]] = {"base": [], "local": [], "size": []}
    for term in map(_product, difference.monomials):
        atoms = free_symbols(term)
        if not all(isinstance(atom, Symbol) for atom in atoms):
            return None
        moves = scope_of(term) in ("warp", "thread")
        parts["size" if all(map(_is_size, atoms)) else "local" if moves else "base"].append(term)
    base, local, size = (add(*parts[name]) if parts[name] else number(0) for name in ("base", "local", "size"))
    if size is number(0) or local is number(0) or not _is_of_block(base) or "gridDim." in " ".join(labels(local)):
        return None
    return _Place(base, local), negate(size)


def _launched(environment: Environment) -> Iterator[tuple[Term, Term, Span]]:
    """`grid = (size + block - 1) / block` on the host says of its last block what a guard says."""
    site = environment.contract.launch_site
    for axis in "xyz":
        grid, block = (ideal(environment.builtin(f"{name}.{axis}")) for name in ("gridDim", "blockDim"))
        if not isinstance(grid, Quotient) or grid.parts[1] is not block or block is number(1):
            continue
        size = add(grid.parts[0], number(1), negate(block))
        base = multiply(environment.builtin(f"blockIdx.{axis}"), block)
        if site is not None and isinstance(size, Symbol) and is_input(size) and _is_of_block(base):
            yield base, size, Span(site.path, site.line, 1, site.line, 1)


def _is_of_block(base: Term) -> bool:
    return any(label.startswith("blockIdx.") for label in labels(base)) and all(c > 0 for _, c in monomials(base))


def _is_size(atom: Term) -> bool:
    """The same for all threads of the launch, and no dimension of it."""
    return isinstance(atom, Symbol) and atom.scope == "launch" and not atom.name.startswith(("gridDim.", "blockDim."))


def _reads(term: Term) -> bool:
    return any(label.startswith(MEMORY_PREFIX) for label in labels(term))


# --- places of an access -------------------------------------------------------------------------------------------------


def _places(access: Access, known: dict[Term, Guards]) -> Iterator[_Place]:
    """The places whose base is known that an index of two sides or more is made of."""
    own = dict(monomials(ideal(access.offset)))
    if not any(_is_size(a) for monomial in own for a in monomial if len(monomial) > 1):
        return
    for base in known:
        (first, factor), *others = monomials(base)
        for monomial, coefficient in own.items():
            stride = divided(monomial, first)
            step = coefficient // factor
            if stride is None or coefficient % factor or step <= 0 or not all(map(_is_size, stride)):
                continue
            rest = {_times(other, stride): step * count for other, count in others}
            if all(own.get(product) == count for product, count in rest.items()):
                local = _local(own, {monomial, *rest}, stride, step)
                if local is not None:
                    yield _Place(base, local)


def _local(own: dict[Monomial, int], used: set[Monomial], stride: Monomial, step: int) -> Term | None:
    """What threads and rounds add along that side; None where another number of the block has the same stride."""
    found: list[Term] = []
    for monomial, coefficient in own.items():
        left = None if monomial in used else divided(monomial, stride)
        if left is None or any(map(_is_size, left)) or coefficient % step:
            continue
        if not all(isinstance(a, Symbol) and not a.name.startswith(("blockIdx.", MEMORY_PREFIX)) for a in left):
            return None
        if left or coefficient < 0:  # what a constant adds leads further on
            found.append(scale(product(left), coefficient // step))
    local = add(*found) if found else number(0)
    return local if any(label.startswith("threadIdx.") for label in labels(local)) else None


def _product(item: tuple[Monomial, int]) -> Term:
    monomial, coefficient = item
    return scale(product(monomial), coefficient)


def _times(a: Monomial, b: Monomial) -> Monomial:
    return next(iter(monomials(product((*a, *b)))))[0]


def _is_told(access: Access, base: Term) -> bool:
    """Something on the way compares a number of the block along that side with a size: how far it goes was thought of."""
    blocks = {atom for atom in free_symbols(base) if not _is_size(atom)}
    return any(
        not blocks.isdisjoint(free_symbols(part)) and any(map(_is_size, free_symbols(part)))
        for c in access.path
        for part in conjuncts(c.term)
    )


# --- whether it goes beyond ----------------------------------------------------------------------------------------------


def _is_free(access: Access, place: _Place) -> bool:
    """Nothing on the way compares the place, tells the last blocks from the others, or asks what memory holds for it."""
    whole = monomials(add(place.base, place.local))
    atoms = free_symbols(place.base) | free_symbols(place.local)
    for part in (p for c in access.path for p in conjuncts(c.term)):
        touched = not free_symbols(part).isdisjoint(atoms)
        if touched and (_reads(part) or "gridDim." in " ".join(labels(part))):
            return False
        for inner in subterms((part,)):
            own = dict(monomials(ideal(inner.parts[0]))) if isinstance(inner, AtMostZero) else {}
            if own and all(own.get(monomial) == count for monomial, count in whole):
                return False
    return True


def _has_room_for_blocks(access: Access, place: _Place, environment: Environment) -> bool:
    """`sums[(round * gridDim.x + blockIdx.x) * TILE + ..]`: rows as long as all blocks together have a place for each thread."""
    own = dict(monomials(ideal(access.offset)))
    for block in free_symbols(place.base):
        name = str(block.parts[0])
        step = own.get((block,))
        if not name.startswith("blockIdx.") or step is None:
            continue
        blocks = monomials(ideal(environment.builtin(name.replace("blockIdx", "gridDim"))))
        ((row, factor), *more) = blocks or (((), 0),)
        if not more and row and any(divided(other, row) and count == step * factor for other, count in own.items()):
            return True
    return False


def _beyond_all(access: Access, place: _Place, sizes: Guards, decider: Decider) -> UnguardedSide | None:
    """Some block begins inside and has a thread beyond, whichever of the sizes is the one."""
    path = [ideal(c.term) for c in access.path]
    digit = add(place.base, place.local)
    model: Model | None = None
    for size in sizes:
        terms, facts = decider.relevant(*path, digit, size)
        question = [*map(ideal, terms), *path, less(place.base, size), at_most(size, digit)]
        rounds: dict[Term, Term] = {
            atom: number(0)
            for atom in frozenset().union(*map(free_symbols, question))
            if isinstance(atom, Symbol) and atom.name.startswith(ITERATION_PREFIX)
        }
        question = [substitute(part, rounds) for part in question]  # the first round is as good as any
        if decider.solver.refutes(Query("beyond a side", tuple(question))):
            return None
        atoms = sorted(frozenset().union(*map(free_symbols, question)), key=lambda atom: atom.digest)
        model = decider.ordinary_model(question, atoms)
        if model is None:
            return None
    size, guard = next(iter(sizes.items()))
    if model is None:
        return None
    try:
        witness = decider.witness(model, substitute(digit, rounds), size)
    except Undefined:
        return None
    return UnguardedSide(access.span, access.object, access.kind, digit, size, guard, witness, tuple(facts))
