"""The block that a kernel is written for, where nothing launches it.

__shared__ float s[256];  s[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];      // 256 threads, and no other number
__shared__ float t[16][17];  t[threadIdx.y][threadIdx.x] = x[...];                 // 16 x 16 threads
"""

from __future__ import annotations

from collections.abc import Iterable

from cudalint import ir
from cudalint.symbolic.model import Access
from cudalint.symbolic.parameters import builtin_symbol
from cudalint.term import Number, Sum, Term, add, free_symbols, ideal, scale

SIZES = range(
    64, 513, 32
)  # a block of one warp shows no race between warps; of 1024 threads are arrays of other uses, too

SIDES = (4, 8, 16, 32)


def intended_tile(accesses: Iterable[Access]) -> int | None:
    """The threads along x and along y: as many as a square shared array has rows, which each thread takes one element of.

    None where no array says it, or where two of them say different numbers.
    """
    sides = {side for access in accesses if (side := _side(access)) is not None}
    return sides.pop() if len(sides) == 1 else None


def intended_block(accesses: Iterable[Access]) -> int | None:
    """The threads of a row: as many as a shared array has elements that each thread takes one of, whoever it is.

    The smallest of several; None where no array says it, or where blocks begin at other places than so many elements apart.
    """
    accesses = list(accesses)
    sizes = {size for access in accesses if (size := _row(access)) is not None}
    apart = {step for access in accesses if (step := _distance_of_blocks(access)) is not None}
    size = min(sizes, default=None)
    return size if size in SIZES and apart <= {size} else None


def _row(access: Access) -> int | None:
    """The elements of a static shared array that is accessed at threadIdx.x under no condition on threads."""
    found = access.object
    if found.memory != "shared" or not isinstance(found.size, Number):
        return None
    thread = builtin_symbol("threadIdx.x")
    if ideal(access.offset) is not scale(thread, access.size):
        return None
    if any(thread in free_symbols(conjunct.term) for conjunct in access.path):
        return None
    return _length_of_row(found.type) or found.size.value // access.size


def _length_of_row(type_: ir.Type) -> int | None:
    """The last dimension of an array with several."""
    length = None
    while isinstance(type_, ir.Array) and isinstance(type_.element, ir.Array):
        type_ = type_.element
        length = type_.count
    return length


def _side(access: Access) -> int | None:
    """The rows of a static shared array that is accessed at [threadIdx.y][threadIdx.x] under no condition on threads."""
    found = access.object
    if found.memory != "shared" or not isinstance(found.size, Number):
        return None
    across, down = builtin_symbol("threadIdx.x"), builtin_symbol("threadIdx.y")
    if any({across, down} & free_symbols(conjunct.term) for conjunct in access.path):
        return None
    offset, width = ideal(access.offset), access.size
    for side in SIDES:
        for row in (side, side + 1):
            if offset is add(scale(across, width), scale(down, width * row)) and found.size.value == width * row * side:
                return side
    return None


def _distance_of_blocks(access: Access) -> int | None:
    """`blockIdx.x * 256 + threadIdx.x` in global memory: 256."""
    offset = ideal(access.offset)
    if access.object.memory != "global" or not isinstance(offset, Sum):
        return None
    factors: dict[Term, int] = {monomial[0]: factor for monomial, factor in offset.monomials if len(monomial) == 1}
    block, thread = factors.get(builtin_symbol("blockIdx.x")), factors.get(builtin_symbol("threadIdx.x"))
    return block // thread if block and thread == access.size else None
