"""Launches by a call of the runtime: `cudaLaunchKernel((void *)kernel, grid, block, arguments, shared, stream)` and its kin."""

from __future__ import annotations

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.arguments import lower_arguments
from cudalint.frontend.lowering.context import Body
from cudalint.frontend.lowering.functions import reference_to
from cudalint.frontend.lowering.launches import Triple, dimensions
from cudalint.ir import nodes as ir
from cudalint.ir.types import UINT32, UINT64, Type, Unknown

BY_ARRAY = {"cudaLaunchKernel": False, "cudaLaunchCooperativeKernel": True, "hipLaunchCooperativeKernel": True}
BY_CONFIGURATION = {"cudaLaunchKernelEx": False, "cudaLaunchKernelExC": True}  # whether the arguments are an array
SUCCESS = 0
_CASTS = (
    Kind.UNEXPOSED_EXPR,
    Kind.PAREN_EXPR,
    Kind.CSTYLE_CAST_EXPR,
    Kind.CXX_REINTERPRET_CAST_EXPR,
    Kind.CXX_STATIC_CAST_EXPR,
    Kind.CXX_CONST_CAST_EXPR,
    Kind.CXX_FUNCTIONAL_CAST_EXPR,
)


def runtime_launch(body: Body, cursor: Cursor, target: Cursor) -> ir.Expr | None:
    """Lower the call to a launch; None where it is another call, or its arguments are not to be seen here."""
    given = clang.arguments(cursor)
    if target.spelling in BY_ARRAY and len(given) >= 4:
        held = _held_arguments(given[3])
        if held is None:
            return None
        grid, block = dimensions(body, given[1]), dimensions(body, given[2])
        shared = build.convert(body.value(given[4]), UINT64) if len(given) > 4 else ir.Const(0, UINT64)
        _emit(body, cursor, given[0], grid, block, shared, held, BY_ARRAY[target.spelling])
    elif target.spelling in BY_CONFIGURATION and len(given) >= 2:
        config = _pointed(given[0])
        held = _held_arguments(given[2]) if BY_CONFIGURATION[target.spelling] and len(given) > 2 else given[2:]
        if config is None or held is None or _dim3_of(body, config) is None:
            return None
        place = body.place(config)
        grid, block = (_triple(body, place, config, name) for name in ("gridDim", "blockDim"))
        shared = body.read(ir.Field(place, "dynamicSmemBytes", UINT64), body.span(cursor))
        _emit(body, cursor, given[1], grid, block, shared, held, False)
    else:
        return None
    return ir.Const(SUCCESS, body.type_of(cursor))


def _emit(
    body: Body, cursor: Cursor, function: Cursor, grid: Triple, block: Triple, shared: ir.Expr, given: list[Cursor],
    cooperative: bool,
) -> None:  # fmt: skip
    kernel = without_casts(function)
    target = clang.referenced(kernel) if kernel.kind == Kind.DECL_REF_EXPR else None
    if target is not None and target.kind == Kind.FUNCTION_DECL:
        value = reference_to(body, target, Unknown(target.type.spelling))
        args = lower_arguments(body, target, given)
    else:
        value = body.value(kernel)
        args = tuple(body.value(a) for a in given)
    span = body.span(cursor)
    body.emit(ir.Launch(value, grid, block, shared, args, span, cooperative=cooperative, gives_status=True))


def _held_arguments(array: Cursor) -> list[Cursor] | None:
    """x and y of `void *arguments[] = {&x, &y};`, or x of `&p` where p is `void *p = &x;`."""
    array = without_casts(array)
    if array.kind == Kind.UNARY_OPERATOR:
        return _single_argument(array)
    variable = clang.referenced(array) if array.kind == Kind.DECL_REF_EXPR else None
    init = clang.initializer(variable) if variable is not None and variable.kind == Kind.VAR_DECL else None
    if init is None or init.kind != Kind.INIT_LIST_EXPR:
        return None
    pointed = [_pointed(element) for element in clang.children(init)]
    found = [cursor for cursor in pointed if cursor is not None]
    return found if len(found) == len(pointed) else None


def _single_argument(address: Cursor) -> list[Cursor] | None:
    pointer = _pointed(address)
    variable = clang.referenced(pointer) if pointer is not None and pointer.kind == Kind.DECL_REF_EXPR else None
    init = clang.initializer(variable) if variable is not None and variable.kind == Kind.VAR_DECL else None
    pointed = _pointed(init) if init is not None else None
    return None if pointed is None else [pointed]


def _pointed(cursor: Cursor) -> Cursor | None:
    """x of `&x`."""
    cursor = without_casts(cursor)
    if cursor.kind != Kind.UNARY_OPERATOR or clang.unary_operator(cursor) != "&":
        return None
    operands = clang.children(cursor)
    return operands[0] if len(operands) == 1 else None


def without_casts(cursor: Cursor) -> Cursor:
    while cursor.kind in _CASTS or (cursor.kind == Kind.UNARY_OPERATOR and _names_function(cursor)):
        below = [c for c in clang.children(cursor) if c.kind.is_expression()]
        if len(below) != 1:
            return cursor
        cursor = below[0]
    return cursor


def _names_function(cursor: Cursor) -> bool:
    """`&kernel`"""
    operands = clang.children(cursor)
    named = len(operands) == 1 and operands[0].kind == Kind.DECL_REF_EXPR
    target = clang.referenced(operands[0]) if named else None
    return clang.unary_operator(cursor) == "&" and target is not None and target.kind == Kind.FUNCTION_DECL


def _dim3_of(body: Body, config: Cursor) -> Type | None:
    """The type of the dimensions in the configuration; None where it is another class than the runtime's."""
    members = {m.spelling: m for m in clang.children(config.type.get_canonical().get_declaration())}
    known = {"gridDim", "blockDim", "dynamicSmemBytes"} <= set(members)
    return body.program.types.translate(members["gridDim"].type) if known else None


def _triple(body: Body, place: ir.Place, config: Cursor, name: str) -> Triple:
    """A dim3 that a member of the configuration holds."""
    type_ = _dim3_of(body, config)
    assert type_ is not None
    held = ir.Field(place, name, type_)
    x, y, z = (body.read(ir.Field(held, axis, UINT32), body.span(config)) for axis in "xyz")
    return x, y, z
