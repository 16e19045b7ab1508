"""Sums that a loop builds in a format of 16 bits or fewer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudalint import ir
from cudalint.source import Span

HALF_FORMATS = ("f16", "bf16", "e4m3", "e5m2")
SHORT_TRIPS = 16


@dataclass(frozen=True, slots=True)
class Accumulation:
    name: str
    format: str
    span: Span


def half_accumulations(function: ir.Function) -> Iterator[Accumulation]:
    """Assignments `v = v + x` inside a loop where v is a half register that lives across iterations."""
    yield from _in_body(function.body, None, frozenset())


def _in_body(body: tuple[ir.Stmt, ...], loop: ir.Loop | None, inner: frozenset[str]) -> Iterator[Accumulation]:
    declared = inner
    for stmt in body:
        if isinstance(stmt, ir.Declare) and loop is not None:
            declared |= {stmt.var.name}
        elif isinstance(stmt, ir.Assign) and loop is not None:
            format_ = _accumulates(stmt)
            if format_ is not None and stmt.target.name not in declared:
                yield Accumulation(stmt.target.name.partition(".")[0], format_, stmt.span)
        elif isinstance(stmt, ir.If):
            yield from _in_body(stmt.then, loop, declared)
            yield from _in_body(stmt.orelse, loop, declared)
        elif isinstance(stmt, ir.Loop):
            outer = loop if is_short(stmt) else stmt
            yield from _in_body(stmt.body, outer, frozenset() if loop is None else declared)


def _accumulates(stmt: ir.Assign) -> str | None:
    value, type_ = _unconverted(stmt.value), stmt.target.type
    if not isinstance(type_, ir.Float) or type_.format not in HALF_FORMATS:
        return None
    if isinstance(value, ir.Binary) and value.op is ir.BinaryOp.ADD and _mentions(value, stmt.target):
        return type_.format
    if isinstance(value, ir.Math) and value.name == "fma" and [*map(_unconverted, value.args[2:])] == [stmt.target]:
        return type_.format
    return None


def _mentions(value: ir.Binary, target: ir.Var) -> bool:
    return target in (_unconverted(value.left), _unconverted(value.right))


def _unconverted(value: ir.Expr) -> ir.Expr:
    """A sum that is taken to float and back in each round is rounded in each round all the same."""
    while isinstance(value, ir.Cast) and isinstance(value.type, ir.Float):
        value = value.operand
    return value


def is_short(loop: ir.Loop) -> bool:
    """A comparison with a small constant bounds the loop."""
    cond = loop.cond
    if not isinstance(cond, ir.Binary):
        return False
    bounds = [side.value for side in (cond.left, cond.right) if isinstance(side, ir.Const)]
    return any(isinstance(b, int) and 0 < b <= SHORT_TRIPS for b in bounds)
