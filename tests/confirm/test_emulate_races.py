"""The emulator's race detector: who may touch what between two barriers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from confirm.emulate_build import (
    BID,
    GID,
    TID,
    Op,
    add,
    at,
    atomic,
    barrier,
    equal,
    function,
    here,
    kinds,
    launch,
    less,
    let,
    load,
    loop,
    op,
    pointer,
    result,
    shared,
    shuffle,
    store,
    var,
    warp_barrier,
    when,
)
from cudalint.ir import nodes as ir
from cudalint.ir import types as t

X, Y = pointer("x"), pointer("y")
A, B, S, K = var("a", t.F32), var("b", t.F32), var("s"), var("k")
SCHEDULES = ["lowest", "warp", "reversed", "random"]


def neighbour(synchronised: bool) -> ir.Function:
    """tile[tid] = x[tid]; (barrier) y[tid] = tile[tid + 1]."""
    tile, declare = shared("tile", t.F32, 129)
    between = [barrier()] if synchronised else []
    return function("k", [X, Y], [
        declare, load(A, at(X, TID)), store(at(tile, TID), A), when(equal(TID, 0), store(at(tile, 128), 0.0)),
        *between, load(B, at(tile, add(TID, 1))), store(at(Y, TID), B),
    ])  # fmt: skip


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_reading_a_neighbour_needs_a_barrier(schedule: str) -> None:
    data = {"x": np.arange(128, dtype=np.float32), "y": np.zeros(128, np.float32)}
    good = launch(neighbour(True), data, block=128, schedule=schedule)
    assert good.events == ()
    assert np.array_equal(result(good, "y", np.float32)[:127], np.arange(1, 128))
    races = [e for e in launch(neighbour(False), data, block=128, schedule=schedule).events if e.kind == "race"]
    assert races
    assert {e.access.kind for e in races} | {e.other.kind for e in races if e.other} == {"read", "write"}
    assert all(e.access.thread != e.other.thread for e in races if e.other)


def reduction(*, last_barrier: bool = True) -> ir.Function:
    """The textbook tree: for (s = blockDim/2; s > 0; s /= 2) { if (tid < s) t[tid] += t[tid + s]; barrier }."""
    tile, declare = shared("tile", t.F32, 256)
    work = when(less(TID, S), load(A, at(tile, TID)), load(B, at(tile, add(TID, S))), store(at(tile, TID), add(A, B)))
    body = [work, barrier()] if last_barrier else [work]
    return function("reduce", [X, Y], [
        declare, load(A, at(X, GID)), store(at(tile, TID), A), barrier(), let(S, 128),
        loop(less(0, S), *body, step=[let(S, op(Op.SHIFT_RIGHT, S, 1))]),
        when(equal(TID, 0), load(A, at(tile, 0)), store(at(Y, BID), A)),
    ])  # fmt: skip


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_tree_reduction_is_silent_and_right(schedule: str) -> None:
    data = {"x": np.ones(1024, np.float32), "y": np.zeros(4, np.float32)}
    outcome = launch(reduction(), data, grid=4, block=256, schedule=schedule)
    assert outcome.events == ()
    assert result(outcome, "y", np.float32).tolist() == [256.0] * 4


def test_tree_reduction_without_its_barrier_races_even_in_lock_step() -> None:
    data = {"x": np.ones(256, np.float32), "y": np.zeros(1, np.float32)}
    outcome = launch(reduction(last_barrier=False), data, block=256)
    assert set(kinds(outcome)) == {"race"}
    assert result(outcome, "y", np.float32)[0] == 256, "lock-step hides the effect, not the race"


def test_wavefront_loop_with_a_barrier_in_each_round_is_silent() -> None:
    """Like a diagonal sweep: in round k lane i <= k reads what its neighbours wrote in round k - 1."""
    tile, declare = shared("tile", t.F32, 40)
    work = when(op(Op.LESS_EQUAL, TID, K), load(A, at(tile, TID)), store(at(tile, add(TID, 1)), add(A, 1.0)))
    racing = function("k", [], [
        declare, store(at(tile, TID), 0.0), when(less(TID, 8), store(at(tile, add(TID, 32)), 0.0)), barrier(),
        let(K, 0), loop(less(K, 32), work, barrier(), step=[let(K, add(K, 1))]),
    ])  # fmt: skip
    assert set(kinds(launch(racing))) == {"race"}
    own = when(equal(TID, K), load(A, at(tile, TID)), store(at(tile, add(TID, 1)), add(A, 1.0)))
    silent = function("k", [], [
        declare, store(at(tile, TID), 0.0), when(less(TID, 8), store(at(tile, add(TID, 32)), 0.0)), barrier(),
        let(K, 0), loop(less(K, 32), own, barrier(), step=[let(K, add(K, 1))]),
    ])  # fmt: skip
    assert launch(silent).events == ()


def test_races_within_a_block_are_told_beside_those_between_blocks() -> None:
    pairs = op(Op.DIVIDE, TID, 2)
    kernel = function("k", [Y], [store(at(Y, pairs), ir.Cast(GID, t.F32))])
    found = launch(kernel, {"y": np.zeros(32, np.float32)}, grid=2).events
    scopes = {event.other is not None and event.access.block == event.other.block for event in found}
    assert scopes == {True, False}


def test_two_blocks_that_write_one_element_race_whatever_the_barriers() -> None:
    kernel = function("k", [Y], [barrier(), store(at(Y, TID), ir.Cast(GID, t.F32)), barrier()])
    (event,) = launch(kernel, {"y": np.zeros(32, np.float32)}, grid=2).events
    assert event.kind == "race" and event.detail == ""
    assert event.other is not None and event.access.block != event.other.block


def test_equal_values_are_told_apart() -> None:
    kernel = function("k", [Y], [store(at(Y, 0), 1.0)])
    (event,) = launch(kernel, {"y": np.zeros(1, np.float32)}).events
    assert (event.kind, event.detail) == ("race", "same_value")


def test_one_block_reads_what_another_writes() -> None:
    kernel = function("k", [X], [
        when(equal(BID, 0), load(A, at(X, TID))), when(equal(BID, 1), store(at(X, TID), 2.0)),
    ])  # fmt: skip
    assert kinds(launch(kernel, {"x": np.zeros(32, np.float32)}, grid=2)) == ["race"]


def test_atomics_do_not_race_with_each_other_but_with_plain_reads() -> None:
    total = pointer("total", t.INT32)
    count = function("k", [total], [atomic("add", at(total, 0), 1)])
    outcome = launch(count, {"total": np.zeros(1, np.int32)}, grid=3, block=64)
    assert outcome.events == ()
    assert result(outcome, "total", np.int32)[0] == 192
    peek = function("k", [total], [atomic("add", at(total, 0), 1), load(var("v"), at(total, 0))])
    assert kinds(launch(peek, {"total": np.zeros(1, np.int32)})) == ["race"]


def test_a_warp_barrier_orders_the_lanes_of_its_warp_only() -> None:
    tile, declare = shared("tile", t.F32, 64)

    def kernel(partner: ir.Expr) -> ir.Function:
        return function("k", [], [declare, store(at(tile, TID), 1.0), warp_barrier(), load(A, at(tile, partner))])

    assert launch(kernel(op(Op.XOR, TID, 1)), block=64).events == ()
    assert kinds(launch(kernel(op(Op.XOR, TID, 32)), block=64)) == ["race"]


def test_a_shuffle_orders_what_lanes_have_read_before_what_others_write() -> None:
    tile, declare = shared("tile", t.F32, 4)
    fill = [when(less(TID, 4), store(at(tile, TID), 1.0)), barrier()]
    read, write = load(A, at(tile, op(Op.AND, TID, 3))), when(equal(TID, 0), store(at(tile, 3), 2.0))

    def kernel(*body: ir.Stmt) -> ir.Function:
        return function("k", [], [declare, *fill, *body])

    exchange = shuffle("shfl_xor", B, A, 1)
    assert launch(kernel(read, exchange, write), block=32).events == ()
    assert kinds(launch(kernel(read, exchange, write), block=64)) == ["race"]
    assert kinds(launch(kernel(read, write), block=32)) == ["race"]
    assert kinds(launch(kernel(write, exchange, read), block=32)) == ["race"]


def test_mixed_widths_race_by_bytes() -> None:
    float4 = t.Vector(t.F32, 4)
    wide = ir.Cast(X, t.Pointer(float4))
    quad = ir.Construct(tuple(ir.Const(float(i), t.F32) for i in range(4)), float4)
    kernel = function("k", [X], [
        when(equal(TID, 0), store(at(wide, 0), quad)), when(equal(TID, 1), store(at(X, 3), 9.0)),
        when(equal(TID, 2), store(at(X, 4), 9.0)),
    ])  # fmt: skip
    outcome = launch(kernel, {"x": np.zeros(8, np.float32)})
    assert [(e.access.index, e.access.thread[0]) for e in outcome.events] == [(3, 1)]


def last_block(fenced: bool) -> ir.Function:
    """Each block writes its part; the one that counts last reads all parts."""
    count, seen, flag = pointer("count", t.INT32), var("seen"), shared("last", t.INT32, 1)
    fence = [ir.Fence(ir.Scope.DEVICE, here())] if fenced else []
    return function("k", [X, Y, count], [
        flag[1],
        when(equal(TID, 0), store(at(X, BID), 1.0), *fence, atomic("add", at(count, 0), 1, target=seen),
             store(at(flag[0], 0), ir.Cast(equal(seen, 3), t.INT32))),
        barrier(), load(seen, at(flag[0], 0)),
        when(equal(seen, 1), when(less(TID, 4), load(A, at(X, TID)), store(at(Y, TID), A))),
    ])  # fmt: skip


def test_counter_with_fence_orders_blocks_and_without_it_is_a_race() -> None:
    def data() -> dict[str, object]:
        return {"x": np.zeros(4, np.float32), "y": np.zeros(4, np.float32), "count": np.zeros(1, np.int32)}

    good = launch(last_block(True), data(), grid=4)
    assert good.events == ()
    assert result(good, "y", np.float32).tolist() == [1.0] * 4
    assert kinds(launch(last_block(False), data(), grid=4)) == ["race"]


def test_grid_barrier_orders_blocks() -> None:
    sync = ir.Barrier(ir.Scope.GRID, here())
    kernel = function("k", [X], [store(at(X, GID), 1.0), sync, load(A, at(X, op(Op.XOR, GID, 32)))])
    assert launch(kernel, {"x": np.zeros(64, np.float32)}, grid=2).events == ()


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_an_atomic_of_one_block_orders_nothing_for_another(schedule: str) -> None:
    def counting(scope: ir.Scope, place: object) -> ir.Function:
        return function("k", [X], [replace(atomic("add", at(X, place), 1.0), scope=scope)])

    data = {"x": np.zeros(256, np.float32)}
    narrow = launch(counting(ir.Scope.BLOCK, TID), data, block=64, grid=2, schedule=schedule)
    assert set(kinds(narrow)) == {"race"}
    assert not kinds(launch(counting(ir.Scope.DEVICE, TID), data, block=64, grid=2, schedule=schedule))
    apart = add(op(Op.MULTIPLY, BID, 128), op(Op.DIVIDE, TID, 2))
    assert not kinds(launch(counting(ir.Scope.BLOCK, apart), data, block=64, grid=2, schedule=schedule))


@pytest.mark.parametrize(
    ("first", "second", "read"),
    [
        (store(at(Y, 0), 1.0), [], False),
        (store(at(Y, 0), ir.Cast(TID, t.F32)), [], True),
        (store(at(Y, 0), ir.Cast(less(TID, 31), t.F32)), [], True),
        (store(at(Y, 0), 1.0), [when(equal(TID, 5), store(at(Y, 0), 2.0))], True),
        (when(less(TID, 16), store(at(Y, 0), 1.0)), [], True),
    ],
    ids=["equal", "own", "of the last one", "changed", "by some only"],
)
def test_who_has_stored_what_all_store_reads_it_back(first: ir.Stmt, second: list[ir.Stmt], read: bool) -> None:
    kernel = function("k", [X, Y], [first, *second, load(A, at(Y, 0)), store(at(X, TID), A)])
    found = launch(kernel, {"x": np.zeros(32, np.float32), "y": np.zeros(1, np.float32)}).events
    assert any(event.access.kind == "read" for event in found) == read
