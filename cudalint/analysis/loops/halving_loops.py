"""Loops that fold an array in halves: what such a loop does to a number of elements that is odd somewhere on the way.

for (int s = blockDim.x / 2; s > 0; s /= 2) {                // of 6 elements 3 are left, of these 1: the third is lost
    if (t < s) sum[t] += sum[t + s];
    __syncthreads();
}
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeGuard

from cudalint import ir
from cudalint.ir.walk import blocks, expressions, place_operands, places, reached, root, statements
from cudalint.source import Span

_FOLLOW = 4  # names behind names


@dataclass(frozen=True, slots=True)
class HalvingLoop:
    """Folds `count` elements of `array` in halves for as long as half of them are more than `least`; `span` is the store."""

    span: Span
    array: str
    count: ir.Expr
    least: int


def halving_loops(unit: ir.Unit, kernel: ir.Function) -> Iterator[HalvingLoop]:
    """Those of the kernel and of the functions that it calls."""
    for function in reached(unit, kernel):
        defined: dict[str, list[ir.Expr]] = {}
        for stmt in statements(function.body):
            if isinstance(stmt, ir.Assign):
                defined.setdefault(stmt.target.name, []).append(stmt.value)
        for block in _all_blocks(function.body):
            for before, loop in pairwise(block):
                if isinstance(before, ir.Assign) and isinstance(loop, ir.Loop) and loop.test_first and not loop.pre:
                    yield from _halving(before, loop, defined)


def lost_at(count: int, least: int) -> int | None:
    """The odd number of elements of which the loop folds all but one, if it comes to such a number."""
    half = count // 2
    while half > least:
        if 2 * half != count:
            return count
        count, half = half, half // 2
    return None


def _all_blocks(body: tuple[ir.Stmt, ...]) -> Iterator[tuple[ir.Stmt, ...]]:
    yield body
    for stmt in body:
        for inner in blocks(stmt):
            yield from _all_blocks(inner)


def _halving(before: ir.Assign, loop: ir.Loop, defined: dict[str, list[ir.Expr]]) -> Iterator[HalvingLoop]:
    counter = before.target.name
    count, least = _doubled(before.value), _least(loop.cond, counter)
    rest = [s for s in (*loop.body, *loop.step) if not isinstance(s, ir.Barrier | ir.Fence | ir.Declare)]
    steps = [s for s in rest if isinstance(s, ir.Assign) and s.target.name == counter]
    folds = [s for s in rest if s not in steps]
    if count is None or least is None or len(steps) != 1 or rest[-1] is not steps[0]:
        return
    halved, fold = _half_of(steps[0].value), _guarded(folds)
    if halved is None or not _is_var(halved, counter) or fold is None:
        return
    cond, then = fold
    place = _below(cond, counter)
    if place is None or not _is_thread(place, defined):
        return
    stored = _folded(then, place, counter)
    if stored is not None:
        yield HalvingLoop(stored[0], stored[1], _followed(count, defined), least)


def _guarded(folds: Sequence[ir.Stmt]) -> tuple[ir.Expr, tuple[ir.Stmt, ...]] | None:
    """What the one guarded statement asks first, and all that stands under it: `t < s && sum[t + s] < sum[t]` asks twice."""
    if not folds:
        return None
    first, *rest = folds
    if isinstance(first, ir.If):
        return None if rest or first.orelse else (first.cond, first.then)
    if not isinstance(first, ir.Assign) or not rest:
        return None
    asked = first.target.name
    guarded = [s for s in rest if isinstance(s, ir.If) and not s.orelse and _is_var(bare(s.cond), asked)]
    asking = [any(isinstance(s, ir.Assign) and s.target.name == asked for s in g.then) for g in guarded]
    if len(guarded) != len(rest) or not all(asking[:-1]) or asking[-1]:
        return None
    return first.value, tuple(stmt for each in guarded for stmt in each.then)


def _folded(body: tuple[ir.Stmt, ...], place: ir.Expr, counter: str) -> tuple[Span, str] | None:
    """The store at the thread's place of an array that is read half the elements further; no other place is read or written."""
    apart: set[str] = set()
    found: tuple[Span, str] | None = None
    for stmt in statements(body):
        if isinstance(stmt, ir.Call | ir.Loop | ir.Unmodelled | ir.Barrier | ir.Atomic | ir.Return | ir.AsyncCopy):
            return None
        for accessed in places(stmt):
            array, indices = _array(accessed), [bare(e) for e in place_operands(accessed)]
            varying = [index for index in indices if not isinstance(index, ir.Const) and index != bare(place)]
            further = [index for index in varying if _is_further(index, place, counter)]
            others = (part for index in varying if index not in further for part in expressions(index))
            if array is None or len(further) > 1 or any(_is_var(part, counter) for part in others):
                return None
            if further:
                apart.add(array)
            if isinstance(stmt, ir.Store):
                if further or bare(place) not in indices:
                    return None
                found = found or (stmt.span, array)
    return found if found is not None and found[1] in apart else None


def _array(place: ir.Place) -> str | None:
    """The array, or the pointer to it."""
    if isinstance(place, ir.Element) and isinstance(place.pointer, ir.Var):
        return place.pointer.name
    found = root(place)
    return None if found is None else found.name


def _is_further(index: ir.Expr, place: ir.Expr, counter: str) -> bool:
    if not isinstance(index, ir.Binary) or index.op is not ir.BinaryOp.ADD:
        return False
    sides = bare(index.left), bare(index.right)
    return any(side == bare(place) and _is_var(other, counter) for side, other in (sides, sides[::-1]))


def _doubled(value: ir.Expr) -> ir.Expr | None:
    """The number of elements, of which the loop begins with half."""
    value = bare(value)
    if isinstance(value, ir.Const) and isinstance(value.value, int):
        return ir.Const(2 * value.value, value.type)
    return _half_of(value)


def _half_of(value: ir.Expr) -> ir.Expr | None:
    value = bare(value)
    if not isinstance(value, ir.Binary):
        return None
    halves = {ir.BinaryOp.DIVIDE: 2, ir.BinaryOp.SHIFT_RIGHT: 1}
    right = bare(value.right)
    halved = value.op in halves and isinstance(right, ir.Const) and right.value == halves[value.op]
    return bare(value.left) if halved else None


def _least(cond: ir.Expr, counter: str) -> int | None:
    """`s > 0` and `s` go on above 0, `s >= 64` above 63."""
    cond = bare(cond)
    if _is_var(cond, counter):
        return 0
    if not isinstance(cond, ir.Binary):
        return None
    left, right, op = bare(cond.left), bare(cond.right), cond.op
    if _is_var(right, counter):
        left, right, op = right, left, _MIRRORED.get(op, op)
    if not _is_var(left, counter) or not isinstance(right, ir.Const) or not isinstance(right.value, int):
        return None
    if op is ir.BinaryOp.NOT_EQUAL:
        return 0 if right.value == 0 else None
    at = {ir.BinaryOp.GREATER: right.value, ir.BinaryOp.GREATER_EQUAL: right.value - 1}
    return at.get(op)


_MIRRORED = {ir.BinaryOp.LESS: ir.BinaryOp.GREATER, ir.BinaryOp.LESS_EQUAL: ir.BinaryOp.GREATER_EQUAL}


def _below(cond: ir.Expr, counter: str) -> ir.Expr | None:
    """The place that is asked to be below the counter, and nothing else."""
    cond = bare(cond)
    if not isinstance(cond, ir.Binary):
        return None
    left, right = bare(cond.left), bare(cond.right)
    if cond.op is ir.BinaryOp.LESS and _is_var(right, counter):
        return left
    return right if cond.op is ir.BinaryOp.GREATER and _is_var(left, counter) else None


def _is_thread(place: ir.Expr, defined: dict[str, list[ir.Expr]]) -> bool:
    place = _followed(place, defined)
    return isinstance(place, ir.Builtin) and place.name.startswith("threadIdx.")


def _followed(value: ir.Expr, defined: dict[str, list[ir.Expr]]) -> ir.Expr:
    """What a name was set to, once and for all."""
    for _ in range(_FOLLOW):
        value = bare(value)
        given = defined.get(value.name, []) if isinstance(value, ir.Var) else []
        if len(given) != 1:
            break
        value = given[0]
    return bare(value)


def bare(value: ir.Expr) -> ir.Expr:
    """Without conversions between integers, which keep the numbers of threads as they are."""
    while isinstance(value, ir.Cast) and isinstance(value.type, ir.Int | ir.Bool):
        value = value.operand
    if (
        isinstance(value, ir.Binary)
        and value.op is ir.BinaryOp.NOT_EQUAL
        and value.right == ir.Const(0, value.right.type)
    ):
        return bare(value.left) if isinstance(bare(value.left), ir.Var) else value
    return value


def _is_var(value: ir.Expr, name: str) -> TypeGuard[ir.Var]:
    return isinstance(value, ir.Var) and value.name == name
