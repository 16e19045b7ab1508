"""How far a kernel's text says that the next block is: 8 in `blockIdx.y * 8 + threadIdx.y`."""

from __future__ import annotations

from collections.abc import Iterable

from cudalint import ir
from cudalint.ir.walk import evaluated, statements


def block_steps(functions: Iterable[ir.Function], axis: str) -> frozenset[int]:
    """The numbers that blocks are apart along an axis (x, y, z), in places to which the thread's own number is added as it is."""
    return frozenset(
        step
        for function in functions
        for stmt in statements(function.body)
        for part in evaluated(stmt)
        if (step := _step(part, axis)) is not None
    )


def _step(expr: ir.Expr, axis: str) -> int | None:
    if not isinstance(expr, ir.Binary) or expr.op is not ir.BinaryOp.ADD:
        return None
    for block, thread in ((expr.left, expr.right), (expr.right, expr.left)):
        product = _uncast(block)
        if not _is_builtin(thread, f"threadIdx.{axis}") or not isinstance(product, ir.Binary):
            continue
        if product.op is not ir.BinaryOp.MULTIPLY:
            continue
        for place, by in ((product.left, product.right), (product.right, product.left)):
            constant = _uncast(by)
            if _is_builtin(place, f"blockIdx.{axis}") and isinstance(constant, ir.Const):
                return constant.value if isinstance(constant.value, int) else None
    return None


def _is_builtin(expr: ir.Expr, name: str) -> bool:
    inner = _uncast(expr)
    return isinstance(inner, ir.Builtin) and inner.name == name


def _uncast(expr: ir.Expr) -> ir.Expr:
    while isinstance(expr, ir.Cast):
        expr = expr.operand
    return expr
