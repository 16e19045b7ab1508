"""Names, members, initialiser lists and what else stands for a value."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.arguments import by_reference
from cudalint.frontend.lowering.casts import convert
from cudalint.frontend.lowering.context import Body, expression
from cudalint.frontend.lowering.function_values import function_held
from cudalint.frontend.lowering.functions import reference_to
from cudalint.frontend.lowering.initialize import initialize
from cudalint.frontend.lowering.operators import order_of
from cudalint.frontend.lowering.places import FUNCTION_KINDS, builtin, is_lvalue, named, whole_builtin
from cudalint.frontend.lowering.places import member as member_place
from cudalint.frontend.lowering.types import references_held
from cudalint.ir import nodes as ir
from cudalint.ir.types import INT32, Array, Bool, Float, Int, Pointer, Struct, StructField, Type, Unknown, Vector


@expression(Kind.DECL_REF_EXPR)
def name(body: Body, cursor: Cursor) -> ir.Expr:
    target = clang.referenced(cursor)
    type_ = body.type_of(cursor)
    if target is None or target.kind == Kind.TEMPLATE_NON_TYPE_PARAMETER:
        below = clang.children(cursor)
        if below:  # a template's value parameter, replaced by its argument
            return body.value(below[-1])
    if target is not None and target.kind in FUNCTION_KINDS:
        return reference_to(body, target, type_)
    held = function_held(target) if target is not None and isinstance(type_, Unknown) else None
    if held is not None:
        return reference_to(body, held, type_)
    if target is not None and body.program.is_guessed(target):
        return body.opaque(f"{ir.UNDECLARED}{cursor.spelling}", (), type_, body.span(cursor))
    constant = constant_of(cursor, target, type_)
    if constant is not None:
        return constant
    if cursor.spelling == "warpSize" and target is not None and body.program.in_stubs(target):
        return ir.Builtin("warpSize", INT32)
    whole = whole_builtin(body, cursor, target) if target is not None else None
    if whole is not None:
        return whole
    place = named(body, cursor)
    if place is None:
        return body.opaque(f"name {cursor.spelling}", (), type_, body.span(cursor))
    if isinstance(build.place_type(place), Array):
        return build.decay(place)
    return body.read(place, body.span(cursor), order_of(cursor))


def constant_of(cursor: Cursor, target: Cursor | None, type_: Type) -> ir.Expr | None:
    """Enumerators, and const variables whose value clang knows."""
    if target is None or not isinstance(type_, (Int, Float, Bool)):
        return None
    if target.kind == Kind.ENUM_CONSTANT_DECL or cursor.type.is_const_qualified():
        value = clang.evaluate(cursor)
        return None if value is None else build.const(value, type_)
    return None


@expression(Kind.ARRAY_SUBSCRIPT_EXPR)
def subscript(body: Body, cursor: Cursor) -> ir.Expr:
    place = body.place(cursor)
    if isinstance(build.place_type(place), Array):
        return build.decay(place)
    return body.read(place, body.span(cursor), order_of(cursor))


@expression(Kind.MEMBER_REF_EXPR)
def member(body: Body, cursor: Cursor) -> ir.Expr:
    known = builtin(body, cursor)
    if known is not None:
        return known
    type_, target = body.type_of(cursor), clang.referenced(cursor)
    constant = constant_of(cursor, target, type_) if target is not None and target.kind != Kind.FIELD_DECL else None
    if constant is not None:
        return constant
    if target is not None and target.kind in FUNCTION_KINDS:
        return reference_to(body, target, type_)
    if _is_value(cursor):
        return build.member(body.value(clang.children(cursor)[0]), cursor.spelling, type_)
    place = member_place(body, cursor)
    if place is None:
        return body.opaque(f"member {cursor.spelling}", (), type_, body.span(cursor))
    if isinstance(build.place_type(place), Array):
        return build.decay(place)
    return body.read(place, body.span(cursor), order_of(cursor))


def _is_value(cursor: Cursor) -> bool:
    """A member of a call's result: an aggregate that is no object yet."""
    below = clang.children(cursor)
    base = below[0] if below else None
    while base is not None and base.kind in (Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR) and len(clang.children(base)) == 1:
        base = clang.children(base)[0]
    if base is None or base.kind != Kind.CALL_EXPR or is_lvalue(base):
        return False
    target = clang.referenced(base)
    if target is None or target.kind == Kind.CONSTRUCTOR or base.type.kind == clang.TypeKind.POINTER:
        return False
    return target.result_type.kind not in (clang.TypeKind.LVALUEREFERENCE, clang.TypeKind.RVALUEREFERENCE)


@expression(Kind.CXX_THIS_EXPR)
def this(body: Body, cursor: Cursor) -> ir.Expr:
    if body.this is None:
        return body.opaque("captured this", (), body.type_of(cursor), body.span(cursor))
    return body.this


@expression(Kind.INIT_LIST_EXPR, Kind.COMPOUND_LITERAL_EXPR)
def initializer_list(body: Body, cursor: Cursor) -> ir.Expr:
    type_ = body.type_of(cursor)
    items = [c for c in clang.children(cursor) if c.kind.is_expression()]
    if cursor.kind == Kind.COMPOUND_LITERAL_EXPR:
        return body.value(items[-1])
    if not isinstance(type_, (Vector, Array, Struct)):
        if not items:
            return build.zero(type_)
        return convert(body, body.value(items[0]), type_, cursor)
    if len(items) == 1 and body.type_of(items[0]) == type_:
        return body.value(items[0])
    types = member_types(type_)
    if isinstance(type_, (Struct, Vector)) and any(_is_designated(i) for i in items):
        return designated(body, cursor, type_, items)
    referred = references_held(cursor.type)
    if isinstance(type_, Struct) and referred:
        values = tuple(
            by_reference(body, i, referred[f.name]) if f.name in referred else convert(body, body.value(i), f.type, i)
            for i, f in zip(items, type_.fields)
        )
    else:
        values = in_order(body, items, types)
    if isinstance(type_, Struct) and len(values) < len(types):
        values += tuple(default_member(body, cursor, f) for f in type_.fields[len(values) :])
    return ir.Construct(values, type_)


def in_order(body: Body, rest: list[Cursor], types: Iterable[Type]) -> tuple[ir.Expr, ...]:
    """The values of members of these types; one without braces of its own takes as many of the `rest` as it has members.

    std::array<int, 3> a = {x, y, z};      int m[2][2] = {1, 2, 3, 4};
    """
    values: list[ir.Expr] = []
    for type_ in types:
        if not rest:
            break
        if isinstance(type_, (Array, Struct, Vector)) and _goes_inside(body, rest[0], type_):
            values.append(ir.Construct(in_order(body, rest, member_types(type_)), type_))
        else:
            item = rest.pop(0)
            values.append(convert(body, body.value(item), type_, item))
    return tuple(values)


def _goes_inside(body: Body, item: Cursor, type_: Array | Struct | Vector) -> bool:
    if item.kind in (Kind.INIT_LIST_EXPR, Kind.STRING_LITERAL):
        return False
    given, first = body.type_of(item), next(iter(member_types(type_)), None)
    return given != type_ and first is not None and (isinstance(given, (Int, Float, Bool, Pointer)) or given == first)


def _is_designated(item: Cursor) -> bool:
    below = clang.children(item)
    return item.kind == Kind.UNEXPOSED_EXPR and len(below) == 2 and below[0].kind == Kind.MEMBER_REF


def designated(body: Body, cursor: Cursor, type_: Struct | Vector, items: list[Cursor]) -> ir.Expr:
    """`{.x = 1, .w = n}`: members in the order of the text, the others by default."""
    if not all(_is_designated(item) for item in items):
        return body.hole_value(cursor, "members with and without names")
    named = {member.spelling: value for member, value in (clang.children(item) for item in items)}
    lanes = (
        tuple(StructField(lane, 0, type_.element) for lane in "xyzw"[: type_.lanes])
        if isinstance(type_, Vector)
        else ()
    )
    fields = type_.fields if isinstance(type_, Struct) else lanes
    if not named.keys() <= {f.name for f in fields}:
        return body.hole_value(cursor, "members of a base or union by name")
    given = {f.name: convert(body, body.value(named[f.name]), f.type, cursor) for f in fields if f.name in named}
    rest = {f.name: default_member(body, cursor, f) for f in fields if f.name not in named}
    return ir.Construct(tuple((given | rest)[f.name] for f in fields), type_)


def default_member(body: Body, cursor: Cursor, field: StructField) -> ir.Expr:
    """A member's own initialiser, or zero."""
    for declared in cursor.type.get_canonical().get_fields():
        if declared.spelling == field.name:
            given = [c for c in clang.children(declared) if c.kind.is_expression()]
            if given and not isinstance(field.type, Array):
                return convert(body, body.value(given[-1]), field.type, cursor)
    return build.zero(field.type)


def member_types(type_: Vector | Array | Struct) -> list[Type]:
    if isinstance(type_, Vector):
        return [type_.element] * type_.lanes
    if isinstance(type_, Array):
        return [type_.element] * (type_.count or 1 << 16)
    return [f.type for f in type_.fields]


@expression(Kind.REQUIRES_EXPR, Kind.CONCEPT_SPECIALIZATION_EXPR)
def requirement(body: Body, cursor: Cursor) -> ir.Expr:
    """Whether a type can do something, which the instance has settled."""
    value = clang.evaluate(cursor)
    if value is None:
        return body.hole_value(cursor, "requirement that is not settled")
    return build.const(bool(value), body.type_of(cursor))


@expression(Kind.CXX_NEW_EXPR)
def allocation(body: Body, cursor: Cursor) -> ir.Expr:
    """`new T[n]`: a call of that name with the count; `new T(n)` makes the object there."""
    below, type_, span = clang.children(cursor), body.type_of(cursor), body.span(cursor)
    named = next((i for i, c in enumerate(below) if not c.kind.is_expression()), 0)
    if named and isinstance(type_, Pointer):  # `new (where) T`: nothing is allocated
        target: ir.Expr = build.convert(body.value(below[0]), type_)
    else:
        items = [c for c in below if c.kind.is_expression()]
        many = bool(items) and isinstance(body.type_of(items[0]), Int) and not _NEW_ONE.match(body.text(cursor))
        count = body.value(items[0]) if many else ir.Const(1, INT32)
        target = body.fresh(type_, span)
        body.emit(ir.Call("operator new", (count,), target, span))
        if many:
            return target
    if below and below[-1].kind.is_expression() and len(below) > named and isinstance(type_, Pointer):
        initialize(body, build.element(target, build.ZERO, type_.element), below[-1], span)
    return target


_NEW_ONE = re.compile(r"(?:::)?\s*new\s[\w:\s]+(?:<[^()\[\]]*>)?[\s*]*[({]")  # `new T(`, not `new T[`


@expression(Kind.CXX_DELETE_EXPR)
def deallocation(body: Body, cursor: Cursor) -> ir.Expr:
    value = body.value(clang.children(cursor)[0])
    body.emit(ir.Call("operator delete", (value,), None, body.span(cursor)))
    return ir.Const(None, Pointer(INT32))
