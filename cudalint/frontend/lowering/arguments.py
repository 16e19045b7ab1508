"""Arguments of calls: addresses where the parameter is a reference, values elsewhere."""

from __future__ import annotations

import re

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.casts import convert
from cudalint.frontend.lowering.context import Body
from cudalint.frontend.lowering.types import is_reference
from cudalint.ir import nodes as ir
from cudalint.ir.types import Pointer

_C_LIBRARY = re.compile(
    r"(?:cu|cuda|hip|cublas|cudnn|cufft|curand|nvrtc|hiprtc|cusparse|cusolver|nccl|mpi|hipblas|rocblas|gl|glu|glut|glew|glfw|nvml|cl)"
    r"[A-Z]\w+\Z"
)

_OF_SYMBOLS = (
    "ToSymbol",
    "ToSymbolAsync",
    "FromSymbol",
    "FromSymbolAsync",
    "SymbolAddress",
    "SymbolSize",
)  # take variables


def lower_arguments(body: Body, target: Cursor, given: list[Cursor]) -> tuple[ir.Expr, ...]:
    types = clang.parameter_types(target.type) if target.type.kind == clang.TypeKind.FUNCTIONPROTO else []
    values: list[ir.Expr] = []
    ours = body.program.in_stubs(target) or body.program.is_guessed(target)
    by_value = ours and _C_LIBRARY.match(target.spelling) is not None  # a reference is only our way to declare it
    by_value = by_value and not target.spelling.endswith(_OF_SYMBOLS)
    for i, argument in enumerate(given):
        argument = argument if ours else _written(target, i, argument)
        if by_value and (i >= len(types) or is_reference(types[i])):
            values.append(body.value(argument))
        elif i < len(types) and is_reference(types[i]):
            values.append(by_reference(body, argument, types[i]))
        elif i < len(types):
            values.append(convert(body, body.value(argument), body.program.types.of_parameter(types[i]), argument))
        else:
            values.append(body.value(argument))
    return tuple(values)


def _written(target: Cursor, position: int, argument: Cursor) -> Cursor:
    """The default of the parameter, where it alone has the argument that a call leaves out: `unsigned lane = threadIdx.x`."""
    if argument.kind != Kind.UNEXPOSED_EXPR or clang.children(argument) or clang.evaluate(argument) is not None:
        return argument
    for function in filter(None, (target, clang.template_of(target))):
        params = [c for c in clang.children(function) if c.kind == Kind.PARM_DECL]
        default = clang.initializer(params[position]) if position < len(params) else None
        if default is not None and default.kind.is_expression():
            return default
    return argument


def by_reference(body: Body, argument: Cursor, type_: clang.ClangType) -> ir.Expr:
    address = build.address(as_memory(body, body.place(argument), argument))
    to = body.program.types.translate(type_)
    if address.type != to and isinstance(to, Pointer):
        return ir.Bitcast(address, to)
    return address


def as_memory(body: Body, place: ir.Place, cursor: Cursor) -> ir.Place:
    """A register cannot have an address: its value goes to a temporary."""
    if isinstance(place, ir.Variable) and body.is_register(place):
        return body.materialize(place.var, cursor)
    return place


def object_address(body: Body, cursor: Cursor) -> ir.Expr | None:
    """The `this` of a member call, whose callee is the first child."""
    from cudalint.frontend.lowering.places import member_base

    callee = clang.children(cursor)[0]
    while callee.kind in (Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR) and clang.children(callee):
        callee = clang.children(callee)[0]
    if callee.kind != Kind.MEMBER_REF_EXPR:
        return None
    base = member_base(body, callee)
    return None if base is None else build.address(as_memory(body, base, cursor))
