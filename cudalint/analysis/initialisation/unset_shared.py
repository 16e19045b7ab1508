"""Shared variables that a kernel reads or adds to and that nothing in it is sure to set: they hold what was left there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudalint import ir
from cudalint.analysis.initialisation.unset_values import is_plain
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
    """The shared variables of a kernel and of what it calls that have no store, no copy into them and no address taken.

    All dynamic shared memory is one array, whatever its names are: it is unset where none of them is set.
    """
    functions = list(_reached(kernel, unit))
    for function in functions:
        yield from _unset(function, _declared(function, ir.Storage.SHARED))
    dynamic = [(function, _declared(function, ir.Storage.DYNAMIC_SHARED)) for function in functions]
    named = sum(len(declared) for _, declared in dynamic)
    unset = [each for function, declared in dynamic for each in _unset(function, declared)]
    if len(unset) == named:
        yield from unset[:1]


def _declared(function: ir.Function, storage: ir.Storage) -> dict[str, ir.Declare]:
    declared = (s for s in walk.statements(function.body) if isinstance(s, ir.Declare) and s.storage is storage)
    return {s.var.name: s for s in declared if is_plain(s.var.type)}


def _unset(function: ir.Function, declared: dict[str, ir.Declare]) -> Iterator[UnsetShared]:
    """Those that are used, and set nowhere in the function."""
    unset = dict(declared)
    first: dict[str, tuple[Span, bool]] = {}
    marks = _marks(function) if declared else frozenset()
    for stmt in walk.statements(function.body) if declared else ():
        if id(stmt) in marks:
            continue
        for name in _set_by(stmt):
            unset.pop(name, None)
        root = walk.root(stmt.place) if isinstance(stmt, ir.Load | ir.Atomic) else None
        if root is not None:
            first.setdefault(root.name, (stmt.span, isinstance(stmt, ir.Atomic)))
    for name, stmt in unset.items():
        if name in first:
            yield UnsetShared(name.partition(".")[0], stmt.span, *first[name])


def _marks(function: ir.Function) -> frozenset[int]:
    """Stores of a constant under a condition on data, as in `if (x[i] < 0) found = 1;`, by identity.

    Whether one of them runs hangs on the data, so they set no variable. A read under such a condition may be meant for it.
    """
    data = _from_data(function)
    found: set[int] = set()

    def visit(body: tuple[ir.Stmt, ...], chosen: bool) -> None:
        for stmt in body:
            constant = isinstance(stmt, ir.Store) and isinstance(stmt.place, ir.Variable) and _is_constant(stmt.value)
            if chosen and (constant or isinstance(stmt, ir.Load)):
                found.add(id(stmt))
            if isinstance(stmt, ir.If):
                inner = chosen or not data.isdisjoint(_names(stmt.cond))
                visit(stmt.then, inner)
                visit(stmt.orelse, inner)
            elif isinstance(stmt, ir.Loop):
                visit((*stmt.pre, *stmt.body, *stmt.step), chosen)

    visit(function.body, False)
    return frozenset(found)


def _is_constant(value: ir.Expr) -> bool:
    return not any(isinstance(part, ir.Var | ir.Opaque | ir.Builtin) for part in walk.expressions(value))


def _names(expr: ir.Expr) -> set[str]:
    return {part.name for part in walk.expressions(expr) if isinstance(part, ir.Var)}


def _from_data(function: ir.Function) -> frozenset[str]:
    """Registers whose values come from memory or from other threads."""
    found: set[str] = set()
    grown = True
    while grown:
        before = len(found)
        for stmt in walk.statements(function.body):
            target = walk.target(stmt)
            if target is None:
                continue
            read = {name for expr in walk.evaluated(stmt) for name in _names(expr)}
            if isinstance(stmt, ir.Load | ir.Atomic | ir.Call) or not found.isdisjoint(read):
                found.add(target.name)
        grown = len(found) > before
    return frozenset(found)


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
