"""How large the sizes in an index get together, where each alone may be larger.

x[(b * seq_len + t) * hidden + i]     b * seq_len tokens are what a model takes at once: 2^18
x[row * n + i]                        a matrix of m x n, of whose sides nothing is said, has 2^30 elements: who needs
                                      more says so by a name, a check, a third side, a tensor that the sizes are of, or
                                      by casting a side to 64 bits at another access
"""

from __future__ import annotations

import re

from cudalint.analysis.text.magnitude import UNKNOWN, VAGUE, largest_of
from cudalint.symbolic.host_vocabulary import words
from cudalint.symbolic.model import Obligation
from cudalint.symbolic.ordinary import COUNT, LARGEST, is_input
from cudalint.symbolic.verdicts.stated_sizes import (
    GRID_SIDE,
    interval_end,
    names_of_size,
    sizes_of_index,
    takes_care_of,
)
from cudalint.symbolic.walk.environment import Environment
from cudalint.term import Symbol, Term, at_most, free_symbols, multiply, number

BATCHES = re.compile(r"batch|^bsz$|^bs$", re.IGNORECASE)
LENGTHS = re.compile(r"seq\w*_?len|^seq(uence)?_?size$|^(q|k|kv|max)_len", re.IGNORECASE)
OF_TENSOR = re.compile(r"\.size\(-?\d+\)|\.strides?_?[(\[]|\.sizes?_?\[")
MOST_TOKENS = 1 << 18
BARE_SIDE = int(UNKNOWN)


def joint_sizes(obligation: Obligation, environment: Environment) -> list[Term]:
    """What the sizes of the index, of its guards and of its launch are together."""
    sizes = {size: names_of_size(size, environment) for size in sizes_of_index(obligation, environment)}
    matrix = _bare_matrix(sizes, obligation.index)
    return [*_tokens(sizes), *(matrix if not matrix or not takes_care_of(obligation, environment) else [])]


def _tokens(sizes: dict[Symbol, list[str]]) -> list[Term]:
    """The tokens of a batch of sequences of one length."""
    batches = [size for size, names in sizes.items() if any(map(BATCHES.search, names))]
    lengths = [size for size, names in sizes.items() if any(map(LENGTHS.search, names))]
    if len(batches) != 1 or len(lengths) != 1 or batches == lengths:
        return []
    return [at_most(multiply(batches[0], lengths[0]), number(MOST_TOKENS))]


def _bare_matrix(sizes: dict[Symbol, list[str]], index: Term) -> list[Term]:
    """The elements of a matrix, where one side is the length of the rows in the index, and both are bare."""
    sides = list(sizes)
    strided = any(isinstance(atom, Symbol) and is_input(atom) for atom in free_symbols(index))
    if not strided or not 1 <= len(sides) <= 2 or not all(_is_bare(size, sizes[size]) for size in sides):
        return []
    if len(sides) == 1:
        return [at_most(sides[0], number(BARE_SIDE))]
    return [at_most(multiply(*sides), number(BARE_SIDE * BARE_SIDE))]


def _is_bare(size: Symbol, names: list[str]) -> bool:
    """No name, no check and no tensor says what the size is; that it is a side of the grid is none of them."""
    checked = interval_end(size)
    if (checked <= LARGEST and checked != GRID_SIDE) or size.name.endswith(COUNT) or OF_TENSOR.search(size.name):
        return False
    members = {spec.sizes for spec in words().view_structs.values()}
    if re.split(r"[:.]", size.name)[-1] in members:
        return False
    return all(largest_of(name) == (UNKNOWN, VAGUE) for name in names)
