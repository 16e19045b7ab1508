"""Small constructors of IR that keep its rules: folded conversions, one form for each address."""

from __future__ import annotations

import struct

from cudalint.ir import nodes as ir
from cudalint.ir.types import (
    BOOL,
    INT32,
    INT64,
    UINT32,
    Array,
    Bool,
    Float,
    Int,
    Pointer,
    Struct,
    Type,
    Unknown,
    Vector,
)

ZERO = ir.Const(0, INT32)
TRUE = ir.Const(True, BOOL)
FALSE = ir.Const(False, BOOL)


def const(value: int | float | bool | None, type_: Type) -> ir.Const:
    """A constant of this type: wrapped, rounded, or null for a pointer."""
    match type_:
        case Bool():
            return ir.Const(bool(value), type_)
        case Int():
            return ir.Const(wrapped(int(value or 0), type_), type_)
        case Float():
            return ir.Const(rounded(float(value or 0), type_), type_)
        case Pointer():
            return ir.Const(value if value else None, type_)
        case _:
            return ir.Const(value, type_)


def wrapped(value: int, type_: Int) -> int:
    value &= (1 << type_.bits) - 1
    return value - (1 << type_.bits) if type_.signed and value >> (type_.bits - 1) else value


def rounded(value: float, type_: Float) -> float:
    if type_.format not in ("f32", "f16"):
        return value
    form = "f" if type_.format == "f32" else "e"
    try:
        return float(struct.unpack(form, struct.pack(form, value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def type_of(value: ir.Expr) -> Type:
    return value.type


def convert(value: ir.Expr, to: Type, explicit: bool = False) -> ir.Expr:
    """C's conversion of a value to a type."""
    source = value.type
    if source == to:
        return value
    if to == BOOL:
        return truth(value)
    if isinstance(value, ir.Const) and isinstance(value.value, (int, float)) and isinstance(to, (Int, Float)):
        made = const(value.value, to) if not isinstance(to, Int) or _is_moderate(value.value) else None
        if made is not None and not (isinstance(to, Float) and value.value and not made.value):
            return made  # what vanishes in the format stays to be seen
    if isinstance(source, (Int, Float, Bool)) and isinstance(to, (Int, Float)):
        return ir.Cast(value, to, explicit)
    if isinstance(to, Pointer):
        if isinstance(value, ir.Const) and not value.value:
            return ir.Const(None, to)
        if isinstance(source, (Pointer, Int)):
            inner = value.operand if isinstance(value, ir.Bitcast) else value
            return ir.Bitcast(inner if isinstance(inner.type, Pointer) else value, to)
    if isinstance(source, Pointer) and isinstance(to, Int):
        whole = ir.Bitcast(value, Int(64, to.signed))
        return whole if to.bits == 64 else ir.Cast(whole, to, explicit)
    if isinstance(source, Vector) and isinstance(to, Vector) and source.lanes == to.lanes:
        lanes = (ir.Extract(value, lane, source.element) for lane in "xyzw"[: to.lanes])
        return ir.Construct(tuple(convert(lane, to.element, explicit) for lane in lanes), to)
    if isinstance(source, Struct) and isinstance(to, Struct) and not (source.fields or to.fields or to.guessed):
        return ir.Construct((), to)  # groups of threads and tags hold nothing
    return ir.Opaque("conversion", (value,), to)


def _is_moderate(value: float) -> bool:
    return abs(value) < 2**200 and value == value


def truth(value: ir.Expr) -> ir.Expr:
    """The value as a condition."""
    source = value.type
    if source == BOOL:
        return value
    if isinstance(value, ir.Cast) and value.operand.type == BOOL and isinstance(source, Int):
        return value.operand
    if isinstance(value, ir.Const) and isinstance(source, (Int, Float, Pointer)):
        return ir.Const(bool(value.value), BOOL)
    if isinstance(source, (Int, Float, Pointer)):
        return ir.Binary(ir.BinaryOp.NOT_EQUAL, value, const(0, source), BOOL)
    return ir.Opaque("condition", (value,), BOOL)


def negated(cond: ir.Expr) -> ir.Expr:
    if isinstance(cond, ir.Const):
        return ir.Const(not cond.value, BOOL)
    return ir.Unary(ir.UnaryOp.LOGICAL_NOT, cond, BOOL)


def conjunction(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    return right if left == TRUE else ir.Binary(ir.BinaryOp.LOGICAL_AND, left, right, BOOL)


def place_type(place: ir.Place) -> Type:
    return place.var.type if isinstance(place, ir.Variable) else place.type


def element(pointer: ir.Expr, index: ir.Expr, type_: Type) -> ir.Place:
    """`pointer[index]`; `*(p + i)` is `p[i]` and `*&x` is `x`."""
    if index == ZERO or index == ir.Const(0, INT64):
        if isinstance(pointer, ir.Offset) and pointer.type == Pointer(type_):
            return ir.Element(pointer.pointer, pointer.index, type_)
        if isinstance(pointer, ir.AddressOf) and place_type(pointer.place) == type_:
            return pointer.place
        index = ZERO
    return ir.Element(pointer, index, type_)


def address(place: ir.Place) -> ir.Expr:
    """`&place`; an array's address is that of the array, not of its first element."""
    type_ = Pointer(place_type(place))
    if isinstance(place, ir.Element):
        if place.pointer.type == type_:
            return place.pointer if place.index == ZERO else ir.Offset(place.pointer, place.index, type_)
    return ir.AddressOf(place, type_)


def decay(place: ir.Place) -> ir.Expr:
    """The pointer to an array's first element."""
    type_ = place_type(place)
    inner = type_.element if isinstance(type_, Array) else type_
    return ir.AddressOf(ir.Index(place, ZERO, inner), Pointer(inner))


def member(value: ir.Expr, name: str, type_: Type) -> ir.Expr:
    if isinstance(value, ir.Construct) and isinstance(value.type, (Vector, Struct)):
        names = "xyzw" if isinstance(value.type, Vector) else [f.name for f in value.type.fields]
        for arg, known in zip(value.args, names):
            if known == name and arg.type == type_:
                return arg
    return ir.Extract(value, name, type_)


def zero(type_: Type) -> ir.Expr:
    """The value that `T()` and `= {}` give."""
    if isinstance(type_, (Vector, Array, Struct)):
        return ir.Construct((), type_)
    if isinstance(type_, Unknown):
        return ir.Opaque("value of a guessed type", (), type_)
    return const(0, type_)


def triple(x: ir.Expr) -> tuple[ir.Expr, ir.Expr, ir.Expr]:
    one = ir.Const(1, UINT32)
    return convert(x, UINT32), one, one
