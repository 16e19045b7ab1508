"""Loads, stores and atomics of the symbolic thread: what they know, and the accesses and obligations they leave."""

from __future__ import annotations

from dataclasses import replace
from math import gcd
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.ir.text import type_text
from cudalint.symbolic.model import (
    APPROXIMATE_PREFIX,
    MEMORY_PREFIX,
    Access,
    Address,
    Aggregate,
    Either,
    MemoryObject,
    Value,
    join_scopes,
    objects_of,
    rests_on,
    scope_of,
)
from cudalint.symbolic.walk import integers, pipelines
from cudalint.symbolic.walk.accesses import alignment_of, inside_members, oblige_dimensions, record_access
from cudalint.symbolic.walk.arguments import CALLER
from cudalint.symbolic.walk.expressions import is_same_kind, leaves_of, place_type
from cudalint.symbolic.walk.members import EVERYWHERE, places_of
from cudalint.symbolic.walk.signals import pass_signals, signal
from cudalint.symbolic.walk.state import State, merge_values
from cudalint.term import (
    Number,
    Symbol,
    Term,
    add,
    apply,
    choice,
    equal,
    free_symbols,
    is_truth,
    number,
    symbol,
)

if TYPE_CHECKING:
    from cudalint.symbolic.walk.execute import Frame, Walk

LISTED = 32  # elements of a table whose values are written out


def execute_memory(walk: Walk, stmt: ir.Load | ir.Store | ir.AsyncCopy, state: State, frame: Frame) -> None:
    if isinstance(stmt, ir.Load):
        _load(walk, stmt, state, frame)
    elif isinstance(stmt, ir.Store):
        _store(walk, stmt, state, frame)
    else:
        _copy(walk, stmt, state, frame)


def _copy(walk: Walk, stmt: ir.AsyncCopy, state: State, frame: Frame) -> None:
    given = walk.evaluator.integer(stmt.bytes, state, frame)
    size = given.value if isinstance(given, Number) else 1
    source = walk.evaluator.value(stmt.source, state, frame)
    destination = walk.evaluator.value(stmt.destination, state, frame)
    record_access(walk, source, "read", size, stmt.span, state, frame)
    before = len(walk.accesses)
    record_access(walk, destination, "write", size, stmt.span, state, frame, order="async")
    for made in walk.accesses[before:]:
        pipelines.issue(made, state, stmt.barrier is not None)
    forget(destination, state)
    walk.overwritten.update(objects_of(destination))


def _load(walk: Walk, stmt: ir.Load, state: State, frame: Frame) -> None:
    address = walk.evaluator.place(stmt.place, state, frame)
    size = ir.size_of(stmt.target.type) or 1
    covered = oblige_dimensions(walk, stmt.place, address, "read", stmt.span, state, frame)
    before = len(walk.accesses)
    inside = inside_members(walk, stmt.place, state, frame)
    record_access(
        walk, address, "read", size, stmt.span, state, frame, order=stmt.order.value, covered=covered, inside=inside,
        align=alignment_of(stmt.place),
    )  # fmt: skip
    used = walk.read_lanes.of(stmt, frame.function)
    if used is not None:
        walk.accesses[before:] = [_of_used_lanes(made, *used) for made in walk.accesses[before:]]
    for made in walk.accesses[before:] if state.flights else ():
        pipelines.note_read(walk, made, state)
    value = read(walk, state, address, stmt.target.type, stmt.order)
    if stmt.order not in (ir.Order.PLAIN, ir.Order.READ_ONLY):
        signal(walk, address, value)
    state.registers[frame.prefix + stmt.target.name] = value


def _of_used_lanes(made: Access, first: int, size: int) -> Access:
    """The read as far as it matters what it gives; what the whole vector needs says nothing of a lane."""
    align = gcd(made.align, first) if first else made.align
    return replace(made, offset=add(made.offset, number(first)), size=size, align=align)


def _store(walk: Walk, stmt: ir.Store, state: State, frame: Frame) -> None:
    value = walk.evaluator.value(stmt.value, state, frame)
    address = walk.evaluator.place(stmt.place, state, frame)
    type_ = place_type(stmt.place)
    size = ir.size_of(type_) or 1
    covered = oblige_dimensions(walk, stmt.place, address, "write", stmt.span, state, frame)
    inside = inside_members(walk, stmt.place, state, frame)
    record_access(
        walk, address, "write", size, stmt.span, state, frame, value, stmt.order.value, covered=covered, inside=inside,
        align=alignment_of(stmt.place),
    )  # fmt: skip
    pass_signals(walk, state, address, value)
    _write(walk, state, address, type_, value)


# --- what a load gives -------------------------------------------------------------------------------------------------


def read(walk: Walk, state: State, address: Value, type_: ir.Type, order: ir.Order = ir.Order.PLAIN) -> Value:
    """The loaded value: what this thread stored, a function of the interval, or a fresh one."""
    if isinstance(address, Either):
        then = read(walk, state, address.then, type_, order)
        orelse = read(walk, state, address.orelse, type_, order)
        fresh = symbol(f"{APPROXIMATE_PREFIX}read#{walk.count()}", None, None, "thread")
        merged = merge_values(address.cond, then, orelse, fresh)
        assert merged is not None
        return merged
    if not isinstance(address, Address) or address.object is None:
        return walk.evaluator.fresh(f"{APPROXIMATE_PREFIX}read", type_, "thread")
    if isinstance(address.offset, Number):
        known = _cell(walk, state, address.object, address.offset.value, type_)
        if known is not None:
            return known
    return _unknown_read(walk, state, address, type_, order)


def _cell(walk: Walk, state: State, found: MemoryObject, offset: int, type_: ir.Type) -> Value | None:
    cell = state.cells.get((found, offset))
    if cell is not None and is_same_kind(cell[0], type_):
        return cell[1]
    if not isinstance(type_, ir.Struct | ir.Vector) or found.memory != "local":
        return None
    leaves: dict[int, tuple[ir.Type, Value]] = {}
    for inside, leaf_type in leaves_of(type_):
        leaf = state.cells.get((found, offset + inside))
        if leaf is None or not is_same_kind(leaf[0], leaf_type):
            return None
        leaves[inside] = leaf
    return Aggregate(type_, leaves)


def _unknown_read(walk: Walk, state: State, address: Address, type_: ir.Type, order: ir.Order) -> Value:
    found = address.object
    assert found is not None
    label = f"{MEMORY_PREFIX}{found.name}"
    listed = _listed(walk, state, found, type_)
    if listed:
        return _entry(listed, address.offset, ir.size_of(type_) or 1)
    if found.memory == "local":
        value = walk.evaluator.fresh(f"{APPROXIMATE_PREFIX}{found.name}", type_, "thread")
        if found in walk.loaded_into and isinstance(value, Symbol):
            walk.environment.begun_in_memory.add(value)
        return value
    here = places_of(address.offset, ir.size_of(type_) or 1)
    stale = any(places.meet(here) for places in state.stale.get(found, ()))
    if stale or order is ir.Order.VOLATILE or found.name in walk.environment.external:
        return _in_values(walk, found, address.offset, walk.evaluator.fresh(label, type_, "thread"))
    if found.memory == "global" and not (found.read_only and not walk.environment.overlapping(found)):
        changes = any(places.meet(here) for places in walk.written.get(found, ()))
        if changes or not walk.environment.is_named(found):
            return _in_values(walk, found, address.offset, walk.evaluator.fresh(label, type_, "thread"))
        walk.trusted.add((found, here))
    args: tuple[Term, ...] = (address.offset,)
    if found.memory == "shared":
        blocks = tuple(walk.environment.builtin(f"blockIdx.{axis}") for axis in "xyz")
        label, args = f"{label}@{state.epoch[0]}", (*blocks, *state.epoch[1], address.offset)
    if walk.environment.is_of_caller(found):
        args = (*args, CALLER)
    if not is_same_kind(_element_type(found.type), type_):
        label = f"{label}@{type_text(type_)}"
    value = _function_read(walk, label, args, type_)
    if isinstance(value, Term) and not is_truth(value):
        width = ir.size_of(_element_type(found.type)) or 1
        walk.axioms += walk.environment.contents.order(found.name, address.offset, width, value)
        if found.memory in ("global", "constant") and isinstance(type_, ir.Int):
            walk.axioms += walk.environment.as_placed(found, type_, address.offset, value)
        if found.memory == "global" and is_same_kind(_element_type(found.type), type_):
            walk.axioms += walk.environment.as_filled(found, type_, address.offset, value)
    return _in_values(walk, found, address.offset, value)


def _listed(walk: Walk, state: State, found: MemoryObject, type_: ir.Type) -> tuple[Term, ...]:
    """The integers of a short table that is written out: constant memory, or an array of the thread with all elements set."""
    count, width = number_of_elements(found.type), ir.size_of(type_) or 1
    if not isinstance(type_, ir.Int) or not 0 < count <= LISTED or not is_same_kind(_element_type(found.type), type_):
        return ()
    if found.memory == "constant":
        return tuple(map(number, walk.environment.constants(found.name)))
    if found.memory != "local":
        return ()
    cells = [state.cells.get((found, k * width)) for k in range(count)]
    values = [cell[1] for cell in cells if cell is not None and is_same_kind(cell[0], type_)]
    known = [value for value in values if isinstance(value, Term)]
    return tuple(known) if len(known) == count else ()


def _entry(listed: tuple[Term, ...], offset: Term, width: int) -> Term:
    value = listed[-1]
    for place in range(len(listed) - 2, -1, -1):
        value = choice(equal(offset, number(place * width)), listed[place], value)
    return value


def number_of_elements(type_: ir.Type) -> int:
    """Of an array with all its dimensions; 0 where one is open, 1 for what is none."""
    return (type_.count or 0) * number_of_elements(type_.element) if isinstance(type_, ir.Array) else 1


def _element_type(type_: ir.Type) -> ir.Type:
    while isinstance(type_, ir.Array):
        type_ = type_.element
    return type_


def _function_read(walk: Walk, label: str, args: tuple[Term, ...], type_: ir.Type) -> Value:
    if isinstance(type_, ir.Int):
        low, high = ir.int_range(type_)
        return apply(label, args, low, high)
    if isinstance(type_, ir.Bool):
        return integers.as_truth(apply(label, args, 0, 1))
    if isinstance(type_, ir.Float):
        return apply(label, args)
    if isinstance(type_, ir.Pointer):
        return Address(walk.environment.loaded_object(label, args, type_), number(0))
    scope = join_scopes("launch", *(scope_of(arg) for arg in args))
    return walk.evaluator.fresh(label, type_, scope)


def _in_values(walk: Walk, found: MemoryObject, offset: Term, value: Value) -> Value:
    """A content fact (`values(idx) in [0, n)`) holds for every value that was there before the launch."""
    if isinstance(value, Term) and not is_truth(value) and found not in walk.overwritten:
        width = ir.size_of(_element_type(found.type)) or 1
        walk.axioms += walk.environment.contents.axioms(found.name, offset, width, value)
    return value


def _write(walk: Walk, state: State, address: Value, type_: ir.Type, value: Value) -> None:
    if not isinstance(address, Address) or address.object is None:
        forget(address, state)
        walk.overwritten.update(objects_of(address))
        return
    walk.overwritten.add(address.object)
    state.note_written(address.object, places_of(address.offset, ir.size_of(type_) or 1))
    for other in walk.environment.may_be_same(address.object):
        state.note_written(other, EVERYWHERE)
    if address.object.memory == "local" and _comes_from_memory(walk, value):
        walk.loaded_into.add(address.object)
    if isinstance(address.offset, Number) and address.object.memory == "local":
        write_cells(walk, state, address.object, address.offset.value, type_, value)
    elif address.object.memory == "local":
        found = address.object
        state.cells = {cell: v for cell, v in state.cells.items() if cell[0] is not found}


def _comes_from_memory(walk: Walk, value: Value) -> bool:
    if isinstance(value, Aggregate):
        return any(_comes_from_memory(walk, leaf) for _, leaf in value.leaves.values())
    if not isinstance(value, Term):
        return False
    return rests_on(value, MEMORY_PREFIX) or not walk.environment.begun_in_memory.isdisjoint(free_symbols(value))


def write_cells(walk: Walk, state: State, found: MemoryObject, offset: int, type_: ir.Type, value: Value) -> None:
    """A store to thread-private memory at a constant offset."""
    size = ir.size_of(type_) or 1
    for cell in [c for c in state.cells if c[0] is found and c[1] < offset + size]:
        width = ir.size_of(state.cells[cell][0]) or 1
        if cell[1] + width > offset:
            del state.cells[cell]
    if isinstance(value, Aggregate):
        for inside, leaf in value.leaves.items():
            state.cells[(found, offset + inside)] = leaf
    else:
        state.cells[(found, offset)] = (type_, value)


# --- obligations --------------------------------------------------------------------------------------------------


def forget(value: Value, state: State) -> None:
    """Nothing is known any longer of the object that the pointer reaches."""
    if isinstance(value, Either):
        forget(value.then, state)
        forget(value.orelse, state)
    if isinstance(value, Address) and value.object is not None:
        found = value.object
        state.cells = {cell: v for cell, v in state.cells.items() if cell[0] is not found}
        state.note_written(found, EVERYWHERE)
