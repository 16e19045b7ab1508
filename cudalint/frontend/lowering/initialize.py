"""Initial values of variables, members and temporaries; constructors."""

from __future__ import annotations

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.arguments import lower_arguments
from cudalint.frontend.lowering.callbacks import may_call
from cudalint.frontend.lowering.casts import convert
from cudalint.frontend.lowering.context import Body
from cudalint.frontend.lowering.functions import (
    called,
    default_bases,
    default_members,
    definition_of,
    is_implicit,
    request,
)
from cudalint.frontend.lowering.library import library_call
from cudalint.frontend.lowering.names import qualified_name
from cudalint.ir import nodes as ir
from cudalint.ir.types import VOID, Array, Float, Int, Struct, Type, Unknown, Vector
from cudalint.source import Span


def initialize(body: Body, place: ir.Place, init: Cursor, span: Span) -> None:
    """`T place = init`: a constructor runs on the place itself."""
    made = constructor_call(init)
    type_ = build.place_type(place)
    if made is not None and isinstance(type_, (Struct, Unknown)):
        construct_at(body, place, made)
        return
    if made is not None and isinstance(type_, Array):
        return  # elements constructed by a constructor that does nothing we model
    if isinstance(type_, Array) and init.kind == Kind.STRING_LITERAL:
        body.write(place, body.opaque("string", (), type_, span), span)
        return
    if made is not None and not clang.arguments(made) and isinstance(type_, (Vector, Float)):
        if "{" in body.text(made):  # `half r = {}` is zero, `half r` has no value
            body.write(place, build.zero(type_), span)
        return
    body.write(place, convert(body, body.value(init), type_, init), span)


def constructor_call(cursor: Cursor) -> Cursor | None:
    """The constructor call behind wrappers that keep the value."""
    while cursor.kind in (Kind.UNEXPOSED_EXPR, Kind.CXX_FUNCTIONAL_CAST_EXPR, Kind.PAREN_EXPR):
        below = [c for c in clang.children(cursor) if c.kind.is_expression()]
        if len(below) != 1:
            return None
        cursor = below[0]
    if cursor.kind != Kind.CALL_EXPR:
        return None
    target = clang.referenced(cursor)
    return cursor if target is not None and target.kind == Kind.CONSTRUCTOR else None


def construct(body: Body, cursor: Cursor) -> ir.Expr:
    """The value of a constructor expression."""
    type_ = body.type_of(cursor)
    given = clang.arguments(cursor)
    if isinstance(type_, (Float, Int)):
        return convert(body, body.value(given[0]), type_, cursor, True) if given else build.zero(type_)
    if isinstance(type_, Vector):
        return _vector(body, type_, given, cursor)
    copied = _copied(body, type_, given, clang.referenced(cursor))
    if copied is not None:
        return body.value(copied)
    if isinstance(type_, Struct) and type_.name == "dim3":
        return _dim3(body, type_, given, cursor)
    place, target = body.temporary(type_, body.span(cursor)), clang.referenced(cursor)
    if not given and isinstance(type_, Struct) and target is not None and is_implicit(target):
        body.emit(
            ir.Store(place, build.zero(type_), body.span(cursor))
        )  # `T()` is zero where nobody wrote a constructor
    construct_at(body, place, cursor)
    return body.read(place, body.span(cursor))


def _vector(body: Body, type_: Vector, given: list[Cursor], cursor: Cursor) -> ir.Expr:
    if not given:
        return build.zero(type_)
    if len(given) == 1:
        return convert(body, body.value(given[0]), type_, cursor, True)
    return ir.Construct(tuple(convert(body, body.value(g), type_.element, g) for g in given), type_)


def _dim3(body: Body, type_: Struct, given: list[Cursor], cursor: Cursor) -> ir.Expr:
    names = [f.type for f in type_.fields]
    if len(given) == 1 and isinstance(body.type_of(given[0]), Vector):
        value = body.value(given[0])
        return ir.Construct(tuple(build.member(value, n, t) for n, t in zip("xyz", names)), type_)
    return ir.Construct(tuple(convert(body, body.value(g), t, g) for g, t in zip(given, names)), type_)


def _copied(body: Body, type_: Type, given: list[Cursor], target: Cursor | None) -> Cursor | None:
    """The object that a copy or move copies; a constructor that somebody wrote is called instead."""
    if len(given) != 1 or body.type_of(given[0]) != type_:
        return None
    if target is not None and not is_implicit(target) and definition_of(target) is not None:
        return None
    return given[0]


def copied_without_name(body: Body, cursor: Cursor) -> Cursor | None:
    """What is copied by a constructor that nobody wrote, and of which there is no declaration: `vec2({x, y})`."""
    return _copied(body, body.type_of(cursor), clang.arguments(cursor), None) if not cursor.spelling else None


def construct_at(body: Body, place: ir.Place, cursor: Cursor) -> None:
    type_, target = build.place_type(place), clang.referenced(cursor)
    given, span = clang.arguments(cursor), body.span(cursor)
    copied = _copied(body, type_, given, target)
    if copied is not None:
        body.write(place, body.value(copied), span)
        return
    if isinstance(type_, Struct) and type_.name == "dim3":
        body.write(place, _dim3(body, type_, given, cursor), span)
        return
    assert target is not None
    name = request(body.program, target)
    if name is None and not given and not body.program.in_stubs(target):
        default_bases(body, place, target.semantic_parent, set())
        default_members(body, place, target.semantic_parent, set())
        return
    args = (build.address(place), *lower_arguments(body, target, given))
    if name is not None:
        called(body, name)
    elif body.role != ir.Role.HOST:
        if not given:
            return
        if body.program.in_stubs(target):
            library_call(body, cursor, target, args, VOID)
            return
        body.gap(f"constructor {qualified_name(target)}", span)
    else:
        may_call(body, args, given, span)
    body.emit(ir.Call(name or qualified_name(target), args, None, span))
