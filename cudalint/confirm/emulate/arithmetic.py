"""Exact C arithmetic on NumPy arrays: conversions, operators and comparisons, each in its own width and format.

Signed integers wrap (two's complement), `/` and `%` truncate, a shift by the width or more gives what PTX gives,
conversions from float to integer saturate as on the device. Operands may be scalars or arrays of equal dtype.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

import numpy as np

from cudalint.confirm.emulate.formats import Unsupported, Values, dtype_of, rounded, size_of
from cudalint.confirm.emulate.formats import values as typed
from cudalint.ir import nodes as ir
from cudalint.ir import types as t


def constant(value: int | float | bool | None, type_: t.Type) -> Values:
    """A literal as a scalar of its type; integers outside the range wrap."""
    if isinstance(type_, (t.Vector, t.Struct, t.Array)):
        if value:
            raise Unsupported("a literal of aggregate type")
        return np.zeros((1, size_of(type_)), np.uint8)
    dtype = dtype_of(type_)
    if isinstance(type_, t.Float):
        return rounded(np.float64(value or 0).astype(dtype), type_)
    if isinstance(type_, t.Bool):
        return np.asarray(bool(value))[()]
    number = int(value or 0) & ((1 << (8 * dtype.itemsize)) - 1)
    return np.asarray(number, np.dtype(f"uint{8 * dtype.itemsize}")).view(dtype)[()]


def convert(values: Values, source: t.Type, target: t.Type) -> Values:
    """`(target)value` for scalar types."""
    if source == target:
        return values
    dtype = dtype_of(target)
    if isinstance(target, t.Bool):
        return np.asarray(np.not_equal(values, values.dtype.type(0)))[()]
    if isinstance(source, t.Float) and isinstance(target, (t.Int, t.Pointer)):
        return _float_to_int(values, dtype)
    if isinstance(target, t.Float):
        if target.format in ("f16", "f32", "f64"):
            return values.astype(dtype)
        wide = values if values.dtype == np.float32 else values.astype(np.float64)
        return rounded(wide, target)
    return values.astype(dtype)


def _float_to_int(values: Values, dtype: np.dtype[np.generic]) -> Values:
    """Round towards zero and saturate; NaN is 0, in 64 bits the smallest signed pattern. Narrow types go through 32 bits."""
    work = np.dtype(("int" if dtype.kind == "i" else "uint") + str(max(32, 8 * dtype.itemsize)))
    limits = np.iinfo(work)
    wide = np.trunc(values.astype(np.float64))
    low, high = float(limits.min), float(limits.max)
    result = np.where(wide < high, np.where(wide > low, wide, 0.0), 0.0).astype(work)
    result = np.where(wide >= high, work.type(limits.max), result)
    result = np.where(wide <= low, work.type(limits.min), result)
    nan = np.uint64(1 << 63).astype(work) if work.itemsize == 8 else work.type(0)
    return np.where(np.isnan(wide), nan, result).astype(dtype)[()]


def unary(op: ir.UnaryOp, operand: Values, type_: t.Type) -> Values:
    match op:
        case ir.UnaryOp.NEGATE:
            return np.negative(operand)
        case ir.UnaryOp.NOT:
            return np.invert(operand)
        case ir.UnaryOp.LOGICAL_NOT:
            return typed(np.equal(operand, operand.dtype.type(0)))
        case _:
            assert_never(op)


def binary(op: ir.BinaryOp, left: Values, right: Values, type_: t.Type) -> Values:
    """`left op right`; a zero divisor gives 0. `type_` is the type of the result."""
    match op:
        case ir.BinaryOp.DIVIDE:
            return rounded(np.divide(left, right), type_) if left.dtype.kind == "f" else divide(left, right)
        case ir.BinaryOp.REMAINDER:
            return rounded(np.fmod(left, right), type_) if left.dtype.kind == "f" else remainder(left, right)
        case ir.BinaryOp.SHIFT_LEFT | ir.BinaryOp.SHIFT_RIGHT:
            count = np.minimum(right.astype(np.uint64), np.uint64(127)).astype(left.dtype)
            return typed((np.left_shift if op is ir.BinaryOp.SHIFT_LEFT else np.right_shift)(left, count))
        case ir.BinaryOp.POINTER_DIFFERENCE:
            raise Unsupported("pointer difference needs the element type")
        case _:
            return rounded(_UFUNCS[op](left, right), type_)


_UFUNCS: dict[ir.BinaryOp, Callable[[Values, Values], Values]] = {
    ir.BinaryOp.ADD: np.add,
    ir.BinaryOp.SUBTRACT: np.subtract,
    ir.BinaryOp.MULTIPLY: np.multiply,
    ir.BinaryOp.AND: np.bitwise_and,
    ir.BinaryOp.OR: np.bitwise_or,
    ir.BinaryOp.XOR: np.bitwise_xor,
    ir.BinaryOp.LESS: np.less,
    ir.BinaryOp.LESS_EQUAL: np.less_equal,
    ir.BinaryOp.GREATER: np.greater,
    ir.BinaryOp.GREATER_EQUAL: np.greater_equal,
    ir.BinaryOp.EQUAL: np.equal,
    ir.BinaryOp.NOT_EQUAL: np.not_equal,
    ir.BinaryOp.LOGICAL_AND: np.logical_and,
    ir.BinaryOp.LOGICAL_OR: np.logical_or,
}


def divide(left: Values, right: Values) -> Values:
    """Integer division that truncates towards zero; a zero divisor gives 0, INT_MIN / -1 wraps."""
    if left.dtype.kind in "ub":
        return np.floor_divide(left, right)
    quotient = np.floor_divide(left, _plain(right))
    remains = np.not_equal(np.multiply(quotient, right), left)
    upwards = remains & (np.less(left, 0) != np.less(right, 0))
    result = np.where(np.equal(right, -1), np.negative(left), np.add(quotient, upwards))
    return np.where(np.equal(right, 0), 0, result).astype(left.dtype)[()]


def remainder(left: Values, right: Values) -> Values:
    """Integer remainder with the sign of the dividend; a zero divisor gives 0."""
    if left.dtype.kind in "ub":
        return np.fmod(left, right)
    return np.where(np.equal(right, 0) | np.equal(right, -1), 0, np.fmod(left, _plain(right))).astype(left.dtype)[()]


def _plain(divisor: Values) -> Values:
    """The divisor with 0 and -1 replaced by 1: NumPy would warn for one and may trap for the other."""
    return np.where(np.equal(divisor, 0) | np.equal(divisor, -1), 1, divisor).astype(divisor.dtype)


def pointer_difference(left: Values, right: Values, element: int) -> Values:
    """`left - right` in elements, as int64."""
    return divide(np.subtract(left, right).view(np.int64), np.asarray(element, np.int64)[()])


def overflows(op: ir.BinaryOp, left: Values, right: Values, result: Values) -> Values:
    """Where a signed `left op right` does not fit its type (or a shift count is outside the width)."""
    signed = left.dtype.kind == "i"
    match op:
        case ir.BinaryOp.ADD if signed:
            return np.less((left ^ result) & (right ^ result), 0)
        case ir.BinaryOp.SUBTRACT if signed:
            return np.less((left ^ right) & (left ^ result), 0)
        case ir.BinaryOp.MULTIPLY if signed:
            return _multiply_overflows(left, right, result)
        case ir.BinaryOp.DIVIDE | ir.BinaryOp.REMAINDER if signed:
            return np.equal(right, -1) & np.equal(left, np.iinfo(left.dtype).min)
        case ir.BinaryOp.SHIFT_LEFT | ir.BinaryOp.SHIFT_RIGHT:
            return np.greater_equal(right.astype(np.uint64), np.uint64(8 * left.dtype.itemsize))
        case _:
            return np.asarray(False)


def _multiply_overflows(left: Values, right: Values, result: Values) -> Values:
    if left.dtype.itemsize < 8:
        return np.not_equal(left.astype(np.int64) * right.astype(np.int64), result)
    back = divide(result, np.where(np.equal(left, 0), 1, left).astype(left.dtype))
    lost = np.not_equal(left, 0) & np.not_equal(back, right)
    return lost | (np.equal(left, -1) & np.equal(right, np.iinfo(left.dtype).min))
