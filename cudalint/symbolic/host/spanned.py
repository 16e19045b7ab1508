"""Views of dense memory that came from elsewhere with an extent for each dimension: `std::mdspan`.

kernel<<<grid, 256>>>(m.data_handle(), m.extent(0))        extent(x) = m.extent(0) * m.extent(1) elements
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from cudalint import ir
from cudalint.symbolic.host.evaluate import member_keys
from cudalint.symbolic.host.joins import member_of
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.values import Address, Record, Value
from cudalint.symbolic.host.world import EXTENTS_OF_VIEW, World, place_name
from cudalint.symbolic.walk import integers
from cudalint.term import Term, add, multiply, number

_POINTER = "__handle"
_EXTENTS, _SIZES = EXTENTS_OF_VIEW
_LOOSE = "layout_stride"
_DYNAMIC = (1 << 64) - 1


def spanned(place: ir.Place, pointer: Value, value: Value, state: State) -> Value:
    """The pointer that was read from a view, with the size of the memory that the view came with."""
    if not isinstance(place, ir.Field) or place.name != _POINTER or not isinstance(pointer, Address):
        return value
    owner = place.base.var.type if isinstance(place.base, ir.Variable) else place.base.type
    base = Address(pointer.object, pointer.offset, pointer.fields[:-1])

    def read(at: Term, type_: ir.Type) -> Value:
        fields = (*base.fields, _EXTENTS, _SIZES)
        return state.unwritten(Address(base.object, add(base.offset, at), fields), type_)

    return of_view(owner, base, value, read, state.world)


def handle_of(view: Record, key: tuple[tuple[str, ...], Term], value: Value, world: World) -> Value:
    """The member of a struct that a launch hands on: the pointer of a view has the size that its extents say."""
    if key[0] != (_POINTER,) or view.origin is None:
        return value

    def read(at: Term, type_: ir.Type) -> Value:
        return member_of(world, view, ((_EXTENTS, _SIZES), at), type_)

    return of_view(view.type, view.origin.address, value, read, world)


def of_view(
    owner: ir.Type, base: Address | None, value: Value, read: Callable[[Term, ir.Type], Value], world: World
) -> Value:
    """The pointer of the view at `base`, if nothing else was put there; `read` gives its extents by their offsets."""
    type_ = _member(owner, _POINTER)
    if not isinstance(type_, ir.Pointer) or base is None or not isinstance(owner, ir.Struct) or _LOOSE in owner.name:
        return value
    own = place_name(Address(base.object, base.offset, (*base.fields, _POINTER)), type_)
    if not isinstance(value, Address) or value.object is None or value.object.kind != "input":
        return value
    width, sizes = ir.size_of(type_.element), _member(_member(owner, _EXTENTS), _SIZES)
    if value.object.name != own or width is None or not isinstance(sizes, ir.Array):
        return value
    fixed = _static_extents(_member(owner, _EXTENTS))
    places = list(member_keys(sizes))
    if len(fixed) != len(places):
        return value
    extents = [read(at, e) if size is None else number(size) for ((_, at), e), size in zip(places, fixed)]
    counts = [integers.as_integer(each) for each in extents if isinstance(each, Term)]
    if not counts or len(counts) != len(extents):
        return value
    size = reduce(multiply, counts, number(width))
    return Address(world.sized_input(value.object, size, "span"), value.offset)


def _static_extents(extents: ir.Type | None) -> list[int | None]:
    """`extents<int, 4, dynamic_extent>`: 4, and what only the object tells."""
    listed = extents.name.partition("<")[2].rstrip("> ").split(",")[1:] if isinstance(extents, ir.Struct) else []
    given = [int(each) for each in listed if each.strip().isdecimal()]
    return [None if each == _DYNAMIC else each for each in given]


def _member(owner: ir.Type | None, name: str) -> ir.Type | None:
    fields = owner.fields if isinstance(owner, ir.Struct) else ()
    return next((field.type for field in fields if field.name == name), None)
