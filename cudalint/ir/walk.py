"""Children of statements, expressions and places, and the variables that a statement reads and writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import assert_never

from cudalint.ir import nodes as ir
from cudalint.ir.types import Struct, align_of


def blocks(stmt: ir.Stmt) -> tuple[tuple[ir.Stmt, ...], ...]:
    """The statement lists directly inside a statement."""
    if isinstance(stmt, ir.If):
        return stmt.then, stmt.orelse
    if isinstance(stmt, ir.Loop):
        return stmt.pre, stmt.body, stmt.step
    return ()


def statements(body: Iterable[ir.Stmt]) -> Iterator[ir.Stmt]:
    """Every statement, outer before inner, in the order of the text; chains of branches may be hundreds deep."""
    waiting = [iter(body)]
    while waiting:
        stmt = next(waiting[-1], None)
        if stmt is None:
            waiting.pop()
            continue
        yield stmt
        if inner := blocks(stmt):
            waiting.append(chain.from_iterable(inner))


def reached(unit: ir.Unit, kernel: ir.Function) -> Iterator[ir.Function]:
    """The kernel, and the functions of the unit that it calls, directly or not."""
    pending, seen = [kernel], {kernel.id}
    while pending:
        function = pending.pop()
        yield function
        for stmt in statements(function.body):
            callee = unit.functions.get(stmt.function) if isinstance(stmt, ir.Call) else None
            if callee is not None and callee.id not in seen:
                seen.add(callee.id)
                pending.append(callee)


def operands(stmt: ir.Stmt) -> tuple[ir.Expr, ...]:
    """The expressions that a statement itself evaluates; those in places and inner statements are not among them."""
    match stmt:
        case ir.Assign() | ir.Store():
            return (stmt.value,)
        case ir.Atomic() | ir.Call():
            return stmt.args
        case ir.AsyncCopy():
            barrier = () if stmt.barrier is None else (stmt.barrier,)
            return (stmt.destination, stmt.source, stmt.bytes, *barrier)
        case ir.If() | ir.Loop() | ir.Check():
            return (stmt.cond,)
        case ir.Return():
            return () if stmt.value is None else (stmt.value,)
        case ir.Barrier():
            return tuple(e for e in (stmt.id, stmt.count, stmt.mask, stmt.value, stmt.object) if e is not None)
        case ir.Warp():
            return stmt.args if stmt.mask is None else (stmt.mask, *stmt.args)
        case ir.AsyncWait():
            return () if stmt.pending is None else (stmt.pending,)
        case ir.Launch():
            given = tuple(e for e in (stmt.stream, stmt.pointers, stmt.buffer) if e is not None)
            return (stmt.kernel, *stmt.grid, *stmt.block, stmt.shared, *given, *stmt.args)
        case ir.Unmodelled():
            return stmt.reads
        case ir.Declare() | ir.Load() | ir.Break() | ir.Continue() | ir.Trap() | ir.Fence() | ir.AsyncCommit():
            return ()
        case _:
            assert_never(stmt)


def places(stmt: ir.Stmt) -> tuple[ir.Place, ...]:
    """The places that a statement itself reads or writes."""
    if isinstance(stmt, (ir.Load, ir.Store, ir.Atomic)):
        return (stmt.place,)
    return stmt.writes if isinstance(stmt, ir.Unmodelled) else ()


def target(stmt: ir.Stmt) -> ir.Var | None:
    """The register variable that a statement writes."""
    if isinstance(stmt, (ir.Assign, ir.Load, ir.Atomic, ir.Warp, ir.Call, ir.Barrier)):
        return stmt.target
    return None


def subexpressions(expr: ir.Expr) -> tuple[ir.Expr, ...]:
    """Direct operands; for an address those of its place."""
    match expr:
        case ir.Const() | ir.Var() | ir.Builtin() | ir.FunctionRef():
            return ()
        case ir.Unary() | ir.Cast() | ir.Bitcast():
            return (expr.operand,)
        case ir.Binary():
            return expr.left, expr.right
        case ir.Select():
            return expr.cond, expr.then, expr.orelse
        case ir.Math() | ir.Opaque() | ir.Construct():
            return expr.args
        case ir.AddressOf():
            return place_operands(expr.place)
        case ir.Offset():
            return expr.pointer, expr.index
        case ir.Extract():
            return (expr.value,)
        case _:
            assert_never(expr)


def place_operands(place: ir.Place) -> tuple[ir.Expr, ...]:
    """The expressions in a place, outermost base first."""
    match place:
        case ir.Variable():
            return ()
        case ir.Element():
            return place.pointer, place.index
        case ir.Index():
            return (*place_operands(place.base), place.index)
        case ir.Field():
            return place_operands(place.base)
        case _:
            assert_never(place)


def expressions(expr: ir.Expr) -> Iterator[ir.Expr]:
    """An expression and all below it."""
    yield expr
    for child in subexpressions(expr):
        yield from expressions(child)


def evaluated(stmt: ir.Stmt) -> Iterator[ir.Expr]:
    """Every expression that a statement itself evaluates, those in its places included."""
    for expr in operands(stmt):
        yield from expressions(expr)
    for place in places(stmt):
        for expr in place_operands(place):
            yield from expressions(expr)


def registers_read(stmt: ir.Stmt) -> frozenset[str]:
    """Names of the variables whose values a statement itself uses."""
    return frozenset(e.name for e in evaluated(stmt) if isinstance(e, ir.Var))


def alignment(place: ir.Place) -> int:
    """Bytes of which the place has to lie at a multiple; a member of a packed class needs no more than the class."""
    type_ = place.var.type if isinstance(place, ir.Variable) else place.type
    align = align_of(type_)
    while isinstance(place, ir.Field | ir.Index):
        place = place.base
        owner = place.var.type if isinstance(place, ir.Variable) else place.type
        align = min(align, owner.align) if isinstance(owner, Struct) else align
    return align


def root(place: ir.Place) -> ir.Var | None:
    """The variable that a place lies in, or None behind a pointer."""
    match place:
        case ir.Variable():
            return place.var
        case ir.Element():
            return None
        case ir.Index() | ir.Field():
            return root(place.base)
        case _:
            assert_never(place)


def written(body: Iterable[ir.Stmt]) -> frozenset[str]:
    """Names of all variables that these statements or inner ones may write directly."""
    found: set[str] = set()
    for stmt in statements(body):
        found.update(written_itself(stmt))
    return frozenset(found)


def written_itself(stmt: ir.Stmt) -> Iterator[str]:
    """Names of the variables that a statement, without inner ones, may write directly."""
    var = target(stmt)
    if var is not None:
        yield var.name
    if not isinstance(stmt, ir.Load):
        yield from (v.name for p in places(stmt) if (v := root(p)) is not None)
