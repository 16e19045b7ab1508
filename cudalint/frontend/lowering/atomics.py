"""libcu++ atomics: members of `cuda::atomic` and `cuda::atomic_ref` are atomic statements on what they hold or refer to.

cuda::atomic_ref<int, cuda::thread_scope_block> r{s[i]};  r.fetch_add(1, cuda::memory_order_relaxed);
"""

from __future__ import annotations

import re
from typing import Any

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.arguments import object_address
from cudalint.frontend.lowering.casts import convert
from cudalint.frontend.lowering.context import Body
from cudalint.ir import nodes as ir
from cudalint.ir.types import BOOL, Pointer, Struct, Type, field_of

_CLASS = re.compile(r"cuda::atomic(_ref)?<")
_SCOPES = {"system": ir.Scope.SYSTEM, "block": ir.Scope.BLOCK}
_NUMBERED = ("system", "device", "block", "thread")
_SCOPE = re.compile(r"thread_scope_(\w+)|\(cuda::thread_scope\)(\d)")
_ORDERS = (
    ir.Order.RELAXED, ir.Order.ACQUIRE, ir.Order.ACQUIRE, ir.Order.RELEASE, ir.Order.ACQ_REL, ir.Order.ACQ_REL,
)  # fmt: skip
_FETCH = {f"fetch_{op}": op for op in ("add", "sub", "and", "or", "xor", "min", "max")} | {"exchange": "exch"}
_UPDATES = {"operator+=": "add", "operator-=": "sub", "operator&=": "and", "operator|=": "or", "operator^=": "xor"}
_STEPS = {"operator++": "add", "operator--": "sub"}
_OPERATIONS = {
    "add": ir.BinaryOp.ADD, "sub": ir.BinaryOp.SUBTRACT, "and": ir.BinaryOp.AND, "or": ir.BinaryOp.OR,
    "xor": ir.BinaryOp.XOR,
}  # fmt: skip


def atomic_call(body: Body, cursor: Cursor, target: Cursor) -> Any:
    """The result, None for a store, or NotImplemented where this is no member of a libcu++ atomic that is known."""
    if target.kind not in (Kind.CXX_METHOD, Kind.CONVERSION_FUNCTION):
        return NotImplemented
    match = _CLASS.match(target.semantic_parent.type.get_canonical().spelling)
    if match is None or not _is_known(target):
        return NotImplemented
    given = clang.arguments(cursor)
    if target.kind == Kind.CXX_METHOD and target.spelling.startswith("operator") and given:
        this: ir.Expr | None = build.address(body.place(given[0]))
        given = given[1:]
    else:
        this = object_address(body, cursor)
    place = _held(body, cursor, this)
    return NotImplemented if place is None else _Operation(body, cursor, place, scope_of(target)).lower(target, given)


def _is_known(target: Cursor) -> bool:
    known = (*_FETCH, *_UPDATES, *_STEPS, "load", "store", "operator=")
    return (
        target.kind == Kind.CONVERSION_FUNCTION
        or target.spelling in known
        or target.spelling.startswith("compare_exchange")
    )


def scope_of(target: Cursor) -> ir.Scope:
    """The scope among the template arguments; that of one thread is nobody else's business."""
    match = _SCOPE.search(target.semantic_parent.type.get_canonical().spelling)
    if match is None:
        return ir.Scope.SYSTEM
    return _SCOPES.get(match[1] or _NUMBERED[int(match[2])], ir.Scope.DEVICE)


def _held(body: Body, cursor: Cursor, this: ir.Expr | None) -> ir.Place | None:
    """What the atomic holds, or what the reference refers to."""
    owner = this.type.element if this is not None and isinstance(this.type, Pointer) else None
    if this is None or not isinstance(owner, Struct):
        return None
    place = build.element(this, build.ZERO, owner)
    value, referred = field_of(owner, "value"), field_of(owner, "object")
    if value is not None:
        return ir.Field(place, "value", value.type)
    if referred is None or not isinstance(referred.type, Pointer):
        return None
    pointer = body.read(ir.Field(place, "object", referred.type), body.span(cursor))
    return build.element(pointer, build.ZERO, referred.type.element)


class _Operation:
    """One call; `place` is what it works on."""

    def __init__(self, body: Body, cursor: Cursor, place: ir.Place, scope: ir.Scope) -> None:
        self.body, self.cursor, self.place, self.scope = body, cursor, place, scope
        self.span = body.span(cursor)
        self.type: Type = build.place_type(place)

    def lower(self, target: Cursor, given: list[Cursor]) -> ir.Expr | None:
        name = target.spelling
        if name == "load" or target.kind == Kind.CONVERSION_FUNCTION:
            return self.emit("load", (), self.order(given[:1], ir.Order.ACQUIRE))
        if name == "store":
            self.store(self.value(given[0]), self.order(given[1:], ir.Order.RELEASE))
            return None
        if name == "operator=":
            value = self.value(given[0])
            self.store(value, ir.Order.RELEASE)
            return value
        if name in _FETCH:
            return self.emit(_FETCH[name], (self.value(given[0]),), self.order(given[1:]))
        if name.startswith("compare_exchange"):
            return self.exchange(given)
        operation = _UPDATES.get(name) or _STEPS[name]
        amount = self.value(given[0]) if name in _UPDATES else build.const(1, self.type)
        old = self.emit(operation, (amount,), ir.Order.ACQ_REL)
        after = name in _STEPS and len(list(target.get_arguments())) == 1
        return old if after else ir.Binary(_OPERATIONS[operation], old, amount, self.type)

    def exchange(self, given: list[Cursor]) -> ir.Expr:
        """Whether what was expected was there; what was there replaces what was expected."""
        expected, span = self.body.place(given[0]), self.body.span(given[0])
        asked = self.body.fresh(self.type, span)
        self.body.emit(ir.Assign(asked, self.body.read(expected, span), span))
        old = self.emit("cas", (asked, self.value(given[1])), self.order(given[2:3]))
        self.body.write(expected, old, span)
        return ir.Binary(ir.BinaryOp.EQUAL, old, asked, BOOL)

    def value(self, argument: Cursor) -> ir.Expr:
        return convert(self.body, self.body.value(argument), self.type, argument)

    def order(self, given: list[Cursor], strictest: ir.Order = ir.Order.ACQ_REL) -> ir.Order:
        """The order that was asked for; one that is not constant orders nothing."""
        if not given:
            return strictest
        number = clang.evaluate(given[0])
        known = _ORDERS[int(number)] if number is not None and 0 <= number < len(_ORDERS) else ir.Order.RELAXED
        return strictest if known == ir.Order.ACQ_REL else known

    def emit(self, operation: str, args: tuple[ir.Expr, ...], order: ir.Order) -> ir.Var:
        old = self.body.fresh(self.type, self.span)
        self.body.emit(ir.Atomic(operation, self.place, args, old, self.span, order, self.scope))
        return old

    def store(self, value: ir.Expr, order: ir.Order) -> None:
        self.body.emit(ir.Atomic("store", self.place, (value,), None, self.span, order, self.scope))
