"""The state of host code at one point, and how states become one where paths join.

A path is the conditions under which the point is reached. `branch`: inside an If; `left`: the other side has returned or
left the loop, so the condition ends with the function or loop; `lasting`: the other side has ended the program, or a
check holds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from cudalint import ir
from cudalint.symbolic import integers
from cudalint.symbolic.host.text import plain, shown
from cudalint.symbolic.host.values import (
    APPROXIMATE,
    NULL,
    OPAQUE,
    Address,
    Either,
    FunctionValue,
    HostObject,
    Layout,
    Opaque,
    Origin,
    Ratio,
    Record,
    Sizes,
    Tensor,
    Value,
    container,
    depth,
    is_tensor_type,
    is_vector_type,
)
from cudalint.symbolic.parameters import type_range
from cudalint.term import (
    FALSE,
    TRUE,
    Number,
    Symbol,
    Term,
    add,
    choice,
    conjunction,
    disjunction,
    equal,
    free_symbols,
    is_number,
    is_truth,
    multiply,
    negation,
    number,
    quotient,
    remainder,
    subtract,
    symbol,
)

Cell = tuple[HostObject, tuple[str, ...], Term]
_DEEPEST_CHOICE = 4
REST = "*"


@dataclass(frozen=True, slots=True)
class Conjunct:
    term: Term
    cause: str  # branch, left, lasting


class World:
    """What all states of one walk share: fresh names and the objects behind unknown pointers."""

    def __init__(self) -> None:
        self._count = 0
        self._inputs: dict[str, HostObject] = {}
        self._led_to: dict[str, dict[str, None]] = {}  # by what holds them, directly or not, the names of inputs
        self._taken: set[str] = set()
        self.strided: set[str] = set()  # buffers of tensors whose strides the program reads
        self.preparing = False  # before the root has begun: what is allocated now comes to it as given
        self.because = ""  # why a value that is lost now is lost
        self._why: dict[str, str] = {}
        self.passed: set[str] = set()  # unknowns that are arguments of some call: parameters to what it launches

    def count(self) -> int:
        self._count += 1
        return self._count

    def lost(self, name: str, type_: ir.Type, why: str = "") -> Value:
        """A value that is not known here."""
        label = f"{APPROXIMATE}{name}#{self.count()}"
        self.explain(label, why or self.because)
        return self.unknown(label, type_)

    def explain(self, label: str, why: str) -> None:
        """Keep why the unknown with this label was lost."""
        if why:
            self._why[_numbered(label)] = why

    def why(self, label: str) -> str:
        """Why a value was lost, or nothing for an input."""
        return self._why.get(_numbered(label), "")

    def fresh_input(self, name: str, type_: ir.Type) -> Value:
        """A value that comes from outside the program."""
        return self.unknown(self.name_for(name), type_)

    def name_for(self, name: str) -> str:
        """A name that no other value has; one that is taken gets a number."""
        label = name if name not in self._taken else f"{name}@{self.count()}"
        self._taken.add(label)
        return label

    def unknown(self, label: str, type_: ir.Type) -> Value:
        """The unknown value with this name; the same name gives the same value."""
        self._taken.add(label)
        if isinstance(type_, ir.Bool):
            return negation(equal(symbol(label, 0, 1), number(0)))
        if isinstance(type_, ir.Int):
            return symbol(label, *type_range(type_))
        if isinstance(type_, ir.Pointer):
            return Address(self.input(label), number(0))
        if is_tensor_type(type_) or is_vector_type(type_):
            return container(type_, label)
        if isinstance(type_, ir.Struct | ir.Vector | ir.Array):
            return Record(type_, {}, Origin(Address(self.input(label), number(0)), ""))
        return OPAQUE

    def input(self, label: str) -> HostObject:
        return self._inputs[label] if label in self._inputs else self._keep(HostObject(label, "input"))

    def _keep(self, object_: HostObject) -> HostObject:
        if object_.name not in self._inputs:
            plain_name = object_.name.removeprefix(APPROXIMATE)
            for place in (at for at, mark in enumerate(plain_name) if mark in ".["):
                self._led_to.setdefault(plain_name[:place], {})[object_.name] = None
        self._inputs[object_.name] = object_
        return object_

    def below(self, object_: HostObject) -> list[HostObject]:
        """What pointers in memory of somebody else's lead to, as far as they were read."""
        return self.led_to_by(object_.name)

    def led_to_by(self, name: str) -> list[HostObject]:
        """What the place of that name leads to, as far as it was read."""
        return [self._inputs[each] for each in self._led_to.get(name.removeprefix(APPROXIMATE), ())]

    def sized_input(self, object_: HostObject, size: Term, kind: str) -> HostObject:
        """The same memory of somebody else's, where what came with its pointer says how large it is."""
        if object_.size is None:
            made = f"{kind} {plain(object_.name.rpartition('.')[0])}"
            return self._keep(HostObject(object_.name, object_.kind, size, made, given=True))
        return self._inputs[object_.name]

    def owned_memory(self, object_: HostObject, size: Term, kind: str) -> HostObject:
        """The memory that an object owns, whose members say how large it is, wherever the object comes from."""
        if object_.kind == "input":
            made = f"{kind} {plain(object_.name.rpartition('.')[0])}"
            return self._keep(HostObject(object_.name, "allocation", size, made, given=True))
        return object_

    def described_input(self, object_: HostObject, layout: Layout) -> HostObject:
        """The same memory of somebody else's, where the struct around its pointer describes it."""
        if object_.layout is None and object_.size is None:
            made = f"tensor {plain(object_.name.rpartition('.')[0])}"
            return self._keep(HostObject(object_.name, object_.kind, None, made, given=True, layout=layout))
        return self._inputs[object_.name]

    def lost_integer(self, name: str) -> Symbol:
        label = f"{APPROXIMATE}{name}#{self.count()}"
        self.explain(label, self.because)
        return symbol(label)


_NUMBERED = re.compile(r"#[0-9]+(?![0-9a-f])")


def _numbered(label: str) -> str:
    """The part of an unknown's name that tells it from all others."""
    found = _NUMBERED.findall(label)
    return found[-1] if found else label


@dataclass(slots=True)
class State:
    """`registers` by frame-qualified name; `cells` is what is known of memory; `versions` count unknown writes."""

    world: World
    registers: dict[str, Value] = field(default_factory=dict)
    cells: dict[Cell, tuple[ir.Type, Value]] = field(default_factory=dict)
    versions: dict[HostObject, str] = field(default_factory=dict)
    path: tuple[Conjunct, ...] = ()
    end: str | None = None  # why nobody is here: left or lasting

    def copy(self) -> State:
        return State(self.world, dict(self.registers), dict(self.cells), dict(self.versions), self.path, self.end)

    def adopt(self, other: State) -> None:
        """Become the other state in place."""
        for name in State.__slots__:
            setattr(self, name, getattr(other, name))

    def assume(self, cond: Term, cause: str) -> None:
        if cond is FALSE:
            self.end = self.end or "lasting"
        if cond is not TRUE and all(cond is not c.term for c in self.path):
            self.path = (*self.path, Conjunct(cond, cause))

    # --- memory -------------------------------------------------------------------------------------------------------

    def read(self, address: Address, type_: ir.Type) -> Value:
        """The value of a type at an address."""
        if address.object is None:
            return self.world.lost("null", type_)
        cell = (address.object, address.fields, address.offset)
        found = self.cells.get(cell)
        if found is not None and _readable_as(found[0], type_):
            return found[1]
        if _is_aggregate(type_):
            return self._snapshot(address, type_)
        return self._initial(address, type_)

    def _snapshot(self, address: Address, type_: ir.Type) -> Record:
        members: dict[tuple[tuple[str, ...], Term], tuple[ir.Type, Value]] = {}
        deep = len(address.fields)
        copied = self._copied_below(address)
        for below, member in copied.items():
            inner = Address(address.object, address.offset, address.fields + below)
            members[(below, number(0))] = (member, self._snapshot(inner, member))
        for (object_, fields, offset), content in self.cells.items():
            if object_ is address.object and fields[:deep] == address.fields and fields[-1:] != (REST,):
                if any(fields[deep : deep + len(below)] == below for below in copied):
                    continue
                relative = subtract(offset, address.offset)
                if _inside(relative, type_):
                    members[(fields[deep:], relative)] = content
        return Record(type_, members, self._origin(address))

    def _copied_below(self, address: Address) -> dict[tuple[str, ...], ir.Type]:
        """The outermost members that are copies of structs from elsewhere."""
        deep = len(address.fields)
        found: dict[tuple[str, ...], ir.Type] = {}
        if not is_number(address.offset, 0):
            return found
        rests = [
            (fields[deep:-1], content[0])
            for (object_, fields, _), content in self.cells.items()
            if object_ is address.object
            and fields[-1:] == (REST,)
            and len(fields) > deep + 1
            and fields[:deep] == address.fields
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
        origin = self._origin(address)
        return initial(self.world, origin, type_)

    def unwritten(self, address: Address, type_: ir.Type) -> Value:
        """What the place holds where no known write has changed it."""
        return self._initial(address, type_) if address.object is not None else self.read(address, type_)

    def write(self, address: Address, type_: ir.Type, value: Value) -> None:
        """Store; another place of the same array that may be the same one is forgotten."""
        if address.object is None:
            return
        exact = isinstance(address.offset, Number)
        self._forget(address, exact)
        if not exact and address.object.kind != "variable" and not isinstance(type_, ir.Pointer):
            return  # the elements of an array of unknown length: too many to remember
        if isinstance(value, Record) and _is_aggregate(type_):
            self._write_record(address, type_, value)
        else:
            self.cells[(address.object, address.fields, address.offset)] = (type_, value)

    def _write_record(self, address: Address, type_: ir.Type, record: Record) -> None:
        assert address.object is not None
        if record.origin is not None and is_number(address.offset, 0):
            self.cells[(address.object, (*address.fields, REST), number(0))] = (type_, Record(type_, {}, record.origin))
        elif record.origin is not None:
            for name, member in _members(type_):
                place = Origin(_down(record.origin.address, name), record.origin.version)
                if not _is_aggregate(member):
                    value = initial(self.world, place, member)
                    self.cells[(address.object, (*address.fields, name), address.offset)] = (member, value)
        for (fields, offset), (member_type, value) in record.members.items():
            place_ = Address(address.object, add(address.offset, offset), address.fields + fields)
            if isinstance(value, Record) and value.origin is not None and fields and is_number(place_.offset, 0):
                self._write_record(place_, member_type, value)
            else:
                self.cells[(address.object, place_.fields, place_.offset)] = (member_type, value)

    def _forget(self, address: Address, exact: bool) -> None:
        deep = len(address.fields)
        for cell in [c for c in self.cells if c[0] is address.object and c[1][:deep] == address.fields]:
            if not exact or not isinstance(cell[2], Number) or (cell[2] is address.offset or cell[1] != address.fields):
                del self.cells[cell]

    def havoc(self, object_: HostObject, approximate: bool = True) -> None:
        """All of the object may have been written."""
        for cell in [c for c in self.cells if c[0] is object_]:
            del self.cells[cell]
        self.versions[object_] = f"{'~' if approximate else ''}#{self.world.count()}"
        if approximate:
            self.world.explain(self.versions[object_], self.world.because)

    def havoc_fields(self, object_: HostObject, fields: tuple[str, ...]) -> None:
        """The members below `fields` may have been written; all of the object where they are not listed."""
        cells = [c for c in self.cells if c[0] is object_ and c[1][: len(fields)] == fields and c[1][-1:] != (REST,)]
        if not fields or not cells or any(c[1] != fields for c in cells):
            self.havoc(object_)
            return
        for cell in cells:
            type_ = self.cells[cell][0]
            name = place_name(Address(object_, cell[2], cell[1]), type_)
            self.cells[cell] = (type_, self.world.lost(name.removeprefix(APPROXIMATE), type_))


def initial(world: World, origin: Origin, type_: ir.Type) -> Value:
    """The unknown value that a place had at first, or after the last unknown write to its object."""
    if _is_aggregate(type_):
        return Record(type_, {}, origin)
    if isinstance(type_, ir.Pointer) and origin.address.fields[-1:] == ("__pointer",):
        return _of_span(world, origin, type_)
    return _unknown_at(world, origin, type_)


def _of_span(world: World, origin: Origin, type_: ir.Pointer) -> Value:
    """The pointer of a span that came from elsewhere: there are as many elements behind it as the span says."""
    fields = (*origin.address.fields[:-1], "__size")
    count = _unknown_at(
        world, Origin(Address(origin.address.object, origin.address.offset, fields), origin.version), ir.UINT64
    )
    found, size = _unknown_at(world, origin, type_), ir.size_of(type_.element)
    if isinstance(found, Address) and found.object is not None and isinstance(count, Term) and size is not None:
        return Address(world.sized_input(found.object, multiply(count, number(size)), "span"), number(0))
    return found


def _unknown_at(world: World, origin: Origin, type_: ir.Type) -> Value:
    label = place_name(origin.address, type_)
    if origin.version.startswith(APPROXIMATE) and not label.startswith(APPROXIMATE):
        label = APPROXIMATE + label
    return world.unknown(label + origin.version.removeprefix(APPROXIMATE), type_)


def place_name(address: Address, type_: ir.Type) -> str:
    """`main:p[3].n` for the place, as a name of its unknown content."""
    name = address.object.name if address.object is not None else "null"
    size = ir.size_of(type_)
    mark = ""
    if isinstance(address.offset, Number):
        at = address.offset.value
        if at:
            name += f"[{at // size if size and at % size == 0 else at}]"
    else:
        unit = number(size) if size and is_number(remainder(address.offset, number(size)), 0) else number(1)
        name += f"[{shown(quotient(address.offset, unit))}]"
    if not isinstance(address.offset, Number):
        mark = f"#{address.offset.digest.hex()[:8]}"
        lost = any(str(s.parts[0]).startswith(APPROXIMATE) for s in free_symbols(address.offset))
        name = APPROXIMATE + name if lost and not name.startswith(APPROXIMATE) else name
    return name + "".join("." + f for f in address.fields) + mark


def _down(address: Address, field_name: str) -> Address:
    return Address(address.object, address.offset, (*address.fields, field_name))


def _members(type_: ir.Type) -> list[tuple[str, ir.Type]]:
    if isinstance(type_, ir.Struct):
        return [(f.name, f.type) for f in type_.fields]
    if isinstance(type_, ir.Vector):
        return [(lane, type_.element) for lane in ir.LANES[: type_.lanes]]
    return []


def _is_aggregate(type_: ir.Type) -> bool:
    return isinstance(type_, ir.Struct | ir.Vector | ir.Array) and not (is_tensor_type(type_) or is_vector_type(type_))


def _readable_as(stored: ir.Type, wanted: ir.Type) -> bool:
    pointers = isinstance(stored, ir.Pointer) and isinstance(wanted, ir.Pointer)
    return stored == wanted or pointers or not isinstance(wanted, ir.Int | ir.Bool | ir.Pointer)


def _inside(relative: Term, type_: ir.Type) -> bool:
    size = ir.size_of(type_)
    return isinstance(relative, Number) and relative.value >= 0 and (size is None or relative.value < size)


# --- joins -----------------------------------------------------------------------------------------------------------


def merge_values(world: World, cond: Term, a: Value, b: Value, name: str, type_: ir.Type) -> Value:
    """`a` where the condition holds, else `b`; a lost value where the two cannot be combined."""
    if a is b or a == b:
        return a
    if isinstance(a, Term) and isinstance(b, Term):
        return (
            choice(cond, a, b)
            if is_truth(a) == is_truth(b)
            else choice(cond, integers.as_integer(a), integers.as_integer(b))
        )
    if isinstance(a, Address | Either | FunctionValue) and isinstance(b, Address | Either | FunctionValue):
        merged = _merge_addresses(cond, a, b)
        return merged if depth(merged) <= _DEEPEST_CHOICE else world.lost(name, type_, "one of many pointers")
    if isinstance(a, Record) and isinstance(b, Record):
        return _merge_records(world, cond, a, b, name)
    if isinstance(a, Ratio) and isinstance(b, Ratio) and a.denominator is b.denominator:
        return Ratio(choice(cond, a.numerator, b.numerator), a.denominator, conjunction(a.exact, b.exact))
    if isinstance(a, Tensor) and isinstance(b, Tensor) and TRUE in (a.undefined, b.undefined):
        return _merge_undefined(cond, a, b)
    if isinstance(a, Tensor) and isinstance(b, Tensor) and a.either is None and b.either is None:
        label = f"{APPROXIMATE}{name}#{world.count()}"
        world.explain(label, "differs between two paths")
        like = a.root() if a.root() is b.root() else None  # `if (!x.is_cuda()) x = x.cuda();`
        return Tensor(label, like=like, storage=label, either=(cond, a, b))
    if isinstance(a, Sizes | Opaque) or isinstance(b, Sizes | Opaque):
        return OPAQUE
    return world.lost(name, type_, "differs between two paths")


def _merge_undefined(cond: Term, a: Tensor, b: Tensor) -> Tensor:
    """`at::Tensor t; if (cond) t = at::empty(...);`: who reads it reads the one that was made, or none."""
    made = b if a.undefined is TRUE else a
    undefined = disjunction(conjunction(cond, a.undefined), conjunction(negation(cond), b.undefined))
    return replace(made, undefined=undefined)


def _merge_addresses(
    cond: Term, a: Address | Either | FunctionValue, b: Address | Either | FunctionValue
) -> Address | Either | FunctionValue:
    if isinstance(a, Address) and isinstance(b, Address) and a.object is b.object and a.fields == b.fields:
        return Address(a.object, choice(cond, a.offset, b.offset), a.fields)
    return Either(cond, a, b)


def _is_listed(record: Record) -> bool:
    """Every member is known, so that nothing comes from the origin."""
    fields = record.type.fields if isinstance(record.type, ir.Struct) else ()
    return bool(fields) and all(((field.name,), number(0)) in record.members for field in fields)


def _merge_records(world: World, cond: Term, a: Record, b: Record, name: str) -> Value:
    same = (a.origin is None and b.origin is None) or (
        a.origin is not None
        and b.origin is not None
        and (a.origin.address, a.origin.version) == (b.origin.address, b.origin.version)
    )
    if not same and not (_is_listed(a) and _is_listed(b)):
        return world.lost(name, a.type, "differs between two paths")
    members: dict[tuple[tuple[str, ...], Term], tuple[ir.Type, Value]] = {}
    for key in [*a.members, *(k for k in b.members if k not in a.members)]:
        type_ = (a.members.get(key) or b.members[key])[0]
        left, right = member_of(world, a, key, type_), member_of(world, b, key, type_)
        members[key] = (type_, merge_values(world, cond, left, right, ".".join((name, *key[0])), type_))
    return Record(a.type, members, a.origin)


def member_of(world: World, record: Record, key: tuple[tuple[str, ...], Term], type_: ir.Type) -> Value:
    """A member by fields and byte offset."""
    found = record.members.get(key)
    first_of_array = isinstance(type_, ir.Array) and found is not None and not _is_aggregate(found[0])
    if found is not None and _readable_as(found[0], type_) and not first_of_array:
        return found[1]
    deep = len(key[0])
    for length in range(1, deep):
        outer = record.members.get((key[0][:length], number(0)))
        if outer is not None and isinstance(outer[1], Record):
            return member_of(world, outer[1], (key[0][length:], key[1]), type_)
    if _is_aggregate(type_):
        inner = {
            (fields[deep:], subtract(offset, key[1])): content
            for (fields, offset), content in record.members.items()
            if fields[:deep] == key[0] and _inside(subtract(offset, key[1]), type_)
        }
        return Record(type_, inner, None if record.origin is None else _origin_below(record.origin, key))
    if record.origin is not None:
        return initial(world, _origin_below(record.origin, key), type_)
    return zero(type_)


def _origin_below(origin: Origin, key: tuple[tuple[str, ...], Term]) -> Origin:
    base = origin.address
    return Origin(Address(base.object, add(base.offset, key[1]), base.fields + key[0]), origin.version)


def zero(type_: ir.Type) -> Value:
    """The value of a member that an initialiser leaves out."""
    if isinstance(type_, ir.Int):
        return number(0)
    if isinstance(type_, ir.Bool):
        return FALSE
    if isinstance(type_, ir.Pointer):
        return NULL
    return Record(type_) if _is_aggregate(type_) else OPAQUE


def join(cond: Term, then: State, orelse: State, base: State) -> State:
    """The state behind `if (cond) then else orelse`, both walked from `base`; a side that has ended adds nothing."""
    if then.end or orelse.end:
        alive, ended = (orelse, then) if then.end else (then, orelse)
        if alive.end:
            alive.end = "left" if "left" in (then.end, orelse.end) else "lasting"
            return alive
        _recause(alive, len(base.path), ended.end or "left")
        return alive
    result = _merge_contents(cond, then, orelse)
    result.path = _merge_paths(cond, then, orelse, len(base.path))
    return result


def _recause(alive: State, start: int, cause: str) -> None:
    """The branch's conditions stay: for good, or until the end of what the other side has left."""
    alive.path = alive.path[:start] + tuple(
        Conjunct(c.term, cause) if c.cause == "branch" else c for c in alive.path[start:]
    )


def _merge_contents(cond: Term, then: State, orelse: State) -> State:
    world = then.world
    result = State(world)
    result.registers = dict(then.registers)
    for name in [n for n, a in then.registers.items() if orelse.registers.get(n, a) is not a]:
        a, b = then.registers[name], orelse.registers[name]
        result.registers[name] = merge_values(world, cond, a, b, name.split("/")[-1], _type_of(a))
    result.registers.update((n, b) for n, b in orelse.registers.items() if n not in then.registers)
    result.versions = dict(then.versions)
    if then.versions != orelse.versions:
        changed = [o for o, version in then.versions.items() if orelse.versions.get(o, "") != version]
        changed += [o for o, version in orelse.versions.items() if version and o not in then.versions]
        for object_ in changed:
            result.versions[object_] = f"~#{world.count()}"
            world.explain(result.versions[object_], _why_either(then, orelse, object_))
    _merge_cells(cond, then, orelse, result)
    return result


def _why_either(then: State, orelse: State, object_: HostObject) -> str:
    whys = (then.world.why(state.versions.get(object_, "")) for state in (then, orelse))
    return next((why for why in whys if why), "written on one of two paths")


def _merge_cells(cond: Term, then: State, orelse: State, result: State) -> None:
    for cell in [*then.cells, *(c for c in orelse.cells if c not in then.cells)]:
        a, b = then.cells.get(cell), orelse.cells.get(cell)
        if a is not None and b is not None and a[1] is b[1]:
            result.cells[cell] = a
            continue
        if a is None or b is None:
            differ = then.versions.get(cell[0], "") != orelse.versions.get(cell[0], "")
            if cell[1][-1:] == (REST,):
                result.versions[cell[0]] = f"~#{then.world.count()}"
                then.world.explain(result.versions[cell[0]], "copied on one of two paths")
            if differ or cell[1][-1:] == (REST,):
                continue
        type_ = a[0] if a is not None else b[0]  # type: ignore[index]
        address = Address(cell[0], cell[2], cell[1])
        left = a[1] if a is not None else then.read(address, type_)
        right = b[1] if b is not None else orelse.read(address, type_)
        name = place_name(address, type_)
        result.cells[cell] = (type_, merge_values(then.world, cond, left, right, name, type_))


def _type_of(value: Value) -> ir.Type:
    """A type for the unknown that replaces two registers that cannot be combined."""
    if isinstance(value, Term):
        return ir.BOOL if is_truth(value) else ir.INT64
    if isinstance(value, Address | Either | FunctionValue):
        return ir.Pointer(ir.VOID)
    if isinstance(value, Record):
        return value.type
    return ir.Unknown("at::Tensor") if isinstance(value, Tensor) else ir.F64


def _merge_paths(cond: Term, then: State, orelse: State, start: int) -> tuple[Conjunct, ...]:
    """What each side has learnt beyond the branch itself, guarded by the side."""
    path = then.path[:start]
    for side, guard in ((then, negation(cond)), (orelse, cond)):
        for conjunct in side.path[start:]:
            if conjunct.cause != "branch":
                guarded = disjunction(guard, conjunct.term)
                if guarded is not TRUE and all(guarded is not c.term for c in path):
                    path = (*path, Conjunct(guarded, conjunct.cause))
    return path


def join_exits(states: list[State], base: State) -> State:
    """One state behind a function or loop that was left at several places; `base` is the state where it began."""
    if not states:
        ended = base.copy()
        ended.end = "lasting"
        return ended
    start = len(base.path)
    result = states[-1]
    for state in reversed(states[:-1]):
        guard = conjunction(*(c.term for c in state.path[start:] if c.cause != "lasting"))
        merged = _merge_contents(guard, state, result)
        merged.path = _common_path(guard, state, result, start)
        result = merged
    if len(states) == 1:
        result.path = tuple(c for i, c in enumerate(result.path) if i < start or c.cause == "lasting")
    return result


def _common_path(guard: Term, a: State, b: State, start: int) -> tuple[Conjunct, ...]:
    """Lasting conditions: those of both, and those of one guarded by how it was left."""
    path = a.path[:start]
    others = {c.term for c in b.path[start:]}
    for conjunct in a.path[start:]:
        if conjunct.cause == "lasting":
            term = conjunct.term if conjunct.term in others else disjunction(negation(guard), conjunct.term)
            path = path if term is TRUE else (*path, Conjunct(term, "lasting"))
    mine = {c.term for c in path[start:]}
    for conjunct in b.path[start:]:
        if conjunct.cause == "lasting" and conjunct.term not in mine:
            term = disjunction(guard, conjunct.term)
            path = path if term is TRUE else (*path, Conjunct(term, "lasting"))
    return path
