"""Shared arrays that a kernel reads or adds to, and that nothing in it sets: shared memory holds what was left there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudalint import ir
from cudalint.analysis.unset_values import is_plain
from cudalint.ir import walk
from cudalint.source import Span


@dataclass(frozen=True, slots=True)
class UnsetShared:
    """`use` is the first access in the order of the text; `adds` where it is an atomic that keeps part of what was there."""

    variable: str
    declared: Span
    use: Span
    adds: bool


def unset_shared(kernel: ir.Function, unit: ir.Unit) -> Iterator[UnsetShared]:
    """The static shared variables of a kernel and of what it calls that have no store, no copy into them and no address taken."""
    for function in _reached(kernel, unit):
        declared = {
            s.var.name: s
            for s in walk.statements(function.body)
            if isinstance(s, ir.Declare) and s.storage is ir.Storage.SHARED and is_plain(s.var.type)
        }
        first: dict[str, tuple[Span, bool]] = {}
        for stmt in walk.statements(function.body) if declared else ():
            for name in _set_by(stmt):
                declared.pop(name, None)
            root = walk.root(stmt.place) if isinstance(stmt, ir.Load | ir.Atomic) else None
            if root is not None:
                first.setdefault(root.name, (stmt.span, isinstance(stmt, ir.Atomic)))
        for name, stmt in declared.items():
            if name in first:
                yield UnsetShared(name.partition(".")[0], stmt.span, *first[name])


def _reached(kernel: ir.Function, unit: ir.Unit) -> Iterator[ir.Function]:
    waiting, seen = [kernel], {kernel.id}
    while waiting:
        function = waiting.pop()
        yield function
        for stmt in walk.statements(function.body):
            if isinstance(stmt, ir.Call) and stmt.function in unit.functions and stmt.function not in seen:
                seen.add(stmt.function)
                waiting.append(unit.functions[stmt.function])


def _set_by(stmt: ir.Stmt) -> Iterator[str]:
    """Variables that a statement sets, or lets others set: their address leaves it."""
    if isinstance(stmt, ir.Store) or (isinstance(stmt, ir.Atomic) and stmt.op in ("store", "exch")):
        roots = [walk.root(stmt.place)]
    elif isinstance(stmt, ir.Unmodelled):
        roots = [walk.root(place) for place in stmt.writes]
    else:
        roots = []
    roots += [walk.root(e.place) for e in walk.evaluated(stmt) if isinstance(e, ir.AddressOf)]
    for root in roots:
        if root is not None:
            yield root.name
