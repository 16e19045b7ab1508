"""The emulator's control flow, barriers, warps, atomics, calls and limits."""

from __future__ import annotations

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
    builtin,
    equal,
    function,
    here,
    kinds,
    launch,
    leave,
    less,
    let,
    load,
    loop,
    mul,
    op,
    pointer,
    result,
    shared,
    shuffle,
    store,
    sub,
    var,
    warp_barrier,
    when,
)
from cudalint.ir import nodes as ir
from cudalint.ir import types as t

X, Y, Z = pointer("x"), pointer("y"), pointer("z", t.INT32)
A, B, J, N, R = var("a", t.F32), var("b", t.F32), var("i"), var("n"), var("r")
SCHEDULES = ["lowest", "warp", "reversed", "random"]


def ints(count: int) -> np.ndarray:
    return np.zeros(count, np.int32)


# --- barriers --------------------------------------------------------------------------------------------------------


def test_early_return_before_a_barrier_is_its_own_event() -> None:
    kernel = function("k", [N], [when(op(Op.GREATER_EQUAL, TID, N), leave()), barrier()])
    (event,) = launch(kernel, {"n": 40}, block=64).events
    assert event.kind == "exit_before_barrier"
    assert event.other is not None and event.other.thread == (40, 0, 0)
    assert event.detail == "24 of 64 threads have exited"
    assert launch(kernel, {"n": 64}, block=64).events == ()
    assert launch(kernel, {"n": 0}, block=64).events == ()


def test_a_return_from_the_function_that_is_the_kernels_body_leaves_the_kernel() -> None:
    body = function("body", [N], [when(op(Op.GREATER_EQUAL, TID, N), leave()), barrier()], role=ir.Role.DEVICE)
    call = ir.Call("body", (N,), None, here())
    kernel = function("k", [N], [call])
    (event,) = launch(kernel, {"n": 40}, block=64, others=[body]).events
    assert event.kind == "exit_before_barrier"
    assert event.other is not None and event.other.thread == (40, 0, 0)

    waits_again = function("k", [N], [call, barrier()])
    assert "divergence" in kinds(launch(waits_again, {"n": 40}, block=64, others=[body]))


def test_a_barrier_that_some_threads_skip_is_divergence() -> None:
    kernel = function("k", [N], [when(less(TID, N), barrier())])
    assert kinds(launch(kernel, {"n": 32}, block=64)) == ["divergence"]
    assert kinds(launch(kernel, {"n": 64}, block=64)) == []


def test_barriers_in_both_branches_diverge_inside_a_warp_and_match_between_warps() -> None:
    def kernel(cut: int) -> ir.Function:
        return function("k", [], [when(less(TID, cut), barrier(), orelse=[barrier()])])

    (event,) = launch(kernel(16), block=64).events
    assert (event.kind, event.detail) == ("divergence", "lanes of one warp wait at different barriers")
    assert launch(kernel(32), block=64).events == ()


def test_barrier_in_a_loop_whose_trip_count_differs() -> None:
    body = [let(J, 0), loop(less(J, add(TID, 1)), barrier(), step=[let(J, add(J, 1))])]
    assert kinds(launch(function("k", [], body), block=2))[0] == "divergence"


def test_syncthreads_count_gives_every_thread_the_same_number() -> None:
    vote = ir.Barrier(ir.Scope.BLOCK, here(), reduce="count", value=less(TID, 10), target=R)
    outcome = launch(function("k", [Z], [vote, store(at(Z, GID), R)]), {"z": ints(128)}, block=64, grid=2)
    assert (result(outcome, "z", np.int32) == 10).all()


def test_named_barriers_meet_in_pairs_of_warps() -> None:
    meet = ir.Barrier(ir.Scope.NAMED, here(), id=ir.Const(1, t.INT32), count=ir.Const(64, t.INT32))
    first = function("k", [], [when(less(TID, 64), meet)])
    assert launch(first, block=96).events == ()
    lonely = function("k", [], [when(less(TID, 32), meet)])
    assert kinds(launch(lonely, block=96)) == ["divergence"]


# --- warps -----------------------------------------------------------------------------------------------------------


def warp_sum(mask: int = 0xFFFFFFFF) -> list[ir.Stmt]:
    body: list[ir.Stmt] = [load(A, at(X, GID))]
    for delta in (16, 8, 4, 2, 1):
        body += [shuffle("shfl_down", B, A, delta, 32, mask=mask), let(A, add(A, B))]
    return body


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_shuffle_reduction(schedule: str) -> None:
    kernel = function("k", [X, Y], [*warp_sum(), when(equal(TID, 0), store(at(Y, BID), A))])
    data = {"x": np.arange(96, dtype=np.float32), "y": np.zeros(3, np.float32)}
    outcome = launch(kernel, data, grid=3, schedule=schedule)
    assert outcome.events == ()
    assert result(outcome, "y", np.float32).tolist() == [sum(range(32 * b, 32 * b + 32)) for b in range(3)]


def test_full_mask_under_divergence_names_lanes_that_never_come() -> None:
    kernel = function("k", [X], [when(less(TID, 16), *warp_sum())])
    events = launch(kernel, {"x": np.zeros(32, np.float32)}).events
    assert {e.kind for e in events} == {"warp_mask"}
    assert "do not arrive: 16, 17" in events[0].detail


def test_shuffle_that_reads_an_exited_lane() -> None:
    kernel = function("k", [X], [when(op(Op.GREATER_EQUAL, TID, 20), leave()), *warp_sum()])
    events = launch(kernel, {"x": np.zeros(32, np.float32)}).events
    assert {e.kind for e in events} == {"warp_mask"} and "not there" in events[0].detail


@pytest.mark.parametrize(("live", "events"), [(20, []), (21, ["warp_mask"])])
def test_what_an_exited_lane_would_give_may_be_thrown_away(live: int, events: list[str]) -> None:
    kept = when(less(add(TID, 1), live), let(A, add(A, B)))
    kernel = function("k", [X], [
        when(op(Op.GREATER_EQUAL, TID, 20), leave()), load(A, at(X, TID)),
        shuffle("shfl_down", B, A, 1, 32), kept, store(at(X, TID), A),
    ])  # fmt: skip
    assert kinds(launch(kernel, {"x": np.zeros(32, np.float32)})) == events


def test_mask_without_the_caller() -> None:
    kernel = function("k", [], [shuffle("ballot", var("v", t.UINT32), less(TID, 5), mask=0xFFFF)])
    assert "leaves out its caller" in launch(kernel).events[0].detail


def test_ballot_any_all_match_reduce() -> None:
    v, out = var("v", t.UINT32), pointer("out", t.UINT32)
    operations = {
        "ballot": (less(TID, 5), 0x1F),
        "match_any": (op(Op.AND, TID, 1), 0x55555555),
        "reduce_max": (ir.Cast(TID, t.UINT32), 31),
    }
    for name, (operand, expected) in operations.items():
        kernel = function("k", [out], [shuffle(name, v, operand), store(at(out, TID), v)])
        assert result(launch(kernel, {"out": np.zeros(32, np.uint32)}), "out", np.uint32)[0] == expected, name
    for name, expected in (("any", 1), ("all", 0)):
        kernel = function("k", [Z], [shuffle(name, R, less(TID, 5)), store(at(Z, TID), R)])
        assert (result(launch(kernel, {"z": ints(32)}), "z", np.int32) == expected).all()


def test_ballot_mask_lets_whole_groups_shuffle_on_their_own() -> None:
    mask = var("mask", t.UINT32)
    kernel = function("k", [Z], [
        shuffle("ballot", mask, less(TID, 8)),
        when(less(TID, 8), shuffle("shfl", R, TID, 3, 32, mask=mask), store(at(Z, TID), R)),
    ])  # fmt: skip
    outcome = launch(kernel, {"z": ints(32)})
    assert outcome.events == () and result(outcome, "z", np.int32)[:9].tolist() == [3] * 8 + [0]


def test_legacy_shuffle_works_with_the_lanes_that_are_there() -> None:
    legacy = ir.Warp("shfl_xor", None, (TID, ir.Const(1, t.INT32)), R, here())
    outcome = launch(function("k", [Z], [legacy, store(at(Z, TID), R)]), {"z": ints(32)})
    assert result(outcome, "z", np.int32)[:4].tolist() == [1, 0, 3, 2]


# --- atomics ---------------------------------------------------------------------------------------------------------


def test_atomic_add_hands_out_every_ticket_once() -> None:
    count, out = pointer("count", t.INT32), pointer("out", t.INT32)
    kernel = function("k", [count, out], [atomic("add", at(count, 0), 1, target=R), store(at(out, R), TID)])
    outcome = launch(kernel, {"count": ints(1), "out": ints(64)}, block=64)
    assert outcome.events == ()
    assert sorted(result(outcome, "out", np.int32).tolist()) == list(range(64))


@pytest.mark.parametrize(
    ("operation", "args", "expected"),
    [("max", [TID], 63), ("min", [TID], 0), ("or", [TID], 63), ("exch", [TID], 63), ("inc", [9], 4), ("sub", [1], -64)],
)
def test_atomics_act_in_lane_order(operation: str, args: list[ir.Expr], expected: int) -> None:
    kernel = function("k", [Z], [atomic(operation, at(Z, 0), *args, target=R)])
    assert result(launch(kernel, {"z": ints(1)}, block=64), "z", np.int32)[0] == expected


def test_each_lane_gets_what_those_before_it_left_at_the_same_place() -> None:
    sums, out = pointer("sums", t.F32), pointer("out", t.F32)
    one = ir.Const(1.0, t.F32)
    where = at(sums, ir.Binary(ir.BinaryOp.REMAINDER, TID, ir.Const(2, t.INT32), t.INT32))
    old = var("old", t.F32)
    kernel = function("k", [sums, out], [atomic("add", where, one, target=old), store(at(out, TID), old)])
    outcome = launch(kernel, {"sums": np.zeros(2, np.float32), "out": np.zeros(6, np.float32)}, block=6)
    assert result(outcome, "out", np.float32).tolist() == [0, 0, 1, 1, 2, 2]
    assert result(outcome, "sums", np.float32).tolist() == [3, 3]


@pytest.mark.parametrize(
    ("operation", "args", "old", "left"),
    [
        ("exch", [op(Op.ADD, TID, 10)], [0, 0, 10, 11, 12, 13], [14, 15]),
        ("cas", [0, op(Op.ADD, TID, 10)], [0, 0, 10, 11, 10, 11], [10, 11]),
        ("cas", [op(Op.MULTIPLY, op(Op.DIVIDE, TID, 4), 10), op(Op.ADD, TID, 10)], [0, 0, 10, 11, 10, 11], [14, 11]),
    ],
)
def test_lanes_swap_one_after_the_other_at_the_same_place(
    operation: str, args: list[ir.Expr], old: list[int], left: list[int]
) -> None:
    out = pointer("out", t.INT32)
    where = at(Z, ir.Binary(ir.BinaryOp.REMAINDER, TID, ir.Const(2, t.INT32), t.INT32))
    kernel = function("k", [Z, out], [atomic(operation, where, *args, target=R), store(at(out, TID), R)])
    outcome = launch(kernel, {"z": ints(2), "out": ints(6)}, block=6)
    assert result(outcome, "out", np.int32).tolist() == old
    assert result(outcome, "z", np.int32).tolist() == left


def test_float_atomic_add_in_half_pairs() -> None:
    half2 = t.Vector(t.F16, 2)
    p = pointer("p", half2)
    value = ir.Construct((ir.Const(1.0, t.F16), ir.Const(0.5, t.F16)), half2)
    outcome = launch(function("k", [p], [atomic("add", at(p, 0), value)]), {"p": np.zeros(2, np.float16)})
    assert result(outcome, "p", np.float16).tolist() == [32.0, 16.0]


# --- fairness and limits ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("producer", [0, 40])
def test_spinning_on_another_lane_ends(schedule: str, producer: int) -> None:
    flag = pointer("flag", t.INT32)
    spin = loop(equal(R, 0), pre=[load(R, at(flag, 0), ir.Order.VOLATILE)])
    publish = store(at(flag, 0), 1, ir.Order.VOLATILE)
    kernel = function("k", [flag], [when(equal(TID, producer), publish, orelse=[spin])])
    outcome = launch(kernel, {"flag": ints(1)}, block=64, schedule=schedule)
    assert (outcome.status, outcome.events) == ("finished", ())


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_lock_taken_by_every_lane_in_turn(schedule: str) -> None:
    lock, total, done, got, v = pointer("lock", t.INT32), pointer("total", t.INT32), var("done"), var("got"), var("v")
    critical = when(
        equal(got, 0), load(v, at(total, 0), ir.Order.RELAXED), store(at(total, 0), add(v, 1), ir.Order.RELAXED),
        let(done, 1), atomic("exch", at(lock, 0), 0),
    )  # fmt: skip
    body = [let(done, 0), loop(equal(done, 0), atomic("cas", at(lock, 0), 0, 1, target=got), critical)]
    outcome = launch(function("k", [lock, total], body), {"lock": ints(1), "total": ints(1)}, schedule=schedule)
    assert result(outcome, "total", np.int32)[0] == 32


def test_endless_loop_costs_its_limit() -> None:
    outcome = launch(function("k", [], [loop(True, let(J, add(J, 1)))]), block=1024, grid=64, step_limit=2000)
    assert outcome.status == "step_limit"


def test_endless_loop_over_many_lanes_is_stopped_by_its_work() -> None:
    body = [let(J, GID), loop(True, let(J, add(J, 1)))]
    outcome = launch(function("k", [], body), block=1024, grid=256, work_limit=1 << 24)
    assert outcome.status == "step_limit" and outcome.steps < 100


def test_lock_that_nobody_gives_back_costs_few_steps() -> None:
    lock, got = pointer("lock", t.INT32), var("got")
    body = [let(got, 1), loop(equal(got, 1), atomic("cas", at(lock, 0), 0, 1, target=got))]
    outcome = launch(function("k", [lock], body), {"lock": ints(1)})
    assert outcome.status == "step_limit" and outcome.steps < 10_000


def test_failing_exchanges_are_no_waiting_while_others_store() -> None:
    lock, got, left = pointer("lock", t.INT32), var("got"), var("left")
    again = [atomic("cas", at(lock, 0), 0, 1, target=got), store(at(lock, 1), left), let(left, sub(left, 1))]
    body = [let(left, 4000), loop(less(0, left), *again)]
    outcome = launch(function("k", [lock], body), {"lock": np.ones(2, np.int32)}, block=1)
    assert outcome.status == "finished"


def test_too_many_threads_or_too_much_memory_is_told() -> None:
    kernel = function("k", [], [])
    assert launch(kernel, grid=1 << 20, block=1024).status == "memory_limit"
    big = ir.Declare(ir.Var("big", t.Array(t.F32, 1 << 20)), ir.Storage.LOCAL, here())
    outcome = launch(function("k", [], [big]), block=1024)
    assert (outcome.status, outcome.reason) == ("memory_limit", "no memory left for big")


def test_a_hole_stops_the_run_only_when_a_lane_reaches_it() -> None:
    hole = ir.Unmodelled("inline assembly", here(), may_sync=True)
    kernel = function("k", [N], [when(less(TID, N), hole)])
    assert launch(kernel, {"n": 0}).status == "finished"
    outcome = launch(kernel, {"n": 1})
    assert outcome.status == "unsupported" and "inline assembly" in outcome.reason


def test_opaque_values_are_equal_for_equal_arguments_and_told() -> None:
    value = ir.Opaque("tex1D", (op(Op.AND, TID, 3),), t.INT32)
    outcome = launch(function("k", [Z], [store(at(Z, TID), value)]), {"z": ints(32)})
    assert kinds(outcome) == ["opaque"]
    assert np.array_equal(result(outcome, "z", np.int32)[:4], result(outcome, "z", np.int32)[4:8])


# --- control ---------------------------------------------------------------------------------------------------------


def test_break_continue_and_do_while() -> None:
    total = var("total")
    body = [
        when(equal(op(Op.REMAINDER, J, 2), 0), ir.Continue(here())), when(less(TID, J), ir.Break(here())),
        let(total, add(total, J)),
    ]  # fmt: skip
    kernel = function("k", [Z], [
        let(J, 0), let(total, 0), loop(less(J, 10), *body, step=[let(J, add(J, 1))]), store(at(Z, TID), total),
    ])  # fmt: skip
    odd = [sum(i for i in range(1, 10, 2) if i <= lane) for lane in range(32)]
    assert result(launch(kernel, {"z": ints(32)}), "z", np.int32).tolist() == odd
    again = ir.Loop((), less(J, TID), (), (let(J, add(J, 1)),), False, here())
    kernel = function("k", [Z], [let(J, 0), again, store(at(Z, TID), J)])
    assert result(launch(kernel, {"z": ints(4)}, block=4), "z", np.int32).tolist() == [1, 1, 2, 3]


def test_calls_return_early_and_share_their_static_tile() -> None:
    tile, declare = shared("tile", t.INT32, 64)
    helper = function("helper", [N], [
        declare, when(less(N, 8), ir.Return(ir.Const(-1, t.INT32), here())), store(at(tile, TID), N), warp_barrier(),
        load(R, at(tile, TID)), ir.Return(R, here()),
    ], role=ir.Role.DEVICE, result=t.INT32)  # fmt: skip

    def call(value: ir.Expr, target: str) -> ir.Call:
        return ir.Call("helper", (value,), var(target), here())

    kernel = function("k", [Z], [
        call(TID, "p"), call(add(TID, 100), "q"), store(at(Z, TID), add(mul(var("q"), 1000), var("p"))),
    ])  # fmt: skip
    outcome = launch(kernel, {"z": ints(32)}, others=[helper])
    expected = [(i + 100) * 1000 + (i if i >= 8 else -1) for i in range(32)]
    assert result(outcome, "z", np.int32).tolist() == expected


def test_recursion_stops_at_its_limit_and_only_if_it_is_reached() -> None:
    again = when(less(0, N), ir.Call("down", (sub(N, 1),), None, here()))
    down = function("down", [N], [again], role=ir.Role.DEVICE)
    kernel = function("k", [N], [ir.Call("down", (N,), None, here())])
    assert launch(kernel, {"n": 2}, others=[down]).status == "finished"
    assert launch(kernel, {"n": 50}, others=[down]).status == "step_limit"


def test_unselected_division_by_zero_is_no_event() -> None:
    quotient = op(Op.DIVIDE, 100, TID)
    guarded = ir.Select(equal(TID, 0), ir.Const(0, t.INT32), quotient, t.INT32)
    assert launch(function("k", [Z], [store(at(Z, TID), guarded)]), {"z": ints(32)}).events == ()
    bare = function("k", [Z], [store(at(Z, TID), quotient)])
    assert kinds(launch(bare, {"z": ints(32)})) == ["division_by_zero"]


def test_assert_and_trap_end_their_lanes() -> None:
    kernel = function(
        "k",
        [Z],
        [ir.Check(less(TID, 30), "assert", here()), when(equal(TID, 3), ir.Trap(here())), store(at(Z, TID), 1)],
    )
    outcome = launch(kernel, {"z": ints(32)})
    assert kinds(outcome) == ["check_failed", "trap"]
    assert result(outcome, "z", np.int32).sum() == 29


def test_two_dimensional_blocks_are_linear_in_x_first() -> None:
    y = builtin("threadIdx.y")
    kernel = function("k", [Z], [store(at(Z, add(mul(y, builtin("blockDim.x")), TID)), add(mul(y, 100), TID))])
    outcome = launch(kernel, {"z": ints(12)}, block=(4, 3))
    assert result(outcome, "z", np.int32).tolist() == [100 * j + i for j in range(3) for i in range(4)]


def test_runs_are_equal_for_equal_seeds() -> None:
    kernel = function("k", [X], [store(at(X, op(Op.AND, TID, 3)), ir.Cast(TID, t.F32))])
    runs = [launch(kernel, {"x": np.zeros(4, np.float32)}, block=256, schedule="random", seed=7) for _ in range(2)]
    assert runs[0].events == runs[1].events
    assert np.array_equal(runs[0].buffers["x"], runs[1].buffers["x"])


def test_accesses_count_the_lanes_of_each_line() -> None:
    write = store(at(X, TID), 1.0)
    outcome = launch(function("k", [X], [when(less(TID, 5), write)]), {"x": np.zeros(32, np.float32)})
    assert outcome.accesses == {write.span: 5}


def test_a_run_ends_at_the_event_that_it_was_made_for() -> None:
    out = pointer("out")
    body = [store(at(out, 9), 1.0), let(J, 0), loop(True, let(J, add(J, 1)))]
    buffers = {"out": np.zeros(4, np.float32)}
    outcome = launch(function("k", [out], body), buffers, wanted=lambda event: event.kind == "out_of_bounds")
    assert outcome.status == "shown" and outcome.steps < 10
