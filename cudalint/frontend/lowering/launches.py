"""`kernel<<<grid, block, shared, stream>>>(...)`."""

from __future__ import annotations

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.arguments import lower_arguments
from cudalint.frontend.lowering.context import Body
from cudalint.frontend.lowering.functions import reference_to
from cudalint.ir import nodes as ir
from cudalint.ir.types import UINT32, UINT64, Pointer, Struct, Unknown, Vector

CONFIGURATIONS = ("cudaConfigureCall", "__cudaPushCallConfiguration", "hipConfigureCall")
Triple = tuple[ir.Expr, ir.Expr, ir.Expr]


def is_launch(cursor: Cursor) -> bool:
    below = clang.children(cursor)
    if len(below) < 2 or below[1].kind != Kind.CALL_EXPR:
        return False
    target = clang.referenced(below[1])
    return target is not None and target.spelling in CONFIGURATIONS


def launch(body: Body, cursor: Cursor) -> None:
    callee, configuration = clang.children(cursor)[:2]
    config = clang.arguments(configuration)
    grid, block = dimensions(body, config[0]), dimensions(body, config[1])
    shared = build.convert(body.value(config[2]), UINT64) if len(config) > 2 else ir.Const(0, UINT64)
    stream = body.value(config[3]) if len(config) > 3 else None
    target = clang.referenced(cursor)
    given = clang.arguments(cursor)
    if target is None or target.kind != Kind.FUNCTION_DECL:
        kernel: ir.Expr = body.value(callee)
        args = tuple(body.value(a) for a in given)
    else:
        kernel = reference_to(body, target, Unknown(target.type.spelling))
        args = lower_arguments(body, target, given)
    stream = None if isinstance(stream, ir.Const) else stream
    body.emit(ir.Launch(kernel, grid, block, shared, args, body.span(cursor), stream))


def dimensions(body: Body, cursor: Cursor) -> Triple:
    """Three numbers from an integer, a dim3 or a vector; a variable's members are loaded."""
    from cudalint.frontend.lowering.initialize import constructor_call

    made = constructor_call(cursor)
    if made is not None:
        given = clang.arguments(made)
        if len(given) == 3:
            x, y, z = (build.convert(body.value(g), UINT32) for g in given)
            return x, y, z
        if len(given) == 1:
            return dimensions(body, given[0]) if _is_triple(body, given[0]) else build.triple(body.value(given[0]))
    while cursor.kind == Kind.UNEXPOSED_EXPR and len(clang.children(cursor)) == 1:
        cursor = clang.children(cursor)[0]
    if cursor.kind in (Kind.DECL_REF_EXPR, Kind.MEMBER_REF_EXPR, Kind.ARRAY_SUBSCRIPT_EXPR):
        place, span = body.place(cursor), body.span(cursor)
        x, y, z = (body.read(ir.Field(place, axis, UINT32), span) for axis in "xyz")
        return x, y, z
    value = body.value(cursor)
    if isinstance(value.type, (Struct, Vector)):
        x, y, z = (build.member(value, axis, UINT32) for axis in "xyz")
        return x, y, z
    return build.triple(value)


def _is_triple(body: Body, cursor: Cursor) -> bool:
    return isinstance(body.type_of(cursor), (Struct, Vector)) and not isinstance(body.type_of(cursor), Pointer)
