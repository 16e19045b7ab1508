"""What the launches of a file say that a number which a kernel is given is never above.

if (k > 8) return cudaErrorInvalidValue;   combine<<<g, b>>>(x, y, k);        k is at most 8
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint import ir
from cudalint.analysis.precision.trip_counts import Values, converted, single_values, upper_ends

_AT_MOST = {ir.BinaryOp.LESS: -1, ir.BinaryOp.LESS_EQUAL: 0, ir.BinaryOp.EQUAL: 0}
_OPPOSITE = {
    ir.BinaryOp.GREATER: ir.BinaryOp.LESS_EQUAL,
    ir.BinaryOp.GREATER_EQUAL: ir.BinaryOp.LESS,
    ir.BinaryOp.NOT_EQUAL: ir.BinaryOp.EQUAL,
    ir.BinaryOp.LESS: ir.BinaryOp.GREATER_EQUAL,
    ir.BinaryOp.LESS_EQUAL: ir.BinaryOp.GREATER,
}
Conditions = tuple[ir.Expr, ...]


def launched_bounds(function: ir.Function, unit: ir.Unit) -> Values:
    """For each parameter that all launches of the kernel bound, `min(bound, what is given)`."""
    launches = [
        (stmt, conditions, single_values(host))
        for host in unit.functions.values()
        for stmt, conditions in _launches(host.body, ())
        if isinstance(stmt.kernel, ir.FunctionRef) and stmt.kernel.function == function.id
    ]
    found: Values = {}
    for at, param in enumerate(function.params) if launches else ():
        bounds = [_bound(stmt, at, conditions, values) for stmt, conditions, values in launches]
        known = [bound for bound in bounds if bound is not None]
        if len(known) == len(bounds):
            type_ = param.var.type
            found[param.var.name] = ir.Math("min", (ir.Const(max(known), type_), ir.Opaque("given", (), type_)), type_)
    return found


def _launches(body: tuple[ir.Stmt, ...], known: Conditions) -> Iterator[tuple[ir.Launch, Conditions]]:
    """Each launch, and what holds there."""
    for stmt in body:
        if isinstance(stmt, ir.Launch):
            yield stmt, known
        elif isinstance(stmt, ir.Check):
            known += tuple(_all_of(stmt.cond, holds=True))
        elif isinstance(stmt, ir.Loop):
            yield from _launches(stmt.body, known)
        elif isinstance(stmt, ir.If):
            otherwise = tuple(_all_of(stmt.cond, holds=False))
            yield from _launches(stmt.then, known + tuple(_all_of(stmt.cond, holds=True)))
            yield from _launches(stmt.orelse, known + otherwise)
            if stmt.then and isinstance(stmt.then[-1], ir.Return | ir.Trap):
                known += otherwise


def _all_of(cond: ir.Expr, holds: bool) -> Iterator[ir.Expr]:
    """The comparisons that hold where the condition does, or does not."""
    if not isinstance(cond, ir.Binary):
        return
    if cond.op is (ir.BinaryOp.LOGICAL_AND if holds else ir.BinaryOp.LOGICAL_OR):
        yield from _all_of(cond.left, holds)
        yield from _all_of(cond.right, holds)
    elif holds:
        yield cond
    elif cond.op in _OPPOSITE:
        yield ir.Binary(_OPPOSITE[cond.op], cond.left, cond.right, cond.type)


def _bound(launch: ir.Launch, at: int, conditions: Conditions, values: Values) -> int | None:
    """The least number that the argument is known to be at most."""
    if at >= len(launch.args):
        return None
    ends = upper_ends(launch.args[at], values)
    found = [number for base, number in ends if base is None]
    for cond in conditions:
        limit = converted(cond.right) if isinstance(cond, ir.Binary) else None
        if isinstance(cond, ir.Binary) and cond.op in _AT_MOST and isinstance(limit, ir.Const):
            if isinstance(limit.value, int):
                most = limit.value + _AT_MOST[cond.op]
                found += [most + number for base, number in ends if base == converted(cond.left)]
    return min(found, default=None)
