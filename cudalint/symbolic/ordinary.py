"""Which values of inputs are ordinary: an editable table by role (DESIGN section 3), and the ordinary launches.

A finding is of high confidence only if its witness stays inside these ranges.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from math import prod

from cudalint.analysis.text.magnitude import is_plain, is_stride
from cudalint.finding import CHOSEN
from cudalint.symbolic.model import ITERATION_PREFIX
from cudalint.symbolic.walk.parameters import BUILTIN_RANGES, THREADS_PER_BLOCK, builtin_symbol, parameter_symbol
from cudalint.term import Symbol, Term, at_most, conjunction, equal, free_symbols, interval, multiply, number, remainder

LARGEST_SIDE = 1 << 15  # of an image, and of what a block with rows of threads covers
LARGEST_ROW = 1 << 16  # of the numbers that stand for one token
HEADS = re.compile(r"(n|num|local)?_?heads?_?(num)?_?|nh")
HEAD_SIZES = re.compile(r"size_per_head_?|head_(size|dim)_?|d_head|hs|hd")
SELECTORS = re.compile(r"_*(dim(ension)?(_?(id|idx|index))?|(\w*_)?axis|(\w*_)?rank(_?(id|idx))?)_*")  # one of a few
LARGEST_BY_ROLE: tuple[tuple[str, int], ...] = (
    (
        r"(^|_)n(um)?_(\w+_)?dims?(_|$)|head|expert|beam|page|(^|_)(nh|hs|hd)$|block_size|group|warp|rank|topk|top_k|radius|kernel_size|filter|channel_block",
        1 << 10,
    ),
    (r"(^|_)(n|nr|num)?_?(lane|plane|level|layer|octave)s?\d*(_|$)|(^|_)ndims?(_|$)", 1 << 10),
    (
        r"(^|_)(kernel|pad(ding)?|dilation)(_?[dhwxyz]|_?(left|right|top|bottom|front|back))?_?$|frequenc|(^|_)n?_?freqs?$",
        1 << 10,
    ),  # of a window, and of an encoding by sines
    (r"width|height", LARGEST_SIDE),
    (
        r"hidden|embd|embed|dim|inner|(^|_)inter(mediate)?_size|ffn|(^|_)d_(model|ff)(_|$)|channels?$|^c$|cols?$|columns?$",
        LARGEST_ROW,
    ),
    (r"vocab", 1 << 19),
)
LARGEST = 1 << 20
LARGEST_RUN = 1 << 22  # rounds of one thread in one loop
INT_MAX = (1 << 31) - 1
DEVICE_BYTES = 80 << 30
ERROR_BYTES = (16 << 30) + (64 << 20)  # room for two arrays of floats that are just longer than an int counts
SMALL_LIMITS = ((40, 4), (2100, 300))  # a witness below the first is looked for, then one below the second

COUNT = ".numel()"  # ends the name of the number of elements of a tensor

WARP = 32
BLOCK_ROLE = r"block|thread|tpb|cta"
REGION = r"(roi|rect|region|crop|viewport)\w*"  # of an image
BLOCKS_1D = ((128, 1, 1), (256, 1, 1), (512, 1, 1))
SMALL_BLOCKS = ((32, 1, 1), (64, 1, 1))  # that only a caller chooses
BLOCKS_2D = ((32, 8, 1), (16, 16, 1), (32, 32, 1))
SMALL_ROWS, SMALL_TILES = (16, 32, 64), (4, 8)  # blocks of kernels whose shared arrays are no larger


_PARAMETER = re.compile(
    r"(?!~)[A-Za-z_]\w*(?:\.\d+)?(?:\.[A-Za-z_]\w*|\[\d+\])*(?:@[12])?"
)  # a second thread's has a mark
_ROUND = re.compile(rf"{ITERATION_PREFIX}\d+")


def largest_ordinary(name: str) -> int:
    """The largest ordinary value of an input with this name."""
    for pattern, limit in LARGEST_BY_ROLE:
        if re.search(pattern, _last(name)):
            return limit
    return LARGEST


def is_input(atom: Term) -> bool:
    """A symbol that a caller chooses: no place in the launch, no value made by the walk."""
    if not isinstance(atom, Symbol) or (atom.scope != "launch" and not is_passed(atom)):
        return False
    if atom.name.startswith(("gridDim.", "blockDim.", "sizeof(", "~", "mem:")):
        return False
    host, colon, _ = atom.name.partition(":")
    return "#" not in atom.name or (bool(colon) and "/" not in host and "#" not in host)


def is_passed(atom: Term) -> bool:
    """What each thread passes to a device function that nobody calls: it has the name of a parameter, or of a member."""
    if not isinstance(atom, Symbol) or atom.scope != "thread" or _PARAMETER.fullmatch(atom.name) is None:
        return False
    return atom.name.partition("@")[0] not in BUILTIN_RANGES


def is_of_tensor(size: Symbol) -> bool:
    """A size that a tensor has: nobody chose its name."""
    return any(mark in size.name for mark in (".size(", ".numel("))


def is_of_container(size: Symbol) -> bool:
    """A side that a matrix keeps in a member of its own: `m.num_rows_`, `image.stride`."""
    owner, dot, member = size.name.rpartition(":")[2].rpartition(".")
    return bool(dot) and owner != "this" and (is_plain(member.rstrip("_")) or is_stride(member.rstrip("_")))


def is_computed_input(atom: Term) -> bool:
    """The name of a choice that the host makes of its inputs: its equation says what it is, however small."""
    return isinstance(atom, Symbol) and CHOSEN in atom.name


def ordinary_inputs(atoms: list[Term]) -> list[Term]:
    """Each input is between 1 and the largest ordinary value of its role, where its facts leave that open; no thread runs
    a loop without end."""
    facts: list[Term] = []
    for atom in atoms:
        if isinstance(atom, Symbol) and _ROUND.fullmatch(atom.name):
            facts.append(at_most(atom, number(LARGEST_RUN)))
        if not is_input(atom) or is_computed_input(atom):
            continue
        assert isinstance(atom, Symbol)
        low, high = interval(atom)
        limit = _most_allowed(atom) or largest_ordinary(atom.name)
        if (high is None or high >= 1) and (low is None or low <= limit) and high != 1:
            facts.append(conjunction(at_most(number(1), atom), at_most(atom, _most(atom, limit, atoms))))
    return [*facts, *_ordinary_rows(atoms)]


def _most_allowed(atom: Symbol) -> int | None:
    """`if (edges > 8000000000ull) return;`: what the program lets pass, up to a number that an int does not hold."""
    high = interval(atom)[1]
    is_limit = high is None or high & (high + 1) == 0  # of a type, or of what a device holds
    return high if high is not None and high > INT_MAX and not is_limit else None


def _most(atom: Symbol, limit: int, atoms: list[Term]) -> Term:
    """As many elements as a tensor has that is made of so many rows, where one of its sizes is spoken of beside their number."""
    tensor = atom.name.removesuffix(COUNT)
    own = (a for a in atoms if tensor != atom.name and isinstance(a, Symbol) and a.name.startswith(f"{tensor}.size("))
    most = number(limit)
    for size in own:
        most = multiply(most, size)
    return most


def _ordinary_rows(atoms: list[Term]) -> list[Term]:
    """As many heads of this size as there are make a row of ordinary length."""
    inputs = {_last(a.name): a for a in atoms if isinstance(a, Symbol) and is_input(a)}
    heads = [a for name, a in inputs.items() if HEADS.fullmatch(name)]
    sizes = [a for name, a in inputs.items() if HEAD_SIZES.fullmatch(name)]
    one_of_each = len(heads) == len(sizes) == 1
    return [at_most(multiply(heads[0], sizes[0]), number(LARGEST_ROW))] if one_of_each else []


def _last(name: str) -> str:
    """What an input is called, without the function or structure that it belongs to."""
    return re.split(r"[:.]", name)[-1].lower()


def is_selector(atom: Term) -> bool:
    """An input that says which of a few things is meant, by its name: the caller passes one that there is."""
    return is_input(atom) and isinstance(atom, Symbol) and SELECTORS.fullmatch(_last(atom.name)) is not None


def is_ordinary_input(atom: Term, value: int) -> bool:
    """The value is ordinary for an input of this name; no symbol but an input has such values."""
    return is_input(atom) and isinstance(atom, Symbol) and 1 <= value <= largest_ordinary(atom.name)


def ordinary_block(dimension: Term) -> list[Term]:
    """Where the caller names the size of a block, it is a multiple of a warp."""
    if not (is_input(dimension) and isinstance(dimension, Symbol)):
        return []
    named = re.search(BLOCK_ROLE, _last(dimension.name))
    return [equal(remainder(dimension, number(WARP)), number(0))] if named else []


def ordinary_grid(dimension: Term) -> list[Term]:
    """Where the launch is known but not its grid, or not all that the grid is made of."""
    lost = any(isinstance(a, Symbol) and a.name.startswith("~") for a in free_symbols(dimension))
    return [at_most(dimension, number(LARGEST))] if lost or dimension is builtin_symbol("gridDim.x") else []


def small_inputs(atoms: list[Term], limit: int) -> list[Term]:
    """Inputs and launch dimensions of at most `limit`, for a witness that a reader can follow."""
    facts: list[Term] = []
    for atom in atoms:
        if isinstance(atom, Symbol) and (is_input(atom) or atom.name.startswith("gridDim.")):
            low, _ = interval(atom)
            facts.append(at_most(atom, number(max(limit, low or 0))))
    return facts


def ordinary_blocks(
    uses_y: bool, shared: Collection[tuple[int, ...]] = (), most: int = THREADS_PER_BLOCK
) -> tuple[tuple[int, int, int], ...]:
    """Blocks by their sizes along x, y, z; with those that shared arrays of the given shapes are made for, where they are small.

    Of them those that the kernel's launch bounds allow (`most` threads): nothing goes wrong in a block that cannot be launched.
    """
    if uses_y:
        tiles = [shape[-2:] for shape in shared if len(shape) > 1]
        blocks = (*BLOCKS_2D, *((n, n, 1) for n in SMALL_TILES if any({*tile} <= {n, n + 1} for tile in tiles)))
        return tuple(block for block in blocks if prod(block) <= most) or blocks
    rows = {shape[0] for shape in shared if len(shape) == 1}
    blocks = (*BLOCKS_1D, *((n, 1, 1) for n in SMALL_ROWS if any(n <= row < 2 * n for row in rows)))
    return tuple(block for block in blocks if prod(block) <= most) or ((most, 1, 1),)


def ordinary_launches(blocks: Iterable[tuple[int, int, int]]) -> list[list[Term]]:
    """The block shapes under which a kernel without a known launch must go wrong to be a finding of high confidence."""
    launches: list[list[Term]] = []
    for shape in blocks:
        facts = [equal(builtin_symbol(f"blockDim.{axis}"), number(size)) for axis, size in zip("xyz", shape)]
        grid, rows = builtin_symbol("gridDim.x"), builtin_symbol("gridDim.y")
        facts += [at_most(rows, number(LARGEST_SIDE // shape[1]))] if shape[1] > 1 else []
        launches.append([*facts, at_most(number(2), grid), at_most(grid, number(LARGEST))])
    return launches


__all__ = [
    "DEVICE_BYTES",
    "ERROR_BYTES",
    "largest_ordinary",
    "ordinary_block",
    "ordinary_blocks",
    "ordinary_grid",
    "ordinary_inputs",
    "ordinary_launches",
    "parameter_symbol",
]
