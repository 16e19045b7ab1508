"""Loads, stores and atomics of the symbolic thread: what they know, and the accesses and obligations they leave."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.ir.walk import alignment
from cudalint.source import Span
from cudalint.symbolic import integers, pipelines
from cudalint.symbolic.expressions import is_same_kind, leaves_of, place_type
from cudalint.symbolic.members import EVERYWHERE, places_of
from cudalint.symbolic.model import (
    APPROXIMATE_PREFIX,
    MEMORY_PREFIX,
    Access,
    Address,
    Aggregate,
    Claim,
    Conjunct,
    Either,
    Extreme,
    MemoryObject,
    Obligation,
    Taken,
    Ticket,
    Value,
    base_name,
    join_scopes,
    objects_of,
    scope_of,
)
from cudalint.symbolic.state import State, merge_values
from cudalint.term import (
    TRUE,
    Number,
    Symbol,
    Term,
    add,
    apply,
    at_most,
    choice,
    conjunction,
    equal,
    interval,
    is_truth,
    labels,
    negate,
    negation,
    number,
    quotient,
    symbol,
)

if TYPE_CHECKING:
    from cudalint.symbolic.execute import Frame, Walk

SWAP = "swap"  # the order of a compare-and-swap
EXTREME = "extreme"  # of an atomic that moves its element one way only
COUNT = "count"  # of an addition that does not lower its counter
LOWERED = "lowered"  # of a subtraction that does not raise it
RELEASING = (ir.Order.RELEASE, ir.Order.ACQ_REL)
LISTED = 32  # elements of a table whose values are written out
CHOSEN = MemoryObject("~chosen", "global", ir.VOID, None)  # stands for the objects that a pointer chooses from
OFFSET_BITS = 40
LARGE = (1 << 31) - 1  # an increment that starts again at zero there does not come so far


def execute_memory(walk: Walk, stmt: ir.Load | ir.Store | ir.Atomic | ir.AsyncCopy, state: State, frame: Frame) -> None:
    if isinstance(stmt, ir.Load):
        _load(walk, stmt, state, frame)
    elif isinstance(stmt, ir.Store):
        _store(walk, stmt, state, frame)
    elif isinstance(stmt, ir.Atomic):
        _atomic(walk, stmt, state, frame)
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
        pipelines.issue(made, state)
    forget(destination, state)
    walk.overwritten.update(objects_of(destination))


def _load(walk: Walk, stmt: ir.Load, state: State, frame: Frame) -> None:
    address = walk.evaluator.place(stmt.place, state, frame)
    size = ir.size_of(stmt.target.type) or 1
    covered = _dimensions(walk, stmt.place, address, "read", stmt.span, state, frame)
    before = len(walk.accesses)
    inside = _inside(walk, stmt.place, state, frame)
    record_access(
        walk, address, "read", size, stmt.span, state, frame, order=stmt.order.value, covered=covered, inside=inside,
        align=_alignment(stmt.place),
    )  # fmt: skip
    for made in walk.accesses[before:] if state.flights else ():
        pipelines.note_read(walk, made, state)
    value = read(walk, state, address, stmt.target.type, stmt.order)
    if stmt.order not in (ir.Order.PLAIN, ir.Order.READ_ONLY):
        signal(walk, address, value)
    state.registers[frame.prefix + stmt.target.name] = value


def _store(walk: Walk, stmt: ir.Store, state: State, frame: Frame) -> None:
    value = walk.evaluator.value(stmt.value, state, frame)
    address = walk.evaluator.place(stmt.place, state, frame)
    type_ = place_type(stmt.place)
    size = ir.size_of(type_) or 1
    covered = _dimensions(walk, stmt.place, address, "write", stmt.span, state, frame)
    inside = _inside(walk, stmt.place, state, frame)
    record_access(
        walk, address, "write", size, stmt.span, state, frame, value, stmt.order.value, covered=covered, inside=inside,
        align=_alignment(stmt.place),
    )  # fmt: skip
    _pass_signals(walk, state, address, value)
    _write(walk, state, address, type_, value)


def _atomic(walk: Walk, stmt: ir.Atomic, state: State, frame: Frame) -> None:
    address = walk.evaluator.place(stmt.place, state, frame)
    type_ = place_type(stmt.place)
    covered = _dimensions(walk, stmt.place, address, "atomic", stmt.span, state, frame)
    order = _order_of(walk, stmt, state, frame)
    value = walk.evaluator.value(stmt.args[0], state, frame) if stmt.op == "exch" and stmt.args else None
    narrow = stmt.scope in (ir.Scope.WARP, ir.Scope.BLOCK)
    if stmt.order in RELEASING:
        walk.fence(stmt.scope, state)
    record_access(
        walk, address, "atomic", ir.size_of(type_) or 1, stmt.span, state, frame, value, order, covered=covered,
        narrow=narrow, inside=_inside(walk, stmt.place, state, frame),
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


# --- signals: what one thread may learn of another's progress ---------------------------------------------------------


def signal(walk: Walk, address: Value, value: Value) -> None:
    """The value tells of other threads: an atomic or ordered load gave it."""
    if isinstance(value, Term):
        walk.signals |= labels(value)
        walk.sources |= {label: objects_of(address) for label in labels(value)}
        if any(found.memory != "shared" for found in objects_of(address)):
            walk.grid_signals |= labels(value)


def is_signalled(signals: set[str], *terms: Term) -> bool:
    """One of the terms rests on what other threads have signalled."""
    return bool(signals) and any(
        label in signals or base_name(label) in signals for term in terms for label in labels(term)
    )


def _pass_signals(walk: Walk, state: State, address: Value, value: Value) -> None:
    """Memory that holds a signal, or was written under one, passes it on."""
    if not walk.signals or not isinstance(address, Address) or address.object is None:
        return
    terms = [c.term for c in state.path] + ([value] if isinstance(value, Term) else [])
    for signals in (walk.signals, walk.grid_signals):
        if is_signalled(signals, *terms):
            signals.add(f"{MEMORY_PREFIX}{address.object.name}")


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
        return walk.evaluator.fresh(f"{APPROXIMATE_PREFIX}{found.name}", type_, "thread")
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
    if not is_same_kind(_element_type(found.type), type_):
        label = f"{label}@{type_}"
    value = _function_read(walk, label, args, type_)
    if isinstance(value, Term) and not is_truth(value):
        width = ir.size_of(_element_type(found.type)) or 1
        walk.axioms += walk.environment.contents.order(found.name, address.offset, width, value)
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
    if isinstance(address.offset, Number) and address.object.memory == "local":
        write_cells(walk, state, address.object, address.offset.value, type_, value)
    elif address.object.memory == "local":
        found = address.object
        state.cells = {cell: v for cell, v in state.cells.items() if cell[0] is not found}


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


def _alignment(place: ir.Place) -> int:
    """What an access of a number or vector needs; 1 for other types, which are copied piece by piece."""
    return alignment(place) if isinstance(place_type(place), ir.Int | ir.Float | ir.Pointer | ir.Vector) else 1


# --- obligations --------------------------------------------------------------------------------------------------


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
            root=f"{found.name}:{kind}",
        )
    )  # fmt: skip


def _dimensions(walk: Walk, place: ir.Place, address: Value, kind: str, span: Span, state: State, frame: Frame) -> bool:
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


def _inside(walk: Walk, place: ir.Place, state: State, frame: Frame) -> Term:
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


def forget(value: Value, state: State) -> None:
    """Nothing is known any longer of the object that the pointer reaches."""
    if isinstance(value, Either):
        forget(value.then, state)
        forget(value.orelse, state)
    if isinstance(value, Address) and value.object is not None:
        found = value.object
        state.cells = {cell: v for cell, v in state.cells.items() if cell[0] is not found}
        state.note_written(found, EVERYWHERE)
