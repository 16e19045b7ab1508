"""Calls that hand a kernel, its grid, its block and its arguments to a function whose body is elsewhere: a launch of it.

launch(kernel, grid, block, x, n);        launch(kernel, grid, block, shared, stream, x, n);
"""

from __future__ import annotations

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.arguments import lower_arguments
from cudalint.frontend.lowering.context import Body
from cudalint.frontend.lowering.functions import reference_to, role_of
from cudalint.frontend.lowering.launches import dimensions
from cudalint.frontend.lowering.runtime_launches import without_casts
from cudalint.ir import nodes as ir
from cudalint.ir.types import UINT64, Float, Int, Pointer, Struct, Type, Unknown, Vector

BEFORE = (2, 3, 4)  # grid and block, then what a launch may have besides: shared memory, a stream


def handed_launch(body: Body, cursor: Cursor, target: Cursor) -> None:
    """The launch that the call is taken for; nothing where the kernel's parameters are not what it hands over."""
    given = clang.arguments(cursor)
    if body.role != ir.Role.HOST or len(given) < 1 + BEFORE[0] or body.program.in_stubs(target):
        return
    named = without_casts(given[0])
    kernel = clang.referenced(named) if named.kind == Kind.DECL_REF_EXPR else None
    if kernel is None or kernel.kind != Kind.FUNCTION_DECL or role_of(kernel) != ir.Role.KERNEL:
        return
    parameters = [body.program.types.of_parameter(p.type) for p in clang.children(kernel) if p.kind == Kind.PARM_DECL]
    before = len(given) - 1 - len(parameters)
    grid, block, *rest = given[1:]
    fits = all(_may_become(body.type_of(g), p) for g, p in zip(given[1 + before :], parameters))
    if before not in BEFORE or not fits or not (_is_size(body, grid) and _is_size(body, block)):
        return
    shared: ir.Expr = ir.Const(0, UINT64)
    if before > BEFORE[0]:
        if not isinstance(body.type_of(rest[0]), Int):
            return
        shared = build.convert(body.value(rest[0]), UINT64)
    value = reference_to(body, kernel, Unknown(kernel.type.spelling))
    args = lower_arguments(body, kernel, given[1 + before :])
    sides, span = (dimensions(body, grid), dimensions(body, block)), body.span(cursor)
    body.emit(ir.Launch(value, *sides, shared, args, span, gives_status=True, through=target.spelling))


def _is_size(body: Body, cursor: Cursor) -> bool:
    type_ = body.type_of(cursor)
    return isinstance(type_, Int | Vector) or (isinstance(type_, Struct) and type_.name.split("::")[-1] == "dim3")


def _may_become(given: Type, wanted: Type) -> bool:
    if isinstance(wanted, Pointer) or isinstance(given, Pointer):
        return isinstance(wanted, Pointer) and isinstance(given, Pointer)
    return given == wanted or all(isinstance(type_, Int | Float) for type_ in (given, wanted))
