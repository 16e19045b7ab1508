"""Blocks, declarations, branches and returns."""

from __future__ import annotations

import re

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.arguments import as_memory
from cudalint.frontend.lowering.captures import statement_identity, used_inside
from cudalint.frontend.lowering.casts import convert
from cudalint.frontend.lowering.context import Body, effect, expression, statement
from cudalint.frontend.lowering.function_values import function_held
from cudalint.frontend.lowering.globals import declared_type, global_variable, is_shared, storage
from cudalint.frontend.lowering.holes import error_hole
from cudalint.frontend.lowering.initialize import initialize
from cudalint.frontend.lowering.jumps import labelled, labels
from cudalint.frontend.lowering.leaving import leaving_alternatives
from cudalint.frontend.lowering.static_locals import is_settled
from cudalint.frontend.lowering.types import is_aggregate, is_reference
from cudalint.ir import nodes as ir
from cudalint.ir.types import BOOL, INT32, VOID, Bool, Float, Int, Pointer, Type, Unknown

IGNORED = (
    Kind.NULL_STMT, Kind.TYPEDEF_DECL, Kind.TYPE_ALIAS_DECL, Kind.STRUCT_DECL, Kind.CLASS_DECL, Kind.UNION_DECL,
    Kind.ENUM_DECL, Kind.USING_DECLARATION, Kind.USING_DIRECTIVE, Kind.NAMESPACE_ALIAS, Kind.STATIC_ASSERT,
    Kind.FUNCTION_DECL, Kind.TYPE_ALIAS_TEMPLATE_DECL,
)  # fmt: skip


@statement(*IGNORED)
def nothing(body: Body, cursor: Cursor) -> None:
    pass


@statement(Kind.COMPOUND_STMT)
def compound(body: Body, cursor: Cursor) -> None:
    """A block. Lines with parse errors, where statements may be lost, become holes in their order."""
    file, start, end = body.program.locator.extent(cursor)
    errors = _Errors(body, [e for e in body.program.errors.get(file, ()) if start <= e.offset < end])
    begin = len(body.block)
    with labels(body, cursor):
        for child in clang.children(cursor):
            _, at, after = body.program.locator.extent(child) if errors.pending else ("", 0, 0)
            errors.report(at)
            labelled(body, child, begin)
            errors.report(after)
    errors.report(end)


class _Errors:
    """The parse errors of a block that have no hole yet, the last one first; a macro may make thousands at one place."""

    def __init__(self, body: Body, errors: list[clang.Diagnostic]) -> None:
        first: dict[int, clang.Diagnostic] = {}
        for error in errors:
            first.setdefault(error.offset, error)
        self.body = body
        self.pending = [first[offset] for offset in sorted(first, reverse=True)]

    def report(self, end: int) -> None:
        """Holes for those before this offset, where no block inside has made them."""
        while self.pending and self.pending[-1].offset < end:
            error = self.pending.pop()
            if error.offset not in self.body.seen_errors:
                self.body.seen_errors.add(error.offset)
                error_hole(self.body, error)


@statement(Kind.DECL_STMT)
def declarations(body: Body, cursor: Cursor) -> None:
    below = clang.children(cursor)
    for child in below:
        if len(below) == 1 and child.kind == Kind.UNION_DECL and child.is_anonymous():
            _declare_unnamed(body, child)
        body.statement(child)


def _declare_unnamed(body: Body, union: Cursor) -> None:
    """`union { int i; float f; };`: its object has no name and no declaration in the tree."""
    var = ir.Var(body.unique("unnamed"), body.program.types.translate(union.type))
    body.unnamed[clang.identity(union)] = var
    body.memory.add(var.name)
    body.own.add(var.name)
    body.emit(ir.Declare(var, ir.Storage.LOCAL, body.span(union)))


@statement(Kind.VAR_DECL)
def declare(body: Body, cursor: Cursor) -> None:
    kinds = {c.kind for c in clang.children(cursor)}
    shared = is_shared(cursor)
    type_, key, kept = declared_type(body.program, cursor), clang.identity(cursor), str(cursor.storage_class.name)
    apart = kept == "EXTERN" or (kept == "STATIC" and not is_settled(body, cursor, type_))
    if not shared and (Kind.CUDACONSTANT_ATTR in kinds or apart):
        return  # an object of the unit, made where it is used
    if isinstance(type_, Unknown) and function_held(cursor) is not None:
        return  # its uses are the function
    if shared and body.escaping and key in used_inside(body.owner, body.escaping):
        body.variables[key] = global_variable(body.program, cursor)  # a lambda that leaves is a function of its own
        body.memory.add(body.variables[key].name)
        return
    reference = is_reference(cursor.type)
    memory = shared or (not reference and (is_aggregate(type_) or key in body.address_taken))
    var = ir.Var(body.unique(cursor.spelling or "unnamed"), type_)
    body.variables[key] = var
    kind = storage(cursor) if shared else ir.Storage.LOCAL if memory else ir.Storage.REGISTER
    if memory:
        body.memory.add(var.name)
        if not shared:
            body.own.add(var.name)
    align = cursor.type.get_align() if Kind.ALIGNED_ATTR in kinds else None
    body.emit(ir.Declare(var, kind, body.span(cursor), _alignment(body, cursor) if align else None))
    init = clang.initializer(cursor)
    if cursor.type.is_const_qualified() and not reference and not is_aggregate(type_):
        body.constants[var.name] = body.span(cursor)
    if reference:
        body.references.add(key)
        _bind_reference(body, var, init, cursor)
    elif init is not None and is_inlined_lambda(body, init):
        body.discard(init)
    elif init is None and not memory and body.program.locator.is_followed_by(cursor, "={("):
        lost = body.opaque("initial value that was not understood", (), type_, body.span(cursor))
        body.write(ir.Variable(var), lost, body.span(cursor))
    elif init is not None and not shared:
        value = _constant(body, cursor, init, type_)
        if value is None:
            initialize(body, ir.Variable(var), init, body.span(cursor))
        else:
            body.write(ir.Variable(var), value, body.span(cursor))


def _constant(body: Body, variable: Cursor, init: Cursor, type_: Type) -> ir.Expr | None:
    """What a constant is initialised with where a constant function computes it: that need not be lowered."""
    if not variable.type.is_const_qualified() or all(c.kind != Kind.CALL_EXPR for c in clang.preorder(init)):
        return None
    value = clang.evaluate(variable) if isinstance(type_, (Int, Float, Bool)) else None
    return None if value is None else build.const(value, type_)


def is_inlined_lambda(body: Body, init: Cursor) -> bool:
    return init.kind == Kind.LAMBDA_EXPR and statement_identity(init) not in body.escaping


def _alignment(body: Body, cursor: Cursor) -> int | None:
    attribute = next((c for c in clang.children(cursor) if c.kind == Kind.ALIGNED_ATTR), None)
    below = clang.children(attribute) if attribute is not None else []
    value = clang.evaluate(below[-1]) if below else None
    if value is None:
        digits = "".join(c for c in body.text(attribute) if c.isdigit()) if attribute is not None else ""
        value = int(digits) if digits else None
    return int(value) if value is not None else None


def _bind_reference(body: Body, var: ir.Var, init: Cursor | None, cursor: Cursor) -> None:
    if init is None:
        return
    address = build.address(as_memory(body, body.place(init), init))
    if address.type != var.type and isinstance(var.type, Pointer):
        address = ir.Bitcast(address, var.type)
    body.emit(ir.Assign(var, address, body.span(cursor)))


@statement(Kind.IF_STMT)
def branch(body: Body, cursor: Cursor) -> None:
    below = clang.children(cursor)
    while below and (below[0].kind in (Kind.DECL_STMT, Kind.VAR_DECL) or _is_init(body, below)):
        body.statement(below[0])
        below = below[1:]
    if len(below) not in (2, 3):
        body.hole("if without its parts", cursor)
        return
    alternatives = leaving_alternatives(body, below)
    for either in alternatives:
        cond = build.truth(body.value(either))
        with body.nested() as then:
            body.statement(below[1])
        body.emit(ir.If(cond, tuple(then), (), body.span(cursor)))
    if alternatives:
        return
    cond = _settled(body, cursor, below[0]) or build.truth(body.value(below[0]))
    if isinstance(cond, ir.Const):
        decided, dead = (below[1:2], below[2:3]) if cond.value else (below[2:3], below[1:2])
        for child in decided:
            body.statement(child)
        body.record.dropped += [body.program.locator.extent(child) for child in dead]
        return
    with body.nested() as then:
        body.statement(below[1])
    with body.nested() as orelse:
        if len(below) == 3:
            body.statement(below[2])
    body.emit(ir.If(cond, tuple(then), tuple(orelse), body.span(cursor)))


_CONSTEXPR = re.compile(r"if\s+constexpr\b")


def _settled(body: Body, cursor: Cursor, cond: Cursor) -> ir.Expr | None:
    """The condition of `if constexpr`, which may call constant functions."""
    value = clang.evaluate(cond) if _CONSTEXPR.match(body.text(cursor)[:40]) else None
    return None if value is None else build.const(bool(value), BOOL)


def _is_init(body: Body, below: list[Cursor]) -> bool:
    """`if (x = f(); cond)`: four parts, or a first part that is no condition."""
    return len(below) == 4 or (len(below) == 3 and body.type_of(below[0]) == VOID and below[0].kind.is_expression())


@statement(Kind.RETURN_STMT)
def give(body: Body, cursor: Cursor) -> None:
    below = clang.children(cursor)
    span = body.span(cursor)
    if body.inlined:
        _give_inlined(body, below, cursor)
        return
    if not below:
        body.emit(ir.Return(None, span))
        return
    result = body.program.types.translate(body.owner.result_type)
    if is_reference(body.owner.result_type):
        address: ir.Expr = build.address(as_memory(body, body.place(below[0]), below[0]))
        if address.type != result:
            address = ir.Bitcast(address, result)
        body.emit(ir.Return(address, span))
        return
    if result == VOID:
        body.discard(below[0])
        body.emit(ir.Return(None, span))
        return
    body.emit(ir.Return(convert(body, body.value(below[0]), result, cursor), span))


def _give_inlined(body: Body, below: list[Cursor], cursor: Cursor) -> None:
    frame, span = body.inlined[-1], body.span(cursor)
    if below and frame.target is not None:
        to = build.place_type(frame.target)
        if is_lambda_reference(body, to, below[0]):
            value: ir.Expr = build.address(as_memory(body, body.place(below[0]), below[0]))
        else:
            value = convert(body, body.value(below[0]), to, cursor)
        body.write(frame.target, value, span)
    elif below:
        body.discard(below[0])
    body.emit(ir.Return(None, span))


def is_lambda_reference(body: Body, to: Type, value: Cursor) -> bool:
    return isinstance(to, Pointer) and body.type_of(value) == to.element


@statement(Kind.UNEXPOSED_STMT)
def attributed(body: Body, cursor: Cursor) -> None:
    """A statement with attributes, such as `#pragma unroll` gives."""
    below = [c for c in clang.children(cursor) if c.kind.is_statement() or c.kind.is_expression()]
    if len(below) != 1:
        body.hole("statement without a kind", cursor)
        return
    body.statement(below[0])


@statement(Kind.LABEL_STMT)
def label(body: Body, cursor: Cursor) -> None:
    body.hole(ir.TURNING_BACK[1], cursor)
    for child in clang.children(cursor):
        body.statement(child)


@statement(Kind.CXX_THROW_EXPR)
@effect(Kind.CXX_THROW_EXPR)
def throw(body: Body, cursor: Cursor) -> None:
    """What is thrown is of no interest; with temporaries in it the tree has it as an expression."""
    body.emit(ir.Trap(body.span(cursor)))


@expression(Kind.CXX_THROW_EXPR)
def throw_value(body: Body, cursor: Cursor) -> ir.Expr:
    """`good ? value : throw error`"""
    throw(body, cursor)
    return ir.Const(None, Pointer(INT32))
