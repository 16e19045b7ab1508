"""The block that a kernel is written for, where nothing launches it.

__shared__ float s[256];  s[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];      // 256 threads, and no other number
__shared__ int p[512];  p[2 * threadIdx.x] = x[...];  p[2 * threadIdx.x + 1] = ...;   // 256 threads
__shared__ float t[16][17];  t[threadIdx.y][threadIdx.x] = x[...];                 // 16 x 16 threads
for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = x[...];          // 32 x 8 threads
for (int i = threadIdx.x; i < n; i += 128) y[i] = ...;                             // 128 threads, whose rounds leave none out
k<<<grid, dim3(8, 32)>>>(x, y, n, scale);                                          // beside a k(x, y, n)
cub::BlockReduce<float, 128>(storage).Sum(part);                                   // 128 threads, as cub demands
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from cudalint import ir
from cudalint.ir.walk import reached, statements
from cudalint.symbolic.model import ITERATION_PREFIX, Access, MemoryObject
from cudalint.symbolic.walk.parameters import builtin_symbol
from cudalint.term import (
    Number,
    Sum,
    Symbol,
    Term,
    add,
    free_symbols,
    ideal,
    multiply,
    number,
    scale,
    substitute,
    subtract,
)

SIZES = range(
    64, 513, 32
)  # a block of one warp shows no race between warps; of 1024 threads are arrays of other uses, too

WARP = 32  # threads of a block, where each takes an element of shared memory and blocks lie as many apart
SIDES = (4, 8, 16, 32)
NEAR = 32  # elements that a neighbour is away at most
_COLLECTIVE = re.compile(r"cub::Block\w+<(.*)>(?:::TempStorage)?")
_SIDES_FROM = {
    "BlockReduce": 3,
    "BlockScan": 3,
    "BlockLoad": 4,
    "BlockStore": 4,
    "BlockExchange": 4,
    "BlockRadixRank": 6,
}  # the template argument that is the side along y
_FIRST = ("BlockRadixRank", "BlockRadixRankMatch")  # the side along x comes first, not the type of a value
_ROUND = re.compile(rf"{ITERATION_PREFIX}\d+")


def intended_tile(accesses: Iterable[Access]) -> tuple[int, int] | None:
    """The threads along x and along y: as many as a square shared array has rows, which each thread takes one element of.

    Where each takes one of every few rows, along y as many as lie between them. None where no array says it, or where two
    of them say different numbers.
    """
    places: dict[tuple[MemoryObject, int], set[int]] = {}
    for access in accesses:
        if (place := _place_in_square(access)) is not None:
            side, row = place
            places.setdefault((access.object, side), set()).add(row)
    sides = {(side, _between(rows, side)) for (_, side), rows in places.items() if 0 in rows}
    return sides.pop() if len(sides) == 1 else None


def _between(rows: set[int], side: int) -> int:
    """How far the rows of one thread lie apart, where they are evenly in all of the array; else the thread has one row."""
    step = min(rows - {0}, default=side)
    return step if step in SIDES and rows == set(range(0, side, step)) else side


def block_of_overloads(unit: ir.Unit, kernel: ir.Function) -> tuple[int, int, int] | None:
    """The block, in numbers, by which kernels of that name with other parameters are launched: one is made after the other."""
    functions, found = unit.functions.values(), set[tuple[int, ...]]()
    others = {f.id for f in functions if f.name == kernel.name and len(f.params) != len(kernel.params)}
    for function in functions if others and kernel.role is ir.Role.KERNEL else ():
        for stmt in statements(function.body):
            if (
                isinstance(stmt, ir.Launch)
                and isinstance(stmt.kernel, ir.FunctionRef)
                and stmt.kernel.function in others
            ):
                found.add(tuple(_number(side) for side in stmt.block))
    sides = found.pop() if len(found) == 1 else (0, 0, 0)
    return (sides[0], sides[1], sides[2]) if all(sides) else None


def block_of_collectives(unit: ir.Unit, kernel: ir.Function) -> tuple[int, int, int] | None:
    """The block that the collectives of cub are instantiated for, which has to be the block of the launch.

    None where the kernel uses none, where the number is not known, or where several are used for different blocks.
    """
    found = {
        sides
        for function in reached(unit, kernel)
        for stmt in statements(function.body)
        if isinstance(stmt, ir.Declare) and isinstance(stmt.var.type, ir.Struct)
        if (sides := sides_of_collective(stmt.var.type.name)) is not None
    }
    return found.pop() if len(found) == 1 else None


def sides_of_collective(type_name: str) -> tuple[int, int, int] | None:
    """`cub::BlockLoad<float, 32, 4, cub::BLOCK_LOAD_DIRECT, 8>`: 32 x 8 x 1; None of other types, and where a side is open."""
    match = _COLLECTIVE.fullmatch(type_name)
    if match is None:
        return None
    arguments = _at_top_level(match[1])
    collective = type_name[len("cub::") : match.start(1) - 1]
    own, first = _SIDES_FROM.get(collective, len(arguments)), 0 if collective in _FIRST else 1
    sides = [*arguments[first : first + 1], *arguments[own : own + 2]]
    numbers = [int(side) for side in sides if side.isdecimal()]
    return (*numbers, 1, 1)[:3] if numbers and len(numbers) == len(sides) else None  # type: ignore[return-value]


def _at_top_level(arguments: str) -> list[str]:
    """`cub::KeyValuePair<int, float>, 128` at its commas that are in no brackets."""
    found, depth = [""], 0
    for character in arguments:
        depth += (character in "<([") - (character in ">)]")
        if character == "," and depth == 0:
            found.append("")
        else:
            found[-1] += character
    return [each.strip() for each in found]


def _number(side: ir.Expr) -> int:
    """0 where the text does not say it."""
    while isinstance(side, ir.Cast):
        side = side.operand
    return side.value if isinstance(side, ir.Const) and isinstance(side.value, int) else 0


def intended_block(accesses: Iterable[Access]) -> int | None:
    """The threads of a row: as many as a shared array has elements that each thread takes one of, whoever it is.

    The smallest of several, and a single warp only where nothing says another number; None where no array says it, or where
    blocks begin at other places than so many elements apart. Without such an array what each block and each round of a loop
    takes on says it, where nothing speaks against it.
    """
    accesses = [_of_row(access) for access in accesses]
    rows = {size for access in accesses if (size := _row(access)) is not None} | _rows_in_parts(accesses)
    apart = {step for access in accesses if (step := _distance_of_blocks(access)) is not None}
    rounds = {step for access in accesses if (step := _distance_of_rounds(access)) is not None}
    if apart == rows | rounds == {WARP}:
        return WARP
    sizes = rows & set(SIZES)
    if not sizes:
        sizes = apart | rounds
        if len(sizes) != 1 or any(_is_of_any_block(access) or _is_in_parts(access, *sizes) for access in accesses):
            return None
    size = min(sizes | rows)
    return size if size in SIZES and apart <= {size} else None


def goes_round_in_blocks(accesses: Iterable[Access]) -> bool:
    """`for (int b = threadIdx.x; b < 1024; b += blockDim.x) s[b]`: a shared array is larger than the block need be."""
    wide = builtin_symbol("blockDim.x")
    for access in accesses:
        places = ideal(access.offset)
        monomials = places.monomials if access.object.memory == "shared" and isinstance(places, Sum) else ()
        for atoms, _ in monomials:
            if wide in atoms and any(isinstance(a, Symbol) and _ROUND.fullmatch(a.name) for a in atoms):
                return True
    return False


def is_flat(accesses: Iterable[Access]) -> bool:
    """Threads of several rows, if there are any, are told apart by their number in the block alone."""
    across, wide = builtin_symbol("threadIdx.x"), builtin_symbol("blockDim.x")
    down, deep = builtin_symbol("threadIdx.y"), builtin_symbol("threadIdx.z")
    before = add(multiply(wide, down), multiply(multiply(wide, builtin_symbol("blockDim.y")), deep))
    numbered: dict[Term, Term] = {across: subtract(across, before)}
    return all({down, deep}.isdisjoint(free_symbols(substitute(ideal(a.offset), numbered))) for a in accesses)


def _of_row(access: Access) -> Access:
    """As the first row of a block makes it."""
    others: dict[Term, Term] = {builtin_symbol(f"threadIdx.{axis}"): number(0) for axis in "yz"}
    return replace(access, offset=substitute(access.offset, others))


def _is_of_any_block(access: Access) -> bool:
    """`blockIdx.x * blockDim.x + threadIdx.x`: the kernel asks for its block."""
    return builtin_symbol("blockDim.x") in free_symbols(access.offset)


def _is_in_parts(access: Access, size: int) -> bool:
    """`s[threadIdx.x]` of fewer elements, or `x[blockIdx.x * 256 + threadIdx.x + 128]`: a block of fewer threads takes it on."""
    offset, total = ideal(access.offset), access.object.size
    constant = offset.constant if isinstance(offset, Sum) else 0
    if access.object.memory == "global":
        return not -NEAR < constant // access.size < NEAR and constant % (size * access.size) != 0
    own = access.object.memory == "shared" and _factors(access).get(builtin_symbol("threadIdx.x")) == access.size
    return own and isinstance(total, Number) and total.value // access.size < size


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


def _rows_in_parts(accesses: list[Access]) -> set[int]:
    """The parts of static shared arrays that each thread takes one of: `s[2 * threadIdx.x]` and `s[2 * threadIdx.x + 1]`."""
    thread = builtin_symbol("threadIdx.x")
    found: dict[tuple[int, int, int], dict[MemoryObject, set[int]]] = {}  # by bytes of array, part and element
    for access in accesses:
        part, total = _factors(access).get(thread, 0), access.object.size
        place = subtract(ideal(access.offset), scale(thread, part))
        if access.object.memory != "shared" or not isinstance(total, Number) or not isinstance(place, Number):
            continue
        if part > access.size and not any(thread in free_symbols(conjunct.term) for conjunct in access.path):
            arrays = found.setdefault((total.value, part, access.size), {})
            arrays.setdefault(access.object, set()).add(place.value)
    return {
        total // part
        for (total, part, size), arrays in found.items()
        if any(places == set(range(0, part, size)) for places in arrays.values())
    }


def _length_of_row(type_: ir.Type) -> int | None:
    """The last dimension of an array with several."""
    length = None
    while isinstance(type_, ir.Array) and isinstance(type_.element, ir.Array):
        type_ = type_.element
        length = type_.count
    return length


def _place_in_square(access: Access) -> tuple[int, int] | None:
    """The rows of a static shared array that is accessed at [threadIdx.y + row][threadIdx.x], and that row.

    None where conditions ask which thread it is.
    """
    found = access.object
    if found.memory != "shared" or not isinstance(found.size, Number):
        return None
    across, down = builtin_symbol("threadIdx.x"), builtin_symbol("threadIdx.y")
    if any({across, down} & free_symbols(conjunct.term) for conjunct in access.path):
        return None
    offset, width = ideal(access.offset), access.size
    for side in SIDES:
        for row in (side, side + 1):
            rest = subtract(offset, add(scale(across, width), scale(down, width * row)))
            whole = isinstance(rest, Number) and found.size.value == width * row * side
            if whole and isinstance(rest, Number) and rest.value % (width * row) == 0:
                return side, rest.value // (width * row)
    return None


def _distance_of_blocks(access: Access) -> int | None:
    """`blockIdx.x * 256 + threadIdx.x` in global memory: 256. What a block goes through in rounds is more than it has threads."""
    factors = _factors(access) if access.object.memory == "global" else {}
    if any(isinstance(atom, Symbol) and _ROUND.fullmatch(atom.name) for atom in factors):
        return None
    block, thread = factors.get(builtin_symbol("blockIdx.x")), factors.get(builtin_symbol("threadIdx.x"))
    return block // thread if block and thread == access.size else None


def _distance_of_rounds(access: Access) -> int | None:
    """`threadIdx.x + 256 * k` in the k-th round: 256."""
    factors = _factors(access)
    rounds = [factor for atom, factor in factors.items() if isinstance(atom, Symbol) and _ROUND.fullmatch(atom.name)]
    thread = factors.get(builtin_symbol("threadIdx.x"))
    return rounds[0] // thread if len(rounds) == 1 and thread == access.size else None


def _factors(access: Access) -> dict[Term, int]:
    """What each single atom of the offset is multiplied with."""
    offset = ideal(access.offset)
    monomials = offset.monomials if isinstance(offset, Sum) else ()
    return {monomial[0]: factor for monomial, factor in monomials if len(monomial) == 1}
