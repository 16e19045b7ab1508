"""Calls that give memory: the cudaMalloc family, rows with a pitch, planes, memory of other libraries, second names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.symbolic.host.names import pointer_name
from cudalint.symbolic.host.site import Site
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.text import plain
from cudalint.symbolic.host.values import LARGEST_SIZE, Address, HostObject, Record, Value
from cudalint.symbolic.host_vocabulary import Allocator, words
from cudalint.symbolic.walk import integers
from cudalint.term import Term, Wrapped, add, at_most, equal, ideal, multiply, number, remainder, subterms, symbol

if TYPE_CHECKING:
    from cudalint.symbolic.host.walk import Walk


INT_BITS = 32
PITCH_UNIT = 32  # bytes of which the distance of rows is a multiple on every device
MOST_PITCH_ADDED = 4095  # bytes: devices round rows up to 512 bytes, and none to more than a page


class Allocations:
    def __init__(self, site: Site) -> None:
        self._site = site
        self._pitches: dict[Term, Term] = {}
        self._symbols: dict[HostObject, HostObject] = {}

    def allocate(
        self, stmt: ir.Call, name: str, allocator: Allocator, args: list[Value], state: State, walk: Walk
    ) -> Value | None:
        size: Term | None = number(1)
        for position in allocator.sizes:
            arg = args[position] if position < len(args) else None
            size = multiply(size, integers.as_integer(arg)) if isinstance(arg, Term) and size is not None else None
        if name.startswith("operator new") and size is not None and stmt.target is not None:
            size = multiply(size, self._site.evaluator.element_size(stmt.target.type))  # the argument counts elements
        if allocator.owner == "host" and size is not None:
            for fits in _fitting(size):
                self._site.world.fitting.add(fits)
                state.assume(fits, "lasting")
        if allocator.out is None:
            target = self._site.result or name
            return Address(self._made(target, size, name, stmt), number(0))
        if allocator.out >= len(args):
            return number(0)
        pointer = args[allocator.out]
        object_ = self._made(pointer_name(pointer, name), size, name, stmt)
        walk.store(pointer, ir.Pointer(ir.VOID), Address(object_, number(0)), state)
        return number(0)

    def _made(self, target: str, size: Term | None, name: str, stmt: ir.Call) -> HostObject:
        before = self._site.world.preparing
        return HostObject(self._site.buffer_name(target), "allocation", size, name, stmt.span, given=before)

    def allocate_pitched(self, stmt: ir.Call, name: str, args: list[Value], state: State, walk: Walk) -> Value:
        """`cudaMallocPitch(&x, &pitch, width, height)`"""
        if len(args) < 4:
            return number(0)
        width = integers.as_integer(args[2]) if isinstance(args[2], Term) else None
        height = integers.as_integer(args[3]) if isinstance(args[3], Term) else None
        pitch = self._pitch(pointer_name(args[1], "pitch"), width, state)
        size = multiply(pitch, height) if height is not None else None
        object_ = self._made(pointer_name(args[0], name), size, name, stmt)
        walk.store(args[0], ir.Pointer(ir.VOID), Address(object_, number(0)), state)
        walk.store(args[1], ir.UINT64, pitch, state)
        return number(0)

    def allocate_planes(self, stmt: ir.Call, name: str, args: list[Value], state: State, walk: Walk) -> Value:
        """`cudaMalloc3D(&x, make_cudaExtent(width, height, depth))`: planes of rows, all with one pitch."""
        extent = args[1] if len(args) > 1 else None
        known = {key[0]: value for key, (_, value) in extent.members.items()} if isinstance(extent, Record) else {}
        sides = [known.get((side,)) for side in ("width", "height", "depth")]
        width, height, depth = (integers.as_integer(side) if isinstance(side, Term) else None for side in sides)
        if width is None or height is None or depth is None or not isinstance(args[0], Address):
            return number(0)
        pitch = self._pitch(f"{pointer_name(args[0], name)}.pitch", width, state)
        size = multiply(pitch, multiply(height, depth))
        object_ = self._made(pointer_name(args[0], name), size, name, stmt)
        members: dict[str, Value] = {
            "pitch": pitch,
            "xsize": width,
            "ysize": height,
            "ptr": Address(object_, number(0)),
        }
        for member, value in members.items():
            place = replace(args[0], fields=(*args[0].fields, member))
            walk.store(place, ir.UINT64 if isinstance(value, Term) else ir.Pointer(ir.VOID), value, state)
        return number(0)

    def _pitch(self, name: str, width: Term | None, state: State) -> Term:
        """The bytes from one row to the next, somewhat more than a row has."""
        pitch = self._pitches.get(width) if width is not None else None
        if pitch is None:
            pitch = symbol(f"{name}#{self._site.world.count()}", 0, LARGEST_SIZE)
        if width is not None:
            self._pitches[width] = pitch  # rows of one width have one pitch on a device
            state.assume(at_most(width, pitch), "lasting")
            state.assume(at_most(pitch, add(width, number(MOST_PITCH_ADDED))), "lasting")
            state.assume(equal(remainder(pitch, number(PITCH_UNIT)), number(0)), "lasting")
        return pitch

    def map(self, stmt: ir.Call, name: str, args: list[Value], state: State, walk: Walk) -> Value:
        """A pointer to memory of another library, with its size."""
        label = pointer_name(args[0], name)
        size = self._site.world.fresh_input(f"{label}.size", ir.UINT64)
        bytes_ = integers.as_integer(size)  # type: ignore[arg-type]
        object_ = HostObject(self._site.buffer_name(label), "allocation", bytes_, name, stmt.span, given=True)
        walk.store(args[0], ir.Pointer(ir.VOID), Address(object_, number(0)), state)
        walk.store(args[1], ir.UINT64, size, state)
        return number(0)

    def second_name(self, stmt: ir.Call, name: str, args: list[Value], state: State, walk: Walk) -> Value:
        """`cudaHostGetDevicePointer(&d, h, 0)`: another pointer to the same memory."""
        out, source = words().second_names[name]
        if max(out, source) < len(args):
            given = self._of_symbol(stmt, args[source]) if name.endswith("GetSymbolAddress") else args[source]
            walk.store(args[out], ir.Pointer(ir.VOID), given, state)
        return number(0)

    def _of_symbol(self, stmt: ir.Call, given: Value) -> Value:
        """`__device__ float table[64]` is memory of that size, the same wherever it is asked for."""
        variable = given.object if isinstance(given, Address) else None
        declared = self._site.evaluator.declared.get(variable.name) if variable is not None else None
        size = ir.size_of(declared.var.type) if declared is not None else None
        if variable is None or size is None:
            return given
        if variable not in self._symbols:
            made = f"variable {plain(variable.name)} of the device"
            self._symbols[variable] = HostObject(variable.name, "allocation", number(size), made, stmt.span)
        return Address(self._symbols[variable], number(0))


def _fitting(size: Term) -> Iterator[Term]:
    """What is computed in signed types for the size of memory of the host fits: who fills the memory comes no further else."""
    wrapped = (part for part in subterms([size]) if isinstance(part, Wrapped))
    for part in sorted(wrapped, key=lambda t: t.digest):
        inner, bits, signed = part.parts
        if signed and bits >= INT_BITS:
            yield integers.between(-(1 << (bits - 1)), ideal(inner), (1 << (bits - 1)) - 1)
