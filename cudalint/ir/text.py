"""The IR as text: one statement a line, for people, golden files and bug reports.

kernel saxpy(n: i32, a: f32, x: *const f32, y: *f32)
  if i < n
    t.1 = load x[i]
    store y[i] = a * t.1
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from cudalint.ir import nodes as ir
from cudalint.ir.types import Array, Bool, Float, Int, Pointer, Struct, Type, Unknown, Vector, Void

INDENT = "  "


def unit_text(unit: ir.Unit) -> str:
    """Globals by name, then functions in the order of the unit."""
    parts = [_global(unit.globals[name]) + "\n" for name in sorted(unit.globals)]
    return "".join(parts) + "\n".join(function_text(f) for f in unit.functions.values())


def _global(item: ir.Global) -> str:
    init = "" if item.init is None else " = " + _shortened(item.init)
    return f"{item.storage.value} {item.var.name}: {type_text(item.var.type)}{init}"


def _shortened(values: tuple[int | float | bool, ...]) -> str:
    shown = ", ".join(str(v) for v in values[:8])
    return f"{{{shown}, ...}}" if len(values) > 8 else f"{{{shown}}}"


def function_text(function: ir.Function) -> str:
    params = ", ".join(_param(p) for p in function.params)
    result = "" if isinstance(function.result, Void) else f" -> {type_text(function.result)}"
    bounds = f" bounds({', '.join(map(str, function.launch_bounds))})" if function.launch_bounds else ""
    head = f"{function.role.value} {without_parameters(function.id)}({params}){result}{bounds}\n"
    return head + "".join(f"{line}\n" for line in lines(function.body, 1))


def without_parameters(function: str) -> str:
    """An id without the parameter types at its end."""
    depth = 0
    for at in range(len(function) - 1, -1, -1):
        depth += (function[at] == ")") - (function[at] == "(")
        if depth == 0:
            return function[:at] if function[at] == "(" else function
    return function


def _param(param: ir.Param) -> str:
    marks = [w for w, on in (("const", param.const), ("restrict", param.restrict), ("memory", param.memory)) if on]
    marks += ["ref"] if param.reference else []
    return f"{param.var.name}: {' '.join([*marks, type_text(param.var.type)])}"


def type_text(type_: Type) -> str:
    match type_:
        case Void():
            return "void"
        case Bool():
            return "bool"
        case Int():
            return f"{'i' if type_.signed else 'u'}{type_.bits}"
        case Float():
            return type_.format
        case Pointer():
            return f"*{type_text(type_.element)}"
        case Vector():
            return f"{type_text(type_.element)}x{type_.lanes}"
        case Array():
            return f"[{'?' if type_.count is None else type_.count}]{type_text(type_.element)}"
        case Struct():
            return type_.name + ("?" if type_.guessed else "")
        case Unknown():
            return f"unknown({type_.name})"
        case _:
            assert_never(type_)


def lines(body: tuple[ir.Stmt, ...], depth: int) -> Iterator[str]:
    for stmt in body:
        yield from _statement(stmt, depth)


def _statement(stmt: ir.Stmt, depth: int) -> Iterator[str]:
    pad = INDENT * depth
    if isinstance(stmt, ir.If):
        yield f"{pad}if {expr_text(stmt.cond)}"
        yield from lines(stmt.then, depth + 1)
        if stmt.orelse:
            yield f"{pad}else"
            yield from lines(stmt.orelse, depth + 1)
    elif isinstance(stmt, ir.Loop):
        unroll = "" if stmt.unroll is None else f" unroll({stmt.unroll or ''})"
        yield f"{pad}{'loop' if stmt.test_first else 'loop once, then'} while {expr_text(stmt.cond)}{unroll}"
        for name, block in (("pre", stmt.pre), ("step", stmt.step)):
            if block:
                yield f"{pad}{INDENT}{name}"
                yield from lines(block, depth + 2)
        yield from lines(stmt.body, depth + 1)
    else:
        yield pad + simple_text(stmt)


def simple_text(stmt: ir.Stmt) -> str:
    """A statement on one line; inner statements are not shown."""
    match stmt:
        case ir.Declare() | ir.Assign() | ir.Load() | ir.Store() | ir.Atomic() | ir.AsyncCopy():
            return _memory(stmt)
        case ir.If() | ir.Loop() | ir.Return() | ir.Break() | ir.Continue() | ir.Check() | ir.Trap():
            return _control(stmt)
        case ir.Barrier() | ir.Fence() | ir.Warp() | ir.AsyncCommit() | ir.AsyncWait():
            return _sync(stmt)
        case ir.Call() | ir.Launch() | ir.Unmodelled():
            return _call(stmt)
        case _:
            assert_never(stmt)


def _memory(stmt: ir.MemoryStmt) -> str:
    match stmt:
        case ir.Declare():
            align = "" if stmt.align is None else f" align {stmt.align}"
            return f"{stmt.storage.value} {stmt.var.name}: {type_text(stmt.var.type)}{align}"
        case ir.Assign():
            return f"{stmt.target.name} = {expr_text(stmt.value)}"
        case ir.Load():
            return f"{stmt.target.name} = load{_order(stmt.order)} {place_text(stmt.place)}"
        case ir.Store():
            return f"store{_order(stmt.order)} {place_text(stmt.place)} = {expr_text(stmt.value)}"
        case ir.Atomic():
            call = f"atomic.{stmt.op}.{stmt.scope.value} {place_text(stmt.place)}"
            return f"{_to(stmt.target)}{call}{''.join(', ' + expr_text(a) for a in stmt.args)}"
        case ir.AsyncCopy():
            until = "" if stmt.barrier is None else f" until {expr_text(stmt.barrier)}"
            return f"async copy {expr_text(stmt.destination)}, {expr_text(stmt.source)}, {expr_text(stmt.bytes)}{until}"
        case _:
            assert_never(stmt)


def _order(order: ir.Order) -> str:
    return "" if order == ir.Order.PLAIN else f".{order.value}"


def _to(target: ir.Var | None) -> str:
    return "" if target is None else f"{target.name} = "


def _control(stmt: ir.ControlStmt) -> str:
    match stmt:
        case ir.If():
            return f"if {expr_text(stmt.cond)}"
        case ir.Loop():
            return f"loop while {expr_text(stmt.cond)}"
        case ir.Return():
            return "return" if stmt.value is None else f"return {expr_text(stmt.value)}"
        case ir.Break():
            return "break"
        case ir.Continue():
            return "continue"
        case ir.Check():
            return f"check({stmt.origin}) {expr_text(stmt.cond)}"
        case ir.Trap():
            return "trap"
        case _:
            assert_never(stmt)


def _sync(stmt: ir.SyncStmt) -> str:
    match stmt:
        case ir.Barrier():
            given = (
                ("id", stmt.id), ("of", stmt.object), ("count", stmt.count), ("mask", stmt.mask),
                (stmt.reduce or "value", stmt.value),
            )  # fmt: skip
            rest = "".join(f" {name} {expr_text(e)}" for name, e in given if e is not None)
            return f"{_to(stmt.target)}barrier.{stmt.scope.value}.{stmt.mode}{rest}"
        case ir.Fence():
            return f"fence.{stmt.scope.value}.{stmt.order.value}"
        case ir.Warp():
            mask = "legacy" if stmt.mask is None else expr_text(stmt.mask)
            return f"{stmt.target.name} = warp.{stmt.op} [{mask}] {_list(stmt.args)}"
        case ir.AsyncCommit():
            return "async commit"
        case ir.AsyncWait():
            return "async wait oldest" if stmt.pending is None else f"async wait {expr_text(stmt.pending)}"
        case _:
            assert_never(stmt)


def _call(stmt: ir.CallStmt) -> str:
    match stmt:
        case ir.Call():
            return f"{_to(stmt.target)}call {stmt.function}: {_list(stmt.args)}"
        case ir.Launch():
            stream = "" if stmt.stream is None else f", {expr_text(stmt.stream)}"
            config = f"({_list(stmt.grid)}), ({_list(stmt.block)}), {expr_text(stmt.shared)}{stream}"
            marks = " cooperative" * stmt.cooperative + " gives_status" * stmt.gives_status
            held = (("pointers", stmt.pointers), ("buffer", stmt.buffer))
            marks += "".join(f" {name} {expr_text(value)}" for name, value in held if value is not None)
            return f"launch {expr_text(stmt.kernel)} <<<{config}>>> {_list(stmt.args)}{marks}"
        case ir.Unmodelled():
            marks = " may_exit" * stmt.may_exit + " may_sync" * stmt.may_sync
            writes = ", ".join(place_text(p) for p in stmt.writes)
            return f"unmodelled {stmt.reason!r}{marks} reads ({_list(stmt.reads)}) writes ({writes})"
        case _:
            assert_never(stmt)


def _list(args: tuple[ir.Expr, ...]) -> str:
    return ", ".join(expr_text(a) for a in args)


def expr_text(expr: ir.Expr) -> str:
    match expr:
        case ir.Const():
            return _const(expr)
        case ir.Var() | ir.Builtin():
            return expr.name
        case ir.Unary():
            return f"{expr.op.value}{_inner(expr.operand)}"
        case ir.Binary():
            return f"{_inner(expr.left)} {expr.op.value} {_inner(expr.right)}"
        case ir.Cast():
            return f"{type_text(expr.type)}({expr_text(expr.operand)})"
        case ir.Bitcast():
            return f"bits {type_text(expr.type)}({expr_text(expr.operand)})"
        case ir.Select():
            return f"select({expr_text(expr.cond)}, {expr_text(expr.then)}, {expr_text(expr.orelse)})"
        case ir.Math():
            return f"{expr.name}({_list(expr.args)})"
        case ir.Opaque():
            return f"opaque {type_text(expr.type)} {expr.reason!r}({_list(expr.args)})"
        case ir.AddressOf():
            return f"&{place_text(expr.place)}"
        case ir.Offset():
            return f"{_inner(expr.pointer)} + {_inner(expr.index)}"
        case ir.Extract():
            return f"{_inner(expr.value)}.{expr.field}"
        case ir.Construct():
            return f"{type_text(expr.type)}{{{_list(expr.args)}}}"
        case ir.FunctionRef():
            return f"@{without_parameters(expr.function)}"
        case _:
            assert_never(expr)


def _const(expr: ir.Const) -> str:
    if expr.value is None:
        return "null"
    if isinstance(expr.type, Int) and expr.type != Int(32, True):
        return f"{expr.value}:{type_text(expr.type)}"
    if isinstance(expr.type, Float) and expr.type.format != "f32":
        return f"{expr.value}:{type_text(expr.type)}"
    return str(expr.value)


def _inner(expr: ir.Expr) -> str:
    return f"({expr_text(expr)})" if isinstance(expr, (ir.Binary, ir.Unary, ir.Offset)) else expr_text(expr)


def place_text(place: ir.Place) -> str:
    match place:
        case ir.Variable():
            return place.var.name
        case ir.Element():
            return f"{_inner(place.pointer)}[{expr_text(place.index)}]"
        case ir.Index():
            return f"{place_text(place.base)}[{expr_text(place.index)}]"
        case ir.Field():
            return f"{place_text(place.base)}.{place.name}"
        case _:
            assert_never(place)
