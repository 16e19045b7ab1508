"""Tables of the host that hold more than numbers: the kernels of each type, with their sizes or names.

static const struct { int width; void (*kernel)(float *, int); } kernels[] = {{32, scale<32>}, {64, scale<64>}};
"""

from __future__ import annotations

from itertools import chain, repeat

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.context import Program
from cudalint.ir import nodes as ir
from cudalint.ir.types import Array, Bool, Float, Int, Pointer, Struct, Type, Unknown

LONGEST = 256  # elements
_WRAPPERS = (
    Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR, Kind.CSTYLE_CAST_EXPR, Kind.CXX_STATIC_CAST_EXPR,
    Kind.CXX_REINTERPRET_CAST_EXPR, Kind.CXX_FUNCTIONAL_CAST_EXPR,
)  # fmt: skip


def table(program: Program, declaration: Cursor, type_: Type) -> ir.Expr | None:
    """What the variable holds from the start; None where any part of it is not constant."""
    init = clang.initializer(declaration)
    if init is None or not isinstance(type_, Array | Struct | Pointer | Unknown):
        return None
    return _constant(program, init, type_)


def _constant(program: Program, cursor: Cursor, type_: Type) -> ir.Expr | None:
    if isinstance(type_, Array | Struct):
        return _listed(program, cursor, type_)
    if isinstance(type_, Int | Float | Bool):
        value = clang.evaluate(cursor)
        return None if value is None else build.const(value, type_)
    while cursor.kind in _WRAPPERS and len(below := [c for c in clang.children(cursor) if c.kind.is_expression()]) == 1:
        cursor = below[0]
    if cursor.kind == Kind.UNARY_OPERATOR and clang.unary_operator(cursor) == "&":
        cursor = clang.children(cursor)[0]
    if cursor.kind in (Kind.CXX_NULL_PTR_LITERAL_EXPR, Kind.GNU_NULL_EXPR):
        return ir.Const(None, type_)
    if cursor.kind == Kind.STRING_LITERAL and isinstance(type_, Pointer):
        return ir.Opaque(f"{ir.TEXT}{cursor.spelling}", (), type_)
    target = clang.referenced(cursor) if cursor.kind == Kind.DECL_REF_EXPR else None
    return _function(program, target, type_) if target is not None and target.kind == Kind.FUNCTION_DECL else None


def _listed(program: Program, cursor: Cursor, type_: Array | Struct) -> ir.Expr | None:
    while cursor.kind in _WRAPPERS and len(below := clang.children(cursor)) == 1:
        cursor = below[0]
    if cursor.kind != Kind.INIT_LIST_EXPR:
        return None
    items = [c for c in clang.children(cursor) if c.kind.is_expression()]
    types = repeat(type_.element) if isinstance(type_, Array) else chain(f.type for f in type_.fields)
    if len(items) > (LONGEST if isinstance(type_, Array) else len(type_.fields)):
        return None
    values = [_constant(program, item, member) for item, member in zip(items, types)]
    known = tuple(value for value in values if value is not None)
    return ir.Construct(known, type_) if len(known) == len(items) else None


def _function(program: Program, target: Cursor, type_: Type) -> ir.Expr:
    from cudalint.frontend.lowering.functions import request, role_of
    from cudalint.frontend.lowering.names import qualified_name, written_id

    name = request(program, target)
    declared = written_id(target) if role_of(target) == ir.Role.KERNEL else qualified_name(target)
    return ir.FunctionRef(name or declared, type_)
