"""Host code that hands a lambda to a function whose body is elsewhere: that one may call it, with whatever arguments.

pool.enqueue([=] { k<<<n, 256>>>(x); });        the launch is reached with what the lambda captures
"""

from __future__ import annotations

import re

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.context import Body
from cudalint.frontend.lowering.functions import called, request, role_of
from cudalint.frontend.lowering.types import is_aggregate, is_closure
from cudalint.ir import nodes as ir
from cudalint.ir.types import BOOL, VOID, Pointer, Type
from cudalint.source import Span

LAUNCHING = re.compile(
    rb"<<<|cudaLaunchKernel|cudaLaunchCooperativeKernel|hipLaunchKernel|hipLaunchCooperativeKernel|cuLaunchKernel"
    rb"|cuLaunchCooperativeKernel|hipModuleLaunch|GraphAddKernelNode"
    rb"|\b[A-Z0-9_]*(?:LAUNCH|KERNEL_CALL)[A-Z0-9_]*\s*\("
)


def may_call(body: Body, args: tuple[ir.Expr, ...], given: list[Cursor], span: Span) -> None:
    """The lambdas that launch among the arguments, each called or not; generic ones have no code to call."""
    if body.role != ir.Role.HOST:
        return
    for argument in given:
        operator = _launching_operator(body, argument)
        name = request(body.program, operator, by_host=True) if operator is not None else None
        if operator is None or name is None:
            continue
        type_ = body.program.types.translate(argument.type)
        closure = next((a for a in args if type_ in (a.type, _pointee(a.type))), None)
        if closure is None:
            continue
        called(body, name)
        whether = _unknown(body, BOOL, "called", span)
        with body.nested() as made:
            object_ = closure if isinstance(closure.type, Pointer) else _kept(body, closure, span)
            passed = [_passed(body, parameter, span) for parameter in _parameters(operator)]
            result_type = body.program.types.translate(operator.result_type)
            result = None if result_type == VOID else body.fresh(result_type, span)
            body.emit(ir.Call(name, (object_, *passed), result, span))
        body.emit(ir.If(whether, tuple(made), (), span))


def _launching_operator(body: Body, argument: Cursor) -> Cursor | None:
    """The call operator of the lambda that the argument is, where its text launches."""
    type_ = argument.type.get_canonical()
    if not is_closure(type_):
        return None
    methods = (m for m in clang.children(type_.get_declaration()) if m.kind == Kind.CXX_METHOD)
    operator = next((m for m in methods if m.spelling == "operator()"), None)
    if operator is None or role_of(operator) != ir.Role.HOST:
        return None
    file, start, end = body.program.locator.extent(operator)
    return operator if LAUNCHING.search(body.program.locator.content(file)[start:end]) else None


def _pointee(type_: Type) -> Type:
    return type_.element if isinstance(type_, Pointer) else type_


def _kept(body: Body, value: ir.Expr, span: Span) -> ir.Expr:
    place = body.temporary(value.type, span)
    body.write(place, value, span)
    return build.address(place)


def _parameters(function: Cursor) -> list[Cursor]:
    return [c for c in clang.children(function) if c.kind == Kind.PARM_DECL]


def _passed(body: Body, parameter: Cursor, span: Span) -> ir.Expr:
    """A value that nothing here tells, and no other one."""
    type_ = body.program.types.of_parameter(parameter.type)
    if is_aggregate(type_):
        return body.read(body.temporary(type_, span), span)
    return _unknown(body, type_, parameter.spelling or "passed", span)


def _unknown(body: Body, type_: Type, name: str, span: Span) -> ir.Var:
    value = body.fresh(type_, span, name)
    body.opaque_statement("what a function elsewhere does with a lambda", span, (), (ir.Variable(value),))
    return value
