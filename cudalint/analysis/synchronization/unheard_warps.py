"""Warps of a block whose share of a sum comes nowhere: a fold by shuffles ends in the first thread, which alone writes.

for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];
sum = warp_sum(sum);  if (threadIdx.x == 0) y[blockIdx.x] = sum;                              <<<rows, 128>>>: a quarter

Without shared memory, atomics and other stores nothing leads from another warp to the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudalint import ir
from cudalint.ir.walk import blocks, evaluated, reached, statements
from cudalint.source import Span

_WARP = 32
_SHARED = (ir.Storage.SHARED, ir.Storage.DYNAMIC_SHARED)


@dataclass(frozen=True, slots=True)
class UnheardWarps:
    """`span` is the write of the first thread; the launch has `threads` in a block."""

    span: Span
    threads: int
    launch: Span


def unheard_warps(unit: ir.Unit, kernel: ir.Function) -> Iterator[UnheardWarps]:
    """The first write of a kernel that is launched with more than a warp."""
    if kernel.role is not ir.Role.KERNEL or not _folds_in_warps(unit, kernel):
        return
    given: dict[str, list[ir.Expr]] = {}
    for stmt in statements(kernel.body):
        if isinstance(stmt, ir.Assign):
            given.setdefault(stmt.target.name, []).append(stmt.value)
    writes = list(_writes(kernel.body, False, given))
    if not writes or not all(by_first for _, by_first in writes):
        return
    for launch, threads in _launches(unit, kernel):
        if threads > _WARP:
            yield UnheardWarps(writes[0][0], threads, launch)
            return


def _folds_in_warps(unit: ir.Unit, kernel: ir.Function) -> bool:
    """Threads of the whole block take elements, warps fold them, and nothing else leads from thread to thread."""
    folds = strides = False
    for function in reached(unit, kernel):
        for stmt in statements(function.body):
            if isinstance(stmt, ir.Barrier | ir.Atomic | ir.AsyncCopy | ir.Unmodelled | ir.Trap):
                return False
            if isinstance(stmt, ir.Declare) and stmt.storage in _SHARED:
                return False
            if isinstance(stmt, ir.Call) and stmt.function not in unit.functions:
                return False
            if function is not kernel and isinstance(stmt, ir.Store) and not _is_own(stmt.place):
                return False
            folds |= isinstance(stmt, ir.Warp) and stmt.op.startswith(("shfl", "reduce_"))
            if isinstance(stmt, ir.Loop):
                steps = (part for s in (*stmt.step, *stmt.body) if isinstance(s, ir.Assign) for part in evaluated(s))
                strides |= any(isinstance(part, ir.Builtin) and part.name == "blockDim.x" for part in steps)
    return folds and strides


def _writes(body: tuple[ir.Stmt, ...], by_first: bool, given: dict[str, list[ir.Expr]]) -> Iterator[tuple[Span, bool]]:
    """The writes to memory that others see, and whether the first thread alone comes to them."""
    for stmt in body:
        if isinstance(stmt, ir.Store) and not _is_own(stmt.place):
            yield stmt.span, by_first
        elif isinstance(stmt, ir.If):
            yield from _writes(stmt.then, by_first or _asks_for_first(stmt.cond, given), given)
            yield from _writes(stmt.orelse, by_first, given)
        else:
            for inner in blocks(stmt):
                yield from _writes(inner, by_first, given)


def _is_own(place: ir.Place) -> bool:
    """A variable of the thread."""
    while isinstance(place, ir.Index | ir.Field):
        place = place.base
    return isinstance(place, ir.Variable)


def _asks_for_first(cond: ir.Expr, given: dict[str, list[ir.Expr]]) -> bool:
    """`threadIdx.x == 0`, alone or with others that have to hold as well."""
    if not isinstance(cond, ir.Binary):
        return False
    if cond.op is ir.BinaryOp.LOGICAL_AND:
        return _asks_for_first(cond.left, given) or _asks_for_first(cond.right, given)
    sides = [_followed(side, given) for side in (cond.left, cond.right)]
    zero = any(isinstance(side, ir.Const) and side.value == 0 for side in sides)
    first = any(isinstance(side, ir.Builtin) and side.name == "threadIdx.x" for side in sides)
    return cond.op is ir.BinaryOp.EQUAL and zero and first


def _followed(value: ir.Expr, given: dict[str, list[ir.Expr]]) -> ir.Expr:
    """What a name was set to, once and for all."""
    for _ in range(4):
        while isinstance(value, ir.Cast) and isinstance(value.type, ir.Int):
            value = value.operand
        if not isinstance(value, ir.Var) or len(given.get(value.name, [])) != 1:
            break
        value = given[value.name][0]
    return value


def _launches(unit: ir.Unit, kernel: ir.Function) -> Iterator[tuple[Span, int]]:
    """Those whose blocks have a number of threads that stands there, along x alone."""
    for host in unit.functions.values():
        if host.role is not ir.Role.HOST:
            continue
        given: dict[str, list[ir.Expr]] = {}
        for stmt in statements(host.body):
            if isinstance(stmt, ir.Assign):
                given.setdefault(stmt.target.name, []).append(stmt.value)
        for stmt in statements(host.body):
            launched = stmt.kernel if isinstance(stmt, ir.Launch) else None
            if (
                not isinstance(stmt, ir.Launch)
                or not isinstance(launched, ir.FunctionRef)
                or launched.function != kernel.id
            ):
                continue
            sides = [_followed(side, given) for side in stmt.block]
            numbers = [side.value for side in sides if isinstance(side, ir.Const) and isinstance(side.value, int)]
            if len(numbers) == len(sides) and numbers[1:] == [1, 1]:
                yield stmt.span, numbers[0]
