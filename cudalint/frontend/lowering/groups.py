"""Cooperative groups: barriers, ranks and warp operations of blocks and tiles."""

from __future__ import annotations

from typing import Any

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.context import Body
from cudalint.frontend.lowering.names import qualified_name
from cudalint.ir import nodes as ir
from cudalint.ir.types import INT32, UINT32, Struct

NAMESPACE = "cooperative_groups::"
BARRIERS = {"thread_block": ir.Scope.BLOCK, "grid_group": ir.Scope.GRID, "cluster_group": ir.Scope.CLUSTER}
FACTORIES = ("this_thread_block", "this_grid", "this_cluster", "tiled_partition", "coalesced_threads")
WARPS = ("shfl", "shfl_up", "shfl_down", "shfl_xor", "any", "all", "ballot", "match_any")
REDUCTIONS = {
    "plus": "reduce_add", "greater": "reduce_max", "less": "reduce_min", "bit_and": "reduce_and",
    "bit_or": "reduce_or", "bit_xor": "reduce_xor",
}  # fmt: skip
FULL = ir.Const(0xFFFFFFFF, UINT32)


def group_call(body: Body, cursor: Cursor, target: Cursor) -> Any:
    """An expression, None, or NotImplemented where this is no group operation that is known."""
    if not qualified_name(target).startswith(NAMESPACE):
        return NotImplemented
    name = target.spelling
    if name == "coalesced_threads":
        mask = body.fresh(UINT32, body.span(cursor))
        body.emit(ir.Warp("activemask", None, (), mask, body.span(cursor)))
        return ir.Construct((mask,), body.type_of(cursor))
    if name in FACTORIES:
        for argument in clang.arguments(cursor):
            body.discard(argument)
        return build.zero(body.type_of(cursor))
    group = _group_type(body, cursor, target)
    if group is None:
        return NotImplemented
    if group == "coalesced_group":
        return _coalesced(body, name, cursor, target)
    if name == "sync":
        return _sync(body, cursor, group)
    if group == "thread_block":
        return _block(body, name, cursor)
    if group == "grid_group":
        return _grid(body, name, cursor)
    tile = tile_size(group)
    if tile is not None:
        return _tile(body, name, tile, cursor)
    return NotImplemented


def _group_type(body: Body, cursor: Cursor, target: Cursor) -> str | None:
    """The group's class as the caller knows it, without its namespace."""
    group = _group_of(cursor, target)
    type_ = None if group is None else body.type_of(group)
    if not isinstance(type_, Struct) or not type_.name.startswith(NAMESPACE):
        return None
    return type_.name.removeprefix(NAMESPACE)


def _group_of(cursor: Cursor, target: Cursor) -> Cursor | None:
    """The object of a member call, or the first argument of a function."""
    if target.kind != Kind.CXX_METHOD:
        return next(iter(clang.arguments(cursor)), None)
    callee = clang.children(cursor)[0]
    while callee.kind == Kind.UNEXPOSED_EXPR and clang.children(callee):
        callee = clang.children(callee)[0]
    return next((c for c in clang.children(callee) if c.kind.is_expression()), None)


def _coalesced(body: Body, name: str, cursor: Cursor, target: Cursor) -> Any:
    """The lanes that were together where the group was made: ranks count the bits of their mask."""
    group, type_, span = _group_of(cursor, target), body.type_of(cursor), body.span(cursor)
    if group is None:
        return NotImplemented
    mask = ir.Extract(body.value(group), "mask", UINT32)
    given = clang.arguments(cursor)
    if name in ("size", "num_threads"):
        return build.convert(ir.Math("popc", (mask,), INT32), type_)
    if name == "thread_rank":
        lane = ir.Binary(ir.BinaryOp.SHIFT_LEFT, ir.Const(1, UINT32), _builtin("laneid"), UINT32)
        below = ir.Binary(ir.BinaryOp.SUBTRACT, lane, ir.Const(1, UINT32), UINT32)
        return build.convert(ir.Math("popc", (ir.Binary(ir.BinaryOp.AND, mask, below, UINT32),), INT32), type_)
    if name == "sync":
        body.emit(ir.Barrier(ir.Scope.WARP, span, mask=mask))
        return None
    operation = name if name in ("any", "all") else _reduction(body, name, cursor)
    args = tuple(build.truth(body.value(a)) for a in given[:1]) if name in ("any", "all") else ()
    if operation is not None and name == "reduce":
        args = (body.value(given[1]),)
    if name == "shfl" and len(given) == 2 and clang.evaluate(given[1]) == 0:  # the first of them
        first = ir.Binary(ir.BinaryOp.SUBTRACT, ir.Math("ffs", (mask,), INT32), ir.Const(1, INT32), INT32)
        operation, args = name, (body.value(given[0]), first, ir.Const(32, INT32))
    if operation is None:
        return NotImplemented
    result = body.fresh(type_, span)
    body.emit(ir.Warp(operation, mask, args, result, span))
    return result


def tile_size(group: str) -> int | None:
    if not group.startswith("thread_block_tile<"):
        return None
    digits = group.removeprefix("thread_block_tile<").split(",")[0].rstrip(">U u")
    return int(digits) if digits.isdigit() else None


def _sync(body: Body, cursor: Cursor, group: str) -> Any:
    span = body.span(cursor)
    scope = BARRIERS.get(group)
    if scope is not None:
        body.emit(ir.Barrier(scope, span))
        return None
    if tile_size(group) is not None:
        size = tile_size(group) or 32
        body.emit(ir.Barrier(ir.Scope.WARP, span, mask=FULL if size == 32 else tile_mask(size)))
        return None
    return NotImplemented


def tile_mask(size: int) -> ir.Expr:
    """The lanes of this thread's tile of a warp."""
    first = ir.Binary(ir.BinaryOp.AND, ir.Builtin("laneid", UINT32), ir.Const(0xFFFFFFFF & ~(size - 1), UINT32), UINT32)
    return ir.Binary(ir.BinaryOp.SHIFT_LEFT, ir.Const((1 << size) - 1, UINT32), first, UINT32)


def _builtin(name: str) -> ir.Expr:
    return ir.Builtin(name, UINT32)


def _times(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    return ir.Binary(ir.BinaryOp.MULTIPLY, left, right, UINT32)


def _plus(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    return ir.Binary(ir.BinaryOp.ADD, left, right, UINT32)


def linear(index: str, extent: str) -> ir.Expr:
    """`index` as one number, x fastest."""
    inner = _plus(_times(_builtin(f"{index}.z"), _builtin(f"{extent}.y")), _builtin(f"{index}.y"))
    return _plus(_times(inner, _builtin(f"{extent}.x")), _builtin(f"{index}.x"))


def volume(extent: str) -> ir.Expr:
    return _times(_times(_builtin(f"{extent}.x"), _builtin(f"{extent}.y")), _builtin(f"{extent}.z"))


def _dims(body: Body, name: str, cursor: Cursor) -> ir.Expr:
    type_ = body.type_of(cursor)
    return ir.Construct(tuple(_builtin(f"{name}.{axis}") for axis in "xyz"), type_)


def _block(body: Body, name: str, cursor: Cursor) -> Any:
    type_ = body.type_of(cursor)
    if name == "thread_rank":
        return build.convert(linear("threadIdx", "blockDim"), type_)
    if name in ("size", "num_threads"):
        return build.convert(volume("blockDim"), type_)
    if name in ("barrier_arrive", "barrier_wait"):
        for argument in clang.arguments(cursor):
            body.discard(argument)
        body.emit(ir.Barrier(ir.Scope.BLOCK, body.span(cursor), mode=name.removeprefix("barrier_")))
        return build.zero(type_) if name == "barrier_arrive" else None
    named = {"group_dim": "blockDim", "dim_threads": "blockDim", "group_index": "blockIdx", "thread_index": "threadIdx"}
    return _dims(body, named[name], cursor) if name in named else NotImplemented


def _grid(body: Body, name: str, cursor: Cursor) -> Any:
    type_ = body.type_of(cursor)
    if name == "thread_rank":
        block = build.convert(linear("blockIdx", "gridDim"), type_)
        threads = build.convert(volume("blockDim"), type_)
        base = ir.Binary(ir.BinaryOp.MULTIPLY, block, threads, type_)
        return ir.Binary(ir.BinaryOp.ADD, base, build.convert(linear("threadIdx", "blockDim"), type_), type_)
    if name in ("size", "num_threads"):
        blocks = build.convert(volume("gridDim"), type_)
        return ir.Binary(ir.BinaryOp.MULTIPLY, blocks, build.convert(volume("blockDim"), type_), type_)
    if name in ("num_blocks", "block_rank"):
        value = volume("gridDim") if name == "num_blocks" else linear("blockIdx", "gridDim")
        return build.convert(value, type_)
    named = {"group_dim": "gridDim", "dim_blocks": "gridDim", "block_index": "blockIdx"}
    return _dims(body, named[name], cursor) if name in named else NotImplemented


def _reduction(body: Body, name: str, cursor: Cursor) -> str | None:
    """The warp operation of `reduce(tile, value, plus<T>())`."""
    given = clang.arguments(cursor)
    type_ = body.type_of(given[2]) if name == "reduce" and len(given) == 3 else None
    if not isinstance(type_, Struct):
        return None
    return REDUCTIONS.get(type_.name.removeprefix(NAMESPACE).split("<")[0])


def _tile(body: Body, name: str, size: int, cursor: Cursor) -> Any:
    type_ = body.type_of(cursor)
    lane = ir.Const(size, UINT32)
    if name == "thread_rank":
        return build.convert(ir.Binary(ir.BinaryOp.REMAINDER, linear("threadIdx", "blockDim"), lane, UINT32), type_)
    if name in ("size", "num_threads"):
        return build.const(size, type_)
    if name == "meta_group_rank":
        return build.convert(ir.Binary(ir.BinaryOp.DIVIDE, linear("threadIdx", "blockDim"), lane, UINT32), type_)
    if name == "meta_group_size":
        up = _plus(volume("blockDim"), ir.Const(size - 1, UINT32))
        return build.convert(ir.Binary(ir.BinaryOp.DIVIDE, up, lane, UINT32), type_)
    operation = _reduction(body, name, cursor)
    if operation is not None:
        given = clang.arguments(cursor)
        value, target = body.value(given[1]), body.fresh(type_, body.span(cursor))
        body.emit(ir.Warp(operation, FULL if size == 32 else tile_mask(size), (value,), target, body.span(cursor)))
        return target
    if name in ("any", "all"):
        vote, target = build.truth(body.value(clang.arguments(cursor)[0])), body.fresh(type_, body.span(cursor))
        body.emit(ir.Warp(name, FULL if size == 32 else tile_mask(size), (vote,), target, body.span(cursor)))
        return target
    if name in WARPS and size == 32:
        args = tuple(body.value(a) for a in clang.arguments(cursor))
        if name.startswith("shfl"):
            args = (args[0], args[1], ir.Const(size, INT32))
        target = body.fresh(type_, body.span(cursor))
        body.emit(ir.Warp(name, FULL, args, target, body.span(cursor)))
        return target
    if name.startswith("shfl"):
        args = tuple(body.value(a) for a in clang.arguments(cursor))
        target = body.fresh(type_, body.span(cursor))
        body.emit(ir.Warp(name, tile_mask(size), (args[0], args[1], ir.Const(size, INT32)), target, body.span(cursor)))
        return target
    return NotImplemented
