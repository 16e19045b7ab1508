"""Flat indices in which two coordinates are held against each other's lengths.

if (h < W && w < H) v = x[(c * H + h) * W + w];                the guard is crossed: what W elements lie behind is w
if (h < H && w < W) v = x[(c * W + h) * H + w];                the lengths of the index are
for (c < rows) sum += x[blockIdx.x * columns + c];             launched with `rows` blocks: c runs along the rows instead
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from cudalint.analysis.coordinates.slips import are_siblings
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.launched_kernels import launched_kernels
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

Digits = list[
    tuple[str, frozenset[str]]
]  # each coordinate with the lengths that it is multiplied with, the innermost first
_BLOCK = re.compile(r"blockIdx\.([xyz])")


def crossed_lengths(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each function, at the first of the indices."""
    program = program_of(outline)
    for body in bodies(program):
        ends = _ends(body)
        lengths = frozenset().union(*ends.values()) if ends else frozenset()
        for node in body.nodes if len(lengths) > 1 else ():
            crossed = _crossed(_digits(node, lengths), ends)
            if crossed is not None:
                (one, its), (other, other_its) = crossed
                text = f"`{short(node)}` counts `{one}` by `{other_its}` and `{other}` by `{its}`; the guards have it the other way"
                yield GuardIssue(body.function, node, text)
                break
    told: set[int] = set()
    for launch, body in launched_kernels(program, outline):
        issue = _along_the_blocks(launch, body) if id(body.function) not in told else None
        if issue is not None:
            told.add(id(body.function))
            yield issue


def _ends(body: Body) -> dict[str, frozenset[str]]:
    """The names of the only length that each variable stays below."""
    limits = {name: {uncast(limit).bare for limit in found} for name, found in body.scope.limits.items()}
    return {name: frozenset(found) for name, found in limits.items() if len(found) == 1 and min(found).isidentifier()}


def _digits(node: Syntax, lengths: frozenset[str]) -> Digits:
    """The coordinates of an index that is a sum of products with lengths."""
    if len(node.children) != 2 or node.kind not in ("subscript_expression", "init_declarator"):
        return []
    found: Digits = []
    for factors in _products(_index(node)):
        names = [factor for factor in factors if factor not in lengths]
        if len(names) != 1 or not all(factor.isidentifier() for factor in factors):
            return []
        found.append((names[0], frozenset(factors) - {names[0]}))
        if len(found[-1][1]) != len(factors) - 1:
            return []
    return sorted(found, key=lambda digit: len(digit[1]))


def _products(node: Syntax) -> Iterator[list[str]]:
    """The factors of each summand, with sums of products multiplied out."""
    for term in map(uncast, terms_of(uncast(node))):
        if term.op == "*" and len(term.children) == 2:
            left, right = (list(_products(child)) for child in term.children)
            yield from ([*a, *b] for a in left for b in right)
        else:
            yield [term.text]


def _index(node: Syntax) -> Syntax:
    index = node.children[1]
    return index.children[0] if index.kind == "subscript_argument_list" and len(index.children) == 1 else index


def _crossed(digits: Digits, ends: dict[str, frozenset[str]]) -> tuple[tuple[str, str], tuple[str, str]] | None:
    """Two neighbours of which each is kept below what the other has; with the lengths that they are kept below."""
    if any(len(lengths) != at for at, (_, lengths) in enumerate(digits)):
        return None
    own = [(a[0], b[1] - a[1]) for a, b in pairwise(digits) if a[1] < b[1]]
    for (one, length), (other, next_length) in pairwise(own):
        if ends.get(one) == next_length != length == ends.get(other):
            return (one, min(next_length)), (other, min(length))
    return None


def _along_the_blocks(launch: TextLaunch, body: Body) -> GuardIssue | None:
    """A row for each block, and a column that is kept below the number of blocks, while nothing asks about the rows' length."""
    given = {name: argument.bare for name, argument in zip(body.scope.parameters, launch.arguments)}
    ends = _ends(body)
    compared = {limit.bare for limits in body.scope.limits.values() for limit in limits}
    rows = {name: axis[1] for name, values in body.scope.values.items() if (axis := _axis(name, values, body))}
    for node in body.nodes:
        terms = list(_products(_index(node))) if node.kind == "subscript_expression" and len(node.children) == 2 else []
        columns = [factors[0] for factors in terms if len(factors) == 1]
        products = [factors for factors in terms if len(factors) == 2]
        if len(columns) != 1 or len(products) != 1:
            continue
        for row, length in (products[0], products[0][::-1]):
            side = launch.grid["xyz".index(rows[row])] if row in rows else None
            count = min(ends.get(columns[0], {""}))
            if side is None or length in compared or length not in given or given.get(count) != side.bare:
                continue
            if length != count and are_siblings(length, count) and row not in body.scope.limits:
                text = f"`{short(node)}`: `{count}` ends both the rows and `{columns[0]}`, and nothing is compared with `{length}`"
                return GuardIssue(body.function, node, text, body.scope.limits[columns[0]][0])
    return None


def _axis(name: str, values: list[Syntax], body: Body) -> re.Match[str] | None:
    """The side of the grid that the variable is the number of the block along."""
    return _BLOCK.fullmatch(uncast(values[0]).bare) if len(values) == 1 and name not in body.scope.grown else None
