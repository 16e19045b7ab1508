"""IR expressions and places compiled to closures over the lanes of one step.

A closure takes a `Context` (the lanes that run) and returns their values. Places compile to a root (an object, or a
pointer) and a byte distance from it, so that an access out of bounds is still told by the object it started from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias, assert_never

import numpy as np

from cudalint.confirm.emulate import arithmetic, functions, windows
from cudalint.confirm.emulate.formats import (
    Unsupported,
    Values,
    describe,
    dtype_of,
    from_bytes,
    is_aggregate,
    size_of,
    to_bytes,
)
from cudalint.confirm.emulate.inexact import HALF_QUOTIENT, Inexact, is_rounded, rounds_elsewhere
from cudalint.confirm.emulate.pseudo import pseudo_value
from cudalint.ir import nodes as ir
from cudalint.ir import types as t


class Context(Protocol):
    """The lanes that run: their registers and builtins, and where to note what is wrong with a value."""

    mask: Values | None  # lanes whose value counts, where a branch of an expression is evaluated for all

    def register(self, slot: str) -> Values | None: ...

    def builtin(self, name: str) -> Values: ...

    def note(self, kind: str, bad: Values, detail: str) -> None: ...


class Object(Protocol):
    """A declared object: an allocation with an address."""

    name: str

    @property
    def base(self) -> int: ...


class Scope(Protocol):
    """What names mean in the function (copy) that an expression belongs to."""

    def slot(self, name: str) -> str: ...

    def object(self, name: str) -> Object | None: ...

    def function_address(self, function: str) -> int: ...

    def constant(self, reason: str) -> int | None:
        """The value of a constant that nothing declares, where the launch gives it one."""


CLOCKS = ("clock", "clock64", "globaltimer")  # their value is the number of steps, so that waiting ends

Code: TypeAlias = Callable[[Context], Values]


@dataclass(frozen=True, slots=True)
class Bound:
    """One dimension of an array inside a place: `index` must be in [0, count)."""

    index: Code
    count: int
    element: int


@dataclass(frozen=True, slots=True)
class PlaceCode:
    """Exactly one of `root` and `pointer` is set; `distance` is bytes from it (None: zero)."""

    root: Object | None
    pointer: Code | None
    distance: Code | None
    type: t.Type
    bounds: tuple[Bound, ...]


@dataclass(frozen=True, slots=True)
class Compiler:
    """Compiles for one scope; `overflow` adds checks of signed arithmetic, `inexact` the errors of a device's functions,
    and where `moved` registers are known, of roundings behind these."""

    scope: Scope
    overflow: bool = False
    inexact: Inexact | None = None
    moved: frozenset[str] | None = None

    def expression(self, expr: ir.Expr) -> Code:
        match expr:
            case ir.Const():
                value = arithmetic.constant(expr.value, expr.type)
                return lambda _: value
            case ir.Var():
                return self._variable(expr)
            case ir.Builtin():
                return self._builtin(expr)
            case ir.Unary():
                return self._unary(expr)
            case ir.Binary():
                return self._binary(expr)
            case ir.Cast():
                return self._cast(expr)
            case ir.Bitcast():
                return self._bitcast(expr)
            case ir.Select():
                return self._select(expr.cond, expr.then, expr.orelse, expr.type)
            case ir.Math():
                return self._math(expr)
            case ir.Opaque():
                return self._opaque(expr.reason, expr.args, expr.type)
            case ir.AddressOf():
                return self._address(expr.place)
            case ir.Offset():
                return self._offset(expr)
            case ir.Extract():
                return self._extract(expr)
            case ir.Construct():
                return self._construct(expr)
            case ir.FunctionRef():
                address = np.uint64(self.scope.function_address(expr.function))
                return lambda _: address  # type: ignore[return-value]
            case _:
                assert_never(expr)

    # --- leaves ------------------------------------------------------------------------------------------------------

    def _variable(self, expr: ir.Var) -> Code:
        if self.scope.object(expr.name) is not None:
            raise Unsupported(f"`{expr.name}` is memory and is read as a register")
        slot = self.scope.slot(expr.name)
        blank = arithmetic.constant(None, expr.type) if not isinstance(expr.type, t.Void) else np.zeros(())

        def read(context: Context) -> Values:
            value = context.register(slot)
            return blank if value is None else value

        return read

    def _builtin(self, expr: ir.Builtin) -> Code:
        name, dtype = expr.name, dtype_of(expr.type)
        return lambda context: context.builtin(name).astype(dtype, copy=False)

    # --- operators ---------------------------------------------------------------------------------------------------

    def _unary(self, expr: ir.Unary) -> Code:
        operand, op, type_ = self.expression(expr.operand), expr.op, expr.type
        if isinstance(type_, t.Vector):
            return _by_lane(lambda parts, element: arithmetic.unary(op, parts[0], element), [operand], [type_], type_)
        if not (self.overflow and op is ir.UnaryOp.NEGATE and isinstance(type_, t.Int) and type_.signed):
            return lambda context: arithmetic.unary(op, operand(context), type_)
        smallest = t.int_range(type_)[0]

        def negate(context: Context) -> Values:
            value = operand(context)
            context.note("overflow", np.equal(value, smallest), "-")
            return arithmetic.unary(op, value, type_)

        return negate

    def _binary(self, expr: ir.Binary) -> Code:
        if expr.op is ir.BinaryOp.LOGICAL_AND:
            return self._select(expr.left, expr.right, ir.Const(False, t.BOOL), t.BOOL)
        if expr.op is ir.BinaryOp.LOGICAL_OR:
            return self._select(expr.left, ir.Const(True, t.BOOL), expr.right, t.BOOL)
        left, right, op, type_ = self.expression(expr.left), self.expression(expr.right), expr.op, expr.type
        if op is ir.BinaryOp.POINTER_DIFFERENCE:
            element = size_of(expr.left.type.element) if isinstance(expr.left.type, t.Pointer) else 1
            return lambda context: arithmetic.pointer_difference(left(context), right(context), element)
        if isinstance(type_, t.Vector) and isinstance(expr.left.type, t.Vector):
            sources = [expr.left.type, expr.right.type]
            moving = rounds_elsewhere(expr, self.moved)
            return _by_lane(lambda p, element: self._operated(op, p, element, moving), [left, right], sources, type_)
        integer = isinstance(type_, t.Int)
        if op in (ir.BinaryOp.DIVIDE, ir.BinaryOp.REMAINDER) and integer and _may_be_zero(expr.right):
            return self._division(op, left, right, type_)
        if self.overflow and integer and not isinstance(expr.left.type, t.Pointer):
            return self._checked(op, left, right, type_)
        moving = rounds_elsewhere(expr, self.moved)
        return lambda context: self._operated(op, [left(context), right(context)], type_, moving)

    def _operated(self, op: ir.BinaryOp, parts: list[Values], type_: t.Type, moving: bool) -> Values:
        result = arithmetic.binary(op, parts[0], parts[1], type_)
        if self.inexact is None or not isinstance(type_, t.Float):
            return result
        if moving:
            wide = [part.astype(np.float64) for part in parts]
            result = self.inexact.rounding(arithmetic.binary(op, wide[0], wide[1], t.F64), result, type_)
        return result if op is not ir.BinaryOp.DIVIDE else self.inexact(HALF_QUOTIENT, parts, result, type_)

    def _division(self, op: ir.BinaryOp, left: Code, right: Code, type_: t.Type) -> Code:
        overflow = self.overflow

        def apply(context: Context) -> Values:
            a, b = left(context), right(context)
            context.note("division_by_zero", np.equal(b, 0), op.value)
            result = arithmetic.binary(op, a, b, type_)
            if overflow:
                context.note("overflow", arithmetic.overflows(op, a, b, result), op.value)
            return result

        return apply

    def _checked(self, op: ir.BinaryOp, left: Code, right: Code, type_: t.Type) -> Code:
        def apply(context: Context) -> Values:
            a, b = left(context), right(context)
            result = arithmetic.binary(op, a, b, type_)
            context.note("overflow", arithmetic.overflows(op, a, b, result), op.value)
            return result

        return apply

    def _cast(self, expr: ir.Cast) -> Code:
        operand, source, target = self.expression(expr.operand), expr.operand.type, expr.type
        if source == target or (isinstance(source, t.Pointer) and isinstance(target, t.Pointer)):
            return operand
        if isinstance(target, t.Void):
            return operand
        if is_aggregate(source) or is_aggregate(target):
            if size_of(source) != size_of(target):
                raise Unsupported(f"a cast from {describe(source)} to {describe(target)}")
            return self._bitcast(ir.Bitcast(expr.operand, target))
        if not isinstance(source, t.Float) or not isinstance(target, t.Float) or not rounds_elsewhere(expr, self.moved):
            return lambda context: arithmetic.convert(operand(context), source, target)
        return lambda context: self._narrowed(operand(context), source, target)

    def _narrowed(self, value: Values, source: t.Float, target: t.Float) -> Values:
        assert self.inexact is not None
        return self.inexact.rounding(value.astype(np.float64), arithmetic.convert(value, source, target), target)

    def _bitcast(self, expr: ir.Bitcast) -> Code:
        operand, source, target = self.expression(expr.operand), expr.operand.type, expr.type
        if source == target or (isinstance(source, t.Pointer) and isinstance(target, t.Pointer)):
            return operand
        if isinstance(source, t.Int) and isinstance(target, t.Pointer):
            return lambda context: windows.pointer_of(operand(context))
        if size_of(source) != size_of(target):
            raise Unsupported(f"a bit cast from {describe(source)} to {describe(target)}")
        return lambda context: from_bytes(to_bytes(operand(context), source), target)

    def _select(self, cond: ir.Expr, then: ir.Expr, orelse: ir.Expr, type_: t.Type) -> Code:
        test, yes, no = self.expression(cond), self.expression(then), self.expression(orelse)
        aggregate = is_aggregate(type_)

        def apply(context: Context) -> Values:
            chosen = test(context)
            if chosen.ndim == 0:
                return yes(context) if chosen else no(context)
            saved = context.mask
            context.mask = chosen if saved is None else saved & chosen
            a = yes(context)
            context.mask = ~chosen if saved is None else saved & ~chosen
            b = no(context)
            context.mask = saved
            return np.where(chosen[:, None] if aggregate else chosen, a, b)

        return apply

    # --- functions ---------------------------------------------------------------------------------------------------

    def _math(self, expr: ir.Math) -> Code:
        args, name, type_ = [self.expression(a) for a in expr.args], expr.name, expr.type
        sources = [a.type for a in expr.args]
        if functions.lookup(name) is None or (is_aggregate(type_) and not isinstance(type_, t.Vector)):
            return self._opaque(name, expr.args, type_)
        moving = rounds_elsewhere(expr, self.moved)
        if isinstance(type_, t.Vector):
            return _by_lane(
                lambda parts, lane: self._called(name, parts, [lane] * len(parts), lane, moving), args, sources, type_
            )

        def apply(context: Context) -> Values:
            return self._called(name, [a(context) for a in args], sources, type_, moving)

        return apply

    def _called(self, name: str, args: list[Values], sources: list[t.Type], type_: t.Type, moving: bool) -> Values:
        result = functions.call(name, args, sources, type_)
        assert result is not None, "the name was looked up before"
        if self.inexact is None:
            return result
        if moving and isinstance(type_, t.Float) and is_rounded(name):
            exact = functions.call(name, [a.astype(np.float64) for a in args], [t.F64] * len(args), t.F64)
            assert exact is not None, "the name was looked up before"
            result = self.inexact.rounding(exact, result, type_)
        return self.inexact(name, args, result, type_)

    def _opaque(self, reason: str, args: tuple[ir.Expr, ...], type_: t.Type) -> Code:
        codes, sources = [self.expression(a) for a in args], [a.type for a in args]
        if reason.rsplit("::", 1)[-1] in CLOCKS:
            return lambda context: arithmetic.convert(context.builtin("clock"), t.UINT64, type_)
        if not args and (given := self.scope.constant(reason)) is not None:
            fixed = arithmetic.constant(given, type_)
            return lambda _: fixed
        part = functions.part_of(reason)
        if part is not None:
            return lambda context: part(codes[0](context)).astype(dtype_of(type_))
        if reason in windows.NUMBERS:
            return lambda context: arithmetic.convert(windows.number_of(codes[0](context)), t.UINT64, type_)

        def apply(context: Context) -> Values:
            context.note("opaque", np.asarray(True), reason)
            return pseudo_value(reason, [to_bytes(c(context), s) for c, s in zip(codes, sources)], type_)

        return apply

    # --- addresses and aggregates ------------------------------------------------------------------------------------

    def _offset(self, expr: ir.Offset) -> Code:
        pointer, distance = self.expression(expr.pointer), self._scaled(expr.index, _element_size(expr.pointer.type))
        return lambda context: np.add(pointer(context), distance(context).view(np.uint64))

    def _scaled(self, index: ir.Expr, size: int) -> Code:
        """`index * size` in bytes, as int64."""
        if isinstance(index, ir.Const):
            fixed = np.int64(int(index.value or 0) * size)
            return lambda _: fixed  # type: ignore[return-value]
        code, factor = self.expression(index), np.int64(size)
        return lambda context: np.multiply(code(context).astype(np.int64), factor)

    def _address(self, place: ir.Place) -> Code:
        code = self.place(place)
        distance = code.distance
        if code.root is not None:
            base = np.uint64(code.root.base)
            if distance is None:
                return lambda _: base  # type: ignore[return-value]
            return lambda context: np.add(base, distance(context).view(np.uint64))
        pointer = code.pointer
        assert pointer is not None
        if distance is None:
            return pointer
        return lambda context: np.add(pointer(context), distance(context).view(np.uint64))

    def place(self, place: ir.Place) -> PlaceCode:
        match place:
            case ir.Variable():
                root = self.scope.object(place.var.name)
                if root is None:
                    raise Unsupported(f"`{place.var.name}` is a register and is used as memory")
                return PlaceCode(root, None, None, place.var.type, ())
            case ir.Element():
                return self._element(place)
            case ir.Index():
                return self._index(place)
            case ir.Field():
                return self._field(place)
            case _:
                assert_never(place)

    def _element(self, place: ir.Element) -> PlaceCode:
        size = _element_size(place.pointer.type)
        still = isinstance(place.index, ir.Const) and not place.index.value
        step = None if still else self._scaled(place.index, size)
        if isinstance(place.pointer, ir.AddressOf):
            base = self.place(place.pointer.place)
            return PlaceCode(base.root, base.pointer, _sum(base.distance, step), place.type, ())
        return PlaceCode(None, self.expression(place.pointer), step, place.type, ())

    def _index(self, place: ir.Index) -> PlaceCode:
        base = self.place(place.base)
        size = size_of(place.type)
        bounds = base.bounds
        if isinstance(base.type, t.Array) and base.type.count:
            bounds = (*bounds, Bound(self.expression(place.index), base.type.count, size))
        still = isinstance(place.index, ir.Const) and not place.index.value
        step = None if still else self._scaled(place.index, size)
        return PlaceCode(base.root, base.pointer, _sum(base.distance, step), place.type, bounds)

    def _field(self, place: ir.Field) -> PlaceCode:
        base = self.place(place.base)
        member = t.field_of(base.type, place.name)
        if member is None:
            raise Unsupported(f"{describe(base.type)} has no known member `{place.name}`")
        fixed = np.int64(member.offset)
        step: Code | None = (lambda _: fixed) if member.offset else None  # type: ignore[assignment, return-value]
        return PlaceCode(base.root, base.pointer, _sum(base.distance, step), place.type, base.bounds)

    def _extract(self, expr: ir.Extract) -> Code:
        member = t.field_of(expr.value.type, expr.field)
        if member is None:
            raise Unsupported(f"{describe(expr.value.type)} has no known member `{expr.field}`")
        value, start, stop = self.expression(expr.value), member.offset, member.offset + size_of(member.type)
        return lambda context: from_bytes(value(context)[:, start:stop], expr.type)

    def _construct(self, expr: ir.Construct) -> Code:
        if not is_aggregate(expr.type):
            zero = ir.Const(None, expr.type)
            return self.expression(expr.args[0] if expr.args else zero)
        size = size_of(expr.type)
        parts = [(self.expression(a), a.type, o) for a, o in zip(expr.args, _member_offsets(expr.type))]

        def apply(context: Context) -> Values:
            columns = [(to_bytes(code(context), type_), offset) for code, type_, offset in parts]
            rows = max((len(column) for column, _ in columns), default=1)
            result = np.zeros((rows, size), np.uint8)
            for column, offset in columns:
                result[:, offset : offset + column.shape[1]] = column
            return result

        return apply


def _by_lane(
    apply: Callable[[list[Values], t.Type], Values], args: list[Code], sources: list[t.Type], type_: t.Vector
) -> Code:
    """Arithmetic on vectors such as half2, lane by lane; a scalar argument goes to every lane."""
    size = size_of(type_.element)

    def pick(value: Values, source: t.Type, lane: int) -> Values:
        if not isinstance(source, t.Vector):
            return value
        width = size_of(source.element)
        return from_bytes(value[:, lane * width : (lane + 1) * width], source.element)

    def run(context: Context) -> Values:
        given = [a(context) for a in args]
        lanes = [apply([pick(v, s, i) for v, s in zip(given, sources)], type_.element) for i in range(type_.lanes)]
        columns = [to_bytes(np.asarray(lane), type_.element) for lane in lanes]
        rows = max(len(column) for column in columns)
        return np.concatenate([np.broadcast_to(column, (rows, size)) for column in columns], axis=1)

    return run


def _member_offsets(type_: t.Type) -> list[int]:
    if isinstance(type_, t.Struct):
        return [f.offset for f in type_.fields]
    assert isinstance(type_, (t.Vector, t.Array))
    count = type_.lanes if isinstance(type_, t.Vector) else (type_.count or 0)
    return [i * size_of(type_.element) for i in range(count)]


def _element_size(pointer: t.Type) -> int:
    return size_of(pointer.element) if isinstance(pointer, t.Pointer) else 1


def _sum(left: Code | None, right: Code | None) -> Code | None:
    if left is None or right is None:
        return left if right is None else right
    return lambda context: np.add(left(context), right(context))


def _may_be_zero(divisor: ir.Expr) -> bool:
    return not (isinstance(divisor, ir.Const) and divisor.value)


# --- expressions alone -----------------------------------------------------------------------------------------------


class _Environment:
    """A context and scope whose only names are the variables of an environment."""

    def __init__(self, env: dict[str, Values]) -> None:
        self.env = env
        self.mask: Values | None = None

    def slot(self, name: str) -> str:
        return name

    def object(self, name: str) -> Object | None:
        return None

    def function_address(self, function: str) -> int:
        return 0

    def constant(self, reason: str) -> int | None:
        return None

    def register(self, slot: str) -> Values | None:
        return self.env[slot]

    def builtin(self, name: str) -> Values:
        return self.env[name]

    def note(self, kind: str, bad: Values, detail: str) -> None:
        pass


def evaluate(expr: ir.Expr, env: dict[str, Values]) -> Values:
    """The values of a pure expression, given those of its variables (and builtins) by name, in their C types."""
    environment = _Environment(env)
    with np.errstate(all="ignore"):
        return Compiler(environment).expression(expr)(environment)
