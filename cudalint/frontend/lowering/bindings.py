"""Structured bindings: `auto [a, b] = f(x);` names the members of an object that has no name.

Of pairs, tuples, arrays and structs all of whose members are bound, each name is a reference to its member.
"""

from __future__ import annotations

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.context import Body, statement
from cudalint.frontend.lowering.initialize import initialize
from cudalint.frontend.lowering.places import is_lvalue
from cudalint.frontend.lowering.types import is_reference
from cudalint.ir import nodes as ir
from cudalint.ir.types import INT32, Array, Pointer, Struct, Type, Vector


@statement(Kind.UNEXPOSED_DECL)
def bind(body: Body, cursor: Cursor) -> None:
    names = [c for c in clang.children(cursor) if c.kind == Kind.UNEXPOSED_DECL]
    init = clang.initializer(cursor) if names else None
    if init is None:
        body.hole("statement unexposed decl", cursor)
        return
    whole = _object(body, cursor, init)
    members = _members(whole, build.place_type(whole))
    if len(members) != len(names):
        body.hole(f"structured binding of {cursor.type.spelling}", cursor)
        return
    for name, member in zip(names, members):
        _name(body, name, member)


def _object(body: Body, cursor: Cursor, init: Cursor) -> ir.Place:
    """What is bound: the object that a reference refers to, or a copy."""
    if is_reference(cursor.type):
        return body.place(init)
    span = body.span(cursor)
    type_ = body.program.types.translate(cursor.type)
    copy = body.temporary(type_, span)
    array = _copied_array(body, init) if isinstance(type_, Array) else None
    if array is not None:
        body.write(copy, body.read(body.place(array), span), span)
    else:
        initialize(body, copy, init, span)
    return copy


def _copied_array(body: Body, init: Cursor) -> Cursor | None:
    """The array whose elements a loop without a name of its own copies."""
    below = [init]
    while below:
        cursor = below.pop(0)
        if is_lvalue(cursor) and isinstance(body.type_of(cursor), Array):
            return cursor
        below += clang.children(cursor)
    return None


def _members(whole: ir.Place, type_: Type) -> list[ir.Place]:
    if isinstance(type_, Array) and type_.count is not None:
        return [ir.Index(whole, ir.Const(i, INT32), type_.element) for i in range(type_.count)]
    if isinstance(type_, Vector):
        return [ir.Field(whole, lane, type_.element) for lane in "xyzw"[: type_.lanes]]
    if not isinstance(type_, Struct):
        return []
    fields: list[ir.Place] = [ir.Field(whole, f.name, f.type) for f in type_.fields]
    if type_.name.startswith("std::array<") and len(fields) == 1:
        return _members(fields[0], type_.fields[0].type)
    return fields


def _name(body: Body, name: Cursor, member: ir.Place) -> None:
    span, key = body.span(name), clang.identity(name)
    type_ = build.place_type(member)
    refers = is_reference(name.type) and isinstance(type_, Pointer)
    address = body.read(member, span) if refers else build.address(member)
    var = ir.Var(body.unique(name.spelling), address.type)
    body.emit(ir.Declare(var, ir.Storage.REGISTER, span))
    body.emit(ir.Assign(var, address, span))
    body.variables[key] = var
    body.references.add(key)
