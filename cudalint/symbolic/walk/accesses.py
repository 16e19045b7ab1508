"""Accesses of the symbolic thread: what the comparison of threads is told, and the bounds that each must keep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.ir.walk import alignment
from cudalint.source import Span
from cudalint.symbolic.model import Access, Address, Conjunct, Either, MemoryObject, Obligation, Value, objects_of
from cudalint.symbolic.walk import integers
from cudalint.symbolic.walk.expressions import place_type
from cudalint.symbolic.walk.numbered import rounds
from cudalint.symbolic.walk.state import State
from cudalint.term import TRUE, Term, add, at_most, conjunction, negate, negation, number, quotient

if TYPE_CHECKING:
    from cudalint.symbolic.walk.execute import Frame, Walk


def record_access(
    walk: Walk,
    address: Value,
    kind: str,
    size: int,
    span: Span,
    state: State,
    frame: Frame,
    value: Value | None = None,
    order: str = "plain",
    guard: tuple[Conjunct, ...] = (),
    covered: bool = False,
    narrow: bool = False,
    inside: Term = TRUE,
    align: int = 1,
) -> None:
    if isinstance(address, Either):
        for cond, side in ((address.cond, address.then), (negation(address.cond), address.orelse)):
            inner = (*guard, Conjunct(cond, "branch"))
            record_access(
                walk, side, kind, size, span, state, frame, value, order, inner, covered, narrow, inside, align
            )
        return
    if not isinstance(address, Address) or address.object is None or not walk.recording:
        return
    found, path = address.object, state.path + guard
    own = found.memory == "local"
    if (isinstance(found.type, ir.Array) if own else True) and not _already_compared(walk, state):
        stack = (*frame.stack, span)
        (walk.own_accesses if own else walk.accesses).append(
            Access(
                found,
                address.offset,
                size,
                kind,
                span,
                path,
                state.phases,
                stack,
                value,
                order,
                state.grid_phases,
                walk.serial,
                walk.skip_points_from is not None,
                narrow,
                tuple(walk.loops),
                inside,
                align,
                rounds(walk, state),
            )
        )
    if walk.recording_obligations and not covered:
        _oblige(walk, address, kind, size, span, path, frame)


def _already_compared(walk: Walk, state: State) -> bool:
    start = walk.skip_points_from
    return start is not None and all(point.number > start for point, _ in state.phases)


def _oblige(
    walk: Walk, address: Address, kind: str, size: int, span: Span, path: tuple[Conjunct, ...], frame: Frame
) -> None:
    found = address.object
    assert found is not None
    lower = number(0) if found.before is None else negate(found.before)
    holds = at_most(lower, address.offset)
    if found.size is not None:
        holds = conjunction(holds, at_most(add(address.offset, number(size)), found.size))
    extent = None if found.size is None else quotient(found.size, number(size))
    index = quotient(address.offset, number(size))
    walk.obligations.append(
        Obligation(
            "bounds", kind, found, span, path, holds, index, extent, size, (*frame.stack, span),
            root=f"{found.name}:{kind}", offset=address.offset,
        )
    )  # fmt: skip


def alignment_of(place: ir.Place) -> int:
    """What an access of a number or vector needs; 1 for other types, which are copied piece by piece."""
    return alignment(place) if isinstance(place_type(place), ir.Int | ir.Float | ir.Pointer | ir.Vector) else 1


def oblige_dimensions(
    walk: Walk, place: ir.Place, address: Value, kind: str, span: Span, state: State, frame: Frame
) -> bool:
    """Each dimension of a declared array has its own bound; True where together they imply the byte range."""
    covered, steps = True, list[tuple[ir.Index, int]]()
    while not isinstance(place, ir.Variable | ir.Element):
        if isinstance(place, ir.Index):
            base = place_type(place.base)
            count = base.count if isinstance(base, ir.Array) else None
            if count is None or _is_open_end(place.base, count):
                covered = False
            else:
                steps.append((place, count))
        place = place.base
    if isinstance(place, ir.Element):  # a member of what a pointer points to
        members = objects_of(address)
        for step, count in steps if len(members) == 1 else ():
            _dimension(walk, step, count, members[0], kind, span, state, frame, member=True)
        return False
    found = walk.object_of(place.var, frame)
    if isinstance(place.var.type, ir.Array) and place.var.type.count is None and found.size is None:
        return False  # what nobody knows of its length nobody knows of its rows
    for step, count in steps:
        _dimension(walk, step, count, found, kind, span, state, frame)
    return covered and found.size is not None


def _dimension(
    walk: Walk,
    place: ir.Index,
    count: int,
    found: MemoryObject,
    kind: str,
    span: Span,
    state: State,
    frame: Frame,
    member: bool = False,
) -> None:
    if not (walk.recording and walk.recording_obligations):
        return
    index = walk.evaluator.integer(place.index, state, frame)
    holds = integers.between(0, index, count - 1)
    if member and holds is TRUE:
        return
    unit = ir.size_of(place.type) or 1
    walk.obligations.append(
        Obligation(
            "dimension", kind, found, span, state.path, holds, index, number(count), unit, (*frame.stack, span),
            root=f"{found.name}:{kind}",
        )
    )  # fmt: skip


def inside_members(walk: Walk, place: ir.Place, state: State, frame: Frame) -> Term:
    """The place stays in the arrays that it names as members of what a pointer points to: others lie beside them."""
    conds: list[Term] = []
    while not isinstance(place, ir.Variable | ir.Element):
        base = place_type(place.base) if isinstance(place, ir.Index) else None
        if isinstance(place, ir.Index) and isinstance(base, ir.Array) and base.count is not None:
            if not _is_open_end(place.base, base.count):
                conds.append(integers.between(0, walk.evaluator.integer(place.index, state, frame), base.count - 1))
        place = place.base
    return conjunction(*conds) if isinstance(place, ir.Element) else TRUE


def _is_open_end(array: ir.Place, count: int) -> bool:
    """`char data[1]` at the end of a struct stands for as many as were allocated."""
    if not isinstance(array, ir.Field) or count > 1:
        return False
    owner = place_type(array.base)
    return isinstance(owner, ir.Struct) and bool(owner.fields) and owner.fields[-1].name == array.name
