"""Random integer expressions, each as IR and as C text, with values for their variables.

The same samples compare every meaning of the IR with reality: the emulator with a C compiler, the solver's encoding
with the emulator, and both with a GPU. The text uses built-in type names only, so C, C++ and CUDA all accept it.
Nothing here is undefined in C under `-fwrapv`: divisors are neither 0 nor -1 and shift counts are inside the width.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cudalint.ir import nodes as ir
from cudalint.ir import types as t
from cudalint.ir.nodes import BinaryOp as Op

C_NAMES = {
    t.INT8: "signed char", t.UINT8: "unsigned char", t.INT16: "short", t.UINT16: "unsigned short",
    t.INT32: "int", t.UINT32: "unsigned int", t.INT64: "long long", t.UINT64: "unsigned long long",
    t.BOOL: "int",
}  # fmt: skip
NARROW_AND_WIDE = (t.INT8, t.UINT8, t.INT16, t.UINT16, t.INT32, t.UINT32, t.INT64, t.UINT64)
PROMOTED = (t.INT32, t.UINT32, t.INT64, t.UINT64)
VARIABLES = {f"v{i}": type_ for i, type_ in enumerate(NARROW_AND_WIDE)}

_ARITHMETIC = (Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.AND, Op.OR, Op.XOR)
_COMPARISONS = (Op.LESS, Op.LESS_EQUAL, Op.GREATER, Op.GREATER_EQUAL, Op.EQUAL, Op.NOT_EQUAL)


@dataclass(frozen=True, slots=True)
class Sample:
    """An expression over VARIABLES. `text` has the C type of `expr.type` (int for Bool)."""

    expr: ir.Expr
    text: str


def dtype(type_: t.Int) -> np.dtype[np.generic]:
    return np.dtype(f"{'int' if type_.signed else 'uint'}{type_.bits}")


def random_values(source: random.Random, rows: int) -> dict[str, npt.NDArray[np.generic]]:
    """Values of all variables: small ones, limits of each type and random bits."""
    return {
        name: np.array([_value(source, type_) for _ in range(rows)], dtype(type_)) for name, type_ in VARIABLES.items()
    }


def _value(source: random.Random, type_: t.Int) -> int:
    low, high = t.int_range(type_)
    kind = source.randrange(3)
    if kind == 0:
        return max(low, min(high, source.randint(-3, 40)))
    if kind == 1:
        return source.choice([low, low + 1, high, high - 1, high // 2])
    return source.randint(low, high)


def random_expression(source: random.Random, depth: int = 4) -> Sample:
    """An expression of integer type, with at most about 2^depth operators."""
    return _integer(source, source.choice(PROMOTED), depth)


def constant(value: int, type_: t.Int) -> Sample:
    mask = (1 << 64) - 1
    return Sample(ir.Const(value, type_), f"(({C_NAMES[type_]})0x{value & mask:x}ULL)")


def _integer(source: random.Random, type_: t.Int, depth: int) -> Sample:
    if depth <= 0:
        return _leaf(source, type_)
    form = source.randrange(8)
    if form < 3:
        return _binary(
            source.choice(_ARITHMETIC), _integer(source, type_, depth - 1), _integer(source, type_, depth - 1)
        )
    if form == 3:
        divisor = _divisor(source, type_, depth - 1)
        return _binary(source.choice((Op.DIVIDE, Op.REMAINDER)), _integer(source, type_, depth - 1), divisor)
    if form == 4:
        return _shift(source, type_, depth)
    if form == 5:
        op = source.choice((ir.UnaryOp.NEGATE, ir.UnaryOp.NOT))
        operand = _integer(source, type_, depth - 1)
        return Sample(ir.Unary(op, operand.expr, type_), f"({op.value}{operand.text})")
    if form == 6:
        return _choice(source, type_, depth)
    return _cast(source, type_, depth)


def _leaf(source: random.Random, type_: t.Int) -> Sample:
    if source.randrange(4) == 0:
        return constant(_value(source, type_), type_)
    name = source.choice(sorted(VARIABLES))
    return convert(Sample(ir.Var(name, VARIABLES[name]), name), type_)


def convert(sample: Sample, type_: t.Int) -> Sample:
    if sample.expr.type == type_:
        return sample
    return Sample(ir.Cast(sample.expr, type_, True), f"(({C_NAMES[type_]}){sample.text})")


def _binary(op: Op, left: Sample, right: Sample) -> Sample:
    return Sample(ir.Binary(op, left.expr, right.expr, left.expr.type), f"({left.text} {op.value} {right.text})")


def _divisor(source: random.Random, type_: t.Int, depth: int) -> Sample:
    """A value that is neither 0 nor -1: in [2, 129], or its negative where the type has one."""
    small = _binary(Op.ADD, _binary(Op.AND, _integer(source, type_, depth), constant(127, type_)), constant(2, type_))
    if type_.signed and source.randrange(2):
        return Sample(ir.Unary(ir.UnaryOp.NEGATE, small.expr, type_), f"(-{small.text})")
    return small


def _shift(source: random.Random, type_: t.Int, depth: int) -> Sample:
    counted = source.choice(PROMOTED)
    count = _binary(Op.AND, _integer(source, counted, depth - 2), constant(type_.bits - 1, counted))
    op = source.choice((Op.SHIFT_LEFT, Op.SHIFT_RIGHT))
    return _binary(op, _integer(source, type_, depth - 1), count)


def _cast(source: random.Random, type_: t.Int, depth: int) -> Sample:
    """Through a narrower or another type, or from a truth value."""
    if source.randrange(3) == 0:
        return convert(_truth(source, depth - 1), type_)
    through = source.choice(NARROW_AND_WIDE)
    return convert(convert(_integer(source, source.choice(PROMOTED), depth - 1), through), type_)


def _choice(source: random.Random, type_: t.Int, depth: int) -> Sample:
    cond = _truth(source, depth - 1)
    then, orelse = _integer(source, type_, depth - 1), _integer(source, type_, depth - 1)
    return Sample(
        ir.Select(cond.expr, then.expr, orelse.expr, type_), f"({cond.text} ? {then.text} : {orelse.text})"
    )  # fmt: skip


def _truth(source: random.Random, depth: int) -> Sample:
    if depth > 0 and source.randrange(4) == 0:
        op = source.choice((Op.LOGICAL_AND, Op.LOGICAL_OR))
        left, right = _truth(source, depth - 1), _truth(source, depth - 1)
    else:
        op, type_ = source.choice(_COMPARISONS), source.choice(PROMOTED)
        left, right = _integer(source, type_, depth - 1), _integer(source, type_, depth - 1)
    text = f"({left.text} {op.value} {right.text})"
    if source.randrange(5) == 0:
        inner = ir.Binary(op, left.expr, right.expr, t.BOOL)
        return Sample(ir.Unary(ir.UnaryOp.LOGICAL_NOT, inner, t.BOOL), f"(!{text})")
    return Sample(ir.Binary(op, left.expr, right.expr, t.BOOL), text)
