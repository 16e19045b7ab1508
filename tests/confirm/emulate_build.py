"""Short names for building kernels in IR, so that a test reads like the kernel it is about.

Each statement stands on a line of its own: `line("load x")` style numbering is by order of creation.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np

from cudalint.confirm.emulate.run import Buffer, LaunchInput, Outcome, PointerTo, Scalar, run
from cudalint.ir import nodes as ir
from cudalint.ir import types as t
from cudalint.ir.nodes import BinaryOp as Op
from cudalint.source import Span

_lines = itertools.count(1)


def here() -> Span:
    line = next(_lines)
    return Span("kernel.cu", line, 1, line, 2)


# --- expressions -----------------------------------------------------------------------------------------------------


def lift(value: Any) -> ir.Expr:
    if isinstance(value, bool):
        return ir.Const(value, t.BOOL)
    if isinstance(value, int):
        return ir.Const(value, t.INT32)
    if isinstance(value, float):
        return ir.Const(value, t.F32)
    return value


def var(name: str, type_: t.Type = t.INT32) -> ir.Var:
    return ir.Var(name, type_)


def pointer(name: str, element: t.Type = t.F32) -> ir.Var:
    return ir.Var(name, t.Pointer(element))


def op(operator: Op, left: Any, right: Any) -> ir.Expr:
    a, b = lift(left), lift(right)
    compares = operator.value in ("<", "<=", ">", ">=", "==", "!=", "&&", "||")
    return ir.Binary(operator, a, b, t.BOOL if compares else a.type)


def add(a: Any, b: Any) -> ir.Expr:
    return op(Op.ADD, a, b)


def sub(a: Any, b: Any) -> ir.Expr:
    return op(Op.SUBTRACT, a, b)


def mul(a: Any, b: Any) -> ir.Expr:
    return op(Op.MULTIPLY, a, b)


def less(a: Any, b: Any) -> ir.Expr:
    return op(Op.LESS, a, b)


def equal(a: Any, b: Any) -> ir.Expr:
    return op(Op.EQUAL, a, b)


def as_int(value: ir.Expr) -> ir.Expr:
    return ir.Cast(value, t.INT32)


def builtin(name: str) -> ir.Expr:
    return as_int(ir.Builtin(name, t.UINT32))


TID = builtin("threadIdx.x")
BID = builtin("blockIdx.x")
GID = add(mul(BID, builtin("blockDim.x")), TID)

# --- places and statements -------------------------------------------------------------------------------------------


def at(base: ir.Expr, index: Any) -> ir.Place:
    """`base[index]` for a pointer, or for a declared array given by its variable."""
    element = base.type
    if isinstance(element, t.Array):
        assert isinstance(base, ir.Var)
        return ir.Index(ir.Variable(base), lift(index), element.element)
    assert isinstance(element, t.Pointer)
    return ir.Element(base, lift(index), element.element)


def load(target: ir.Var, place: ir.Place, order: ir.Order = ir.Order.PLAIN) -> ir.Load:
    return ir.Load(target, place, here(), order)


def store(place: ir.Place, value: Any, order: ir.Order = ir.Order.PLAIN) -> ir.Store:
    return ir.Store(place, lift(value), here(), order)


def let(target: ir.Var, value: Any) -> ir.Assign:
    return ir.Assign(target, lift(value), here())


def when(cond: ir.Expr, *then: ir.Stmt, orelse: Iterable[ir.Stmt] = ()) -> ir.If:
    return ir.If(cond, then, tuple(orelse), here())


def loop(cond: Any, *body: ir.Stmt, step: Iterable[ir.Stmt] = (), pre: Iterable[ir.Stmt] = ()) -> ir.Loop:
    return ir.Loop(tuple(pre), lift(cond), tuple(step), body, True, here())


def barrier() -> ir.Barrier:
    return ir.Barrier(ir.Scope.BLOCK, here())


def warp_barrier(mask: int = 0xFFFFFFFF) -> ir.Barrier:
    return ir.Barrier(ir.Scope.WARP, here(), mask=ir.Const(mask, t.UINT32))


def leave() -> ir.Return:
    return ir.Return(None, here())


def shared(name: str, element: t.Type, *counts: int) -> tuple[ir.Var, ir.Declare]:
    type_ = element
    for count in reversed(counts):
        type_ = t.Array(type_, count)
    variable = ir.Var(name, type_)
    return variable, ir.Declare(variable, ir.Storage.SHARED, here())


def local(name: str, element: t.Type, count: int) -> tuple[ir.Var, ir.Declare]:
    variable = ir.Var(name, t.Array(element, count))
    return variable, ir.Declare(variable, ir.Storage.LOCAL, here())


def atomic(
    operation: str, place: ir.Place, *args: Any, target: ir.Var | None = None, order: ir.Order = ir.Order.RELAXED
) -> ir.Atomic:
    return ir.Atomic(operation, place, tuple(lift(a) for a in args), target, here(), order)


def shuffle(operation: str, target: ir.Var, *args: Any, mask: Any = 0xFFFFFFFF) -> ir.Warp:
    named = ir.Const(mask, t.UINT32) if isinstance(mask, int) else mask
    return ir.Warp(operation, named, tuple(lift(a) for a in args), target, here())


def function(name: str, params: Iterable[ir.Var], body: Iterable[ir.Stmt], *, role: ir.Role = ir.Role.KERNEL,
             result: t.Type = t.VOID) -> ir.Function:  # fmt: skip
    return ir.Function(name, name, role, (), tuple(ir.Param(p) for p in params), result, tuple(body), here())


def unit(*functions: ir.Function, globals_: Iterable[ir.Global] = ()) -> ir.Unit:
    return ir.Unit("kernel.cu", {f.id: f for f in functions}, {g.var.name: g for g in globals_})


# --- runs ------------------------------------------------------------------------------------------------------------


def launch(
    kernel: ir.Function, arguments: dict[str, Any] | None = None, *, grid: Any = 1, block: Any = 32, shared: int = 0,
    others: Iterable[ir.Function] = (), globals_: Iterable[ir.Global] = (), **options: Any,
) -> Outcome:  # fmt: skip
    """Runs a kernel: arrays and Buffers become buffers with the parameter's name, numbers scalars, None null."""
    buffers, args = [], []
    for param in kernel.params:
        value = (arguments or {})[param.var.name]
        if isinstance(value, np.ndarray):
            value = Buffer(param.var.name, value.view(np.uint8).reshape(-1))
        if isinstance(value, Buffer):
            buffers.append(value)
            args.append(PointerTo(value.name))
        elif value is None or isinstance(value, PointerTo):
            args.append(value or PointerTo(None))
        else:
            args.append(Scalar(value))
    shape = LaunchInput(_dim(grid), _dim(block), shared, tuple(args))
    return run(unit(kernel, *others, globals_=globals_), kernel.id, shape, tuple(buffers), **options)


def _dim(value: Any) -> tuple[int, int, int]:
    given = (value,) if isinstance(value, int) else tuple(value)
    return (*given, *(1,) * (3 - len(given)))


def kinds(outcome: Outcome) -> list[str]:
    return [event.kind for event in outcome.events]


def result(outcome: Outcome, name: str, dtype: Any) -> np.ndarray:
    assert outcome.status == "finished", outcome.reason
    return outcome.buffers[name].view(dtype)
