"""`memcpy`, `memmove` and `memset` in a kernel: copies and fills of bytes are loads and stores.

memset(tile, 0, sizeof(tile));          for (i = 0; i < 256; i++) tile[i] = 0;
memcpy(to, from, n);                    for (i = 0; i < n; i++) one byte
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.casts import convert
from cudalint.frontend.lowering.context import Body
from cudalint.ir import nodes as ir
from cudalint.ir.types import (
    BOOL,
    UINT8,
    UINT64,
    Array,
    Float,
    Int,
    Pointer,
    Struct,
    StructField,
    Type,
    Vector,
    align_of,
    size_of,
)


def byte_call(body: Body, name: str, cursor: Cursor, target: Cursor) -> Any:
    """The pointer that the call returns, or NotImplemented where it is another function."""
    bare = name.removeprefix("std::").removeprefix("__builtin_")
    if bare == "assume_aligned":
        return body.value(clang.arguments(cursor)[0])
    if bare == "memset" and body.role != ir.Role.HOST and not body.for_host:
        return _filled(body, cursor)
    return _copied(body, bare, name, cursor) if bare in ("memcpy", "memmove") else NotImplemented


def _filled(body: Body, cursor: Cursor) -> ir.Expr:
    """Whole elements where so many bytes are known to be some of them, or else byte after byte."""
    given, span = clang.arguments(cursor), body.span(cursor)
    to, value, size = typed(body.value(given[0])), body.value(given[1]), clang.evaluate(given[2])
    known, type_ = clang.evaluate(given[1]), _filled_type(to, size)
    if type_ is None or size is None:
        count = convert(body, body.value(given[2]), UINT64, cursor)
        _each(body, to, UINT8, count, span, build.convert(value, UINT8))
        return to
    filled = build.zero(type_) if known == 0 else body.opaque("memset", (value,), type_, span)
    elements = int(size) // (size_of(type_) or 1)
    if elements == 1:
        body.write(build.element(build.convert(to, Pointer(type_)), build.ZERO, type_), filled, span)
    else:
        _each(body, to, type_, ir.Const(elements, UINT64), span, filled)
    return to


def _filled_type(to: ir.Expr, size: float | None) -> Type | None:
    """What the pointer leads to, or the elements of such an array, where the bytes are so many whole ones."""
    type_: Type | None = to.type.element if isinstance(to.type, Pointer) else None
    while isinstance(type_, Array):
        type_ = type_.element
    unit = size_of(type_) if isinstance(type_, (Int, Float, Vector, Struct)) else None
    return type_ if unit and size and int(size) % unit == 0 else None


def _each(body: Body, to: ir.Expr, type_: Type, count: ir.Expr, span: Any, value: ir.Expr) -> None:
    """`for (i = 0; i < count; i++) to[i] = value;`"""
    first = build.convert(to, Pointer(type_))

    def store(index: ir.Expr) -> None:
        body.write(build.element(first, index, type_), value, span)

    _counted(body, count, span, store)


def _copied(body: Body, bare: str, name: str, cursor: Cursor) -> ir.Expr:
    """`memcpy(&to, &from, sizeof(T))` of one object is a load and a store."""
    given = clang.arguments(cursor)
    size = clang.evaluate(given[2])
    to, source = (typed(body.value(g)) for g in given[:2])
    types = [p.type.element for p in (to, source) if isinstance(p.type, Pointer) and size_of(p.type.element) == size]
    if not types or size is None:
        if body.role == ir.Role.HOST:
            return _plain_call(body, name, cursor, (to, source))
        if bare == "memcpy" and all(isinstance(p.type, Pointer) for p in (to, source)):
            return _bytewise(body, cursor, to, source)
        return _hole_with(body, f"call of {name}", cursor, (to, source))
    span = body.span(cursor)
    places = [_unaligned(pointer, types[0], int(size)) for pointer in (to, source)]
    body.write(places[0], body.read(places[1], span), span)
    return to


def _unaligned(pointer: ir.Expr, type_: Type, size: int) -> ir.Place:
    """The object behind a pointer to another type, which may lie anywhere: the member of a packed class."""
    if isinstance(pointer.type, Pointer) and align_of(pointer.type.element) >= align_of(type_):
        return build.element(build.convert(pointer, Pointer(type_)), build.ZERO, type_)
    packed = Struct("unaligned", size, 1, (StructField("value", 0, type_),))
    return ir.Field(build.element(build.convert(pointer, Pointer(packed)), build.ZERO, packed), "value", type_)


def _bytewise(body: Body, cursor: Cursor, to: ir.Expr, source: ir.Expr) -> ir.Expr:
    """A copy of as many bytes as the program says, one after the other."""
    span, byte = body.span(cursor), Pointer(UINT8)
    count = convert(body, body.value(clang.arguments(cursor)[2]), UINT64, cursor)
    first, second = build.convert(to, byte), build.convert(source, byte)

    def move(index: ir.Expr) -> None:
        body.write(build.element(first, index, UINT8), body.read(build.element(second, index, UINT8), span), span)

    _counted(body, count, span, move)
    return to


def _counted(body: Body, count: ir.Expr, span: Any, lower: Callable[[ir.Expr], None]) -> None:
    """A loop over the numbers below the count."""
    index = body.fresh(UINT64, span, "i")
    body.emit(ir.Assign(index, ir.Const(0, UINT64), span))
    with body.nested() as made:
        lower(index)
    test = ir.Binary(ir.BinaryOp.LESS, index, count, BOOL)
    step = ir.Assign(index, ir.Binary(ir.BinaryOp.ADD, index, ir.Const(1, UINT64), UINT64), span)
    body.emit(ir.Loop((), test, (step,), tuple(made), True, span))


def _plain_call(body: Body, name: str, cursor: Cursor, pointers: tuple[ir.Expr, ...]) -> ir.Expr:
    count = body.value(clang.arguments(cursor)[2])
    body.emit(ir.Call(name, (*pointers, count), None, body.span(cursor)))
    return pointers[0]


def typed(pointer: ir.Expr) -> ir.Expr:
    """The pointer before it became `void *`; an array's first element stands for the array."""
    while isinstance(pointer, ir.Bitcast) and isinstance(pointer.operand.type, Pointer):
        pointer = pointer.operand
    return pointer


def _hole_with(body: Body, reason: str, cursor: Cursor, pointers: tuple[ir.Expr, ...]) -> ir.Expr:
    """A hole that reads and writes behind these pointers."""
    span = body.span(cursor)
    written = (build.element(p, build.ZERO, p.type.element) for p in pointers if isinstance(p.type, Pointer))
    body.gap(reason, span)
    body.emit(ir.Unmodelled(reason, span, pointers, tuple(written)))
    return pointers[0]
