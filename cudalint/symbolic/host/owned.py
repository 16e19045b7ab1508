"""Objects that own memory of the device and say in their members how large it is: `DeviceMemory2D` and its like.

    kernel<<<1, 256>>>(matrix.ptr())        extent(x) = (rows_ - 1) * step_ + colsBytes_ bytes

Which members hold what, and which methods make the memory anew, is in the vocabularies (`owned_memory`, `remaking`).
"""

from __future__ import annotations

from cudalint import ir
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.values import Address, Value
from cudalint.symbolic.host_vocabulary import OwnedMemory, words
from cudalint.symbolic.walk import integers
from cudalint.term import Term, add, at_most, multiply, number, subtract


def owned(place: ir.Place, pointer: Value, value: Value, state: State) -> Value:
    """The pointer that was read, with the size of the memory that its object owns; one that was put there has its own."""
    owner = _owner(place)
    name, spec = _spec(owner) if owner is not None else ("", None)
    if owner is None or spec is None or not isinstance(place, ir.Field) or place.name != spec.memory:
        return value
    if not (isinstance(pointer, Address) and isinstance(value, Address)) or value.object is None:
        return value
    known = (
        value.object.kind == "allocation"
    )  # from a trial of a loop, whose state has gone: what follows is assumed again
    if (known and not value.object.given) or state.unwritten(pointer, ir.Pointer(ir.VOID)) != value:
        return value
    size = _size(owner, spec, Address(pointer.object, pointer.offset, pointer.fields[:-1]), state)
    if size is None:
        return value
    return Address(state.world.owned_memory(value.object, size, name), value.offset)


def remade(stmt: ir.Call, args: list[Value], state: State) -> None:
    """`matrix.create(rows, bytes)` behind what it may write: these are the sizes of what the object owns."""
    type_ = stmt.args[0].type if stmt.args else None
    owner = type_.element if isinstance(type_, ir.Pointer) else None
    method = "::".join(stmt.function.partition("(")[0].split("::")[-2:])
    said = words().remaking.get(method)
    if said is None or not isinstance(owner, ir.Struct) or not isinstance(args[0], Address):
        return
    for member, position in said.items():
        type_ = _member(owner, member)
        value = args[position] if position < len(args) else None
        if type_ is not None and isinstance(value, Term):
            state.write(Address(args[0].object, args[0].offset, (*args[0].fields, member)), type_, value)


def _spec(owner: ir.Struct) -> tuple[str, OwnedMemory | None]:
    """That of the class, or of one that it derives from: it has all of its members."""
    own, members = _name(owner), {field.name for field in owner.fields}
    for name, spec in words().owned_memory.items():
        if name == own or {spec.memory, spec.width, spec.rows or spec.width, spec.step or spec.width} <= members:
            return name, spec
    return own, None


def _size(owner: ir.Struct, spec: OwnedMemory, base: Address, state: State) -> Term | None:
    """Bytes from the first element to behind the last one."""

    def read(member: str) -> Term | None:
        type_ = _member(owner, member)
        value = state.read(Address(base.object, base.offset, (*base.fields, member)), type_) if type_ else None
        return integers.as_integer(value) if isinstance(value, Term) else None

    width, rows, step = read(spec.width), read(spec.rows), read(spec.step)
    if width is None or not spec.rows:
        return width
    if rows is None or step is None:
        return None
    state.assume(at_most(width, step), "lasting")
    return add(multiply(subtract(rows, number(1)), step), width)


def _member(owner: ir.Struct, name: str) -> ir.Type | None:
    return next((field.type for field in owner.fields if field.name == name), None)


def _owner(place: ir.Place) -> ir.Struct | None:
    if not isinstance(place, ir.Field):
        return None
    type_ = place.base.var.type if isinstance(place.base, ir.Variable) else place.base.type
    return type_ if isinstance(type_, ir.Struct) else None


def _name(owner: ir.Type | None) -> str:
    """The name of the class without its scope and its arguments."""
    return owner.name.partition("<")[0].rpartition("::")[2].split(" ")[-1] if isinstance(owner, ir.Struct) else ""
