"""Tensors that are made of several, and the several that one is taken apart into.

torch::cat({a, b}, 0)      as long as all of them              x.chunk(2, 1)     parts of a dimension, the last one shorter
torch::stack({a, b}, 1)    one more dimension                  x.split(64)       the same, of as many elements
"""

from __future__ import annotations

from cudalint import ir
from cudalint.symbolic.host.element_types import item_type
from cudalint.symbolic.host.names import plain_term, pointee_of
from cudalint.symbolic.host.shapes import Shapes
from cudalint.symbolic.host.site import Site
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.tensor_views import part_of
from cudalint.symbolic.host.text import plain
from cudalint.symbolic.host.values import (
    LISTED,
    Address,
    MemberKey,
    Record,
    Tensor,
    Value,
    container,
    is_tensor_type,
    is_vector_type,
)
from cudalint.symbolic.host_vocabulary import words
from cudalint.symbolic.walk import integers
from cudalint.term import Number, Term, add, equal, maximum, minimum, multiply, number, quotient, subtract

MOST_PARTS = 8


def tensor_list(given: Value, type_: ir.Type, state: State) -> Record | None:
    """The list of that type that is made of the tensors which lie at an address one behind the other."""
    held = _held_at(given, state) if isinstance(given, Address) else {}
    return Record(type_, held) if held and _in_order(held) else None


def listed_tensors(value: Value, state: State) -> list[Tensor]:
    """The tensors of a list, in order; none where one of them is not known."""
    if not isinstance(value, Record):
        return []
    if not value.members and value.origin is not None:
        return _in_order(_held_at(value.origin.address, state))
    return _in_order(value.members)


def _held_at(first: Address, state: State) -> dict[MemberKey, tuple[ir.Type, Value]]:
    cells = state.cells.of(first.object) if first.object is not None else []
    return {(cell[1], cell[2]): state.cells[cell] for cell in cells if cell[1][:1] == (LISTED,)}


def _in_order(held: dict[MemberKey, tuple[ir.Type, Value]]) -> list[Tensor]:
    """All of them, by the number that stands beside each."""
    placed = {int(fields[2]): value for (fields, _), (_, value) in held.items() if fields[:1] == (LISTED,)}
    many = {int(fields[1]) for fields, _ in held if fields[:1] == (LISTED,)}
    tensors = [each for _, each in sorted(placed.items()) if isinstance(each, Tensor)]
    return tensors if many == {len(tensors)} else []


def joined(stmt: ir.Call, name: str, args: list[Value], site: Site, shapes: Shapes, state: State) -> Tensor | None:
    """What `cat` and `stack` give of tensors whose ranks are known; torch refuses those whose other sizes differ."""
    tensors, place = listed_tensors(args[0], state), args[1] if len(args) > 1 else number(0)
    all_dims = [shapes.dims(tensor, state, None) for tensor in tensors]
    if not tensors or not isinstance(place, Number) or not all(all_dims):
        return None
    known = [dims for dims in all_dims if dims is not None]
    first, is_stack = known[0], name in words().stackings
    at = place.value + (len(first) + is_stack) * (place.value < 0)
    if any(len(dims) != len(first) for dims in known) or not 0 <= at < len(first) + is_stack:
        return None
    for dims in known[1:]:
        for number_, (one, other) in enumerate(zip(first, dims)):
            if is_stack or number_ != at:
                state.assume(equal(one, other), "lasting")
    along = number(len(known)) if is_stack else add(*(dims[at] for dims in known))
    shape = (*first[:at], along, *first[at + (not is_stack) :])
    types = {item_type(tensor) for tensor in tensors}
    made = f"{name} of {', '.join(plain(tensor.name) for tensor in tensors)}, {{{', '.join(map(plain_term, shape))}}}"
    return Tensor(
        site.fresh_tensor(stmt, name), shape, None, site.storage(stmt, name), made_by=made,
        scalar_type=types.pop() if len(types) == 1 else None,
    )  # fmt: skip


def taken_apart(
    stmt: ir.Call, name: str, tensor: Tensor, args: list[Value], site: Site, shapes: Shapes, state: State
) -> Tensor | None:
    """The vector that `chunk` and `split` give: its first elements are views of the tensor, of the last one what is left."""
    vector = stmt.target.type if stmt.target is not None else ir.VOID
    item = pointee_of(stmt.args[0].type)
    terms = [integers.as_integer(arg) for arg in args[1:] if isinstance(arg, Term)]
    if not is_vector_type(vector) or not is_tensor_type(item) or not terms or len(terms) != len(args) - 1:
        return None
    place = terms[1] if len(terms) > 1 else number(0)
    dims = shapes.dims(tensor, state, None)
    if not isinstance(place, Number) or (place.value < 0 and dims is None):
        return None
    place = number(place.value + (len(dims) if dims is not None and place.value < 0 else 0))
    size = integers.as_integer(shapes.size(tensor, [place], state))  # type: ignore[arg-type]
    many = terms[0] if name in words().chunks else None
    step = terms[0] if many is None else quotient(subtract(add(size, many), number(1)), many)
    parts = many.value if isinstance(many, Number) else MOST_PARTS
    if parts > MOST_PARTS or (many is not None and not isinstance(many, Number)):
        return None
    label, storage = site.fresh_tensor(stmt, name), site.storage(stmt, name)
    made = container(vector, f"~{label}")
    base = shapes.data(made, ir.Pointer(item), state)
    for index in range(parts):
        length = maximum(number(0), minimum(step, subtract(size, multiply(step, number(index)))))
        part = part_of(shapes, tensor, place, length, f"{label}[{index}]", f"{storage}[{index}]", state)
        if part is None or not isinstance(base, Address):
            return None
        width = ir.size_of(item) or 1
        state.write(Address(base.object, number(index * width)), item, part)
    return made
