"""Unsigned differences that are asked whether they are below zero, which they never are: instead they are near 2^32.

unsigned first = i - radius;  if (first < 0) first = 0;          first = max(i - radius, 0)          with unsigned i, radius
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudalint import ir
from cudalint.ir.walk import evaluated, statements
from cudalint.source import Span

_WORD = 32
_MIRRORED = {ir.BinaryOp.GREATER: ir.BinaryOp.LESS, ir.BinaryOp.LESS_EQUAL: ir.BinaryOp.GREATER_EQUAL}
_SIGNS = (ir.BinaryOp.LESS, ir.BinaryOp.GREATER_EQUAL)
_ORDER = (*_SIGNS, ir.BinaryOp.GREATER, ir.BinaryOp.LESS_EQUAL)


@dataclass(frozen=True, slots=True)
class UnsignedSign:
    """`asked`: "is below 0", "is not below 0", or "against 0", as by a maximum."""

    span: Span
    name: str
    asked: str


def unsigned_signs(function: ir.Function) -> Iterator[UnsignedSign]:
    """The first question about each difference that no other comparison keeps in bounds."""
    if any(argument.startswith(("unsigned", "uint", "size_t")) for argument in function.template_args):
        return  # written for signed numbers as well
    body = list(statements(function.body))
    values: dict[str, list[ir.Expr]] = {}
    for stmt in body:
        if isinstance(stmt, ir.Assign):
            values.setdefault(stmt.target.name, []).append(stmt.value)
    compared = [pair for stmt in body for expr in evaluated(stmt) if (pair := _compared(expr)) is not None]
    told: set[ir.Expr] = set()
    for stmt in body:
        for expr in () if isinstance(stmt, ir.Check | ir.Loop) else evaluated(stmt):
            asked = _asked(expr)
            if asked is None or asked[0] in told:
                continue
            differences = list(_differences(asked[0], values))
            if differences and not any(_is_kept(asked[0], each, compared) for each in differences):
                told.add(asked[0])
                name = asked[0].name.partition(".")[0] if isinstance(asked[0], ir.Var) else ""
                yield UnsignedSign(stmt.span, name, asked[1])


def _asked(expr: ir.Expr) -> tuple[ir.Expr, str] | None:
    """The unsigned value of `value < 0`, `value >= 0` or `max(value, 0)`."""
    if isinstance(expr, ir.Math) and expr.name == "max" and len(expr.args) == 2:
        for value, other in (expr.args, expr.args[::-1]):
            if _is_zero(other) and _is_unsigned(value):
                return value, "against 0"
    if not isinstance(expr, ir.Binary):
        return None
    value, other, op = expr.left, expr.right, expr.op
    if op in _MIRRORED:
        value, other, op = other, value, _MIRRORED[op]
    if op not in _SIGNS or not _is_zero(other) or not _is_unsigned(value):
        return None
    return value, "is below 0" if op is ir.BinaryOp.LESS else "is not below 0"


def _is_zero(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Const) and expr.value == 0


def _is_unsigned(expr: ir.Expr) -> bool:
    type_ = expr.type
    return isinstance(type_, ir.Int) and not type_.signed and type_.bits >= _WORD


def _differences(value: ir.Expr, values: dict[str, list[ir.Expr]]) -> Iterator[ir.Binary]:
    """`a - b` that the value is, or that the variable gets."""
    for each in values.get(value.name, []) if isinstance(value, ir.Var) else [value]:
        given = _bare(each)
        if isinstance(given, ir.Binary) and given.op is ir.BinaryOp.SUBTRACT and _is_unsigned(given):
            yield given


def _bare(expr: ir.Expr) -> ir.Expr:
    while isinstance(expr, ir.Cast) and isinstance(expr.type, ir.Int):
        expr = expr.operand
    return expr


def _compared(expr: ir.Expr) -> tuple[ir.Expr, ir.Expr] | None:
    """Both sides of a comparison by size with anything but zero."""
    if not isinstance(expr, ir.Binary) or expr.op not in _ORDER or _is_zero(expr.left) or _is_zero(expr.right):
        return None
    return _bare(expr.left), _bare(expr.right)


def _is_kept(value: ir.Expr, difference: ir.Binary, compared: list[tuple[ir.Expr, ir.Expr]]) -> bool:
    """What wraps is too large for another comparison, or one asks first which of the two numbers is larger."""
    sides = {_bare(difference.left), _bare(difference.right)}
    return any(value in pair or difference in pair or sides == set(pair) for pair in compared)
