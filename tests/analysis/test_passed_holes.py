"""Holes are passed as barriers where all threads come to them together; what rests on them is named."""

from __future__ import annotations

from cudalint.analysis.synchronization.passed_holes import pass_holes
from cudalint.ir import nodes as ir
from cudalint.ir.types import BOOL, INT32, UINT32, VOID, Pointer
from cudalint.ir.walk import statements
from cudalint.source import Span

POINTER = Pointer(INT32)
RANK, X, S = ir.Var("rank", INT32), ir.Var("x", INT32), ir.Var("s", POINTER)
THREAD = ir.Cast(ir.Builtin("threadIdx.x", UINT32), INT32)


def at(line: int) -> Span:
    return Span("k.cu", line, 1, line, 2)


def hole(line: int, may_sync: bool = True) -> ir.Unmodelled:
    return ir.Unmodelled("call of rank_of, which has no body here", at(line), (), (ir.Variable(RANK),), False, may_sync)


def store(line: int, index: ir.Expr) -> ir.Store:
    return ir.Store(ir.Element(S, index, INT32), X, at(line))


def less(left: ir.Expr) -> ir.Binary:
    return ir.Binary(ir.BinaryOp.LESS, left, ir.Const(5, INT32), BOOL)


def unit(*body: ir.Stmt) -> ir.Unit:
    kernel = ir.Function("k", "k", ir.Role.KERNEL, (), (ir.Param(S), ir.Param(X)), VOID, body, at(1))
    return ir.Unit("k.cu", {"k": kernel})


def test_a_unit_without_holes_is_the_same() -> None:
    whole = unit(store(2, THREAD))
    assert pass_holes(whole, "k").unit is whole


def test_what_may_synchronise_is_a_barrier_and_the_rest_is_left_out() -> None:
    passed = pass_holes(unit(hole(2), hole(3, may_sync=False), store(4, THREAD)), "k")
    barrier, kept = passed.unit.functions["k"].body
    assert isinstance(barrier, ir.Barrier) and barrier.scope is ir.Scope.BLOCK and kept.span == at(4)
    assert passed.may_order([at(2)]) and not passed.leaves_open([at(4)])


def test_a_hole_to_which_not_all_threads_come_stays() -> None:
    some = unit(ir.If(less(THREAD), (hole(3),), (), at(2)))
    assert any(isinstance(s, ir.Unmodelled) for s in statements(pass_holes(some, "k").unit.functions["k"].body))
    every = unit(ir.If(less(X), (hole(3),), (), at(2)))
    assert any(isinstance(s, ir.Barrier) for s in statements(pass_holes(every, "k").unit.functions["k"].body))


def test_accesses_whose_place_or_thread_rests_on_a_hole_are_unsettled() -> None:
    next_ = ir.Var("next", INT32)
    moved = ir.Assign(next_, ir.Binary(ir.BinaryOp.ADD, RANK, ir.Const(1, INT32), INT32), at(3))
    chosen = ir.If(less(RANK), (store(6, THREAD),), (), at(5))
    passed = pass_holes(unit(hole(2), moved, store(4, next_), chosen, store(7, THREAD)), "k")
    assert passed.unsettled == {at(4), at(6)}


def test_behind_an_exit_that_rests_on_a_hole_nobody_knows_who_is_there() -> None:
    leaves = ir.If(less(RANK), (ir.Return(None, at(4)),), (), at(3))
    assert pass_holes(unit(hole(2), leaves, store(5, THREAD)), "k").leaves_open([at(5)])
