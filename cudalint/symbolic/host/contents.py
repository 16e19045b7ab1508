"""What memory holds where host code fills all of it: by a loop, a list, a copy of such memory, or with one byte.

    for (int i = 0; i < n; i++) h[i] = 2 * i;   cudaMemcpy(x, h, n * sizeof(int), ...)       x[i] = 2 * i for 0 <= i < n
    cudaMemset(x, 0, n * sizeof(int))                                                       x[i] = 0

It is kept as a cell of the memory, under a name that no member has: what may write the memory forgets it, joins merge it.
"""

from __future__ import annotations

from dataclasses import dataclass

from cudalint import ir
from cudalint.symbolic.host.cells import BYTE, HELD
from cudalint.symbolic.host.names import last_name, template_element
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.values import APPROXIMATE, Address, HostObject, Record, Stored, Text, Value, addresses
from cudalint.symbolic.host_vocabulary import Copy, words
from cudalint.symbolic.walk import integers
from cudalint.term import (
    TRUE,
    AtMostZero,
    Number,
    Symbol,
    Term,
    add,
    at_most,
    choice,
    equal,
    free_symbols,
    ideal,
    keep,
    multiply,
    number,
    quotient,
    substitute,
    subtract,
    symbol,
)

Mark = tuple[str, ...]
INDEX = keep(symbol("~i", 0, None))
LONGEST_LIST = 64
_STEPPED = frozenset(("iota", "sequence"))
_FILLS = _STEPPED | {"fill", "fill_n"}
BYTES = 256
ANYWHERE = (number(0), number(1))  # every type has these
_TYPES: dict[int, ir.Type] = {  # of elements, by the value of their at::ScalarType
    0: ir.UINT8, 1: ir.INT8, 2: ir.Int(16, True), 3: ir.INT32, 4: ir.INT64, 6: ir.F32, 7: ir.F64,
    27: ir.Int(16, False), 28: ir.UINT32, 29: ir.UINT64,
}  # fmt: skip
WIDTH_OF_COUNTS = 4  # bytes: what is narrower begins again at zero


def filled_by_call(name: str, args: list[Value], state: State) -> list[HostObject]:
    """`memset` and `memcpy` and their relatives, once the state says what else the call writes: what they write to."""
    copy = words().copies.get(name)
    if copy is None or len(args) <= max(copy.to, copy.bytes):
        return []
    to, length = args[copy.to], args[copy.bytes]
    written = [address.object for address in addresses(to) if address.object is not None]
    for object_ in written:
        forget_contents(object_, state)
    if isinstance(to, Address) and isinstance(length, Term) and _is_whole(to, integers.as_integer(length)):
        _fill(name, copy, to, integers.as_integer(length), args, state)
    return written


def _fill(name: str, copy: Copy, to: Address, bytes_: Term, args: list[Value], state: State) -> None:
    """All of the memory holds something else now."""
    assert to.object is not None
    if copy.of is None:
        value = args[1] if "emset" in name and len(args) > 1 else None
        if isinstance(value, Number):
            state.cells[to.object, (BYTE,), number(0)] = ir.UINT8, number(value.value % BYTES)
    elif isinstance(args[copy.of], Address):
        _copy(args[copy.of], to.object, bytes_, state)


def forget_contents(object_: HostObject, state: State) -> None:
    """Some of the memory holds something else now."""
    for cell in [c for c in state.cells.of_contents() if c[0].name == object_.name]:
        del state.cells[cell]


@dataclass(frozen=True, slots=True)
class Fill:
    """A call that gives every element of a range a value."""

    start: Address
    bytes: Term
    element: ir.Type
    value: Term

    def note(self, state: State) -> None:
        if self.start.object is not None and _is_whole(self.start, self.bytes):
            state.cells[self.start.object, (HELD,), number(0)] = self.element, self.value


def fill_of(name: str, stmt: ir.Call, args: list[Value], state: State) -> Fill | None:
    """`std::fill(h, h + n, 7)`, `std::iota(h, h + n, 0)` and those of thrust, whose policy comes first."""
    if name not in _FILLS:
        return None
    types, args = without_references(stmt, args, state)
    first = next((at for at, type_ in enumerate(types) if isinstance(type_, ir.Int)), len(args))
    element, given = (types[first], args[first:]) if first < len(args) else (None, [])
    width = None if element is None else ir.size_of(element)
    if element is None or width is None or len(given) not in (2, 3) or not isinstance(given[0], Address):
        return None
    start, end = given[0], given[1]
    if isinstance(end, Address) and end.object is start.object and not end.fields:
        length = subtract(end.offset, start.offset)
    elif isinstance(end, Term) and name == "fill_n":
        length = multiply(integers.as_integer(end), number(width))
    else:
        return None
    value: Value | None = given[2] if len(given) > 2 else number(0) if name == "sequence" else None
    value = state.read(value, element) if isinstance(value, Address) else value
    if not isinstance(value, Term):
        return None
    least = integers.as_integer(value)
    value = add(least, INDEX) if name in _STEPPED else least
    return Fill(start, length, element, integers.convert(value, element) if width < WIDTH_OF_COUNTS else value)


def without_references(stmt: ir.Call, args: list[Value], state: State) -> tuple[list[ir.Type | None], list[Value]]:
    """What the arguments point to, and the arguments; a pointer that is passed by reference is the pointer."""
    types, values = list[ir.Type | None](), list[Value]()
    for arg, value in zip(stmt.args, args):
        type_ = arg.type
        if isinstance(type_, ir.Pointer) and isinstance(type_.element, ir.Pointer) and isinstance(value, Address):
            type_, value = type_.element, state.read(value, type_.element)
        type_, value = _of_iterator(type_, value, state)
        types.append(type_.element if isinstance(type_, ir.Pointer) else None)
        values.append(value)
    return types, values


def _of_iterator(type_: ir.Type, value: Value, state: State) -> tuple[ir.Type, Value]:
    """The pointer that an iterator of a device_vector holds."""
    struct = type_.element if isinstance(type_, ir.Pointer) else type_
    element = template_element(struct) if last_name(getattr(struct, "name", "")) in words().pointer_classes else None
    if element is None:
        return type_, value
    held = state.read(value, struct) if isinstance(value, Address) and struct is not type_ else value
    pointer = held.members.get((("pointer",), number(0))) if isinstance(held, Record) else None
    return (type_, value) if pointer is None else (ir.Pointer(element), pointer[1])


def _copy(source: Value, to: HostObject, bytes_: Term, state: State) -> None:
    assert isinstance(source, Address)
    if source.object is None or source.fields or not (isinstance(source.offset, Number) and source.offset.value == 0):
        return
    known = False
    for mark in (HELD, BYTE):
        content = state.cells.get((source.object, (mark,), number(0)))
        if content is not None and _is_whole(source, bytes_):
            state.cells[to, (mark,), number(0)] = content
            known = True
    listed = None if known else _listed(source.object, bytes_, state)
    if listed is not None:
        state.cells[to, (HELD,), number(0)] = listed


def _listed(object_: HostObject, bytes_: Term, state: State) -> tuple[ir.Type, Value] | None:
    """An array all of whose elements are written down one by one."""
    cells = {c[2]: state.cells[c] for c in state.cells.of(object_) if not c[1]}
    first = cells.get(number(0))
    width = ir.size_of(first[0]) if first is not None and isinstance(first[0], ir.Int) else None
    if first is None or width is None or not isinstance(bytes_, Number) or bytes_.value % width:
        return None
    count = bytes_.value // width
    values = [cells[o][1] for at in range(min(count, LONGEST_LIST)) if (o := number(at * width)) in cells]
    if not 0 < count <= LONGEST_LIST or len(values) < count or not all(isinstance(v, Term) for v in values):
        return None
    result = integers.as_integer(_term(values[-1]))
    for at in range(count - 2, -1, -1):
        result = choice(equal(INDEX, number(at)), integers.as_integer(_term(values[at])), result)
    return first[0], result


def _term(value: Value) -> Term:
    assert isinstance(value, Term)
    return value


def _is_whole(address: Address, bytes_: Term) -> bool:
    """So many bytes from there on are all of an allocation."""
    found = address.object
    if found is None or address.fields or not (isinstance(address.offset, Number) and address.offset.value == 0):
        return False
    return found.size is not None and _holds_all(found.size, bytes_)


def _holds_all(size: Term, bytes_: Term) -> bool:
    """As they are meant: a number of elements that is no size is not asked about."""
    return at_most(ideal(size), ideal(bytes_)) is TRUE


def filled_by_loop(noted: list[Stored], counter: Term, start: Term, cond: Term, depth: int, state: State) -> None:
    """The arrays of which a loop from zero on, one by one, stores every element once, whatever else it does."""
    count = _count(cond, counter)
    if count is None or not (isinstance(start, Number) and start.value == 0):
        return
    stores: dict[HostObject, list[Stored]] = {}
    for each in noted:
        if each.address.object is not None:
            stores.setdefault(each.address.object, []).append(each)
    for object_, (first, *others) in stores.items():
        width = ir.size_of(first.type)
        if others or first.depth != depth or width is None or not isinstance(first.type, ir.Int):
            continue
        at, value = first.address, first.value
        if at.fields or ideal(at.offset) is not multiply(counter, number(width)) or not isinstance(value, Term):
            continue
        whole = object_.size is not None and _holds_all(object_.size, multiply(count, number(width)))
        held = substitute(integers.as_integer(value), {counter: INDEX})
        if whole and not any(_is_lost(atom) for atom in free_symbols(held)):
            state.cells[object_, (HELD,), number(0)] = first.type, held


def _count(cond: Term, counter: Term) -> Term | None:
    """`n` of `i < n`."""
    if not isinstance(cond, AtMostZero):
        return None
    count = subtract(add(counter, number(1)), cond.parts[0])
    return None if counter in free_symbols(count) else count


def _is_lost(atom: Term) -> bool:
    return atom is not INDEX and isinstance(atom, Symbol) and (atom.name.startswith(APPROXIMATE) or "#" in atom.name)


def held(address: Address, type_: ir.Type, state: State, item: int | None = None) -> tuple[Term, Term] | None:
    """An element of that type by its number, and how many there are, where all of the memory was filled.

    `item` is the at::ScalarType that the host code has checked of a buffer whose pointer does not tell it.
    """
    found = address.object
    width = ir.size_of(type_)
    if found is None or width is None or not _is_start(address):
        return None
    content, byte = (state.cells.get((found, (mark,), number(0))) for mark in (HELD, BYTE))
    value: Value | None = None
    if content is not None and content[0] == type_:
        value = content[1]
    elif content is not None and content[0] == ir.VOID and item is not None and _TYPES.get(item) == type_:
        value = in_type(content[1], type_)
    elif byte is not None and isinstance(byte[1], Number) and isinstance(type_, ir.Float) and byte[1].value == 0:
        value = number(0)
    elif byte is not None and isinstance(byte[1], Number) and isinstance(type_, ir.Int):
        value = number(int.from_bytes(bytes([byte[1].value] * width), "little", signed=type_.signed))
    count = quotient(ideal(found.size), number(width)) if found.size is not None else found.items
    if not isinstance(value, Term) or count is None or any(map(_is_lost, free_symbols(value))):
        return None
    return value, count


def unknown_contents(address: Address, state: State) -> str | None:
    """Why nothing is known of what a call has left in all of the memory, where that has a reason."""
    content = state.cells.get((address.object, (HELD,), number(0))) if address.object is not None else None
    return content[1].said if content is not None and isinstance(content[1], Text) else None


def in_type(value: Value, element: ir.Type) -> Term | None:
    """The number as an element of that type; None where that is no whole number for certain."""
    if not isinstance(value, Term):
        return None
    if isinstance(element, ir.Int):
        return integers.convert(value, element)
    small = isinstance(element, ir.Float) and value in ANYWHERE
    return value if small or isinstance(element, ir.Void) else None


def _is_start(address: Address) -> bool:
    return not address.fields and isinstance(address.offset, Number) and address.offset.value == 0


def forget_launched(kernel: ir.Function, args: tuple[Value, ...], state: State) -> list[tuple[HostObject, Mark]]:
    """A kernel may write what it is passed, but for pointers to constants; by a struct or table it may be passed anything.

    What is not known any longer, for loops that ask what an iteration writes.
    """
    types = [param.var.type for param in kernel.params]
    plain = len(args) == len(types) and not any(map(_may_lead_on, types))
    passed = {
        each.object.name for p, arg in zip(kernel.params, args) if not p.const for each in addresses(arg) if each.object
    }
    marks = ((HELD,), (BYTE,))
    forgotten = [c for c in state.cells.of_contents() if c[1] in marks and (c[0].name in passed or not plain)]
    for cell in forgotten:
        del state.cells[cell]
    return [(object_, mark) for object_, mark, _ in forgotten]


def _may_lead_on(type_: ir.Type) -> bool:
    """Whether an argument of the type may hold, or lead to, pointers of which its launch says nothing."""
    if isinstance(type_, ir.Pointer):
        return not isinstance(type_.element, ir.Int | ir.Float | ir.Bool | ir.Void | ir.Vector)
    return not isinstance(type_, ir.Int | ir.Float | ir.Bool)
