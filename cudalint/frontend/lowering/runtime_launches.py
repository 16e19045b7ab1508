"""Launches by a call of the runtime or the driver: `cudaLaunchKernel((void *)kernel, grid, block, arguments, shared, stream)`
and its kin. Where the array of arguments is made elsewhere, the walk of the host code reads it.
"""

from __future__ import annotations

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.arguments import lower_arguments
from cudalint.frontend.lowering.context import Body
from cudalint.frontend.lowering.functions import reference_to
from cudalint.frontend.lowering.launches import Triple, dimensions
from cudalint.frontend.lowering.types import is_function
from cudalint.ir import nodes as ir
from cudalint.ir.types import UINT32, UINT64, Pointer, Struct, Type, Unknown

BY_ARRAY = {"cudaLaunchKernel": False, "cudaLaunchCooperativeKernel": True, "hipLaunchCooperativeKernel": True}
BY_CONFIGURATION = {"cudaLaunchKernelEx": False, "cudaLaunchKernelExC": True}  # whether the arguments are an array
BY_HANDLE = {
    "cuLaunchKernel": False,
    "cuLaunchCooperativeKernel": True,
    "hipModuleLaunchKernel": False,
    "hipModuleLaunchCooperativeKernel": True,
}
BY_DRIVER_CONFIGURATION = ("cuLaunchKernelEx", "hipDrvLaunchKernelEx")
BY_GRAPH = ("cudaGraphAddKernelNode", "hipGraphAddKernelNode")
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
    """Lower the call to a launch; None where it is another call."""
    given = clang.arguments(cursor)
    name = target.spelling
    if name in BY_ARRAY and len(given) >= 4:
        grid, block = dimensions(body, given[1]), dimensions(body, given[2])
        shared = build.convert(body.value(given[4]), UINT64) if len(given) > 4 else ir.Const(0, UINT64)
        _emit_packed(body, cursor, given[0], (grid, block), shared, given[3], BY_ARRAY[name])
    elif name in BY_CONFIGURATION and len(given) >= 2:
        place = _pointed_place(body, given[0])
        if place is None or not {"gridDim", "blockDim", "dynamicSmemBytes"} <= set(_members(place)):
            return None
        sides = (_triple(body, place, cursor, "gridDim"), _triple(body, place, cursor, "blockDim"))
        shared = body.read(ir.Field(place, "dynamicSmemBytes", UINT64), body.span(cursor))
        if not BY_CONFIGURATION[name]:
            _emit(body, cursor, given[1], sides, shared, given[2:])
        elif len(given) > 2:
            _emit_packed(body, cursor, given[1], sides, shared, given[2], False)
    elif name in BY_HANDLE and len(given) >= 10:
        grid, block = _three(body, given[1:4]), _three(body, given[4:7])
        shared = build.convert(body.value(given[7]), UINT64)
        extra = given[10] if len(given) > 10 else None
        _emit_packed(body, cursor, given[0], (grid, block), shared, given[9], BY_HANDLE[name], extra)
    elif name in BY_DRIVER_CONFIGURATION and len(given) >= 3:
        place = _pointed_place(body, given[0])
        if place is None or not {"gridDimX", "blockDimX", "sharedMemBytes"} <= set(_members(place)):
            return None
        sides = (_numbered(body, place, cursor, "gridDim"), _numbered(body, place, cursor, "blockDim"))
        shared = _member(body, place, cursor, "sharedMemBytes")
        _emit_packed(body, cursor, given[1], sides, shared, given[2], False, given[3] if len(given) > 3 else None)
    elif name in BY_GRAPH and len(given) >= 5:
        return _graph_node(body, cursor, given[4])
    else:
        return None
    return ir.Const(SUCCESS, body.type_of(cursor))


def _emit(
    body: Body, cursor: Cursor, function: Cursor, sides: tuple[Triple, Triple], shared: ir.Expr, given: list[Cursor],
    cooperative: bool = False, pointers: ir.Expr | None = None,
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
    grid, block = sides
    body.emit(
        ir.Launch(value, grid, block, shared, args, span, cooperative=cooperative, gives_status=True, pointers=pointers)
    )


def _emit_packed(
    body: Body, cursor: Cursor, function: Cursor, sides: tuple[Triple, Triple], shared: ir.Expr, array: Cursor,
    cooperative: bool, extra: Cursor | None = None,
) -> None:  # fmt: skip
    """A launch with an array of pointers to its arguments; with a null one where they lie in a buffer."""
    buffer = _buffer(extra) if extra is not None else None
    if buffer is None or not _is_null(array):
        _emit(body, cursor, function, sides, shared, _held_arguments(array) or [], cooperative, body.value(array))
        return
    kernel, (grid, block), pointed = body.value(without_casts(function)), sides, _pointed(buffer)
    place = body.place(pointed) if pointed is not None else None
    members = () if place is None else tuple(_member(body, place, cursor, name) for name in _members(place))
    body.emit(
        ir.Launch(
            kernel, grid, block, shared, members, body.span(cursor),
            cooperative=cooperative, gives_status=True, buffer=body.value(buffer),
        )
    )  # fmt: skip


def _buffer(extra: Cursor) -> Cursor | None:
    """The buffer of `void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, ...}`."""
    array = without_casts(extra)
    array = _pointed(array) or array  # `(void **)&extra`
    elements = _listed(array) or []
    marks = [_is_mark(element) for element in elements]
    return elements[marks.index(True) + 1] if True in marks[:-1] else None


def _is_null(array: Cursor) -> bool:
    array = without_casts(array)
    return array.kind in (Kind.CXX_NULL_PTR_LITERAL_EXPR, Kind.GNU_NULL_EXPR) or clang.evaluate(array) == 0


def _is_mark(element: Cursor) -> bool:
    """CU_LAUNCH_PARAM_BUFFER_POINTER, which is `(void *)1`, and so is HIP's."""
    return clang.evaluate(without_casts(element)) == 1


def _graph_node(body: Body, cursor: Cursor, config: Cursor) -> ir.Expr | None:
    """`cudaGraphAddKernelNode(&node, graph, deps, n, &params)` copies the arguments now, whenever the graph is launched."""
    place = _pointed_place(body, config)
    if place is None or not {"func", "gridDim", "blockDim", "kernelParams"} <= set(_members(place)):
        return None
    sides = (_triple(body, place, cursor, "gridDim"), _triple(body, place, cursor, "blockDim"))
    shared = build.convert(_member(body, place, cursor, "sharedMemBytes"), UINT64)
    kernel, pointers = (_member(body, place, cursor, name) for name in ("func", "kernelParams"))
    span = body.span(cursor)
    body.emit(ir.Launch(kernel, *sides, shared, (), span, gives_status=True, pointers=pointers))
    return ir.Const(SUCCESS, body.type_of(cursor))


def _three(body: Body, given: list[Cursor]) -> Triple:
    x, y, z = (build.convert(body.value(side), UINT32) for side in given)
    return x, y, z


def _held_arguments(array: Cursor) -> list[Cursor] | None:
    """x and y of `void *arguments[] = {&x, &y};`, or x of `&p` where p is `void *p = &x;`."""
    array = without_casts(array)
    if array.kind == Kind.UNARY_OPERATOR:
        return _single_argument(array)
    elements = _listed(array)
    if elements is None:
        return None
    pointed = [_pointed(element) for element in elements]
    found = [cursor for cursor in pointed if cursor is not None]
    return found if len(found) == len(pointed) else None


def _listed(array: Cursor) -> list[Cursor] | None:
    """The elements that a variable is initialised with."""
    variable = clang.referenced(array) if array.kind == Kind.DECL_REF_EXPR else None
    init = clang.initializer(variable) if variable is not None and variable.kind == Kind.VAR_DECL else None
    return clang.children(init) if init is not None and init.kind == Kind.INIT_LIST_EXPR else None


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
    return clang.unary_operator(cursor) == "&" and len(operands) == 1 and is_function(operands[0].type)


def _pointed_place(body: Body, config: Cursor) -> ir.Place | None:
    """x of `&x`, and what a pointer leads to."""
    pointed = _pointed(config)
    if pointed is not None:
        return body.place(pointed)
    type_ = body.type_of(config)
    return build.element(body.value(config), build.ZERO, type_.element) if isinstance(type_, Pointer) else None


def _members(place: ir.Place) -> dict[str, Type]:
    type_ = build.place_type(place)
    return {member.name: member.type for member in type_.fields} if isinstance(type_, Struct) else {}


def _member(body: Body, place: ir.Place, cursor: Cursor, name: str) -> ir.Expr:
    return body.read(ir.Field(place, name, _members(place)[name]), body.span(cursor))


def _triple(body: Body, place: ir.Place, cursor: Cursor, name: str) -> Triple:
    """A dim3 that a member of the configuration holds."""
    held = ir.Field(place, name, _members(place)[name])
    x, y, z = (body.read(ir.Field(held, axis, UINT32), body.span(cursor)) for axis in "xyz")
    return x, y, z


def _numbered(body: Body, place: ir.Place, cursor: Cursor, name: str) -> Triple:
    """The three sides of which each is a member of its own: gridDimX, gridDimY, gridDimZ."""
    x, y, z = (build.convert(_member(body, place, cursor, name + axis), UINT32) for axis in "XYZ")
    return x, y, z
