"""Places in an array that are cut to a type which has fewer values than the array has elements.

unsigned char bin = (int)(x[i] * 512);  atomicAdd(&counts[bin], 1);                          int counts[512]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudalint import ir
from cudalint.ir.walk import places, statements
from cudalint.source import Span

_WORD = 32


@dataclass(frozen=True, slots=True)
class NarrowBin:
    """`span` is where the place is cut to `largest` and less."""

    span: Span
    name: str
    array: str
    elements: int
    largest: int


def narrow_bins(function: ir.Function) -> Iterator[NarrowBin]:
    """One for each such variable that gets nothing but real numbers."""
    body = list(statements(function.body))
    given: dict[str, list[ir.Assign]] = {}
    loaded = set[str]()
    for stmt in body:
        if isinstance(stmt, ir.Assign):
            given.setdefault(stmt.target.name, []).append(stmt)
        elif (target := getattr(stmt, "target", None)) is not None:
            loaded.add(target.name)
    told: set[str] = set()
    for stmt in body:
        for array, elements, index in _indices(stmt):
            if not isinstance(index, ir.Var) or index.name in told | loaded or not isinstance(index.type, ir.Int):
                continue
            largest = (1 << (index.type.bits - index.type.signed)) - 1
            cuts = [each for each in given.get(index.name, []) if _is_cut(each.value)]
            if cuts and largest < elements - 1 and len(cuts) == len(given[index.name]):
                told.add(index.name)
                yield NarrowBin(cuts[0].span, index.name.partition(".")[0], array, elements, largest)


def _indices(stmt: ir.Stmt) -> Iterator[tuple[str, int, ir.Expr]]:
    """(array, number of its elements, index) of the dimensions that a statement uses."""
    for place in places(stmt):
        while isinstance(place, ir.Index | ir.Field):
            if isinstance(place, ir.Index):
                type_ = place.base.var.type if isinstance(place.base, ir.Variable) else place.base.type
                root = place.base
                while isinstance(root, ir.Index | ir.Field):
                    root = root.base
                if isinstance(type_, ir.Array) and type_.count is not None and isinstance(root, ir.Variable):
                    yield root.var.name, type_.count, _bare(place.index)
            place = place.base


def _bare(expr: ir.Expr) -> ir.Expr:
    """Without conversions to a type that has room for all values."""
    while isinstance(expr, ir.Cast) and isinstance(expr.type, ir.Int) and expr.type.bits >= _WORD:
        expr = expr.operand
    return expr


def _is_cut(value: ir.Expr) -> bool:
    """A real number that becomes a place: how large it gets nobody sees in the types of what it is made of."""
    while isinstance(value, ir.Cast) and isinstance(value.type, ir.Int):
        value = value.operand
    return isinstance(value.type, ir.Float)
