"""The condition under which the result of a shuffle is used: what comes from a lane that is not there may be thrown away.

float other = __shfl_down_sync(mask, v, 8);
if (lane + 8 < n) v += other;                       lane + 8 < n
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce

from cudalint import ir
from cudalint.ir import walk
from cudalint.source import Span

_PURE = (ir.Var, ir.Const, ir.Builtin, ir.Binary, ir.Unary, ir.Cast, ir.Math)


class ResultGuards:
    """Those of the functions of a walk."""

    def __init__(self) -> None:
        self._guards: dict[str, dict[str, ir.Expr]] = {}

    def of(self, stmt: ir.Warp, function: ir.Function) -> ir.Expr | None:
        """None where the result may be read wherever it is."""
        if function.id not in self._guards:
            self._guards[function.id] = guards_of_results(function)
        return self._guards[function.id].get(stmt.target.name)


def guarded_places(functions: Iterable[ir.Function]) -> list[Span]:
    """Where all shuffles of a line are such that their results are read under a condition only."""
    guarded: list[Span] = []
    free: set[tuple[str, int]] = set()
    for function in functions:
        guards = guards_of_results(function)
        for stmt in walk.statements(function.body):
            if isinstance(stmt, ir.Warp) and stmt.op.startswith("shfl"):
                if stmt.target.name in guards:
                    guarded.append(stmt.span)
                else:
                    free.add((stmt.span.path, stmt.span.line))
    return [span for span in guarded if (span.path, span.line) not in free]


def guards_of_results(function: ir.Function) -> dict[str, ir.Expr]:
    """By the variable that a shuffle writes: what holds wherever it is read, in values as they are at the shuffle."""
    found: dict[str, ir.Expr] = {}
    for block in _blocks(function.body):
        for position, stmt in enumerate(block):
            if isinstance(stmt, ir.Warp) and stmt.op.startswith("shfl"):
                guard = _guard(stmt.target.name, block[position + 1 :], function)
                if guard is not None:
                    found[stmt.target.name] = guard
    return found


def _blocks(body: tuple[ir.Stmt, ...]) -> Iterator[tuple[ir.Stmt, ...]]:
    yield body
    for stmt in walk.statements(body):
        yield from walk.blocks(stmt)


def _guard(name: str, behind: tuple[ir.Stmt, ...], function: ir.Function) -> ir.Expr | None:
    """The conditions of all places that read the result, or a copy of it, among the statements behind the shuffle."""
    names, changed = {name}, set[str]()
    guards: list[ir.Expr] = []
    for stmt in behind:
        if isinstance(stmt, ir.Assign) and isinstance(stmt.value, ir.Var) and stmt.value.name in names:
            names.add(stmt.target.name)
        elif _reads([stmt], names):
            guard = _of_statement(stmt, names)
            if guard is None or not _is_unchanged(guard, names | changed):
                return None
            guards.append(guard)
        changed |= walk.written([stmt])
    if not guards or _reads(function.body, names) != _reads(behind, names):
        return None
    return reduce(lambda a, b: ir.Binary(ir.BinaryOp.LOGICAL_OR, a, b, ir.BOOL), guards)


def _of_statement(stmt: ir.Stmt, names: set[str]) -> ir.Expr | None:
    if isinstance(stmt, ir.Assign):
        return _of_expression(stmt.value, names)
    if isinstance(stmt, ir.If) and not _read_in(stmt.cond, names):
        return _of_side(stmt.cond, _reads(stmt.then, names) > 0, _reads(stmt.orelse, names) > 0)
    return None


def _of_expression(expr: ir.Expr, names: set[str]) -> ir.Expr | None:
    """What holds where a part of the expression that speaks of the names decides its value."""
    if isinstance(expr, ir.Select):
        then, orelse = _read_in(expr.then, names) > 0, _read_in(expr.orelse, names) > 0
        return None if _read_in(expr.cond, names) else _of_side(expr.cond, then, orelse)
    inner = [part for part in walk.subexpressions(expr) if _read_in(part, names)]
    return _of_expression(inner[0], names) if len(inner) == 1 else None


def _of_side(cond: ir.Expr, then: bool, orelse: bool) -> ir.Expr | None:
    if then == orelse:
        return None
    return cond if then else ir.Unary(ir.UnaryOp.LOGICAL_NOT, cond, ir.BOOL)


def _is_unchanged(guard: ir.Expr, changed: set[str]) -> bool:
    """The guard has the same value at the shuffle."""
    parts = list(walk.expressions(guard))
    return all(isinstance(p, _PURE) and not (isinstance(p, ir.Var) and p.name in changed) for p in parts)


def _reads(body: Iterable[ir.Stmt], names: set[str]) -> int:
    found = (e for stmt in walk.statements(body) for e in walk.evaluated(stmt))
    return sum(isinstance(e, ir.Var) and e.name in names for e in found)


def _read_in(expr: ir.Expr, names: set[str]) -> int:
    return sum(isinstance(e, ir.Var) and e.name in names for e in walk.expressions(expr))
