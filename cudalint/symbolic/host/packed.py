"""Arguments of a launch that the host code puts together itself: pointers to them in an array, or one buffer that holds them.

    void *args[3];  args[0] = &x;  args[1] = &y;  args[2] = &n;            cuLaunchKernel(f, ..., args, nullptr)
    std::vector<void *> args{&x, &y, &n};                                  cudaLaunchKernel(k, grid, block, args.data())

What an element leads to is read as the kernel's parameter has it, whatever type the host gave it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.symbolic.host.evaluate import converted
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.values import Address, Value
from cudalint.symbolic.walk import integers
from cudalint.term import Term, number

if TYPE_CHECKING:
    from cudalint.symbolic.host.walk import Walk

POINTER_BYTES = 8


def read_arguments(
    kernel: ir.Function,
    pointers: Value | None,
    buffer: Value | None,
    shown: tuple[Value, ...],
    state: State,
    walk: Walk,
) -> tuple[Value, ...]:
    """The arguments as the kernel gets them; `shown` are those that the text shows where the array is not followed.

    Of a buffer that is a struct they are its members.
    """
    if buffer is not None and len(shown) == len(kernel.params):
        return tuple(_as(value, param.var.type, walk) for value, param in zip(shown, kernel.params))
    places = _of_buffer(kernel, buffer, walk) if buffer is not None else _of_array(kernel, pointers, state, walk)
    found: list[Value] = []
    for position, (param, place) in enumerate(zip(kernel.params, places)):
        followed = isinstance(place, Address) and place.object is not None
        value = _as_parameter(place, param.var.type, state, walk) if isinstance(place, Address) else None
        if not followed and position < len(shown):
            value = shown[position]
        if value is None:
            why = f"argument {position + 1} of an array that was not followed"
            value = walk.world.lost(walk.evaluator.named(param.var.name), param.var.type, why)
        found.append(value)
    return tuple(found)


def _as(value: Value, type_: ir.Type, walk: Walk) -> Value:
    return walk.evaluator.as_pointer(value, type_) if isinstance(type_, ir.Pointer) else value


def _of_array(kernel: ir.Function, pointers: Value | None, state: State, walk: Walk) -> list[Value]:
    """What each element of the array points to."""
    element = ir.Pointer(ir.VOID)
    places = (walk.evaluator.moved(pointers, number(i * POINTER_BYTES)) for i in range(len(kernel.params)) if pointers)
    return [walk.read(place, element, state, kernel.params[i].var.name) for i, place in enumerate(places)]


def _of_buffer(kernel: ir.Function, buffer: Value, walk: Walk) -> list[Value]:
    """Where each parameter lies in the buffer: in order, each at its own alignment. Behind one of unknown size none."""
    places: list[Value] = []
    offset = 0
    for param in kernel.params:
        size, align = ir.size_of(param.var.type), ir.align_of(param.var.type)
        if size is None or align is None:
            break
        offset = -(-offset // align) * align
        places.append(walk.evaluator.moved(buffer, number(offset)))
        offset += size
    return places


def _as_parameter(place: Address, type_: ir.Type, state: State, walk: Walk) -> Value | None:
    """The bytes at a place as a value of the type; None where another one lies there of which they are a part or more."""
    if place.object is None:
        return None
    stored = state.cells.get((place.object, place.fields, place.offset))
    value = state.read(place, type_)
    if isinstance(type_, ir.Pointer):
        return walk.evaluator.as_pointer(value, type_)
    if stored is None or not isinstance(type_, ir.Int) or not isinstance(stored[0], ir.Int):
        return value
    if stored[0].bits == type_.bits or not isinstance(stored[1], Term):
        return stored[1] if stored[0].bits == type_.bits else value
    return converted(integers.as_integer(stored[1]), type_) if stored[0].bits > type_.bits else None
