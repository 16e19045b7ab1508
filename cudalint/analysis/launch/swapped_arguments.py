"""Two arguments of a launch that are named like each other's parameters.

__global__ void wave(float4 *out, int width, int height);
wave<<<grid, block>>>(out, mesh_height, mesh_width);
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from cudalint.analysis.launch.launch_patterns import WrongLaunch
from cudalint.analysis.launch.swapped_sides import is_laid_out_so, side_pair
from cudalint.analysis.text.launch_text import kernels_by_name, text_launches
from cudalint.analysis.text.scopes import POINTER, uncast
from cudalint.analysis.text.text_program import TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

_ON_PURPOSE = re.compile(r"transpos|swap|permut|flip|rotat|column_?major|row_?major|_t\b|inverse", re.IGNORECASE)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
SHORTEST = 3  # letters of a name that says what it is


def swapped_arguments(outline: Outline) -> Iterator[WrongLaunch]:
    """One for each pair of numbers; buffers are swapped on purpose, and so are sizes of what is transposed."""
    program = program_of(outline)
    kernels = kernels_by_name(outline)
    for launch in text_launches(program):
        candidates = kernels.get(launch.kernel, [])
        if len(candidates) != 1 or _is_on_purpose(launch):
            continue
        names = program.scope(candidates[0]).parameters
        types = program.scope(candidates[0]).types
        passed = list(zip(names, launch.arguments)) if len(names) == len(launch.arguments) else []
        for (first, one), (second, other) in combinations(passed, 2):
            kind = types.get(first)
            if kind != POINTER and kind == types.get(second) and _are_swapped(first, second, one, other):
                pair = side_pair(first, second, one, other)
                if pair is None or not is_laid_out_so(pair, launch, candidates[0], program):
                    text = f"`{one.text}` is given for `{first}`, `{other.text}` for `{second}`"
                    yield WrongLaunch(launch, one, text, True)


def _is_on_purpose(launch: TextLaunch) -> bool:
    return any(_ON_PURPOSE.search(text) for text in (launch.kernel, launch.function.name))


def _are_swapped(first: str, second: str, one: Syntax, other: Syntax) -> bool:
    a, b = _words(_name(one)), _words(_name(other))
    p, q = _words(first), _words(second)
    if min(map(_length, (a, b, p, q))) < SHORTEST or p == q or a == b:
        return False
    return q <= a and p <= b and not (p <= a or q <= b)


def _name(argument: Syntax) -> str:
    """A variable, a member, or a member function that gives what it is called after: `matrix.cols()`."""
    node = uncast(argument)
    callee, given = node.child("function"), node.child("arguments")
    if callee is not None and given is not None and not given.children and callee.kind == "field_expression":
        node = callee
    name = node.child("field") if node.kind == "field_expression" else node
    return name.text if name is not None and name.kind in ("identifier", "field_identifier") else ""


def _words(name: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(name))


def _length(words: frozenset[str]) -> int:
    return min(map(len, words), default=0)
