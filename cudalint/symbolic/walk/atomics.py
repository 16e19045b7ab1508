"""Atomic operations of the symbolic thread: how they are ordered, and what their results tell of other threads."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.symbolic.model import (
    MEMORY_PREFIX,
    Address,
    Claim,
    Either,
    Extreme,
    MemoryObject,
    Taken,
    Ticket,
    Value,
    objects_of,
)
from cudalint.symbolic.walk.accesses import inside_members, oblige_dimensions, record_access
from cudalint.symbolic.walk.expressions import place_type
from cudalint.symbolic.walk.memory import forget
from cudalint.symbolic.walk.signals import signal
from cudalint.symbolic.walk.state import State
from cudalint.term import Symbol, Term, add, choice, interval, is_truth, labels, negate, number

if TYPE_CHECKING:
    from cudalint.symbolic.walk.execute import Frame, Walk

SWAP = "swap"  # the order of a compare-and-swap
EXTREME = "extreme"  # of an atomic that moves its element one way only
COUNT = "count"  # of an addition that does not lower its counter
LOWERED = "lowered"  # of a subtraction that does not raise it
RELEASING = (ir.Order.RELEASE, ir.Order.ACQ_REL)
CHOSEN = MemoryObject("~chosen", "global", ir.VOID, None)  # stands for the objects that a pointer chooses from
OFFSET_BITS = 40
LARGE = (1 << 31) - 1  # an increment that starts again at zero there does not come so far


def execute_atomic(walk: Walk, stmt: ir.Atomic, state: State, frame: Frame) -> None:
    address = walk.evaluator.place(stmt.place, state, frame)
    type_ = place_type(stmt.place)
    covered = oblige_dimensions(walk, stmt.place, address, "atomic", stmt.span, state, frame)
    order = _order_of(walk, stmt, state, frame)
    value = walk.evaluator.value(stmt.args[0], state, frame) if stmt.op == "exch" and stmt.args else None
    narrow = stmt.scope in (ir.Scope.WARP, ir.Scope.BLOCK)
    if stmt.order in RELEASING:
        walk.fence(stmt.scope, state)
    record_access(
        walk, address, "atomic", ir.size_of(type_) or 1, stmt.span, state, frame, value, order, covered=covered,
        narrow=narrow, inside=inside_members(walk, stmt.place, state, frame),
    )  # fmt: skip
    forget(address, state)
    walk.overwritten.update(objects_of(address))
    for found in objects_of(address) if order == EXTREME else ():
        walk.pulled.setdefault(found, set()).add(stmt.op)
    if stmt.target is not None:
        result = walk.evaluator.fresh(f"{MEMORY_PREFIX}{stmt.op}", stmt.target.type, "thread")
        state.registers[frame.prefix + stmt.target.name] = result
        signal(walk, address, result)
        _note_ticket(walk, stmt, address, result, state, frame, order)
        _note_extreme(walk, stmt, address, result, state, frame, order)
        _note_claim(walk, stmt, address, result, state, frame)
        if stmt.op in ("cas", "exch"):
            _note_take(walk, address, result, state)


def _order_of(walk: Walk, stmt: ir.Atomic, state: State, frame: Frame) -> str:
    if stmt.op not in ("add", "sub", "inc") or not stmt.args:
        return SWAP if stmt.op == "cas" else EXTREME if stmt.op in ("min", "max", "and", "or") else "plain"
    given = walk.evaluator.value(stmt.args[0], state, frame)
    least = interval(given)[0] if isinstance(given, Term) and not is_truth(given) else None
    if least is None or least < (LARGE if stmt.op == "inc" else 0):
        return "plain"
    return LOWERED if stmt.op == "sub" else COUNT


def _note_ticket(
    walk: Walk, stmt: ir.Atomic, address: Value, result: Value, state: State, frame: Frame, order: str
) -> None:
    if stmt.op not in ("add", "sub", "inc") or not isinstance(address, Address) or address.object is None:
        return
    step = walk.evaluator.value(stmt.args[0], state, frame) if stmt.op != "inc" and stmt.args else number(1)
    if isinstance(result, Symbol) and isinstance(step, Term) and not is_truth(step) and walk.recording:
        step = negate(step) if stmt.op == "sub" else step
        walk.tickets.append(Ticket(result, address.object, address.offset, step, state.epoch, order == COUNT))


def _note_extreme(
    walk: Walk, stmt: ir.Atomic, address: Value, result: Value, state: State, frame: Frame, order: str
) -> None:
    if order != EXTREME or not isinstance(address, Address) or address.object is None or stmt.target is None:
        return
    value, type_ = walk.evaluator.value(stmt.args[0], state, frame), stmt.target.type
    if isinstance(result, Symbol) and isinstance(value, Term) and not is_truth(value) and isinstance(type_, ir.Int):
        walk.extremes.append(Extreme(result, address.object, address.offset, stmt.op, value, type_))


def _note_claim(walk: Walk, stmt: ir.Atomic, address: Value, result: Value, state: State, frame: Frame) -> None:
    if stmt.op not in ("cas", "exch") or not isinstance(address, Address) or address.object is None:
        return
    *expected, desired = (walk.evaluator.value(arg, state, frame) for arg in stmt.args)
    before = expected[0] if expected else None
    if isinstance(result, Symbol) and isinstance(desired, Term) and (before is None or isinstance(before, Term)):
        walk.claims[str(result.parts[0])] = Claim(result, address.object, address.offset, before, desired)


def _note_take(walk: Walk, address: Value, result: Value, state: State) -> None:
    place = _place_of_chosen(address) if isinstance(address, Either) else None
    if place is not None:
        address = Address(CHOSEN, place)
    if isinstance(address, Address) and address.object is not None and isinstance(result, Term):
        for label in labels(result):
            walk.takes[label] = Taken(address.object, address.offset, walk.serial, state.path)


def _place_of_chosen(address: Value) -> Term | None:
    """A number for each of the places that a pointer may lead to: equal numbers are one place."""
    if isinstance(address, Either):
        then, orelse = _place_of_chosen(address.then), _place_of_chosen(address.orelse)
        return None if then is None or orelse is None else choice(address.cond, then, orelse)
    if not isinstance(address, Address) or address.object is None:
        return None
    name = int.from_bytes(blake2b(address.object.name.encode(), digest_size=4).digest())
    return add(number(name << OFFSET_BITS), address.offset)
