"""Lambdas are lowered in place where they are called in the function that holds them: captures are just names then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.arguments import as_memory
from cudalint.frontend.lowering.captures import (
    THIS,
    by_reference,
    call_operands,
    captured,
    changed_behind,
    core,
    made_captures,
    statement_identity,
)
from cudalint.frontend.lowering.casts import convert
from cudalint.frontend.lowering.context import Body, InlinedReturn, expression
from cudalint.frontend.lowering.functions import body_of
from cudalint.frontend.lowering.places import capture
from cudalint.frontend.lowering.types import is_aggregate, is_closure, is_reference
from cudalint.ir import nodes as ir
from cudalint.ir.types import BOOL, VOID, Array, Pointer, Struct
from cudalint.ir.walk import blocks
from cudalint.source import Span

Block = tuple[ir.Stmt, ...]


@expression(Kind.LAMBDA_EXPR)
def closure(body: Body, cursor: Cursor) -> ir.Expr:
    """The object of a lambda that leaves this function holds what it captures; that of another is never looked at."""
    type_ = body.type_of(cursor)
    key = statement_identity(cursor)
    for variable in made_captures(cursor):
        body.statement(variable)
    if key not in body.escaping:
        _keep_values(body, cursor)
        return build.zero(type_)
    held = body.escaping[key]
    if held is None or not isinstance(type_, Struct):
        body.gap("lambda with captures that are not understood", body.span(cursor))
        return build.zero(type_)
    body.program.captures[clang.identity(cursor.type.get_declaration())] = held
    references = by_reference(cursor.type)
    values = (_captured_value(body, k, by, cursor) for k, by in zip(held, references))
    return ir.Construct(tuple(values), type_)


def _keep_values(body: Body, cursor: Cursor) -> None:
    """Copies of the variables that a lambda of this function captures by value, where they change behind it."""
    held = captured(cursor)
    if not held or not all(body.variables.get(key) or key == THIS for key in held):
        return
    changed = changed_behind(body.owner, cursor) | body.address_taken
    kept: dict[int, ir.Var] = {}
    for key, by_reference_ in zip(held, by_reference(cursor.type)):
        var = body.variables.get(key)
        if var is None or by_reference_ or key not in changed or isinstance(var.type, Array):
            continue
        value = _captured_value(body, key, False, cursor)
        kept[key] = copy = ir.Var(body.unique(var.name), value.type)
        memory = is_aggregate(value.type) or key in body.address_taken
        if memory:
            body.memory.add(copy.name)
        body.emit(ir.Declare(copy, ir.Storage.LOCAL if memory else ir.Storage.REGISTER, body.span(cursor)))
        body.write(ir.Variable(copy), value, body.span(cursor))
    if kept:
        body.kept[clang.identity(cursor.type.get_declaration())] = kept


@contextmanager
def _with_kept(body: Body, target: Cursor) -> Iterator[None]:
    """In the body of a lambda the names of what it captured by value are those of the copies."""
    kept = body.kept.get(clang.identity(target.semantic_parent), {})
    outer, references = body.variables, body.references
    body.variables, body.references = {**outer, **kept}, references - kept.keys()
    yield
    body.variables, body.references = {**body.variables, **outer}, body.references | references


def _captured_value(body: Body, key: int, reference: bool, cursor: Cursor) -> ir.Expr:
    span = body.span(cursor)
    if key == THIS:
        return body.this or body.opaque("captured this", (), Pointer(VOID), span)
    var = body.variables.get(key)
    place: ir.Place | None = ir.Variable(var) if var is not None else capture(body, key, span)
    if var is not None and key in body.references and isinstance(var.type, Pointer):
        place = build.element(body.read(ir.Variable(var), span), build.ZERO, var.type.element)
    if place is None:
        body.gap("lambda with captures that are not understood", span)
        return ir.Opaque("captured variable", (), VOID)
    return build.address(as_memory(body, place, cursor)) if reference else body.read(place, span)


def lambda_of(body: Body, target: Cursor) -> Cursor | None:
    """The call operator of a lambda of this function, with its body."""
    if target.spelling != "operator()" or target.kind != Kind.CXX_METHOD:
        return None
    owner = target.semantic_parent
    if owner is None or not is_closure(owner.type):
        return None
    return target if body_of(target) is not None and _holds(body, target) else None


def _holds(body: Body, target: Cursor) -> bool:
    file, start, end = body.program.locator.extent(body.owner)
    where, at, _ = body.program.locator.extent(target)
    return where == file and start <= at <= end


def inline_lambda(body: Body, target: Cursor, cursor: Cursor) -> ir.Expr | None:
    given = call_operands(cursor)[1:]
    params = [c for c in clang.children(target) if c.kind == Kind.PARM_DECL]
    block = body_of(target)
    if block is None or len(body.inlined) > 8:
        return body.hole_value(cursor, "recursive lambda")
    span = body.span(cursor)
    for variable in _made_on_the_spot(cursor):
        body.statement(variable)
    for parameter, argument in zip(params, given):
        bind(body, parameter, argument)
    result_type = body.program.types.translate(target.result_type)
    place = None
    if result_type != VOID:
        place = ir.Variable(body.fresh(result_type, span))
    body.inlined.append(InlinedReturn(place))
    with body.nested() as made, _with_kept(body, target):
        body.statement(block)
    body.inlined.pop()
    emit_inlined(body, made, span)
    return None if place is None else place.var


def _made_on_the_spot(call: Cursor) -> list[Cursor]:
    """What `[i = x + 1] { return i; }()` captures: nothing but the call evaluates its lambda."""
    object_ = core(call_operands(call)[0])
    return made_captures(object_) if object_.kind == Kind.LAMBDA_EXPR else []


def bind(body: Body, parameter: Cursor, argument: Cursor) -> None:
    type_ = body.program.types.of_parameter(parameter.type)
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


def emit_inlined(body: Body, made: list[ir.Stmt], span: Span) -> None:
    """The body without its returns: what follows an early one moves into the other branch, or a flag leaves loops."""
    plain = structured(tuple(made))
    if plain is not None:
        for statement in plain:
            body.emit(statement)
        return
    left = body.fresh(BOOL, span)
    body.emit(ir.Assign(left, build.FALSE, span))
    once = (*flagged(tuple(made), left), ir.Break(span))
    body.emit(ir.Loop((), build.TRUE, (), once, True, span))


def structured(made: Block) -> Block | None:
    """The same statements with no return; None where a return stands in a loop or leaves only some paths."""
    for i, statement in enumerate(made):
        if isinstance(statement, ir.Return):
            return made[:i]
        if not _returns(statement):
            continue
        if not isinstance(statement, ir.If):
            return None
        then, orelse, rest = statement.then, statement.orelse, made[i + 1 :]
        if rest and always_returns(then):
            orelse = (*orelse, *rest)
        elif rest and always_returns(orelse):
            then = (*then, *rest)
        elif rest:
            return None
        first, second = structured(then), structured(orelse)
        if first is None or second is None:
            return None
        return (*made[:i], ir.If(statement.cond, first, second, statement.span))
    return made


def always_returns(made: Block) -> bool:
    if not made:
        return False
    last = made[-1]
    return isinstance(last, ir.Return) or (
        isinstance(last, ir.If) and always_returns(last.then) and always_returns(last.orelse)
    )


def _returns(statement: ir.Stmt) -> bool:
    if isinstance(statement, ir.Return):
        return True
    return any(_returns(inner) for block in blocks(statement) for inner in block)


def flagged(made: Block, left: ir.Var) -> Block:
    """Each return sets `left` and breaks; after a loop that one leaves, so does the outer one."""
    found: list[ir.Stmt] = []
    for statement in made:
        if isinstance(statement, ir.Return):
            found += [ir.Assign(left, build.TRUE, statement.span), ir.Break(statement.span)]
        elif isinstance(statement, ir.If):
            found.append(replace(statement, then=flagged(statement.then, left), orelse=flagged(statement.orelse, left)))
        elif isinstance(statement, ir.Loop) and _returns(statement):
            found.append(replace(statement, body=flagged(statement.body, left)))
            found.append(ir.If(left, (ir.Break(statement.span),), (), statement.span))
        else:
            found.append(statement)
    return tuple(found)
