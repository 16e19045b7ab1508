"""From an object to its base and back: a base that is not the first lies behind the others."""

from __future__ import annotations

from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.context import Body
from cudalint.ir import nodes as ir
from cudalint.ir.types import INT64, UINT8, Pointer, Struct, Type


def to_class(body: Body, pointer: ir.Expr, to: Type) -> ir.Expr:
    """A pointer to an object as one to a base of it, or the other way round.

    Host code looks for members by their names alone.
    """
    distance = 0
    if isinstance(pointer.type, Pointer) and isinstance(to, Pointer) and body.role != ir.Role.HOST:
        distance = body.program.types.bases.distance(pointer.type.element, to.element)
    if distance:
        pointer = ir.Offset(ir.Bitcast(pointer, Pointer(UINT8)), build.const(distance, INT64), Pointer(UINT8))
    return ir.Bitcast(pointer, to)


def base_part(body: Body, value: ir.Expr, to: Struct) -> ir.Expr | None:
    """The base of an object as a value; None where its members are not among those of the object."""
    assert isinstance(value.type, Struct)
    distance = body.program.types.bases.distance(value.type, to)
    there = {(f.offset - distance, f.type): f for f in value.type.fields}
    members = [there.get((f.offset, f.type)) for f in to.fields]
    if None in members:
        return None
    return ir.Construct(tuple(build.member(value, f.name, f.type) for f in members if f is not None), to)
