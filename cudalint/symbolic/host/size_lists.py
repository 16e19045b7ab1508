"""Vectors of sizes: copies of those of a tensor, and what is made of them once some are changed.

auto shape = x.sizes().vec();
shape.back() = width;                   // whatever the rank of x is
auto y = torch::empty(shape);           // x.numel() / x.size(-1) * width elements
"""

from __future__ import annotations

from dataclasses import replace

from cudalint import ir
from cudalint.symbolic.host.names import template_element
from cudalint.symbolic.host.shapes import Shapes
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.text import plain
from cudalint.symbolic.host.values import SIZES, Address, Sizes, Tensor, container
from cudalint.symbolic.walk import integers
from cudalint.term import Number, Term, ideal, multiply, number, quotient, subtract

MOST_SIZES = 8


def as_vector(sizes: Sizes, type_: ir.Type, label: str, shapes: Shapes, state: State) -> Tensor | None:
    """`x.sizes().vec()`: a vector of as many numbers as the tensor has dimensions."""
    tensor, item = sizes.tensor or Tensor("list", sizes.dims), template_element(type_)
    if sizes.last is not None or not isinstance(item, ir.Int):
        return None
    known = sizes.dims or shapes.dims(tensor, state, None)
    count = shapes.rank(tensor) if known is None else number(len(known))
    made = container(type_, label, count, f"sizes of {plain(tensor.name)}")
    if known is None:
        return replace(made, shape_of=tensor.root())
    base = shapes.data(made, ir.Pointer(item), state)
    for place, size in enumerate(known):
        if isinstance(base, Address):
            state.write(Address(base.object, number(place * (item.bits // 8))), item, size)
    return made


def sizes_in(vector: Tensor, type_: ir.Type, shapes: Shapes, state: State) -> Sizes | None:
    """The list that a vector of numbers is; None where not all of them are known."""
    item = template_element(type_)
    base = shapes.data(vector, ir.Pointer(item), state) if isinstance(item, ir.Int) else None
    if not isinstance(item, ir.Int) or not isinstance(base, Address) or base.object is None:
        return None
    count, bytes_ = shapes.count(vector, state), item.bits // 8
    if isinstance(count, Number):
        places = [Address(base.object, number(place * bytes_)) for place in range(min(count.value, MOST_SIZES + 1))]
        values = [value for place in places if isinstance(value := state.read(place, item), Term)]
        whole = len(values) == count.value <= MOST_SIZES
        return Sizes(tuple(map(integers.as_integer, values))) if whole else None
    owner = vector.root().shape_of
    if owner is None or not state.versions.get(base.object, SIZES).startswith(SIZES):
        return None
    held = {c[2]: state.cells[c][1] for c in state.cells.of(base.object)}
    last = held.pop(ideal(multiply(subtract(count, number(1)), number(bytes_))), None)
    if held or not (last is None or isinstance(last, Term)):
        return None
    return Sizes(None, owner, None if last is None else integers.as_integer(last))


def with_last(made: Tensor, sizes: Sizes, shapes: Shapes, state: State) -> Tensor:
    """What is made of the sizes of a tensor with another last one."""
    assert sizes.tensor is not None and sizes.last is not None
    root = sizes.tensor.root()
    own = integers.as_integer(shapes.size(root, [number(-1)], state))  # type: ignore[arg-type]
    count = multiply(quotient(shapes.count(root, state), own), sizes.last)
    return replace(made, count=count, last=sizes.last)
