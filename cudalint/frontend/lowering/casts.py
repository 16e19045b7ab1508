"""Constants and conversions."""

from __future__ import annotations

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.base_parts import base_part, to_class
from cudalint.frontend.lowering.context import Body, effect, expression
from cudalint.frontend.lowering.places import decayed, is_lvalue
from cudalint.frontend.lowering.types import is_aggregate, is_function
from cudalint.ir import nodes as ir
from cudalint.ir.types import INT8, VOID, Array, Bool, Float, Int, Pointer, Struct, Type, Unknown, Vector, Void, size_of

LONGEST_NAME = 1_000  # characters of a literal that may name something


@expression(Kind.INTEGER_LITERAL, Kind.FLOATING_LITERAL, Kind.CHARACTER_LITERAL, Kind.CXX_BOOL_LITERAL_EXPR)
def literal(body: Body, cursor: Cursor) -> ir.Expr:
    type_ = body.type_of(cursor)
    value = clang.evaluate(cursor)
    if value is None:
        return body.opaque("literal", (), type_, body.span(cursor))
    return build.const(value, type_)


@expression(Kind.CXX_NULL_PTR_LITERAL_EXPR, Kind.GNU_NULL_EXPR)
def null(body: Body, cursor: Cursor) -> ir.Expr:
    type_ = body.type_of(cursor)
    return ir.Const(None, type_ if isinstance(type_, Pointer) else Pointer(INT8))


@expression(Kind.STRING_LITERAL)
def string(body: Body, cursor: Cursor) -> ir.Expr:
    """In host code with what it says: a kernel may be looked up by it."""
    said = cursor.spelling if body.role == ir.Role.HOST else ""
    named = f"{ir.TEXT}{said}" if len(said) <= LONGEST_NAME and said.startswith('"') else "string"
    return ir.Opaque(named, (), Pointer(INT8))


@expression(Kind.CXX_UNARY_EXPR, Kind.SIZE_OF_PACK_EXPR)
def size(body: Body, cursor: Cursor) -> ir.Expr:
    """`sizeof` and `alignof`: symbolic where a guessed type is measured."""
    type_ = body.type_of(cursor)
    value = clang.evaluate(cursor)
    if value is None or _measures_guess(body, cursor):
        return body.opaque(f"size: {_measured_name(body, cursor)}", (), type_, body.span(cursor))
    return build.const(value, type_)


def _measured_name(body: Body, cursor: Cursor) -> str:
    """`sizeof(T)` by the name that the type has everywhere, however it is written here."""
    text, below = body.text(cursor), clang.children(cursor)
    type_ = body.type_of(below[-1]) if len(below) == 1 else None
    return f"sizeof({type_.name})" if isinstance(type_, Struct) and text.startswith("sizeof") else text


def _measures_guess(body: Body, cursor: Cursor) -> bool:
    """Whether the size is that of a type that was guessed, of what holds one by value, or of a name taken for a variable."""
    is_pointer = body.text(cursor).rstrip(" )").endswith("*")
    return not is_pointer and any(_is_guess(body, below) for below in clang.children(cursor))


def _is_guess(body: Body, measured: Cursor) -> bool:
    if measured.kind == Kind.PAREN_EXPR:
        return _measures_guess(body, measured)
    if measured.kind not in (Kind.TYPE_REF, Kind.TEMPLATE_REF, Kind.DECL_REF_EXPR):
        return False
    type_ = body.type_of(measured)
    while isinstance(type_, Array):
        type_ = type_.element
    if isinstance(type_, Struct) and type_.guessed:
        return True
    named = clang.referenced(measured)
    return named is not None and body.program.is_guessed(named)


@expression(Kind.PAREN_EXPR)
def parenthesised(body: Body, cursor: Cursor) -> ir.Expr:
    return body.value(clang.children(cursor)[0])


@effect(Kind.PAREN_EXPR)
def discard_parenthesised(body: Body, cursor: Cursor) -> None:
    body.discard(clang.children(cursor)[0])


@effect(Kind.UNEXPOSED_EXPR)
def discard_wrapped(body: Body, cursor: Cursor) -> None:
    below = clang.children(cursor)
    if len(below) == 1:
        body.discard(below[0])
    else:
        body.value(cursor)


@expression(Kind.UNEXPOSED_EXPR)
def implicit(body: Body, cursor: Cursor) -> ir.Expr:
    """An implicit conversion, or one of the kinds that libclang has no name for."""
    below = clang.children(cursor)
    if not below:
        return _childless(body, cursor)
    if len(below) > 1 or cursor.type.spelling == "<dependent type>":
        value = clang.evaluate(cursor) if cursor.type.spelling != "<dependent type>" else None
        if value is not None:
            return build.const(value, body.type_of(cursor))
        return body.hole_value(cursor, "expression without a kind")
    return converted(body, below[0], cursor, explicit=False)


def _childless(body: Body, cursor: Cursor) -> ir.Expr:
    type_ = body.type_of(cursor)
    value = clang.evaluate(cursor)
    if value is not None:
        return build.const(value, type_)
    if isinstance(type_, (Vector, Struct, Array, Pointer)):
        return build.zero(type_)
    if cursor.type.spelling == "<dependent type>":  # what the parser could not make sense of
        return body.hole_value(cursor, "expression without a kind")
    return body.opaque("expression without a kind", (), type_, body.span(cursor))


@expression(
    Kind.CSTYLE_CAST_EXPR, Kind.CXX_STATIC_CAST_EXPR, Kind.CXX_REINTERPRET_CAST_EXPR, Kind.CXX_CONST_CAST_EXPR,
    Kind.CXX_FUNCTIONAL_CAST_EXPR, Kind.CXX_DYNAMIC_CAST_EXPR,
)  # fmt: skip
def written(body: Body, cursor: Cursor) -> ir.Expr:
    below = [c for c in clang.children(cursor) if c.kind.is_expression()]
    if not below:
        return _childless(body, cursor)
    operand = below[-1]
    if is_lvalue(operand) and body.type_of(cursor) == VOID:  # `(void)x` says that x is not used
        body.place(operand)
        return ir.Const(None, VOID)
    if (
        cursor.kind != Kind.CXX_FUNCTIONAL_CAST_EXPR
        and is_lvalue(operand)
        and _is_reinterpreting(body, cursor, operand)
    ):
        return body.read(body.place(cursor), body.span(cursor))
    return converted(body, operand, cursor, explicit=True)


def _is_reinterpreting(body: Body, cursor: Cursor, operand: Cursor) -> bool:
    """`reinterpret_cast<int &>(x)` reads x under another type; value casts have a conversion of their operand below."""
    to = body.type_of(cursor)
    return decayed(operand) is None and not isinstance(body.type_of(operand), Array) and body.type_of(operand) != to


def converted(body: Body, operand: Cursor, cursor: Cursor, explicit: bool) -> ir.Expr:
    to = body.type_of(cursor)
    source = operand.type.get_canonical()
    if is_function(source):
        return body.value(operand)
    array = decayed(operand)
    if array is not None and isinstance(to, Pointer):
        return build.convert(decay_value(body, array), to)
    if array is not None and isinstance(to, Bool):
        return build.TRUE
    value = body.value(operand)
    if isinstance(to, Array) and isinstance(value.type, Pointer):
        return value  # clang spells the type of a parameter `float m[3]` as it is written
    if explicit and isinstance(value, ir.Cast) and not value.explicit and value.type == to:
        return ir.Cast(value.operand, to, True)
    return convert(body, value, to, cursor, explicit)


def _is_other_class(body: Body, source: Type, to: Type) -> bool:
    if not isinstance(source, Pointer) or not isinstance(to, Pointer):
        return False
    return body.program.types.bases.distance(source.element, to.element) != 0


def decay_value(body: Body, array: Cursor) -> ir.Expr:
    if array.kind == Kind.STRING_LITERAL:
        return string(body, array)
    place = body.place(array)
    if not isinstance(build.place_type(place), Array):
        return build.address(place)
    return build.decay(place)


def convert(body: Body, value: ir.Expr, to: Type, cursor: Cursor, explicit: bool = False) -> ir.Expr:
    if value.type == to or isinstance(to, Void):
        return value
    if isinstance(value, ir.FunctionRef) and isinstance(to, (Pointer, Unknown)):
        return ir.FunctionRef(value.function, to)
    scalars = (Int, Float, Bool, Pointer, Vector)
    if cursor.kind != Kind.CXX_REINTERPRET_CAST_EXPR and _is_other_class(body, value.type, to):
        return to_class(body, value, to)
    if isinstance(value.type, scalars) and isinstance(to, scalars):
        made = build.convert(value, to, explicit)
        if not isinstance(made, ir.Opaque):
            return made
    if isinstance(value.type, (Struct, Vector)) and is_aggregate(to) and size_of(value.type) == size_of(to) is not None:
        return value if isinstance(to, Struct) and isinstance(value.type, Struct) else ir.Bitcast(value, to)
    if isinstance(value.type, Struct) and isinstance(to, Struct):
        return base_part(body, value, to) or body.opaque("conversion of an object", (value,), to, body.span(cursor))
    if isinstance(value, ir.Opaque):
        return ir.Opaque(value.reason, value.args, to)
    if isinstance(value.type, Unknown) or isinstance(to, Unknown):
        return body.opaque("conversion of a guessed type", (value,), to, body.span(cursor))
    return body.opaque("conversion", (value,), to, body.span(cursor))
