"""The statements without jumps, compiled to steps of the machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

import numpy as np

from cudalint.confirm.emulate import atomics, warp
from cudalint.confirm.emulate.access import Spot, spot
from cudalint.confirm.emulate.expressions import Code, Compiler, PlaceCode
from cudalint.confirm.emulate.flatten import Copy, Simple
from cudalint.confirm.emulate.formats import Unsupported, Values, dtype_of, is_aggregate
from cudalint.confirm.emulate.lanes import Lanes
from cudalint.ir import nodes as ir
from cudalint.ir import types as t

if TYPE_CHECKING:
    from cudalint.confirm.emulate.machine import Machine

Step = Callable[[Lanes], None]
_ORDERED = (ir.Order.RELAXED, ir.Order.ACQUIRE, ir.Order.RELEASE, ir.Order.ACQ_REL, ir.Order.VOLATILE)


def compile_statement(machine: Machine, pc: int, stmt: Simple, copy: Copy) -> Step:
    compiler = machine.compiler(copy)
    match stmt:
        case ir.Assign():
            slot = compiler.scope.slot(stmt.target.name)
            return machine.assignment(slot, compiler.expression(stmt.value), stmt.target.type)
        case ir.Load():
            return _load(machine, stmt, compiler, machine.read_lanes.of(stmt, copy.function))
        case ir.Store():
            return _store(machine, stmt, compiler)
        case ir.Atomic():
            return _atomic(machine, stmt, compiler)
        case ir.AsyncCopy():
            return _copy(machine, stmt, compiler)
        case ir.Check():
            return _check(machine, stmt, compiler)
        case ir.Fence():
            return _fence(machine)
        case ir.AsyncCommit():
            return _commit(machine)
        case ir.AsyncWait():
            return _wait(machine, stmt, compiler)
        case ir.Barrier():
            return _barrier(machine, pc, stmt, compiler)
        case ir.Warp():
            return _warp(machine, pc, stmt, compiler, machine.result_guards.of(stmt, copy.function))
        case _:
            assert_never(stmt)


# --- memory ----------------------------------------------------------------------------------------------------------


def type_of(place: ir.Place) -> t.Type:
    return place.var.type if isinstance(place, ir.Variable) else place.type


def _load(machine: Machine, stmt: ir.Load, compiler: Compiler, used: tuple[int, int] | None) -> Step:
    type_, slot = type_of(stmt.place), compiler.scope.slot(stmt.target.name)
    strong = stmt.order in _ORDERED
    where = replace(spot(compiler.place(stmt.place), stmt.place, "read", strong), used=used)

    def load(lanes: Lanes) -> None:
        if strong:
            _synchronise(machine, lanes)
        lanes.assign(slot, machine.accessor.load(lanes, where, type_))
        machine.go_on(lanes)

    return load


def _synchronise(machine: Machine, lanes: Lanes) -> None:
    if machine.has_fences:
        machine.races.strong_access(lanes)


def _store(machine: Machine, stmt: ir.Store, compiler: Compiler) -> Step:
    type_, value = type_of(stmt.place), compiler.expression(stmt.value)
    strong = stmt.order in _ORDERED
    where = spot(compiler.place(stmt.place), stmt.place, "write", strong)

    def store(lanes: Lanes) -> None:
        machine.accessor.store(lanes, where, type_, value(lanes))
        machine.saw_store()
        if strong:
            _synchronise(machine, lanes)
        machine.go_on(lanes)

    return store


def _atomic(machine: Machine, stmt: ir.Atomic, compiler: Compiler) -> Step:
    type_ = type_of(stmt.place)
    where = spot(compiler.place(stmt.place), stmt.place, "atomic", True, stmt.scope in (ir.Scope.WARP, ir.Scope.BLOCK))
    args = [compiler.expression(a) for a in stmt.args]
    slot = compiler.scope.slot(stmt.target.name) if stmt.target else None

    def run(lanes: Lanes) -> None:
        _synchronise(machine, lanes)
        values = [lanes.spread(a(lanes)) for a in args]
        old: Values | None = None
        for part, positions in machine.accessor.targets(lanes, where):
            mine = values if part.index is None else [v[part.index] for v in values]
            assert part.allocation is not None
            places, inexact = part.lanes.spread(positions), machine.options.inexact
            if inexact is not None and mine:
                mine = [atomics.in_any_order(inexact, stmt.op, part.allocation, places, mine[0], type_), *mine[1:]]
            result = atomics.apply(
                stmt.op, part.allocation, places, mine, type_,
                wanted=slot is not None, backwards=machine.backwards,
            )  # fmt: skip
            machine.saw_atomic(atomics.changes(stmt.op, result, mine))
            if slot is None or result is None:
                continue
            if part.index is None:
                old = result
                break
            if old is None:
                old = np.zeros((lanes.count, *result.shape[1:]), result.dtype)
            old[part.index] = result
        if slot is not None and old is not None:
            lanes.assign(slot, old)
        machine.go_on(lanes)

    return run


def _copy(machine: Machine, stmt: ir.AsyncCopy, compiler: Compiler) -> Step:
    """The bytes are there at once; until the wait the copy may write again (`copies`)."""
    source, destination = compiler.expression(stmt.source), compiler.expression(stmt.destination)
    if not isinstance(stmt.bytes, ir.Const) or not stmt.bytes.value:
        raise Unsupported("an asynchronous copy of a size that is not constant")
    size = int(stmt.bytes.value)
    type_ = t.Vector(t.UINT8, size)

    bound = stmt.barrier is not None

    def copy(lanes: Lanes) -> None:
        rows = machine.accessor.load(lanes, _bytes_at(source, size, "read"), type_)
        where = _bytes_at(destination, size, "write")
        machine.accessor.store(lanes, where, type_, rows)
        machine.accessor.issue(lanes, where, bound)
        machine.go_on(lanes)

    return copy


def _commit(machine: Machine) -> Step:
    def commit(lanes: Lanes) -> None:
        machine.copies.commit(lanes)
        machine.go_on(lanes)

    return commit


def _wait(machine: Machine, stmt: ir.AsyncWait, compiler: Compiler) -> Step:
    pending = None if stmt.pending is None else compiler.expression(stmt.pending)

    def wait(lanes: Lanes) -> None:
        machine.copies.wait(lanes, None if pending is None else pending(lanes))
        machine.go_on(lanes)

    return wait


def _bytes_at(pointer: Code, size: int, kind: str) -> Spot:
    place = PlaceCode(None, pointer, None, t.Vector(t.UINT8, size), ())
    return Spot(place, size, size & -size, kind)  # type: ignore[arg-type]


# --- checks and fences -----------------------------------------------------------------------------------------------


def _check(machine: Machine, stmt: ir.Check, compiler: Compiler) -> Step:
    cond = compiler.expression(stmt.cond)

    def check(lanes: Lanes) -> None:
        holds = lanes.spread(cond(lanes))
        if holds.all():
            machine.go_on(lanes)
            return
        lanes.event("check_failed", lanes.site(int(np.argmin(holds))), None, stmt.origin)
        machine.scheduler.put(lanes.pc + 1, lanes.ids[holds])
        machine.exit(lanes.subset(~holds))

    return check


def _fence(machine: Machine) -> Step:
    def fence(lanes: Lanes) -> None:
        machine.races.fence(lanes)
        machine.go_on(lanes)

    return fence


# --- barriers --------------------------------------------------------------------------------------------------------


def _barrier(machine: Machine, pc: int, stmt: ir.Barrier, compiler: Compiler) -> Step:
    if stmt.object is not None:
        return _phase(machine, stmt, compiler)
    match stmt.scope:
        case ir.Scope.WARP:
            return _warp_barrier(machine, pc, stmt, compiler)
        case ir.Scope.GRID:
            return machine.barriers.arrive_grid
        case ir.Scope.BLOCK | ir.Scope.NAMED:
            if stmt.id is None and stmt.count is None and stmt.mode == "sync":
                return _block_barrier(machine, pc, stmt, compiler)
            return _named_barrier(machine, stmt, compiler)
        case ir.Scope.CLUSTER | ir.Scope.DEVICE | ir.Scope.SYSTEM:
            raise Unsupported(f"a barrier of scope {stmt.scope.value}")
        case _:
            assert_never(stmt.scope)


def _block_barrier(machine: Machine, pc: int, stmt: ir.Barrier, compiler: Compiler) -> Step:
    if stmt.reduce is None or stmt.value is None or stmt.target is None:
        return machine.barriers.arrive
    value, reduce, target = compiler.expression(stmt.value), stmt.reduce, stmt.target
    slot = compiler.scope.slot(target.name)

    def result(lanes: Lanes) -> None:
        lanes.assign(slot, machine.barriers.result(lanes, reduce).astype(dtype_of(target.type)))
        machine.go_on(lanes)

    machine.on_arrival(pc, result)

    def vote(lanes: Lanes) -> None:
        machine.barriers.vote(lanes, value(lanes))
        machine.barriers.arrive(lanes)

    return vote


def _named_barrier(machine: Machine, stmt: ir.Barrier, compiler: Compiler) -> Step:
    if stmt.mode not in ("sync", "arrive"):
        raise Unsupported(f"a barrier of mode {stmt.mode}")
    number = compiler.expression(stmt.id or ir.Const(0, t.INT32))
    count = compiler.expression(stmt.count or ir.Const(machine.geometry.threads, t.INT32))
    wait = stmt.mode == "sync"

    def arrive(lanes: Lanes) -> None:
        numbers = lanes.spread(number(lanes)).astype(np.int64)
        machine.barriers.arrive_named(lanes, numbers, lanes.spread(count(lanes)).astype(np.int64), wait)

    return arrive


def _phase(machine: Machine, stmt: ir.Barrier, compiler: Compiler) -> Step:
    """A barrier in shared memory: set up for a number of arrivals, or arrived and waited at in one statement."""
    assert stmt.object is not None
    place = PlaceCode(None, compiler.expression(stmt.object), None, t.UINT64, ())
    if stmt.mode == "init":
        count = compiler.expression(stmt.count or ir.Const(0, t.UINT32))
        written = Spot(place, 8, 8, "write")

        def set_up(lanes: Lanes) -> None:
            wanted = lanes.spread(count(lanes)).astype(np.uint64)
            machine.accessor.store(lanes, written, t.UINT64, wanted)
            machine.go_on(lanes)

        return set_up
    if stmt.mode not in ("arrive", "wait", "sync") or stmt.count is not None:
        raise Unsupported(f"a barrier in shared memory of mode {stmt.mode}")
    touched = Spot(place, 8, 8, "atomic", True, True)

    def meet(lanes: Lanes) -> None:
        machine.accessor.targets(lanes, touched)
        pointers = lanes.spread(place.pointer(lanes)) if place.pointer is not None else np.zeros(lanes.count, np.uint64)
        machine.copies.complete_phase(lanes)  # who arrives has told the barrier of its copies: they land in the phase
        if stmt.mode == "wait":
            machine.barriers.wait_at_object(lanes, pointers)
            return
        counts = lanes.spread(machine.accessor.load(lanes, touched, t.UINT64)).astype(np.int64)
        machine.barriers.arrive_at_object(lanes, pointers, counts, stmt.mode == "sync")

    return meet


def _warp_barrier(machine: Machine, pc: int, stmt: ir.Barrier, compiler: Compiler) -> Step:
    def meet(lanes: Lanes, rows: warp.Rows, masks: Values) -> None:
        machine.races.warp_barrier(lanes, masks)

    return _meeting(machine, pc, stmt.mask or ir.Const(0xFFFFFFFF, t.UINT32), compiler, meet)


# --- warp operations -------------------------------------------------------------------------------------------------


def _warp(machine: Machine, pc: int, stmt: ir.Warp, compiler: Compiler, guard: ir.Expr | None) -> Step:
    """`guard` holds wherever the result is read; None: it may be read in any case."""
    args = [compiler.expression(a) for a in stmt.args]
    used = compiler.expression(guard) if guard is not None else None
    slot, type_ = compiler.scope.slot(stmt.target.name), stmt.target.type
    shuffles = stmt.mask is not None and stmt.op.startswith("shfl")

    def meet(lanes: Lanes, rows: warp.Rows, masks: Values) -> None:
        if shuffles and bool((masks == warp.FULL).all()):
            machine.races.exchange(lanes)
        counts = np.not_equal(lanes.spread(used(lanes)), 0) if used is not None else None
        result = warp.run(stmt.op, lanes, rows, masks, [lanes.spread(a(lanes)) for a in args], type_, counts)
        if not is_aggregate(type_):
            result = result.astype(dtype_of(type_), copy=False)
        lanes.assign(slot, result)

    return _meeting(machine, pc, stmt.mask, compiler, meet)


Meet = Callable[[Lanes, warp.Rows, Values], None]


def _meeting(machine: Machine, pc: int, mask: ir.Expr | None, compiler: Compiler, meet: Meet) -> Step:
    """Lanes wait until all living lanes that their mask names are here; without a mask, those that are here meet."""
    code = compiler.expression(mask) if mask is not None else None

    def masks_of(lanes: Lanes, rows: warp.Rows) -> Values:
        if code is None:
            return rows.present[rows.row]
        return lanes.spread(code(lanes)).astype(np.uint64) & warp.FULL

    def finish(lanes: Lanes, rows: warp.Rows, masks: Values) -> None:
        if code is not None:
            warp.check_mask(lanes, rows, masks)
        meet(lanes, rows, masks)
        machine.go_on(lanes)

    def force(lanes: Lanes) -> None:
        rows = warp.Rows.of(lanes)
        finish(lanes, rows, masks_of(lanes, rows))

    def arrive(lanes: Lanes) -> None:
        ids = machine.rendezvous.arrive(lanes)
        here = lanes if len(ids) == lanes.count else Lanes(machine, pc, ids)
        rows = warp.Rows.of(here)
        masks = masks_of(here, rows)
        ready = warp.complete(here, rows, masks)
        if not ready.all():
            machine.rendezvous.wait(pc, here.ids[~ready])
            if not ready.any():
                return
            here = here.subset(ready)
            rows, masks = warp.Rows.of(here), masks[ready]
        finish(here, rows, masks)

    machine.on_arrival(pc, force)
    return arrive
