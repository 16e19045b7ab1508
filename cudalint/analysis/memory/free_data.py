"""Kernels to which memory says nothing but numbers of floating point, and that make no place of one: any contents are fair.

    for (int j = 0; j < n; ++j) if (x[j] < list.worst()) list.insert(x[j]);

Where such a kernel leaves its memory with one set of numbers, no promise about an index array was broken. Loops that read memory to
find their end are another matter: a mark may stand there, or the numbers may be sorted.
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint import ir
from cudalint.ir import walk
from cudalint.source import Span


def has_free_data(unit: ir.Unit, kernel: ir.Function) -> bool:
    """Whatever it reads from memory that others fill is of floating point, and none of that becomes an integer."""
    if not all(_is_fair(param.var, kernel) for param in kernel.params):
        return False
    return all(_is_fair_statement(stmt, unit) for f in walk.reached(unit, kernel) for stmt in walk.statements(f.body))


def spans_of_searches(unit: ir.Unit, kernel: ir.Function) -> frozenset[Span]:
    """Of everything in loops that read memory on the way to their test."""
    found: set[Span] = set()
    for function in walk.reached(unit, kernel):
        for loop in walk.statements(function.body):
            if isinstance(loop, ir.Loop) and any(
                isinstance(stmt, ir.Load | ir.Call) for stmt in walk.statements(loop.pre)
            ):
                found |= {stmt.span for part in walk.blocks(loop) for stmt in walk.statements(part)}
    return frozenset(found)


def _is_fair(param: ir.Var, kernel: ir.Function) -> bool:
    """It leads to numbers of floating point alone, or the kernel only stores through it."""
    pointees = list(_pointees(param.type))
    if all(isinstance(leaf, ir.Float) for pointee in pointees for leaf in _leaves(pointee)):
        return True
    return isinstance(param.type, ir.Pointer) and all(
        _only_stores(stmt, param.name) for stmt in walk.statements(kernel.body)
    )


def _only_stores(stmt: ir.Stmt, name: str) -> bool:
    read = any(isinstance(e, ir.Var) and e.name == name for each in walk.operands(stmt) for e in walk.expressions(each))
    if read or isinstance(stmt, ir.Store):
        return not read
    return name not in walk.registers_read(stmt)


def _pointees(type_: ir.Type) -> Iterator[ir.Type]:
    match type_:
        case ir.Pointer():
            yield type_.element
        case ir.Struct():
            for field in type_.fields:
                yield from _pointees(field.type)
        case ir.Array():
            yield from _pointees(type_.element)
        case _:
            pass


def _leaves(type_: ir.Type) -> Iterator[ir.Type]:
    match type_:
        case ir.Struct() if not type_.guessed and type_.fields:
            for field in type_.fields:
                yield from _leaves(field.type)
        case ir.Array() | ir.Vector():
            yield from _leaves(type_.element)
        case _:
            yield type_


def _is_fair_statement(stmt: ir.Stmt, unit: ir.Unit) -> bool:
    if isinstance(stmt, ir.Unmodelled | ir.Launch | ir.AsyncCopy):
        return False
    if isinstance(stmt, ir.Call) and stmt.function not in unit.functions:
        return False
    target = walk.target(stmt)
    if target is not None and not isinstance(target.type, ir.Float):
        if isinstance(stmt, ir.Atomic):
            return False
        root = walk.root(stmt.place) if isinstance(stmt, ir.Load) else None
        if root is not None and root.name in unit.globals:
            return False
    return not any(_makes_a_place(expr) for expr in walk.evaluated(stmt))


def _makes_a_place(expr: ir.Expr) -> bool:
    """An integer of a number of floating point, or something unknown."""
    if isinstance(expr, ir.Opaque):
        return True
    if not isinstance(expr, ir.Cast | ir.Bitcast | ir.Math) or not isinstance(expr.type, ir.Int):
        return False
    return any(isinstance(part.type, ir.Float) for part in walk.subexpressions(expr))
