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


def random_expression(source: random.Random, depth: int = 4, *, wraps: bool = True) -> Sample:
    """An expression of integer type, with at most about 2^depth operators.

    Without `wraps` signed arithmetic that may overflow is done in the unsigned type and converted back, so that a
    compiler that exploits overflow (nvcc widens products) has nothing to exploit.
    """
    return _Generator(source, wraps).integer(source.choice(PROMOTED), depth)


def constant(value: int, type_: t.Int) -> Sample:
    mask = (1 << 64) - 1
    return Sample(ir.Const(value, type_), f"(({C_NAMES[type_]})0x{value & mask:x}ULL)")


def convert(sample: Sample, type_: t.Int) -> Sample:
    if sample.expr.type == type_:
        return sample
    return Sample(ir.Cast(sample.expr, type_, True), f"(({C_NAMES[type_]}){sample.text})")


def _binary(op: Op, left: Sample, right: Sample) -> Sample:
    return Sample(ir.Binary(op, left.expr, right.expr, left.expr.type), f"({left.text} {op.value} {right.text})")


def _unary(op: ir.UnaryOp, operand: Sample) -> Sample:
    return Sample(ir.Unary(op, operand.expr, operand.expr.type), f"({op.value}{operand.text})")


@dataclass(frozen=True, slots=True)
class _Generator:
    source: random.Random
    wraps: bool

    def integer(self, type_: t.Int, depth: int) -> Sample:
        if depth <= 0:
            return self.leaf(type_)
        form = self.source.randrange(8)
        if form < 3:
            return self.arithmetic(type_, depth)
        if form == 3:
            divisor = self.divisor(type_, depth - 1)
            return _binary(self.source.choice((Op.DIVIDE, Op.REMAINDER)), self.integer(type_, depth - 1), divisor)
        if form == 4:
            return self.shift(type_, depth)
        if form == 5:
            return self.unary(type_, depth)
        if form == 6:
            return self.choice(type_, depth)
        return self.cast(type_, depth)

    def leaf(self, type_: t.Int) -> Sample:
        if self.source.randrange(4) == 0:
            return constant(_value(self.source, type_), type_)
        name = self.source.choice(sorted(VARIABLES))
        return convert(Sample(ir.Var(name, VARIABLES[name]), name), type_)

    def safe(self, type_: t.Int) -> t.Int:
        """The type in which arithmetic that may overflow is done."""
        return type_ if self.wraps else t.Int(type_.bits, False)

    def arithmetic(self, type_: t.Int, depth: int) -> Sample:
        op, left, right = (
            self.source.choice(_ARITHMETIC),
            self.integer(type_, depth - 1),
            self.integer(type_, depth - 1),
        )
        work = self.safe(type_)
        return convert(_binary(op, convert(left, work), convert(right, work)), type_)

    def unary(self, type_: t.Int, depth: int) -> Sample:
        op = self.source.choice((ir.UnaryOp.NEGATE, ir.UnaryOp.NOT))
        return convert(_unary(op, convert(self.integer(type_, depth - 1), self.safe(type_))), type_)

    def divisor(self, type_: t.Int, depth: int) -> Sample:
        """A value that is neither 0 nor -1: in [2, 129], or its negative where the type has one."""
        small = _binary(Op.ADD, _binary(Op.AND, self.integer(type_, depth), constant(127, type_)), constant(2, type_))
        return _unary(ir.UnaryOp.NEGATE, small) if type_.signed and self.source.randrange(2) else small

    def shift(self, type_: t.Int, depth: int) -> Sample:
        counted = self.source.choice(PROMOTED)
        count = _binary(Op.AND, self.integer(counted, depth - 2), constant(type_.bits - 1, counted))
        value = self.integer(type_, depth - 1)
        if self.source.randrange(2):
            return _binary(Op.SHIFT_RIGHT, value, count)
        return convert(_binary(Op.SHIFT_LEFT, convert(value, self.safe(type_)), count), type_)

    def cast(self, type_: t.Int, depth: int) -> Sample:
        """Through a narrower or another type, or from a truth value."""
        if self.source.randrange(3) == 0:
            return convert(self.truth(depth - 1), type_)
        through = self.source.choice(NARROW_AND_WIDE)
        return convert(convert(self.integer(self.source.choice(PROMOTED), depth - 1), through), type_)

    def choice(self, type_: t.Int, depth: int) -> Sample:
        cond = self.truth(depth - 1)
        then, orelse = self.integer(type_, depth - 1), self.integer(type_, depth - 1)
        text = f"({cond.text} ? {then.text} : {orelse.text})"
        return Sample(ir.Select(cond.expr, then.expr, orelse.expr, type_), text)

    def truth(self, depth: int) -> Sample:
        if depth > 0 and self.source.randrange(4) == 0:
            op = self.source.choice((Op.LOGICAL_AND, Op.LOGICAL_OR))
            left, right = self.truth(depth - 1), self.truth(depth - 1)
        else:
            op, type_ = self.source.choice(_COMPARISONS), self.source.choice(PROMOTED)
            left, right = self.integer(type_, depth - 1), self.integer(type_, depth - 1)
        expr, text = ir.Binary(op, left.expr, right.expr, t.BOOL), f"({left.text} {op.value} {right.text})"
        if self.source.randrange(5) == 0:
            return Sample(ir.Unary(ir.UnaryOp.LOGICAL_NOT, expr, t.BOOL), f"(!{text})")
        return Sample(expr, text)
