"""Lambdas are lowered in place where they are called in the function that holds them: captures are just names then."""

from __future__ import annotations

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.arguments import as_memory
from cudalint.frontend.lowering.casts import convert
from cudalint.frontend.lowering.context import Body, InlinedReturn, expression
from cudalint.frontend.lowering.functions import body_of
from cudalint.frontend.lowering.types import is_aggregate, is_reference
from cudalint.ir import nodes as ir
from cudalint.ir.types import VOID, Pointer
from cudalint.source import Span


@expression(Kind.LAMBDA_EXPR)
def closure(body: Body, cursor: Cursor) -> ir.Expr:
    """The value of a lambda is never looked at: its calls are lowered in place."""
    return build.zero(body.type_of(cursor))


def lambda_of(body: Body, target: Cursor) -> Cursor | None:
    """The call operator of a lambda of this function, with its body."""
    if target.spelling != "operator()" or target.kind != Kind.CXX_METHOD:
        return None
    owner = target.semantic_parent
    if owner is None or "(lambda at" not in owner.type.spelling:
        return None
    return target if body_of(target) is not None and _holds(body, target) else None


def _holds(body: Body, target: Cursor) -> bool:
    file, start, end = body.program.locator.extent(body.owner)
    where, at, _ = body.program.locator.extent(target)
    return where == file and start <= at <= end


def inline_lambda(body: Body, target: Cursor, cursor: Cursor) -> ir.Expr | None:
    given = clang.arguments(cursor)[1:]
    params = [c for c in clang.children(target) if c.kind == Kind.PARM_DECL]
    block = body_of(target)
    if block is None or len(body.inlined) > 8:
        return body.hole_value(cursor, "recursive lambda")
    span = body.span(cursor)
    for parameter, argument in zip(params, given):
        bind(body, parameter, argument)
    result_type = body.program.types.translate(target.result_type)
    place = None
    if result_type != VOID:
        place = ir.Variable(body.fresh(result_type, span))
    frame = InlinedReturn(place, body.loop_depth)
    body.inlined.append(frame)
    with body.nested() as made:
        body.statement(block)
    body.inlined.pop()
    emit_inlined(body, made, frame, span)
    return None if place is None else place.var


def bind(body: Body, parameter: Cursor, argument: Cursor) -> None:
    type_ = body.program.types.translate(parameter.type)
    key, span = clang.identity(parameter), body.span(argument)
    var = ir.Var(body.unique(parameter.spelling or "arg"), type_)
    body.variables[key] = var
    if is_reference(parameter.type):
        body.references.add(key)
        value: ir.Expr = build.address(as_memory(body, body.place(argument), argument))
    else:
        value = convert(body, body.value(argument), type_, argument)
    memory = not is_reference(parameter.type) and (is_aggregate(type_) or key in body.address_taken)
    if memory:
        body.memory.add(var.name)
    body.emit(ir.Declare(var, ir.Storage.LOCAL if memory else ir.Storage.REGISTER, span))
    body.write(ir.Variable(var), build.convert(value, type_) if isinstance(type_, Pointer) else value, span)


def emit_inlined(body: Body, made: list[ir.Stmt], frame: InlinedReturn, span: Span) -> None:
    """A last `return` is just the end; an earlier one leaves a loop that runs once."""
    if made and isinstance(made[-1], ir.Break) and frame.early and _breaks(made) == 1:
        made = made[:-1]
        frame.early = False
    if not frame.early:
        for statement in made:
            body.emit(statement)
        return
    if not isinstance(made[-1], ir.Break):
        made.append(ir.Break(span))
    body.emit(ir.Loop((), build.TRUE, (), tuple(made), True, span))


def _breaks(statements: list[ir.Stmt] | tuple[ir.Stmt, ...]) -> int:
    """Breaks that leave these statements."""
    count = 0
    for statement in statements:
        if isinstance(statement, ir.Break):
            count += 1
        elif isinstance(statement, ir.If):
            count += _breaks(statement.then) + _breaks(statement.orelse)
    return count
