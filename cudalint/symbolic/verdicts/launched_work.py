"""How much work a launch is for, in the witness of an overflow: it is no larger than that, and a block's share is worth a block.

int i = blockIdx.x * per_block + t; if (i < n) x[i]     a caller who chooses the grid has no block begin behind n
for (int i = threadIdx.x; i < n; i += blockDim.x)       whoever gives each row a block has rows of a warp's length
    x[blockIdx.x * n + i]
int row = blockIdx.x + blockIdx.y * gridDim.x           nobody launches 2^31 blocks in all, each for a row of its own
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from cudalint.symbolic.model import Obligation
from cudalint.symbolic.ordinary import WARP, is_input
from cudalint.symbolic.walk.environment import Environment
from cudalint.term import (
    All,
    AtMostZero,
    Sum,
    Symbol,
    Term,
    add,
    at_most,
    equal,
    free_symbols,
    ideal,
    interval,
    multiply,
    number,
)

AXES = "xyz"
USUAL_SHARE = 256  # elements of one block
MOST_BLOCKS = (1 << 31) - 1


def launched_work(obligation: Obligation, environment: Environment) -> list[Term]:
    """What the sizes of the launch and those in the guards of the access are to each other."""
    compared = [part for guard in obligation.path for part in conjuncts(ideal(guard.term))]
    overs = [part.parts[0] for part in compared if isinstance(part, AtMostZero) and isinstance(part.parts[0], Sum)]
    chosen = [b(f"blockIdx.{axis}") for b in (environment.builtin,) for axis in AXES if is_input(b(f"gridDim.{axis}"))]
    begins = [begin for over in overs for block in chosen if (begin := _begins_inside(over, block)) is not None]
    rows = [row for over in overs if (row := _row_of_rounds(over, environment)) is not None]
    return [*begins, *_long_enough(rows, obligation, environment), *_all_blocks(obligation, environment)]


def _all_blocks(obligation: Obligation, environment: Environment) -> list[Term]:
    """No more blocks than a device comes to, where the index counts them along several sides of the grid."""
    moving = free_symbols(obligation.index)
    axes = [axis for axis in AXES if environment.builtin(f"blockIdx.{axis}") in moving]
    if len(axes) < 2:
        return []
    return [at_most(reduce(multiply, (environment.builtin(f"gridDim.{axis}") for axis in axes)), number(MOST_BLOCKS))]


def usual_shares(facts: list[Term]) -> list[Term]:
    """The shares of blocks that such facts speak of, as large as usual: a number makes their products linear."""
    overs = [fact.parts[0] for fact in facts if isinstance(fact, AtMostZero)]
    pairs = [
        monomial for over in overs if isinstance(over, Sum) for monomial, _ in over.monomials if len(monomial) == 2
    ]
    shares = [a for pair in pairs if any(map(_is_block, pair)) for a in pair if is_input(a)]
    return [equal(share, number(USUAL_SHARE)) for share in dict.fromkeys(shares)]


def conjuncts(guard: Term) -> Iterator[Term]:
    """The parts of a condition that all hold where it does."""
    if isinstance(guard, All):
        for part in guard.parts[0]:
            yield from conjuncts(part)
    else:
        yield guard


def _is_block(atom: Term) -> bool:
    return isinstance(atom, Symbol) and atom.name.startswith("blockIdx.")


def _begins_inside(over: Sum, block: Term) -> Term | None:
    """`over`, which is at most zero inside of the work, for the first thread of the block and the first round of its loops."""
    kept: list[Term] = [number(over.constant)]
    moved = False
    for monomial, factor in over.monomials:
        if block in monomial and factor < 0:
            return None
        if all(atom is block or is_input(atom) for atom in monomial):
            moved |= block in monomial
            term: Term = number(factor)
            for atom in monomial:
                term = multiply(term, atom)
            kept.append(term)
    return at_most(add(*kept), number(0)) if moved else None


def _row_of_rounds(over: Sum, environment: Environment) -> Symbol | None:
    """The n of `threadIdx.x + round * step < n`: a size through which the threads of one block go together."""
    thread = environment.builtin("threadIdx.x")
    blocks = [environment.builtin(f"blockIdx.{axis}") for axis in AXES]
    sizes = [(m, factor) for m, factor in over.monomials if len(m) == 1 and is_input(m[0])]
    others = [(m, factor) for m, factor in over.monomials if (m, factor) not in sizes]
    if len(sizes) != 1 or sizes[0][1] != -1 or over.constant != 1 or ((thread,), 1) not in others or len(others) < 2:
        return None
    if any(factor < 0 or not set(blocks).isdisjoint(m) for m, factor in others):
        return None
    (size,) = sizes[0][0]
    return size if isinstance(size, Symbol) else None


def _long_enough(rows: list[Symbol], obligation: Obligation, environment: Environment) -> list[Term]:
    """A warp's length for the rows by which blocks lie apart."""
    moving = free_symbols(obligation.index)
    if all(environment.builtin(f"blockIdx.{axis}") not in moving for axis in AXES):
        return []
    known = [row for row in dict.fromkeys(rows) if row in moving and (interval(row)[1] or WARP) >= WARP]
    return [at_most(number(WARP), row) for row in known]
