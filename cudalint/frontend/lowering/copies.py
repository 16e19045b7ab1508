"""Asynchronous copies of libcu++ and cooperative groups, the pipelines that they go through, and `cuda::barrier`.

A copy by a group is a loop in which each thread copies its share, element by element. A pipeline of one thread is the queue of its
groups of `cp.async`; one of a block makes its threads wait for each other in `consumer_wait` and `producer_acquire`, too.

cg::memcpy_async(block, to, from, bytes);   for (i = rank * 4; i < bytes; i += size * 4) copy 4 bytes;   commit
cg::wait(block);                            wait for all groups;   block barrier
"""

from __future__ import annotations

from typing import Any

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.arguments import as_memory, object_address
from cudalint.frontend.lowering.context import Body
from cudalint.frontend.lowering.groups import FULL, linear, tile_mask, tile_size, volume
from cudalint.frontend.lowering.names import qualified_name
from cudalint.ir import nodes as ir
from cudalint.ir.types import BOOL, UINT8, UINT32, UINT64, VOID, Pointer, Struct, Type, size_of

_BYTES = Pointer(UINT8)
_LONGEST = 128  # bytes that one thread copies at once
_GROUPS = "cooperative_groups::"
_BULK = "cuda::device::experimental::cp_async_bulk_global_to_shared"
_ONE_SCOPE = ("thread_scope_thread", "(cuda::thread_scope)3")


def copy_call(body: Body, cursor: Cursor, target: Cursor) -> Any:
    """The result, None, or NotImplemented where this is no such call or its group is not understood."""
    name = qualified_name(target)
    if name in ("cuda::memcpy_async", "cuda::device::memcpy_async_tx", _BULK):
        return _copied(body, cursor)
    if name.startswith("cuda::pipeline::"):
        return _pipeline(body, target, cursor)
    if name == "cuda::make_pipeline":
        return _made(body, cursor)
    if name == "cuda::pipeline_consumer_wait_prior":
        return _waited_prior(body, cursor, target)
    if name == "cuda::init" or name.startswith(("cuda::barrier::", "cuda::device::barrier_")):
        return _barrier(body, cursor, target)
    if name in ("cooperative_groups::memcpy_async", "cooperative_groups::wait", "cooperative_groups::wait_prior"):
        return _by_group(body, cursor, target)
    return NotImplemented


# --- copies ----------------------------------------------------------------------------------------------------------


def _copied(body: Body, cursor: Cursor) -> Any:
    """`cuda::memcpy_async([group,] to, from, bytes, pipeline or barrier)`."""
    given = clang.arguments(cursor)
    if len(given) not in (4, 5):
        return NotImplemented
    share = _share(body, given[0]) if len(given) == 5 else (build.ZERO, ir.Const(1, UINT32))
    until = body.type_of(given[-1])
    if share is None or not isinstance(until, Struct):
        return NotImplemented
    barrier = None
    if until.name.startswith("cuda::barrier"):
        barrier = build.address(as_memory(body, body.place(given[-1]), given[-1]))
    _copy(body, given[-4:-1], share, barrier, body.span(cursor))
    return _nothing(body, cursor)


def _by_group(body: Body, cursor: Cursor, target: Cursor) -> Any:
    given, span = clang.arguments(cursor), body.span(cursor)
    share, barrier = _share(body, given[0]), _barrier_of(body, given[0], span)
    if share is None or barrier is None:
        return NotImplemented
    if target.spelling == "memcpy_async":
        if len(given) != 4:
            return NotImplemented
        _copy(body, given[1:], share, None, span)
        body.emit(ir.AsyncCommit(span))
        return None
    pending = 0 if target.spelling == "wait" else _template_value(target)
    if pending is None:
        return NotImplemented
    body.emit(ir.AsyncWait(ir.Const(pending, UINT32), span))
    body.emit(barrier)
    return None


def _share(body: Body, group: Cursor) -> tuple[ir.Expr, ir.Expr] | None:
    """The rank of a thread in the group, and the number of its threads."""
    type_ = body.type_of(group)
    if not isinstance(type_, Struct) or not type_.name.startswith(_GROUPS):
        return None
    name = type_.name.removeprefix(_GROUPS)
    rank = linear("threadIdx", "blockDim")
    if name == "thread_block":
        return rank, volume("blockDim")
    size = tile_size(name)
    if size is None:
        return None
    lanes = ir.Const(size, UINT32)
    return ir.Binary(ir.BinaryOp.REMAINDER, rank, lanes, UINT32), lanes


def _barrier_of(body: Body, group: Cursor, span: Any) -> ir.Barrier | None:
    type_ = body.type_of(group)
    name = type_.name.removeprefix(_GROUPS) if isinstance(type_, Struct) else ""
    if name == "thread_block":
        return ir.Barrier(ir.Scope.BLOCK, span)
    size = tile_size(name)
    if size is None:
        return None
    return ir.Barrier(ir.Scope.WARP, span, mask=FULL if size == 32 else tile_mask(size))


def _copy(body: Body, given: list[Cursor], share: tuple[ir.Expr, ir.Expr], barrier: ir.Expr | None, span: Any) -> None:
    """`to`, `from` and the number of bytes; a thread copies whole elements of the type that the first points to."""
    to, source = (body.value(each) for each in given[:2])
    size = _plain_size(body, given[2])
    bytes_ = body.value(size)
    if isinstance(bytes_.type, Struct):
        bytes_ = build.member(bytes_, "value", UINT64)
    known = clang.evaluate(size)
    count = ir.Const(int(known), UINT64) if known is not None else build.convert(bytes_, UINT64)
    rank, threads = share
    unit = _unit(to.type, count)
    alone = threads == ir.Const(1, UINT32)
    to, source = (build.convert(pointer, _BYTES) for pointer in (to, source))
    if alone and isinstance(count, ir.Const) and 0 < int(count.value or 0) <= _LONGEST:
        body.emit(ir.AsyncCopy(to, source, count, span, barrier))
        return
    at = body.fresh(UINT64, span)
    body.emit(ir.Assign(at, _times(rank, unit), span))
    cond = ir.Binary(ir.BinaryOp.LESS, at, count, BOOL)
    step = ir.Assign(at, ir.Binary(ir.BinaryOp.ADD, at, _times(threads, unit), UINT64), span)
    piece = ir.AsyncCopy(
        ir.Offset(to, at, _BYTES), ir.Offset(source, at, _BYTES), ir.Const(unit, UINT64), span, barrier
    )
    body.emit(ir.Loop((), cond, (step,), (piece,), True, span))


def _plain_size(body: Body, size: Cursor) -> Cursor:
    """The number in `cuda::aligned_size_t<16>(number)`."""
    while isinstance(body.type_of(size), Struct) and (below := clang.children(size)):
        size = below[-1]
    return size


def _times(factor: ir.Expr, unit: int) -> ir.Expr:
    return ir.Binary(ir.BinaryOp.MULTIPLY, build.convert(factor, UINT64), ir.Const(unit, UINT64), UINT64)


def _unit(pointer: Type, count: ir.Expr) -> int:
    """The bytes of an element; a number of bytes that is no multiple of it is copied byte by byte."""
    element = pointer.element if isinstance(pointer, Pointer) else VOID
    unit = size_of(element) or 1
    if isinstance(count, ir.Const) and int(count.value or 0) % unit:
        return 1
    return unit


# --- pipelines -------------------------------------------------------------------------------------------------------


def _made(body: Body, cursor: Cursor) -> Any:
    """Threads that share the state of a pipeline meet when they have made it."""
    given = clang.arguments(cursor)
    if given:
        meeting = _barrier_of(body, given[0], body.span(cursor))
        if meeting is None or len(given) > 2:
            return NotImplemented
        body.discard(given[1])
        body.emit(meeting)
    return build.zero(body.type_of(cursor))


def _pipeline(body: Body, target: Cursor, cursor: Cursor) -> Any:
    name, span = target.spelling, body.span(cursor)
    shared = not _is_of_one_thread(target.semantic_parent.type.get_canonical().spelling)
    if name == "producer_commit":
        body.emit(ir.AsyncCommit(span))
    elif name == "consumer_wait":
        body.emit(ir.AsyncWait(None, span))
        _meet(body, shared, span)
    elif name == "producer_acquire":
        _meet(body, shared, span)
    elif name != "consumer_release":
        return NotImplemented
    return None


def _waited_prior(body: Body, cursor: Cursor, target: Cursor) -> Any:
    pending, span = _template_value(target), body.span(cursor)
    given = clang.arguments(cursor)
    type_ = body.type_of(given[0]) if given else VOID
    if pending is None or not isinstance(type_, Struct):
        return NotImplemented
    body.emit(ir.AsyncWait(ir.Const(pending, UINT32), span))
    _meet(body, not _is_of_one_thread(type_.name), span)
    return None


def _meet(body: Body, shared: bool, span: Any) -> None:
    """Threads of a block wait for what others have committed or released: not for all of them to come here."""
    if shared:
        body.emit(ir.Barrier(ir.Scope.BLOCK, span, mode="wait"))


def _is_of_one_thread(pipeline: str) -> bool:
    return any(scope in pipeline for scope in _ONE_SCOPE)


def _template_value(target: Cursor) -> int | None:
    """The number that a function template was given first."""
    return target.get_template_argument_value(0) if target.get_num_template_arguments() > 0 else None


# --- barriers in shared memory -----------------------------------------------------------------------------------------


def _barrier(body: Body, cursor: Cursor, target: Cursor) -> Any:
    """Members of `cuda::barrier`, `init(&bar, count)`, and the functions that count bytes beside arrivals."""
    name, span = target.spelling, body.span(cursor)
    given = clang.arguments(cursor)
    if target.kind == Kind.CXX_METHOD:
        bar = object_address(body, cursor)
    elif name == "init":
        bar = body.value(given[0])
    else:
        bar = build.address(body.place(given[0])) if given else None
    if bar is None:
        return NotImplemented

    def emit(mode: str, count: ir.Expr | None = None) -> None:
        body.emit(ir.Barrier(ir.Scope.BLOCK, span, mode=mode, count=count, object=bar))

    if name == "init" and len(given) == 2:
        emit("init", build.convert(body.value(given[1]), UINT32))
    elif name in ("arrive", "arrive_and_drop", "barrier_arrive_tx"):
        weight = clang.evaluate(given[-1 if name == "arrive" else 1]) if len(given) > (name != "arrive") else 1
        emit("arrive", None if weight in (1, None) and name != "arrive_and_drop" else ir.Const(weight or 0, UINT32))
    elif name == "arrive_and_wait":
        emit("sync")
    elif name == "wait":
        arrives = bool(given) and _arrives(given[0])
        if not arrives:
            for argument in given:
                body.discard(argument)
        emit("sync" if arrives else "wait")
    elif name in ("try_wait", "try_wait_parity", "wait_parity", "try_wait_for", "try_wait_until"):
        emit("wait")
        return build.TRUE if body.type_of(cursor) != VOID else None
    elif name != "barrier_expect_tx":
        return NotImplemented
    return _nothing(body, cursor)


def _arrives(argument: Cursor) -> bool:
    """`bar.wait(bar.arrive())`."""
    inner = argument
    while True:
        called = clang.referenced(inner) if inner.kind == Kind.CALL_EXPR else None
        if called is not None and qualified_name(called) == "cuda::barrier::arrive":
            return all(clang.evaluate(count) in (1, None) for count in clang.arguments(inner))
        below = clang.children(inner)
        if len(below) != 1:
            return False
        inner = below[0]


def _nothing(body: Body, cursor: Cursor) -> Any:
    """The token of an arrival holds nothing."""
    type_ = body.type_of(cursor)
    return None if type_ == VOID else build.zero(type_)
