"""Calls of CUDA's built-in functions, through the tables of `intrinsics`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering import intrinsics as table
from cudalint.frontend.lowering.alternatives import other_branches
from cudalint.frontend.lowering.byte_calls import byte_call, typed
from cudalint.frontend.lowering.casts import convert
from cudalint.frontend.lowering.context import Body
from cudalint.frontend.lowering.names import qualified_name
from cudalint.frontend.lowering.operators import COMPARISONS, update
from cudalint.frontend.lowering.types import common, is_aggregate, is_function
from cudalint.ir import nodes as ir
from cudalint.ir.types import (
    BOOL,
    INT32,
    UINT32,
    VOID,
    Array,
    Float,
    Int,
    Pointer,
    Vector,
)

Arguments = list[Cursor]


def builtin_call(body: Body, cursor: Cursor, target: Cursor) -> Any:
    """An expression, None for a call without result, or NotImplemented where no table knows the function."""
    name = qualified_name(target)
    for family in _FAMILIES:
        result = family(body, name, cursor, target)
        if result is not NotImplemented:
            return result
    return NotImplemented


def _values(body: Body, cursor: Cursor) -> tuple[ir.Expr, ...]:
    return tuple(body.value(a) for a in clang.arguments(cursor))


def _math(body: Body, name: str, cursor: Cursor, target: Cursor) -> Any:
    if name not in table.MATH:
        return NotImplemented
    type_ = body.type_of(cursor)
    args = _values(body, cursor)
    if name in ("std::min", "std::max") and len(args) != 2:
        return body.opaque(name, args, type_, body.span(cursor))
    if table.MATH[name] in ("min", "max", "fmin", "fmax") or isinstance(type_, Float):
        shared = common(args[0].type, args[-1].type) if table.MATH[name] in ("min", "max") else type_
        if isinstance(type_, Float):
            whole = table.MATH[name] in table.INTEGER_ARGUMENTS
            args = tuple(a if whole and isinstance(a.type, Int) else convert(body, a, type_, cursor) for a in args)
        elif len(args) == 2:
            args = tuple(convert(body, a, shared, cursor) for a in args)
            return convert(body, ir.Math(table.MATH[name], args, shared), type_, cursor)
    return ir.Math(table.MATH[name], args, type_)


def _binary(body: Body, name: str, cursor: Cursor, target: Cursor) -> Any:
    if name == "__hadd" and isinstance(body.type_of(cursor), Float):
        operator = ir.BinaryOp.ADD
    elif name == "__hadd":
        return ir.Math("hadd", _values(body, cursor), body.type_of(cursor))
    elif name in table.BINARY:
        operator = table.BINARY[name]
    elif target.spelling in table.OPERATORS and len(clang.arguments(cursor)) == 2 and _narrow(body, cursor):
        operator = table.OPERATORS[target.spelling]
    else:
        return NotImplemented
    left, right = _values(body, cursor)
    type_ = BOOL if operator.value in COMPARISONS else body.type_of(cursor)
    return ir.Binary(operator, left, convert(body, right, left.type, cursor), type_)


def _narrow(body: Body, cursor: Cursor) -> bool:
    """Both operands are one narrow type: mixed operands have operators with bodies."""
    first, second = (body.type_of(a) for a in clang.arguments(cursor))
    return first == second and isinstance(first, (Float, Vector))


def _unary(body: Body, name: str, cursor: Cursor, target: Cursor) -> Any:
    given = clang.arguments(cursor)
    if name in ("__hneg", "__hneg2") or (name == "operator-" and len(given) == 1):
        return ir.Unary(ir.UnaryOp.NEGATE, body.value(given[0]), body.type_of(cursor))
    if name == "operator+" and len(given) == 1:
        return body.value(given[0])
    if name in ("operator++", "operator--") and len(given) == 1 and isinstance(body.type_of(given[0]), Float):
        place = body.place(given[0])
        one = build.const(1, build.place_type(place))
        update(body, place, name[-1], one, cursor, given[0])
        return build.address(place)
    return NotImplemented


def _update(body: Body, name: str, cursor: Cursor, target: Cursor) -> Any:
    """`h += x` on narrow types."""
    if not (name.startswith("operator") and name.endswith("=") and name[8:-1] in ("+", "-", "*", "/")):
        return NotImplemented
    left, right = clang.arguments(cursor)
    amount, place = body.value(right), body.place(left)
    if isinstance(build.place_type(place), Vector):
        old = body.read(place, body.span(left))
        value = ir.Binary(ir.BinaryOp(name[8:-1]), old, amount, old.type)
        body.write(place, value, body.span(left))
    else:
        update(body, place, name[8:-1], amount, cursor, left)
    return build.address(place)


def _assignment(body: Body, name: str, cursor: Cursor, target: Cursor) -> Any:
    """`h = x` for types that are scalars here."""
    if target.spelling != "operator=" or target.kind != Kind.CXX_METHOD:
        return NotImplemented
    left, right = clang.arguments(cursor)
    type_ = body.type_of(left)
    if not isinstance(type_, (Float, Vector)):
        return NotImplemented
    value = convert(body, body.value(right), type_, cursor)
    place = body.place(left)
    body.write(place, value, body.span(left))
    return build.address(place)


def _conversion(body: Body, name: str, cursor: Cursor, target: Cursor) -> Any:
    type_ = body.type_of(cursor)
    if target.kind == Kind.CONVERSION_FUNCTION:
        owner = clang.children(clang.children(cursor)[0])
        source = body.type_of(owner[0]) if owner else VOID
        if isinstance(source, (Float, Vector)):
            return convert(body, body.value(owner[0]), type_, cursor)
        return NotImplemented
    if name in table.CONVERSIONS:
        return convert(body, _values(body, cursor)[0], type_, cursor, True)
    if name in table.ROUNDED_CONVERSIONS:
        value = _values(body, cursor)[0]
        return build.convert(ir.Math(table.ROUNDED_CONVERSIONS[name], (value,), value.type), type_, True)
    if name in table.BITCASTS:
        return ir.Bitcast(_values(body, cursor)[0], type_)
    return _bytes_of(body, cursor) if name == "std::bit_cast" else NotImplemented


def _bytes_of(body: Body, cursor: Cursor) -> ir.Expr:
    """`std::bit_cast`: the bytes of a value under another type."""
    value, type_ = _values(body, cursor)[0], body.type_of(cursor)
    if not is_aggregate(value.type) and not is_aggregate(type_):
        return value if value.type == type_ else ir.Bitcast(value, type_)
    address = build.address(body.materialize(value, cursor))
    return body.read(build.element(ir.Bitcast(address, Pointer(type_)), build.ZERO, type_), body.span(cursor))


def _packed(body: Body, name: str, cursor: Cursor, target: Cursor) -> Any:
    type_ = body.type_of(cursor)
    if name in table.PACKED and isinstance(type_, Vector):
        args = _values(body, cursor)
        lanes = [_lane(args, recipe) for recipe in table.PACKED[name]]
        return ir.Construct(tuple(build.convert(lane, type_.element) for lane in lanes), type_)
    if name in table.LANES:
        value = _values(body, cursor)[0]
        assert isinstance(value.type, Vector)
        return build.convert(build.member(value, table.LANES[name], value.type.element), type_)
    if name.startswith("make_") and isinstance(type_, Vector):
        args = _values(body, cursor)
        return ir.Construct(tuple(convert(body, a, type_.element, cursor) for a in args), type_)
    return NotImplemented


def _lane(args: tuple[ir.Expr, ...], recipe: str) -> ir.Expr:
    value = args[int(recipe[0])]
    if len(recipe) == 1 or not isinstance(value.type, Vector):
        return value
    return build.member(value, recipe[1], value.type.element)


def _atomic(body: Body, name: str, cursor: Cursor, target: Cursor) -> Any:
    scope = ir.Scope.DEVICE
    for suffix, found in table.ATOMIC_SCOPES.items():
        if name.endswith(suffix):
            name, scope = name.removesuffix(suffix), found
    operation = table.ATOMICS.get(name)
    if operation is None:
        return NotImplemented
    pointer, *args = _values(body, cursor)
    if not isinstance(pointer.type, Pointer):
        return NotImplemented
    type_, span = pointer.type.element, body.span(clang.arguments(cursor)[0])
    place = build.element(pointer, build.ZERO, type_)
    values = tuple(convert(body, a, type_, cursor) for a in args)
    result = None if body.type_of(cursor) == VOID else body.fresh(type_, span)
    body.emit(ir.Atomic(operation, place, values, result, body.span(cursor), scope=scope))
    return result


def _memory(body: Body, name: str, cursor: Cursor, target: Cursor) -> Any:
    if name in table.LOADS:
        pointer = _values(body, cursor)[0]
        if isinstance(pointer.type, Pointer):
            place = build.element(pointer, build.ZERO, pointer.type.element)
            return body.read(place, body.span(cursor), table.LOADS[name])
    if name in table.STORES:
        pointer, value = _values(body, cursor)
        if isinstance(pointer.type, Pointer):
            body.write(build.element(pointer, build.ZERO, pointer.type.element), value, body.span(cursor))
            return None
    return NotImplemented


def _has_masked_form(body: Body, cursor: Cursor, name: str) -> bool:
    """Whether a branch of `#if` that this build does not take has the form of the operation with a mask."""
    file = cursor.location.file
    content = body.program.locator.content(file.name) if file is not None else b""
    return f"{name}_sync".encode() in other_branches(content, cursor.location.offset)


def _warp(body: Body, name: str, cursor: Cursor, target: Cursor) -> Any:
    synchronised = name.endswith("_sync")
    operation = table.WARPS.get(name.removesuffix("_sync"))
    if name == "__activemask":
        operation, synchronised = "activemask", False
    if operation is None:
        return NotImplemented
    args = _values(body, cursor)
    mask = args[0] if synchronised else None
    args = args[1:] if synchronised else args
    type_, span = body.type_of(cursor), body.span(cursor)
    if not synchronised and operation != "activemask" and _has_masked_form(body, cursor, name):
        mask = body.opaque("mask of another build", (), UINT32, span)
    if operation in ("ballot", "any", "all"):
        args = (build.truth(args[0]),)
    result = body.fresh(type_, span)
    body.emit(ir.Warp(operation, mask, args, result, span))
    return result


def _barrier(body: Body, name: str, cursor: Cursor, target: Cursor) -> Any:
    span = body.span(cursor)
    if name == "__syncthreads":
        body.emit(ir.Barrier(ir.Scope.BLOCK, span))
        return None
    if name in table.REDUCING_BARRIERS:
        value = build.truth(_values(body, cursor)[0])
        result = body.fresh(INT32, span)
        reduce = table.REDUCING_BARRIERS[name]
        body.emit(ir.Barrier(ir.Scope.BLOCK, span, reduce=reduce, value=value, target=result))
        return result
    if name == "__syncwarp":
        args = _values(body, cursor)
        body.emit(ir.Barrier(ir.Scope.WARP, span, mask=args[0] if args else ir.Const(0xFFFFFFFF, UINT32)))
        return None
    if name in ("__barrier_sync", "__barrier_sync_count"):
        args = _values(body, cursor)
        body.emit(ir.Barrier(ir.Scope.NAMED, span, id=args[0], count=args[1] if len(args) > 1 else None))
        return None
    if name in table.FENCES:
        body.emit(ir.Fence(table.FENCES[name], span))
        return None
    return NotImplemented


def _control(body: Body, name: str, cursor: Cursor, target: Cursor) -> Any:
    span = body.span(cursor)
    if name in table.CHECKS:
        cond = build.truth(body.value(clang.arguments(cursor)[0]))
        if name == table.CHECK_OF_HOST and not body.for_host:
            body.hole("check by a macro that nothing defines", cursor)
        else:
            body.emit(ir.Check(cond, table.CHECKS[name], span))
        return None
    if name in table.EXITS:
        body.emit(ir.Trap(span))
        return None
    if name in table.IGNORED:
        _values(body, cursor)
        return None if body.type_of(cursor) == VOID else build.zero(body.type_of(cursor))
    if name in table.OPAQUE:
        return body.opaque(name, _values(body, cursor), body.type_of(cursor), span)
    return NotImplemented


def _address_space(body: Body, name: str, cursor: Cursor, target: Cursor) -> Any:
    """A shared address as an integer is opaque, and what it points to may be accessed behind our back from here on."""
    if name not in ("__cvta_generic_to_shared", "__cvta_generic_to_global", "__nvvm_get_smem_pointer"):
        return NotImplemented
    pointer, type_, span = typed(_values(body, cursor)[0]), body.type_of(cursor), body.span(cursor)
    if name == "__cvta_generic_to_global":
        return build.convert(pointer, type_)
    if isinstance(pointer.type, Pointer):
        written = build.element(pointer, build.ZERO, pointer.type.element)
        body.opaque_statement(ir.ADDRESS_AS_NUMBER, span, (pointer,), (written,))
    return ir.Opaque(name, (pointer,), type_)


def _pipeline(body: Body, name: str, cursor: Cursor, target: Cursor) -> Any:
    span = body.span(cursor)
    if name == "__pipeline_memcpy_async":
        to, source, count = _values(body, cursor)[:3]
        body.emit(ir.AsyncCopy(to, source, count, span))
        return None
    if name == "__pipeline_commit":
        body.emit(ir.AsyncCommit(span))
        return None
    if name == "__pipeline_wait_prior":
        body.emit(ir.AsyncWait(_values(body, cursor)[0], span))
        return None
    return NotImplemented


def _results(body: Body, name: str, cursor: Cursor, target: Cursor) -> Any:
    """Functions with results behind pointers: `sincosf(x, &s, &c)`."""
    bare = name.removeprefix("std::")
    if bare in ("sincos", "sincosf", "__sincosf"):
        x, sine, cosine = _values(body, cursor)
        for function, pointer in (("sin", sine), ("cos", cosine)):
            body.write(build.element(pointer, build.ZERO, x.type), ir.Math(function, (x,), x.type), body.span(cursor))
        return None
    if bare in ("frexp", "frexpf", "modf", "modff", "remquo", "remquof"):
        return _split(body, bare, cursor)
    if bare == "move" or bare == "forward":
        given = clang.arguments(cursor)[0]
        return body.value(given) if is_function(given.type) else build.address(body.place(given))
    if bare in ("__builtin_expect", "__builtin_expect_with_probability"):
        return _values(body, cursor)[0]
    if bare == "swap" and len(clang.arguments(cursor)) == 2:
        return _swap(body, cursor)
    return NotImplemented


def _split(body: Body, name: str, cursor: Cursor) -> ir.Expr:
    """A result by value and one behind the last pointer, neither modelled."""
    *args, pointer = _values(body, cursor)
    span = body.span(cursor)
    if isinstance(pointer.type, Pointer):
        other = body.opaque(f"{name} second result", tuple(args), pointer.type.element, span)
        body.write(build.element(pointer, build.ZERO, pointer.type.element), other, span)
    return body.opaque(name, tuple(args), body.type_of(cursor), span)


def _random(body: Body, name: str, cursor: Cursor, target: Cursor) -> Any:
    """cuRAND's device functions: the state is read and replaced by an opaque one."""
    if not name.startswith("curand") or body.role == ir.Role.HOST:
        return NotImplemented
    args, span, type_ = _values(body, cursor), body.span(cursor), body.type_of(cursor)
    pointers = [a for a in args if isinstance(a.type, Pointer)]
    if len(pointers) != 1 or not isinstance(pointers[0].type, Pointer):
        return NotImplemented
    place = build.element(pointers[0], build.ZERO, pointers[0].type.element)
    known = tuple(a for a in args if a is not pointers[0])
    if name != "curand_init":
        known = (body.read(place, span), *known)
    result = None if type_ == VOID else body.fresh(type_, span)
    if result is not None:
        body.emit(ir.Assign(result, body.opaque(name, known, type_, span), span))
    body.write(place, body.opaque(f"state after {name}", known, build.place_type(place), span), span)
    return result


def _surface(body: Body, name: str, cursor: Cursor, target: Cursor) -> Any:
    """Writes to surfaces touch no memory that a pointer reaches."""
    if not (name.startswith("surf") and name.endswith("write")):
        return NotImplemented
    body.opaque(name, _values(body, cursor), VOID, body.span(cursor))
    return None


def _swap(body: Body, cursor: Cursor) -> Any:
    places = [body.place(a) for a in clang.arguments(cursor)]
    type_, span = build.place_type(places[0]), body.span(cursor)
    if isinstance(type_, Array):
        return NotImplemented
    kept = body.fresh(type_, span)
    body.emit(ir.Assign(kept, body.read(places[0], span), span))
    body.write(places[0], body.read(places[1], span), span)
    body.write(places[1], kept, span)
    return None


Family = Callable[[Body, str, Cursor, Cursor], Any]
_FAMILIES: tuple[Family, ...] = (
    _barrier, _math, _warp, _atomic, _memory, _control, _conversion, _binary, _unary, _update, _assignment, _packed,
    _address_space, _pipeline, _results, byte_call, _random, _surface,
)  # fmt: skip
