"""The state of host code at one point.

A path is the conditions under which the point is reached. `branch`: inside an If; `left`: the other side has returned or
left the loop, so the condition ends with the function or loop; `lasting`: the other side has ended the program, or a
check holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cudalint import ir
from cudalint.symbolic.host.cells import OF_CONTENTS, REST, Cells
from cudalint.symbolic.host.values import (
    APPROXIMATE,
    NULL,
    SIZES,
    Address,
    HostObject,
    Origin,
    Record,
    Stored,
    Tensor,
    Value,
)
from cudalint.symbolic.host.world import World, initial, is_aggregate, place_name
from cudalint.term import (
    FALSE,
    TRUE,
    Number,
    Term,
    add,
    choice,
    equal,
    ideal,
    is_number,
    is_truth,
    number,
    subtract,
)

OF_WHOLE = ((REST,), *OF_CONTENTS)
LONGEST_CHOICE = 8  # elements between which an index chooses
LONGEST_ZEROED = 64  # elements of an array of which those that are not listed are written down as zeros


@dataclass(frozen=True, slots=True)
class Conjunct:
    term: Term
    cause: str  # branch, left, lasting


@dataclass(slots=True)
class State:
    """`registers` by frame-qualified name; `cells` is what is known of memory; `versions` count unknown writes."""

    world: World
    registers: dict[str, Value] = field(default_factory=dict)
    cells: Cells = field(default_factory=Cells)
    versions: dict[HostObject, str] = field(default_factory=dict)
    path: tuple[Conjunct, ...] = ()
    end: str | None = None  # why nobody is here: left or lasting
    doubt: str = ""  # why this point may be reached again with other values, in a way that is not followed
    # Versions of the elements of arrays since one that the program chooses was written.
    chosen: dict[tuple[HostObject, tuple[str, ...]], str] = field(default_factory=dict)

    def copy(self) -> State:
        known = dict(self.registers), self.cells.copy(), dict(self.versions)
        return State(self.world, *known, self.path, self.end, self.doubt, dict(self.chosen))

    def adopt(self, other: State) -> None:
        """Become the other state in place."""
        for name in State.__slots__:
            setattr(self, name, getattr(other, name))

    def assume(self, cond: Term, cause: str) -> None:
        if cond is FALSE:
            self.end = self.end or "lasting"
        if cond is TRUE:
            return
        for known in self.path:
            if known.term is cond:
                break
        else:
            self.path = (*self.path, Conjunct(cond, cause))

    # --- memory -------------------------------------------------------------------------------------------------------

    def read(self, address: Address, type_: ir.Type) -> Value:
        """The value of a type at an address."""
        if address.object is None:
            return self.world.lost("null", type_)
        cell = (address.object, address.fields, address.offset)
        found = self.cells.get(cell)
        if found is not None and readable_as(found[0], type_):
            return found[1]
        if is_aggregate(type_):
            return self._snapshot(address, type_)
        return self._among_written(address, type_)

    def _among_written(self, address: Address, type_: ir.Type) -> Value:
        """An element that the program chooses: one of those that were written, or one that nobody has."""
        result = self._initial(address, type_)
        if isinstance(address.offset, Number) or not isinstance(type_, ir.Int):
            return result
        places = [c for c in self.cells.of(_object(address)) if c[1] == address.fields]
        known = [(c[2], *self.cells[c]) for c in places]
        alike = all(written == type_ and isinstance(value, Term) and not is_truth(value) for _, written, value in known)
        if not known or (alike and isinstance(result, Term) and len(known) <= LONGEST_CHOICE):
            for offset, _, value in known:
                result = choice(equal(address.offset, offset), value, result)  # type: ignore[arg-type]
            return result
        key = (address, type_, result if isinstance(result, Term) else None, tuple((o, id(v)) for o, _, v in known))
        if key not in self.world.chosen:
            lost = self.world.lost(place_name(address, type_).removeprefix(APPROXIMATE), type_)
            self.world.chosen[key] = lost, known
        return self.world.chosen[key][0]

    def _snapshot(self, address: Address, type_: ir.Type) -> Record:
        members: dict[tuple[tuple[str, ...], Term], tuple[ir.Type, Value]] = {}
        deep = len(address.fields)
        copied = self._copied_below(address)
        for below, member in copied.items():
            inner = Address(address.object, address.offset, address.fields + below)
            members[(below, number(0))] = (member, self._snapshot(inner, member))
        for cell in self.cells.of(_object(address)):
            _, fields, offset = cell
            if fields[:deep] == address.fields and fields[-1:] not in OF_WHOLE:
                if any(fields[deep : deep + len(below)] == below for below in copied):
                    continue
                relative = subtract(offset, address.offset)
                if is_inside(relative, type_):
                    members[(fields[deep:], relative)] = self.cells[cell]
        return Record(type_, members, self._origin(address))

    def _copied_below(self, address: Address) -> dict[tuple[str, ...], ir.Type]:
        """The outermost members that are copies of structs from elsewhere."""
        deep = len(address.fields)
        found: dict[tuple[str, ...], ir.Type] = {}
        if not is_number(address.offset, 0):
            return found
        rests = [
            (fields[deep:-1], self.cells[cell][0])
            for cell in self.cells.of(_object(address))
            if (fields := cell[1])[-1:] == (REST,) and len(fields) > deep + 1 and fields[:deep] == address.fields
        ]
        for below, type_ in sorted(rests, key=lambda rest: (len(rest[0]), rest[0])):
            if not any(below[: len(outer)] == outer for outer in found):
                found[below] = type_
        return found

    def _origin(self, address: Address) -> Origin:
        """Where members that no cell holds come from."""
        assert address.object is not None
        for length in range(len(address.fields), -1, -1):
            rest = self.cells.get((address.object, (*address.fields[:length], REST), number(0)))
            if rest is None:
                continue
            record = rest[1]
            if isinstance(record, Record) and record.origin is not None:
                source = record.origin.address
                moved = Address(
                    source.object, add(source.offset, address.offset), source.fields + address.fields[length:]
                )
                return Origin(moved, record.origin.version)
        for length in range(len(address.fields)):
            whole = self.cells.get((address.object, address.fields[:length], number(0)))
            if whole is not None and isinstance(whole[1], Tensor):  # a container that came from elsewhere
                named = self.world.input(whole[1].name)
                return Origin(Address(named, address.offset, address.fields[length:]), "")
        return Origin(address, self.versions.get(address.object, ""))

    def _initial(self, address: Address, type_: ir.Type) -> Value:
        origin, version = self._origin(address), None
        if address.object is not None and not is_aggregate(type_):
            version = self.chosen.get((address.object, address.fields))
        return initial(self.world, origin if version is None else Origin(address, version), type_)

    def unwritten(self, address: Address, type_: ir.Type) -> Value:
        """What the place holds where no known write has changed it."""
        return self._initial(address, type_) if address.object is not None else self.read(address, type_)

    def write(self, address: Address, type_: ir.Type, value: Value) -> None:
        """Store; another place of the same array that may be the same one is forgotten."""
        if address.object is None:
            return
        exact = isinstance(address.offset, Number)
        if self.world.noted is not None:
            self.world.noted.append(Stored(address, type_, value, len(self.path)))
        if address.object.kind == SIZES:
            self._write_size(address, type_, value)
            return
        self._forget(address, type_)
        if not exact and isinstance(type_, ir.Int):
            version = self.chosen[address.object, address.fields] = f"{APPROXIMATE}#{self.world.count()}"
            self.world.explain(version, "one of the elements was written")
        if not exact and address.object.kind != "variable" and not isinstance(type_, ir.Pointer):
            return  # the elements of an array of unknown length: too many to remember
        if isinstance(value, Record) and is_aggregate(type_):
            self._write_record(address, type_, value)
        else:
            self.cells[(address.object, address.fields, address.offset)] = (type_, value)

    def _write_size(self, address: Address, type_: ir.Type, value: Value) -> None:
        """One of the sizes in a vector that has those of a tensor: all that are written are remembered, and no other is known."""
        assert address.object is not None
        if not self.versions.get(address.object, SIZES).startswith(SIZES):
            return
        self.cells[(address.object, address.fields, ideal(address.offset))] = (type_, value)
        self.versions[address.object] = f"{SIZES}#{self.world.count()}"

    def _write_record(self, address: Address, type_: ir.Type, record: Record) -> None:
        assert address.object is not None
        if record.origin is not None and is_number(address.offset, 0):
            self.cells[(address.object, (*address.fields, REST), number(0))] = (type_, Record(type_, {}, record.origin))
        elif record.origin is not None:
            for name, member in _members(type_):
                place = Origin(_down(record.origin.address, name), record.origin.version)
                if not is_aggregate(member):
                    value = initial(self.world, place, member)
                    self.cells[(address.object, (*address.fields, name), address.offset)] = (member, value)
        else:
            self._write_zeros(address, type_, record)
        for (fields, offset), (member_type, value) in record.members.items():
            place_ = Address(address.object, add(address.offset, offset), address.fields + fields)
            whole = isinstance(value, Record) and value.origin is None and is_aggregate(member_type)
            moved = isinstance(value, Record) and value.origin is not None and fields and is_number(place_.offset, 0)
            if isinstance(value, Record) and (whole or moved):
                self._write_record(place_, member_type, value)
            else:
                self.cells[(address.object, place_.fields, place_.offset)] = (member_type, value)

    def _write_zeros(self, address: Address, type_: ir.Type, record: Record) -> None:
        """The members that a braced list leaves out."""
        for fields, offset, member in _parts(type_):
            if not any(known[: len(fields)] == fields and at is offset for known, at in record.members):
                place = Address(address.object, add(address.offset, offset), address.fields + fields)
                if is_aggregate(member):
                    self._write_zeros(place, member, Record(member))
                elif place.object is not None and isinstance(member, ir.Int | ir.Bool | ir.Pointer):
                    self.cells[place.object, place.fields, place.offset] = (member, zero_of(member))

    def _forget(self, address: Address, type_: ir.Type) -> None:
        """What a store overwrites; members of other elements of an array of structs stay."""
        deep, exact = len(address.fields), isinstance(address.offset, Number)
        for cell in [c for c in self.cells.of(_object(address)) if c[1][:deep] == address.fields]:
            apart = exact and isinstance(cell[2], Number) and cell[1][-1:] not in OF_WHOLE
            if cell[1] == address.fields:
                if not apart or cell[2] is address.offset:
                    del self.cells[cell]
            elif not apart or ir.size_of(type_) is None or is_inside(subtract(cell[2], address.offset), type_):
                del self.cells[cell]

    def havoc(self, object_: HostObject, approximate: bool = True) -> None:
        """All of the object may have been written."""
        for cell in self.cells.of(object_):
            del self.cells[cell]
        self.versions[object_] = f"{'~' if approximate else ''}#{self.world.count()}"
        if approximate:
            self.world.explain(self.versions[object_], self.world.because)

    def havoc_fields(self, object_: HostObject, fields: tuple[str, ...]) -> None:
        """The members below `fields` may have been written; all of the object where they are not listed."""
        cells = [c for c in self.cells.of(object_) if c[1][: len(fields)] == fields and c[1][-1:] != (REST,)]
        if not fields or not cells or any(c[1] != fields for c in cells):
            self.havoc(object_)
            return
        for cell in cells:
            type_ = self.cells[cell][0]
            name = place_name(Address(object_, cell[2], cell[1]), type_)
            self.cells[cell] = (type_, self.world.lost(name.removeprefix(APPROXIMATE), type_))


def _object(address: Address) -> HostObject:
    assert address.object is not None
    return address.object


def _down(address: Address, field_name: str) -> Address:
    return Address(address.object, address.offset, (*address.fields, field_name))


def _members(type_: ir.Type) -> list[tuple[str, ir.Type]]:
    if isinstance(type_, ir.Struct):
        return [(f.name, f.type) for f in type_.fields]
    if isinstance(type_, ir.Vector):
        return [(lane, type_.element) for lane in ir.LANES[: type_.lanes]]
    return []


def _parts(type_: ir.Type) -> list[tuple[tuple[str, ...], Term, ir.Type]]:
    """The members of an aggregate, and the elements of a short array."""
    if isinstance(type_, ir.Array):
        size = ir.size_of(type_.element)
        if type_.count is None or type_.count > LONGEST_ZEROED or size is None:
            return []
        return [((), number(at * size), type_.element) for at in range(type_.count)]
    return [((name,), number(0), member) for name, member in _members(type_)]


def zero_of(type_: ir.Type) -> Value:
    """A number, a flag or a pointer without a value of its own."""
    return FALSE if isinstance(type_, ir.Bool) else NULL if isinstance(type_, ir.Pointer) else number(0)


def readable_as(stored: ir.Type, wanted: ir.Type) -> bool:
    addresses = _holds_address(stored) and _holds_address(wanted)
    return stored == wanted or addresses or not isinstance(wanted, ir.Int | ir.Bool | ir.Pointer)


def _holds_address(type_: ir.Type) -> bool:
    """A pointer, or an integer that is wide enough for one, as CUdeviceptr is."""
    return isinstance(type_, ir.Pointer) or (isinstance(type_, ir.Int) and type_.bits == 64)


def is_inside(relative: Term, type_: ir.Type) -> bool:
    size = ir.size_of(type_)
    return isinstance(relative, Number) and relative.value >= 0 and (size is None or relative.value < size)
