"""Arithmetic, comparison, assignment and logic."""

from __future__ import annotations

from collections.abc import Callable

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.arguments import as_memory
from cudalint.frontend.lowering.casts import convert
from cudalint.frontend.lowering.context import Body, effect, expression, lvalue
from cudalint.frontend.lowering.places import is_lvalue
from cudalint.frontend.lowering.types import common, is_function, promoted
from cudalint.ir import nodes as ir
from cudalint.ir.types import BOOL, INT32, INT64, Float, Int, Pointer, Type, Void
from cudalint.source import Span

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
INVERTED = {"x++": "+", "++x": "+", "x--": "-", "--x": "-"}


@expression(Kind.BINARY_OPERATOR)
def binary(body: Body, cursor: Cursor) -> ir.Expr:
    operator = clang.binary_operator(cursor)
    left, right = clang.children(cursor)
    if operator == "=":
        return assigned(body, cursor, left, right)
    if operator in ("&&", "||"):
        return logical(body, operator, left, right, body.span(cursor))
    if operator == ",":
        body.discard(left)
        return body.value(right)
    first = body.value(left)
    return arithmetic(body, operator, first, body.value(right), cursor)


def arithmetic(body: Body, operator: str, left: ir.Expr, right: ir.Expr, cursor: Cursor) -> ir.Expr:
    type_ = body.type_of(cursor)
    if isinstance(left.type, Pointer) or isinstance(right.type, Pointer):
        return pointer_arithmetic(body, operator, left, right, cursor)
    if operator in COMPARISONS:
        shared = common(left.type, right.type) if _numeric(left) and _numeric(right) else left.type
        if left.type == right.type == BOOL:
            shared = BOOL
        left, right = convert(body, left, shared, cursor), convert(body, right, shared, cursor)
        return folded(ir.Binary(ir.BinaryOp(operator), left, right, BOOL))
    if operator not in _OPERATORS or not (_numeric(left) and _numeric(right)):
        return body.opaque(f"operator {operator}", (left, right), type_, body.span(cursor))
    if operator in ("<<", ">>"):
        return folded(ir.Binary(ir.BinaryOp(operator), convert(body, left, type_, cursor), right, type_))
    left, right = convert(body, left, type_, cursor), convert(body, right, type_, cursor)
    return folded(ir.Binary(ir.BinaryOp(operator), left, right, type_))


def folded(made: ir.Binary) -> ir.Expr:
    """Integer constants are computed, so that template arguments decide branches; a wrapping result is left alone."""
    if not (isinstance(made.left, ir.Const) and isinstance(made.right, ir.Const)):
        return made
    left, right = made.left.value, made.right.value
    if not isinstance(left, int) or not isinstance(right, int):
        return made
    compute = _FOLDS.get(made.op)
    value = compute(left, right) if compute else None
    if value is None:
        return made
    result = build.const(value, made.type)
    return result if result.value == value else made


def _divide(left: int, right: int) -> int | None:
    if right == 0:
        return None
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


def _remainder(left: int, right: int) -> int | None:
    quotient = _divide(left, right)
    return None if quotient is None else left - quotient * right


_FOLDS: dict[ir.BinaryOp, Callable[[int, int], int | None]] = {
    ir.BinaryOp.ADD: lambda a, b: a + b,
    ir.BinaryOp.SUBTRACT: lambda a, b: a - b,
    ir.BinaryOp.MULTIPLY: lambda a, b: a * b,
    ir.BinaryOp.DIVIDE: _divide,
    ir.BinaryOp.REMAINDER: _remainder,
    ir.BinaryOp.SHIFT_LEFT: lambda a, b: a << b if 0 <= b < 64 else None,
    ir.BinaryOp.SHIFT_RIGHT: lambda a, b: a >> b if 0 <= b < 64 else None,
    ir.BinaryOp.AND: lambda a, b: a & b,
    ir.BinaryOp.OR: lambda a, b: a | b,
    ir.BinaryOp.XOR: lambda a, b: a ^ b,
    ir.BinaryOp.LESS: lambda a, b: a < b,
    ir.BinaryOp.LESS_EQUAL: lambda a, b: a <= b,
    ir.BinaryOp.GREATER: lambda a, b: a > b,
    ir.BinaryOp.GREATER_EQUAL: lambda a, b: a >= b,
    ir.BinaryOp.EQUAL: lambda a, b: a == b,
    ir.BinaryOp.NOT_EQUAL: lambda a, b: a != b,
}


_OPERATORS = {op.value for op in ir.BinaryOp}


def _numeric(value: ir.Expr) -> bool:
    return isinstance(value.type, (Int, Float)) or value.type == BOOL


def pointer_arithmetic(body: Body, operator: str, left: ir.Expr, right: ir.Expr, cursor: Cursor) -> ir.Expr:
    if operator in COMPARISONS:
        return ir.Binary(ir.BinaryOp(operator), left, build.convert(right, left.type), BOOL)
    if operator == "+":
        pointer, index = (left, right) if isinstance(left.type, Pointer) else (right, left)
        return ir.Offset(pointer, index, pointer.type)
    if operator == "-" and isinstance(right.type, Pointer):
        return ir.Binary(ir.BinaryOp.POINTER_DIFFERENCE, left, right, INT64)
    if operator == "-":
        return ir.Offset(left, negative(right), left.type)
    return body.opaque(f"operator {operator}", (left, right), body.type_of(cursor), body.span(cursor))


def negative(index: ir.Expr) -> ir.Expr:
    index = build.convert(index, INT64)
    if isinstance(index, ir.Const) and isinstance(index.value, int):
        return ir.Const(-index.value, INT64)
    return ir.Unary(ir.UnaryOp.NEGATE, index, INT64)


def logical(body: Body, operator: str, left: Cursor, right: Cursor, span: Span) -> ir.Expr:
    """Short circuit: an `If` where the right side has statements."""
    first = build.truth(body.value(left))
    with body.nested() as then:
        second = build.truth(body.value(right))
    if isinstance(first, ir.Const):
        decided = bool(first.value) == (operator == "||")
        if decided:
            return first
        for made in then:
            body.emit(made)
        return second
    if not then:
        return ir.Binary(ir.BinaryOp(operator), first, second, BOOL)
    target = body.fresh(BOOL, span)
    body.emit(ir.Assign(target, first, span))
    then.append(ir.Assign(target, second, span))
    cond: ir.Expr = target if operator == "&&" else build.negated(target)
    body.emit(ir.If(cond, tuple(then), (), span))
    return target


@effect(Kind.BINARY_OPERATOR)
def discard_binary(body: Body, cursor: Cursor) -> None:
    left, right = clang.children(cursor)
    operator = clang.binary_operator(cursor)
    if operator == "=":
        assigned(body, cursor, left, right)
    elif operator == ",":
        body.discard(left)
        body.discard(right)
    else:
        binary(body, cursor)


def assigned(body: Body, cursor: Cursor, left: Cursor, right: Cursor) -> ir.Expr:
    """`left = right`; the result is the converted value."""
    value = body.value(right)
    place = body.place(left)
    value = convert(body, value, build.place_type(place), cursor)
    body.write(place, value, body.span(left), order_of(left))
    return place.var if isinstance(place, ir.Variable) and body.is_register(place) else value


def order_of(cursor: Cursor) -> ir.Order:
    return ir.Order.VOLATILE if cursor.type.is_volatile_qualified() else ir.Order.PLAIN


@expression(Kind.COMPOUND_ASSIGNMENT_OPERATOR)
def compound(body: Body, cursor: Cursor) -> ir.Expr:
    left, right = clang.children(cursor)
    operator = clang.binary_operator(cursor)[:-1]
    amount = body.value(right)
    place = body.place(left)
    return update(body, place, operator, amount, cursor, left)


def update(body: Body, place: ir.Place, operator: str, amount: ir.Expr, cursor: Cursor, left: Cursor) -> ir.Expr:
    """Read, compute in the common type, convert back, write; the result is the new value."""
    type_, span, order = build.place_type(place), body.span(left), order_of(left)
    old = body.read(place, span, order)
    value: ir.Expr
    if isinstance(type_, Pointer):
        value = ir.Offset(old, amount if operator == "+" else negative(amount), type_)
    elif not (_numeric(old) and _numeric(amount)):
        value = body.opaque(f"operator {operator}=", (old, amount), type_, span)
    else:
        at = promoted(type_) if operator in ("<<", ">>") else common(type_, amount.type)
        amount = amount if operator in ("<<", ">>") else build.convert(amount, at)
        value = build.convert(ir.Binary(ir.BinaryOp(operator), build.convert(old, at), amount, at), type_)
    body.write(place, value, span, order)
    return old if body.is_register(place) else value


@expression(Kind.UNARY_OPERATOR)
def unary(body: Body, cursor: Cursor) -> ir.Expr:
    operator = clang.unary_operator(cursor)
    operand = clang.children(cursor)[0]
    if operator in INVERTED:
        return step(body, operator, operand, cursor)
    if operator == "&":
        return address_of(body, operand, cursor)
    if operator == "*":
        return body.read(body.place(cursor), body.span(cursor), order_of(cursor))
    value = body.value(operand)
    type_ = body.type_of(cursor)
    if operator == "!":
        return build.negated(build.truth(value))
    if operator == "+" or operator == "extension":
        return convert(body, value, type_, cursor)
    if operator == "-" or operator == "~":
        if isinstance(value, ir.Const) and isinstance(value.value, (int, float)):
            return build.const(-value.value if operator == "-" else ~int(value.value), type_)
        return ir.Unary(ir.UnaryOp(operator), convert(body, value, type_, cursor), type_)
    return body.opaque(f"operator {operator}", (value,), type_, body.span(cursor))


def address_of(body: Body, operand: Cursor, cursor: Cursor) -> ir.Expr:
    target = clang.referenced(operand)
    called = (
        next(iter(clang.of_kinds(operand, Kind.CALL_EXPR)), None) is not None
    )  # `&v[i]`, where it gives a reference
    named = target is not None and target.kind in (Kind.FUNCTION_DECL, Kind.CXX_METHOD) and not called
    if named or is_function(operand.type):
        return body.value(operand)
    place = body.place(operand)
    return convert(body, build.address(place), body.type_of(cursor), cursor)


def step(body: Body, operator: str, operand: Cursor, cursor: Cursor) -> ir.Expr:
    """`++` and `--`; the old value is kept for the postfix forms."""
    place = body.place(operand)
    type_, span = build.place_type(place), body.span(operand)
    old = body.read(place, span, order_of(operand))
    if operator.startswith("x"):
        kept = body.fresh(type_, span)
        body.emit(ir.Assign(kept, old, span))
        old = kept
    new = _stepped(old, type_, INVERTED[operator])
    body.write(place, new, span, order_of(operand))
    if operator.startswith("x"):
        return old
    return place.var if isinstance(place, ir.Variable) and body.is_register(place) else new


def _stepped(old: ir.Expr, type_: Type, operator: str) -> ir.Expr:
    if isinstance(type_, Pointer):
        return ir.Offset(old, ir.Const(1 if operator == "+" else -1, INT32), type_)
    at = promoted(type_)
    if not isinstance(at, (Int, Float)):
        return ir.Opaque("step", (old,), type_)
    moved = ir.Binary(ir.BinaryOp(operator), build.convert(old, at), build.const(1, at), at)
    return build.convert(moved, type_)


@effect(Kind.UNARY_OPERATOR)
def discard_unary(body: Body, cursor: Cursor) -> None:
    operator = clang.unary_operator(cursor)
    operand = clang.children(cursor)[0]
    if operator in INVERTED:
        step(body, {"x++": "++x", "x--": "--x"}.get(operator, operator), operand, cursor)
    else:
        unary(body, cursor)


@expression(Kind.CONDITIONAL_OPERATOR)
def conditional(body: Body, cursor: Cursor) -> ir.Expr:
    """A `Select` where both sides are pure, else an `If`."""
    below = clang.children(cursor)
    if len(below) != 3:
        return body.hole_value(cursor, "conditional without a middle")
    cond = build.truth(body.value(below[0]))
    type_, span = body.type_of(cursor), body.span(cursor)
    if isinstance(type_, Void):
        return _conditional_effect(body, cond, below, span)
    with body.nested() as then:
        first = convert(body, body.value(below[1]), type_, cursor)
    with body.nested() as orelse:
        second = convert(body, body.value(below[2]), type_, cursor)
    return _choose(body, cond, (then, first), (orelse, second), span)


_Branch = tuple[list[ir.Stmt], ir.Expr]  # what is done to come to the value


def _choose(body: Body, cond: ir.Expr, true: _Branch, false: _Branch, span: Span) -> ir.Expr:
    """One of two values of one type."""
    (then, first), (orelse, second) = true, false
    if isinstance(cond, ir.Const):
        for made in then if cond.value else orelse:
            body.emit(made)
        return first if cond.value else second
    if not then and not orelse:
        return ir.Select(cond, first, second, first.type)
    target = body.fresh(first.type, span)
    then.append(ir.Assign(target, first, span))
    orelse.append(ir.Assign(target, second, span))
    body.emit(ir.If(cond, tuple(then), tuple(orelse), span))
    return target


@lvalue(Kind.CONDITIONAL_OPERATOR)
def chosen(body: Body, cursor: Cursor) -> ir.Place | None:
    """`T &x = condition ? a : b;`: one of two objects of one type."""
    below = clang.children(cursor)
    if not is_lvalue(cursor) or body.type_of(below[1]) != body.type_of(below[2]):
        return None
    cond, span = build.truth(body.value(below[0])), body.span(cursor)
    with body.nested() as then:
        first = build.address(as_memory(body, body.place(below[1]), below[1]))
    with body.nested() as orelse:
        second = build.address(as_memory(body, body.place(below[2]), below[2]))
    if first.type != second.type:
        return None
    address = _choose(body, cond, (then, first), (orelse, second), span)
    return build.element(address, build.ZERO, body.type_of(below[1]))


def _conditional_effect(body: Body, cond: ir.Expr, below: list[Cursor], span: Span) -> ir.Expr:
    with body.nested() as then:
        body.drop(below[1])
    with body.nested() as orelse:
        body.drop(below[2])
    if isinstance(cond, ir.Const):
        for made in then if cond.value else orelse:
            body.emit(made)
    else:
        body.emit(ir.If(cond, tuple(then), tuple(orelse), span))
    return ir.Const(None, Void())
