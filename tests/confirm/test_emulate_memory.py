"""The emulator's shadow memory: bounds, dimensions, alignment, initialisation, null, sparse buffers."""

from __future__ import annotations

import gc

import numpy as np

from confirm.emulate_build import (
    GID,
    TID,
    add,
    at,
    equal,
    function,
    kinds,
    launch,
    less,
    let,
    load,
    local,
    mul,
    pointer,
    result,
    shared,
    store,
    sub,
    var,
    when,
)
from cudalint.confirm.emulate.memory import PAGE, Allocation, Budget
from cudalint.confirm.emulate.run import Buffer, PointerTo
from cudalint.ir import nodes as ir
from cudalint.ir import types as t

X, Y, N, J = pointer("x"), pointer("y"), var("n"), var("i")
A, B = var("a", t.F32), var("b", t.F32)


def saxpy(guarded: bool = True) -> ir.Function:
    work = (load(A, at(X, J)), load(B, at(Y, J)), store(at(Y, J), add(mul(2.0, A), B)))
    return function("saxpy", [X, Y, N], [let(J, GID), *((when(less(J, N), *work),) if guarded else work)])


def test_guarded_saxpy_computes_and_is_silent() -> None:
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    outcome = launch(saxpy(), {"x": x, "y": y, "n": 1000}, grid=4, block=256)
    assert outcome.events == ()
    assert np.array_equal(result(outcome, "y", np.float32), 2 * x + 1)
    assert np.array_equal(y, np.ones(1000, np.float32)), "the caller's bytes are left alone"


def test_the_memory_of_a_run_is_let_go_of_without_the_collector() -> None:
    x = np.zeros(1000, np.float32)
    gc.collect()
    gc.disable()
    try:
        for guarded in (True, False):
            launch(saxpy(guarded), {"x": x, "y": x.copy(), "n": 1000}, grid=4, block=256)
        assert not [kept for kept in gc.get_objects() if isinstance(kept, Allocation)]
    finally:
        gc.enable()


def test_saxpy_without_guard_reads_and_writes_past_the_end() -> None:
    x = np.zeros(1000, np.float32)
    outcome = launch(saxpy(guarded=False), {"x": x, "y": x.copy(), "n": 1000}, grid=4, block=256)
    assert kinds(outcome) == ["out_of_bounds"] * 3
    first = outcome.events[0].access
    assert (first.place, first.kind, first.offset, first.index, first.size, first.extent) == (
        "x",
        "read",
        4000,
        1000,
        4,
        4000,
    )
    assert (first.block, first.thread) == ((3, 0, 0), (232, 0, 0))
    assert outcome.events[2].access.kind == "write"


def test_negative_index_is_told_from_the_buffer_it_left() -> None:
    kernel = function("k", [Y], [store(at(Y, sub(TID, 1)), 1.0)])
    outcome = launch(kernel, {"y": np.zeros(64, np.float32)})
    (event,) = outcome.events
    assert (event.access.place, event.access.offset, event.access.index) == ("y", -4, -1)


def test_null_pointer() -> None:
    outcome = launch(function("k", [X], [load(A, at(X, TID))]), {"x": None})
    assert kinds(outcome) == ["null"]


def test_an_index_outside_its_own_dimension_is_found_inside_the_array() -> None:
    tile, declare = shared("tile", t.F32, 4, 8)
    row = ir.Index(ir.Variable(tile), lift_int(0), t.Array(t.F32, 8))
    kernel = function("k", [], [declare, store(ir.Index(row, TID, t.F32), 1.0)])
    outcome = launch(kernel, block=9)
    (event,) = outcome.events
    assert event.kind == "out_of_bounds"
    assert (event.access.index, event.access.extent, event.access.thread) == (8, 32, (8, 0, 0))
    assert event.detail == "dimension 1 of 8 elements"


def lift_int(value: int) -> ir.Expr:
    return ir.Const(value, t.INT32)


def test_reinterpreted_float4_loads_four_and_needs_sixteen_bytes() -> None:
    float4 = t.Vector(t.F32, 4)
    wide = ir.Cast(ir.Offset(X, var("shift"), X.type), t.Pointer(float4), True)
    v = var("v", float4)
    kernel = function("k", [X, Y, var("shift")], [load(v, at(wide, TID)), store(at(Y, TID), ir.Extract(v, "w", t.F32))])
    x = np.arange(132, dtype=np.float32)
    outcome = launch(kernel, {"x": x, "y": np.zeros(32, np.float32), "shift": 4})
    assert outcome.events == ()
    assert np.array_equal(result(outcome, "y", np.float32), x[7::4])
    assert kinds(launch(kernel, {"x": x, "y": np.zeros(32, np.float32), "shift": 1})) == ["misaligned"]


def test_two_half2_stores_are_read_back_as_one_word() -> None:
    half2, w = t.Vector(t.F16, 2), var("w", t.UINT32)
    pairs, words = pointer("p", half2), pointer("q", t.UINT32)
    value = ir.Construct((ir.Const(1.0, t.F16), ir.Const(-2.0, t.F16)), half2)
    kernel = function(
        "k", [pairs, words],
        [store(at(pairs, TID), value), load(w, at(ir.Cast(pairs, words.type), TID)), store(at(words, TID), w)],
    )  # fmt: skip
    outcome = launch(kernel, {"p": np.zeros(32, np.uint32), "q": np.zeros(32, np.uint32)})
    assert outcome.events == ()
    assert (result(outcome, "q", np.uint32) == 0xC0003C00).all()


def test_pointer_survives_a_trip_through_an_integer() -> None:
    bits = ir.Cast(ir.Cast(X, t.UINT64, True), X.type, True)
    kernel = function("k", [X], [store(at(bits, TID), 3.0)])
    assert (result(launch(kernel, {"x": np.zeros(32, np.float32)}), "x", np.float32) == 3).all()


def test_shared_memory_that_nobody_wrote() -> None:
    tile, declare = shared("tile", t.F32, 64)
    kernel = function("k", [], [declare, when(less(TID, 16), store(at(tile, TID), 0.0)), load(A, at(tile, TID))])
    (event,) = launch(kernel).events
    assert (event.kind, event.access.place, event.access.thread) == ("uninitialised", "tile", (16, 0, 0))


def test_uninitialised_buffer_and_local_array() -> None:
    scratch, declare = local("scratch", t.F32, 4)
    kernel = function("k", [X], [declare, load(A, at(X, TID)), store(at(scratch, 0), A), load(A, at(scratch, 1))])
    outcome = launch(kernel, {"x": Buffer("x", np.zeros(128, np.uint8), initialised=False)})
    assert [(e.kind, e.access.place) for e in outcome.events] == [("uninitialised", "x"), ("uninitialised", "scratch")]


def test_local_arrays_belong_to_their_lane() -> None:
    scratch, declare = local("scratch", t.F32, 4)
    value = ir.Cast(TID, t.F32)
    kernel = function("k", [X], [declare, store(at(scratch, 1), value), load(A, at(scratch, 1)), store(at(X, TID), A)])
    outcome = launch(kernel, {"x": np.zeros(64, np.float32)}, block=64)
    assert np.array_equal(result(outcome, "x", np.float32), np.arange(64))


def test_dynamic_shared_memory_is_carved_by_two_names() -> None:
    head = ir.Var("head", t.Array(t.F32, None))
    raw = ir.Var("raw", t.Array(t.UINT8, None))
    declares = [ir.Declare(v, ir.Storage.DYNAMIC_SHARED, store(at(Y, 0), 0.0).span) for v in (head, raw)]
    start = ir.AddressOf(ir.Index(ir.Variable(raw), lift_int(128), t.UINT8), t.Pointer(t.UINT8))
    tail = ir.Cast(start, t.Pointer(t.INT32))
    w = var("w", t.INT32)
    body = [*declares, store(at(head, TID), 1.0), store(at(tail, TID), TID), load(w, at(tail, TID)),
            load(A, at(head, TID)), store(at(Y, TID), add(A, ir.Cast(w, t.F32)))]  # fmt: skip
    kernel = function("k", [Y], body)
    outcome = launch(kernel, {"y": np.zeros(32, np.float32)}, shared=256)
    assert outcome.events == ()
    assert np.array_equal(result(outcome, "y", np.float32), 1 + np.arange(32))
    small = launch(kernel, {"y": np.zeros(32, np.float32)}, shared=252)
    assert [(e.kind, e.access.offset, e.access.extent) for e in small.events] == [("out_of_bounds", 252, 252)] * 2


def test_pointer_that_is_shared_or_global_by_lane() -> None:
    tile, declare = shared("tile", t.F32, 32)
    inside = ir.AddressOf(at(tile, 0), t.Pointer(t.F32))
    p = pointer("p")
    choose = let(p, ir.Select(less(TID, 16), inside, X, p.type))
    kernel = function(
        "k", [X, Y], [declare, store(at(tile, TID), 1.0), choose, load(A, at(p, TID)), store(at(Y, TID), A)]
    )
    outcome = launch(kernel, {"x": np.full(32, 2, np.float32), "y": np.zeros(32, np.float32)})
    assert outcome.events == ()
    assert result(outcome, "y", np.float32).tolist() == [1.0] * 16 + [2.0] * 16


def test_forty_gibibytes_cost_only_the_pages_that_are_touched() -> None:
    index = mul(ir.Cast(TID, t.INT64), ir.Const(1 << 28, t.INT64))
    kernel = function("k", [X], [store(at(X, index), 5.0)])
    outcome = launch(kernel, {"x": Buffer("x", size=40 << 30)}, block=64)
    (event,) = outcome.events
    assert (event.kind, event.access.thread, event.access.offset) == ("out_of_bounds", (40, 0, 0), 40 << 30)
    assert sorted(outcome.pages["x"]) == [i << 14 for i in range(40)]
    assert outcome.pages["x"][1 << 14][:4].view(np.float32)[0] == 5


def test_an_access_that_crosses_the_end_of_the_last_page_is_followed() -> None:
    vector = t.Vector(t.F32, 4)
    points, whole, found = pointer("p", vector), pointer("x", vector), var("v", vector)
    last = at(points, ir.Const((1 << (PAGE - 4)) - 1, t.INT64))
    kernel = function("k", [whole, points], [load(found, last), store(last, found)])
    outcome = launch(kernel, {"x": Buffer("x", size=40 << 30), "p": PointerTo("x", 8)}, block=1)
    assert kinds(outcome) == ["misaligned", "misaligned"]


def test_a_32_bit_index_that_wraps_leaves_a_large_buffer() -> None:
    row = mul(var("rows"), var("cols"))
    kernel = function("k", [X, var("rows"), var("cols")], [when(equal(TID, 0), store(at(X, row), 1.0))])
    arguments = {"x": Buffer("x", size=4 * 50000 * 50000), "rows": 49999, "cols": 50000}
    outcome = launch(kernel, arguments, detect_overflow=True)
    assert kinds(outcome) == ["overflow", "out_of_bounds"]
    assert outcome.events[1].access.index == 49999 * 50000 - (1 << 32)


def test_pointer_argument_with_an_offset() -> None:
    kernel = function("k", [X, Y], [load(A, at(Y, TID))])
    outcome = launch(kernel, {"x": np.zeros(40, np.float32), "y": PointerTo("x", 64)})
    (event,) = outcome.events
    assert (event.access.place, event.access.thread, event.access.index) == ("x", (24, 0, 0), 40)


def test_constant_global_and_by_value_struct() -> None:
    shape = t.Struct("Shape", 16, 8, (t.StructField("data", 0, t.Pointer(t.F32)), t.StructField("n", 8, t.INT32)))
    table = ir.Global(ir.Var("table", t.Array(t.F32, 3)), ir.Storage.CONSTANT, saxpy().span, (1.0, 2.0, 4.0))
    s, n, p = ir.Var("s", shape), var("m"), pointer("p")
    place = ir.Variable(s)
    body = [load(n, ir.Field(place, "n", t.INT32)), load(p, ir.Field(place, "data", p.type)),
            load(A, at(table.var, n)), store(at(p, TID), A)]  # fmt: skip
    kernel = ir.Function("k", "k", ir.Role.KERNEL, (), (ir.Param(s, memory=True),), t.VOID, tuple(body), saxpy().span)
    from confirm.emulate_build import unit
    from cudalint.confirm.emulate.run import Aggregate, LaunchInput, run

    data = np.zeros(16, np.uint8)
    data[8] = 2
    args = (Aggregate(data, ((0, PointerTo("out")),)),)
    outcome = run(
        unit(kernel, globals_=[table]),
        "k",
        LaunchInput((1, 1, 1), (32, 1, 1), 0, args),
        (Buffer("out", np.zeros(128, np.uint8)),),
    )
    assert outcome.events == ()
    assert (result(outcome, "out", np.float32) == 4).all()


def test_global_of_a_type_without_known_members_is_memory_without_values() -> None:
    from confirm.emulate_build import unit
    from cudalint.confirm.emulate.run import LaunchInput, run

    opaque = t.Struct("std::atomic<int>", 1, 1, ())
    table = ir.Global(ir.Var("counts", t.Array(opaque, 2)), ir.Storage.GLOBAL, saxpy().span, (0, 0))
    kernel = function("k", [Y], [store(at(Y, TID), A)])
    buffers = (Buffer("y", np.zeros(128, np.uint8)),)
    outcome = run(
        unit(kernel, globals_=[table]), "k", LaunchInput((1, 1, 1), (32, 1, 1), 0, (PointerTo("y"),)), buffers
    )
    assert outcome.status == "finished"


def test_pages_of_a_sparse_buffer_are_found_wherever_the_lanes_of_a_step_go() -> None:
    paged = Allocation("x", "global", 1 << 40, 1, Budget(1 << 24), sparse=True)
    page = 1 << PAGE
    steps = {
        "one page": np.arange(7 * page, 7 * page + 256, 4),
        "one lane for all": np.int64(7 * page + 12),
        "neighbours": np.arange(8 * page - 64, 8 * page + 64, 4),
        "far apart": np.asarray([3 * page + 8, (1 << 39) + 4, 3 * page]),
    }
    for name, offsets in steps.items():
        new = (np.atleast_1d(offsets) % 1000).astype(np.uint32)
        paged.write(np.atleast_1d(paged.positions(offsets, None)), new)
        found = paged.read(paged.positions(offsets, None), new.dtype)
        assert np.shape(found) == np.shape(offsets), name
        assert np.array_equal(np.atleast_1d(found), new), name
    assert paged.pages == {7: 0, 8: 1, 3: 2, 1 << (39 - PAGE): 3}, "in the order of first use, then of their numbers"
    assert np.array_equal(
        paged.read(paged.positions(steps["one page"], None), np.dtype(np.uint32)), steps["one page"] % 1000
    )


def test_what_no_address_reaches_is_no_memory() -> None:
    body = (let(J, GID), load(A, at(X, J)), store(at(Y, J), A))
    kernel = function("copy", (X, Y), body)
    outcome = launch(kernel, {"x": Buffer("x", None, size=1 << 70), "y": Buffer("y", None, size=1 << 10)})
    assert (outcome.status, outcome.reason) == ("memory_limit", "no memory left for x")


def test_a_record_that_is_read_whole_may_end_behind_its_memory() -> None:
    """The bytes behind it are zero: who reads it uses the parts that are inside."""
    fill = np.arange(1, 33, dtype=np.uint8)
    allocation = Allocation("x", "global", 32, 1, Budget(1 << 20), fill=fill)
    rows = allocation.read_rows(np.array([0, 20]), 16)
    assert rows.tolist() == [list(range(1, 17)), [*range(21, 33), 0, 0, 0, 0]]
    assert allocation.read_rows(np.array([20, 24]), 16)[1].tolist() == [*range(25, 33), *[0] * 8]
