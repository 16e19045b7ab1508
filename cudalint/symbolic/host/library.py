"""Calls of functions without a body: allocations, containers, status codes, inputs; the tables are in host_vocabulary."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.symbolic import integers
from cudalint.symbolic.host.accessors import held_by_object, told_by_object
from cudalint.symbolic.host.demands import copied
from cudalint.symbolic.host.described import elements_from
from cudalint.symbolic.host.evaluate import Evaluator, member_keys, size_term
from cudalint.symbolic.host.owned import remade
from cudalint.symbolic.host.state import State, World, member_of
from cudalint.symbolic.host.text import plain, shown
from cudalint.symbolic.host.values import (
    APPROXIMATE,
    LARGEST_SIZE,
    NULL,
    Address,
    Either,
    HostObject,
    Layout,
    MemberKey,
    Record,
    Sizes,
    Tensor,
    Value,
    addresses,
    container,
    is_tensor_type,
    is_vector_type,
)
from cudalint.symbolic.host_vocabulary import Allocator, words
from cudalint.symbolic.parameters import type_range
from cudalint.term import (
    FALSE,
    TRUE,
    All,
    Number,
    Symbol,
    Term,
    add,
    at_most,
    choice,
    conjunction,
    disjunction,
    equal,
    interval,
    is_number,
    multiply,
    negation,
    number,
    quotient,
    remainder,
    subtract,
    symbol,
    truncated_quotient,
)

if TYPE_CHECKING:
    from cudalint.symbolic.host.walk import Walk

_LARGEST_RANK = 8
_ORDINARY_RANK = 5
_MOST_DIVISORS = 8
_LIST = "initializer_list"
_MOST_ELEMENTS = 64  # of a vector that a program fills one by one


PITCH_UNIT = 32  # bytes of which the distance of rows is a multiple on every device
MOST_PITCH_ADDED = 4095  # bytes: devices round rows up to 512 bytes, and none to more than a page


class Library:
    def __init__(self, world: World, evaluator: Evaluator) -> None:
        self._world, self._evaluator = world, evaluator
        self._buffers: dict[str, HostObject] = {}
        self._compared: dict[Term, list[Term]] = {}  # ranks of tensors whose shapes were compared
        self._makers: dict[str, HostObject] = {}  # the variable that first had a container of this name
        self._labels: dict[tuple[HostObject, str], str] = {}
        self._parsed: dict[tuple[object, ...], Value] = {}  # numbers that were read from a text
        self._divisors: dict[tuple[Term, ...], Term] = {}
        self._pitches: dict[Term, Term] = {}
        self._result = ""  # the variable that receives the call's result

    def call(self, stmt: ir.Call, args: list[Value], state: State, walk: Walk) -> Value | None:
        """The result of a call; None where nothing is known of it. Writes are noted in the state."""
        name = simple_name(stmt.function)
        self._result = walk.result_name
        if name in words().no_return:
            state.end = "lasting"
            return None
        if name in words().checks and args and isinstance(args[0], Term):
            state.assume(integers.as_truth(args[0]), "lasting")
            return None
        if name in words().copies:
            walk.demands += copied(stmt, words().copies[name], args, state, walk.caller)
        allocator = words().allocators.get(name) or words().allocators.get(f"{class_name(stmt.function)}::{name}")
        if allocator is not None:
            return self._allocate(stmt, name, allocator, args, state, walk)
        if name in words().pitched_allocators:
            return self._allocate_pitched(stmt, name, args, state, walk)
        if name in words().plane_allocators:
            return self._allocate_planes(stmt, name, args, state, walk)
        if name in words().mapped_allocators and len(args) > 1:
            return self._map(stmt, name, args, state, walk)
        if name in words().queries:
            return self._query(name, args, state, walk)
        if name in words().second_names:
            return self._second_name(name, args, state, walk)
        compared = self._compared_shapes(stmt, name, args, state)
        if compared is not None:
            return compared
        held = self._held(stmt, name, args, state, walk)
        if held is not None:
            return held
        container = self._container(stmt, name, args, state, walk)
        if container is not None:
            return container
        if name in words().identity and args:
            return args[0]
        if name in words().view_counts and args and isinstance(args[0], Address):
            return elements_from(args[0], _pointee(stmt.args[0].type), words().view_counts[name], state)
        if name in words().common_divisors:
            known = self._divisor(stmt, args, state)
            if known is not None:
                return known
        if name in words().ceil_quotients or name in words().multiples:
            rounded = self._rounded_up(stmt, name, args, state)
            if rounded is not None:
                return rounded
        if name in words().parsers:
            return self._parse(stmt, name, args, state, walk)
        return self._unknown_call(stmt, name, args, state, walk)

    # --- memory -------------------------------------------------------------------------------------------------------

    def _allocate(
        self, stmt: ir.Call, name: str, allocator: Allocator, args: list[Value], state: State, walk: Walk
    ) -> Value | None:
        size: Term | None = number(1)
        for position in allocator.sizes:
            arg = args[position] if position < len(args) else None
            size = multiply(size, integers.as_integer(arg)) if isinstance(arg, Term) and size is not None else None
        if name.startswith("operator new") and size is not None and stmt.target is not None:
            size = multiply(size, self._evaluator.element_size(stmt.target.type))  # the argument counts elements
        if allocator.out is None:
            target = self._result or name
            object_ = HostObject(self._buffer_name(target), "allocation", size, name, stmt.span)
            return Address(object_, number(0))
        if allocator.out >= len(args):
            return number(0)
        pointer = args[allocator.out]
        target = _pointer_name(pointer, name)
        object_ = HostObject(self._buffer_name(target), "allocation", size, name, stmt.span)
        walk.store(pointer, ir.Pointer(ir.VOID), Address(object_, number(0)), state)
        return number(0)

    def _buffer_name(self, name: str) -> str:
        """Names of allocations are unique in a walk."""
        label = name if ":" in name else self._evaluator.named(name)
        if label not in self._buffers:
            self._buffers[label] = HostObject(label, "allocation")
            return label
        return f"{label}#{self._world.count()}"

    def _allocate_pitched(self, stmt: ir.Call, name: str, args: list[Value], state: State, walk: Walk) -> Value:
        """`cudaMallocPitch(&x, &pitch, width, height)`"""
        if len(args) < 4:
            return number(0)
        width = integers.as_integer(args[2]) if isinstance(args[2], Term) else None
        height = integers.as_integer(args[3]) if isinstance(args[3], Term) else None
        pitch = self._pitch(_pointer_name(args[1], "pitch"), width, state)
        size = multiply(pitch, height) if height is not None else None
        object_ = HostObject(self._buffer_name(_pointer_name(args[0], name)), "allocation", size, name, stmt.span)
        walk.store(args[0], ir.Pointer(ir.VOID), Address(object_, number(0)), state)
        walk.store(args[1], ir.UINT64, pitch, state)
        return number(0)

    def _allocate_planes(self, stmt: ir.Call, name: str, args: list[Value], state: State, walk: Walk) -> Value:
        """`cudaMalloc3D(&x, make_cudaExtent(width, height, depth))`: planes of rows, all with one pitch."""
        extent = args[1] if len(args) > 1 else None
        known = {key[0]: value for key, (_, value) in extent.members.items()} if isinstance(extent, Record) else {}
        sides = [known.get((side,)) for side in ("width", "height", "depth")]
        width, height, depth = (integers.as_integer(side) if isinstance(side, Term) else None for side in sides)
        if width is None or height is None or depth is None or not isinstance(args[0], Address):
            return number(0)
        pitch = self._pitch(f"{_pointer_name(args[0], name)}.pitch", width, state)
        size = multiply(pitch, multiply(height, depth))
        object_ = HostObject(self._buffer_name(_pointer_name(args[0], name)), "allocation", size, name, stmt.span)
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
            pitch = symbol(f"{name}#{self._world.count()}", 0, LARGEST_SIZE)
        if width is not None:
            self._pitches[width] = pitch  # rows of one width have one pitch on a device
            state.assume(at_most(width, pitch), "lasting")
            state.assume(at_most(pitch, add(width, number(MOST_PITCH_ADDED))), "lasting")
            state.assume(equal(remainder(pitch, number(PITCH_UNIT)), number(0)), "lasting")
        return pitch

    def _map(self, stmt: ir.Call, name: str, args: list[Value], state: State, walk: Walk) -> Value:
        """A pointer to memory of another library, with its size."""
        label = _pointer_name(args[0], name)
        size = self._world.fresh_input(f"{label}.size", ir.UINT64)
        bytes_ = integers.as_integer(size)  # type: ignore[arg-type]
        object_ = HostObject(self._buffer_name(label), "allocation", bytes_, name, stmt.span, given=True)
        walk.store(args[0], ir.Pointer(ir.VOID), Address(object_, number(0)), state)
        walk.store(args[1], ir.UINT64, size, state)
        return number(0)

    def _query(self, name: str, args: list[Value], state: State, walk: Walk) -> Value:
        low, high = words().queries[name]
        count = 2 if name == "cudaOccupancyMaxPotentialBlockSize" else 1
        for pointer in args[:count]:
            limit = 1024 if pointer is args[count - 1] and count == 2 else high
            label = f"{_pointer_name(pointer, name)}#{self._world.count()}"
            walk.store(pointer, ir.INT32, symbol(label, low, limit), state)
        return number(0)

    def device_property(self, place: ir.Place, pointer: Value, type_: ir.Type) -> Value | None:
        """A field of cudaDeviceProp or cudaFuncAttributes in the range that devices have."""
        index = ""
        if isinstance(place, ir.Index) and isinstance(place.index, ir.Const):
            index, place = f"[{place.index.value}]", place.base
        if not isinstance(place, ir.Field) or not isinstance(type_, ir.Int):
            return None
        owner = _place_type(place.base)
        if not isinstance(owner, ir.Struct | ir.Unknown) or _last(owner.name) not in words().property_classes:
            return None
        bounds = words().device_properties.get(place.name + index)
        if bounds is None:
            return None
        low, high = bounds
        return number(low) if low == high else symbol(f"device.{place.name}{index}", low, high)

    def copied_property(self, place: ir.Place, value: Value) -> Value:
        """What a project's own table of devices holds: of `devices[id].warp_size` nothing else is known, and it needs nothing."""
        number_ = words().copied_properties.get(place.name) if isinstance(place, ir.Field) else None
        return number(number_) if number_ is not None and isinstance(value, Symbol) else value

    def _divisor(self, stmt: ir.Call, args: list[Value], state: State) -> Term | None:
        """`std::gcd(8, width)`: a name for it, and that it divides both."""
        given = [self._behind(stmt, place, arg, state) for place, arg in enumerate(args)]
        terms = tuple(integers.as_integer(arg) for arg in given if isinstance(arg, Term))
        limits = [term.value for term in terms if isinstance(term, Number) and term.value > 0]
        if len(terms) != 2 or not limits:
            return None
        if terms not in self._divisors:
            name = self._world.name_for(self._evaluator.named(self._result or "divisor"))
            self._divisors[terms] = symbol(name, 1, min(limits))
        found = self._divisors[terms]
        powers = [value for value in range(1, min(limits) + 1) if min(limits) % value == 0]
        if len(powers) <= _MOST_DIVISORS:
            state.assume(disjunction(*(equal(found, number(value)) for value in powers)), "lasting")
        for term in terms:
            if not isinstance(term, Number):
                state.assume(equal(remainder(term, found), number(0)), "lasting")
        return found

    def _rounded_up(self, stmt: ir.Call, name: str, args: list[Value], state: State) -> Term | None:
        """`ceildiv(n, 256)`: its name says what it gives, of a divisor that is known to be positive."""
        given = [self._behind(stmt, place, arg, state) for place, arg in enumerate(args)]
        terms = [integers.as_integer(arg) for arg in given if isinstance(arg, Term)]
        low = interval(terms[1])[0] if len(terms) == len(args) == 2 else None
        if low is None or low < 1:
            return None
        count = truncated_quotient(add(terms[0], terms[1], number(-1)), terms[1])
        return multiply(count, terms[1]) if name in words().multiples else count

    # --- other calls --------------------------------------------------------------------------------------------------

    def _parse(self, stmt: ir.Call, name: str, args: list[Value], state: State, walk: Walk) -> Value | None:
        """`atoi(argv[1])`: the same text gives the same number, as long as nothing has written it."""
        text = args[0] if args else None
        if stmt.target is None or not isinstance(text, Address) or text.object is None or text.object.kind != "input":
            return self._unknown_call(stmt, name, args, state, walk)
        key = (name, stmt.target.type, text, state.versions.get(text.object, ""))
        if key not in self._parsed:
            self._parsed[key] = self._world.fresh_input(self._evaluator.named(walk.result_name), stmt.target.type)
        return self._parsed[key]

    def _unknown_call(self, stmt: ir.Call, name: str, args: list[Value], state: State, walk: Walk) -> Value | None:
        runtime = is_runtime_call(name)
        short = name.removeprefix("cuda").removeprefix("hip")
        reading = is_input(name)
        keeping = name in words().keeping and bool(args) and is_vector_type(_pointee(stmt.args[0].type))
        if keeping or reading or name in words().writes_first:
            for pointer in args if reading else args[:1]:
                self._forget(pointer, state, walk, approximate=not (reading or keeping))
        elif (
            name not in words().pure
            and name not in words().standard_pure
            and name not in words().ceil_quotients | words().multiples
            and not (runtime and short in words().writes_no_host_variable)
        ):
            for pointer in [arg for i, arg in enumerate(args) if i not in stmt.constant]:
                self._forget(pointer, state, walk, approximate=True)
            remade(stmt, args, state)
        if runtime and stmt.target is not None and isinstance(stmt.target.type, ir.Int):
            refusable = name in words().refusable
            return self._world.fresh_input(self._evaluator.named(name), stmt.target.type) if refusable else number(0)
        computed = name in words().pure and stmt.target is not None and isinstance(stmt.target.type, ir.Int | ir.Bool)
        if (reading or computed) and stmt.target is not None:
            return self._world.fresh_input(self._evaluator.named(walk.result_name), stmt.target.type)
        told = told_by_object(stmt, args, state)
        return self._told_by_input(stmt, name, args, state) if told is None else told

    def _told_by_input(self, stmt: ir.Call, name: str, args: list[Value], state: State) -> Value | None:
        """`x.data()` of an object that the caller gives, whose method is elsewhere and changes nothing: memory of the caller's."""
        if stmt.target is None or not isinstance(stmt.target.type, ir.Pointer) or name not in words().data_methods:
            return None
        if len(args) != 1 or 0 not in stmt.constant or not isinstance(args[0], Address):
            return None
        owner = args[0]
        if owner.object is None or owner.object.kind != "input" or owner.object.name.startswith(APPROXIMATE):
            return None
        return state.unwritten(Address(owner.object, owner.offset, (*owner.fields, f"{name}()")), stmt.target.type)

    def _forget(self, pointer: Value, state: State, walk: Walk, approximate: bool) -> None:
        """A call may write what it gets the address of, and what that points to; a tensor keeps its shape, not its elements."""
        seen: set[HostObject] = set()
        pending = [a.object for a in addresses(pointer)]
        pending += self._buffers_of(pointer.storage) if isinstance(pointer, Tensor) else []
        if isinstance(pointer, Record):
            pending += [a.object for _, v in pointer.members.values() for a in addresses(v)]
        while pending:
            object_ = pending.pop()
            if object_ is None or object_ in seen:
                continue
            seen.add(object_)
            cells = [v for cell, (_, v) in state.cells.items() if cell[0] is object_]
            if approximate:
                self._forget_counts(object_, state)
                self._forget_undefined(object_, state)
                pending += self._world.below(object_)
            pending += [a.object for v in cells for a in addresses(v)]
            pending += [b for v in cells if isinstance(v, Tensor) for b in self._buffers_of(v.storage)]
            pending += self._buffers_of(object_.name) if object_.kind == "allocation" else []
            if not any(isinstance(v, Tensor) for v in cells):
                walk.forget(Address(object_, number(0)), state, approximate)

    def _forget_counts(self, object_: HostObject, state: State) -> None:
        """A vector may have grown."""
        for cell, (type_, value) in list(state.cells.items()):
            if cell[0] is object_ and isinstance(value, Tensor) and _can_grow(type_):
                label = f"{APPROXIMATE}{value.name.removeprefix(APPROXIMATE)}#{self._world.count()}"
                self._world.explain(label, self._world.because)
                state.cells[cell] = (type_, container(type_, label))

    def _forget_undefined(self, object_: HostObject, state: State) -> None:
        """A tensor that has no memory yet may have been made."""
        for cell, (type_, value) in list(state.cells.items()):
            if cell[0] is object_ and isinstance(value, Tensor) and value.undefined is not FALSE:
                label = f"{APPROXIMATE}{value.name.removeprefix(APPROXIMATE)}#{self._world.count()}"
                self._world.explain(label, self._world.because)
                state.cells[cell] = (type_, Tensor(label, storage=label))

    def _buffers_of(self, storage: str) -> list[HostObject]:
        """One buffer, by each of the sizes that it was seen with."""
        return [buffer for buffer in self._buffers.values() if buffer.name == storage]

    def _second_name(self, name: str, args: list[Value], state: State, walk: Walk) -> Value:
        """`cudaHostGetDevicePointer(&d, h, 0)`: another pointer to the same memory."""
        out, source = words().second_names[name]
        if max(out, source) < len(args):
            walk.store(args[out], ir.Pointer(ir.VOID), args[source], state)
        return number(0)

    # --- classes that hold one value --------------------------------------------------------------------------------

    def _held(self, stmt: ir.Call, name: str, args: list[Value], state: State, walk: Walk) -> Value | None:
        """Methods of optionals and of pointers with an owner."""
        owner = class_name(stmt.function)
        if owner in words().optionals and args and isinstance(args[0], Address):
            return self._optional(stmt, name, args, args[0], state)
        if owner in words().pointer_classes and args and isinstance(args[0], Address):
            return self._owned(stmt, name, args, args[0], state, walk)
        if f"{owner}::{name}" in words().device_views and args:
            return self._device_view(stmt, args[0], state)
        if f"{owner}::{name}" in words().bases and args and isinstance(args[0], Address):
            return state.read(args[0], _pointee(stmt.args[0].type))
        if name in ("make_unique", "make_unique_for_overwrite") and stmt.target is not None:
            return self._made_unique(stmt, [self._behind(stmt, i, arg, state) for i, arg in enumerate(args)])
        if (memory := held_by_object(stmt, args, state)) is not None:
            return memory
        if name == "raw_pointer_cast" and args and isinstance(args[0], Record | Address):
            return self._raw(stmt, args[0], state)
        return None

    def _optional(self, stmt: ir.Call, name: str, args: list[Value], owner: Address, state: State) -> Value | None:
        engaged = Address(owner.object, owner.offset, (*owner.fields, "has_value()"))
        if name in ("has_value", "operator bool"):
            return state.read(engaged, ir.BOOL)
        if name == class_name(stmt.function) and len(args) <= 2:
            empty = len(args) == 1 or "nullopt" in str(_pointee(stmt.args[1].type))
            state.write(engaged, ir.BOOL, FALSE if empty else TRUE)
            return owner
        if name in ("value", "operator*", "operator->") and stmt.target is not None:
            inside = Address(owner.object, owner.offset, (*owner.fields, "value"))
            by_reference = isinstance(stmt.target.type, ir.Pointer)
            return inside if by_reference else state.read(inside, stmt.target.type)
        return None

    def _owned(
        self, stmt: ir.Call, name: str, args: list[Value], owner: Address, state: State, walk: Walk
    ) -> Value | None:
        place = Address(owner.object, owner.offset, (*owner.fields, "pointer"))
        if name in ("get", "operator->", "operator*", "release", "operator()") and stmt.target is not None:
            return state.read(place, stmt.target.type) if isinstance(stmt.target.type, ir.Pointer) else None
        if name in ("operator[]", "at") and len(args) > 1 and isinstance(args[1], Term) and stmt.target is not None:
            base = state.read(place, stmt.target.type)
            size = self._evaluator.element_size(stmt.target.type)
            return self._evaluator.moved(base, multiply(integers.as_integer(args[1]), size))
        if name == "operator&" and stmt.target is not None:
            held = state.read(place, ir.Pointer(ir.VOID))
            return Record(stmt.target.type, {(("pointer",), number(0)): (ir.Pointer(ir.VOID), held)})
        if name in ("reset", "operator=", class_name(stmt.function)) and len(args) > 1 and isinstance(args[1], Address):
            other, held = _pointee(stmt.args[1].type), args[1]
            if isinstance(other, ir.Struct) and _last(other.name) in words().pointer_classes:  # copied or moved from
                held = state.read(replace(held, fields=(*held.fields, "pointer")), ir.Pointer(ir.VOID))
            elif name == "operator=":
                return None
            walk.store(place, ir.Pointer(ir.VOID), held, state)
            return args[0]
        return None

    def _behind(self, stmt: ir.Call, position: int, arg: Value, state: State) -> Value:
        """The value of an argument that is passed by reference."""
        pointee = _pointee(stmt.args[position].type)
        by_reference = isinstance(stmt.args[position].type, ir.Pointer) and isinstance(pointee, ir.Int)
        return state.read(arg, pointee) if by_reference and isinstance(arg, Address) else arg

    def _made_unique(self, stmt: ir.Call, args: list[Value]) -> Value | None:
        assert stmt.target is not None
        element = _array_element(stmt.target.type)
        if element is None or len(args) != 1 or not isinstance(args[0], Term):
            return None
        size = multiply(integers.as_integer(args[0]), number(element))
        made = HostObject(
            self._buffer_name(self._result or "make_unique"), "allocation", size, "make_unique", stmt.span
        )
        key = (("pointer",), number(0))
        return Record(stmt.target.type, {key: (ir.Pointer(ir.VOID), Address(made, number(0)))})

    def _device_view(self, stmt: ir.Call, source: Value, state: State) -> Value | None:
        """`column_device_view::create(column)`: an owner of a struct that has what the members of these names have here."""
        if isinstance(source, Address):
            source = state.read(source, _pointee(stmt.args[0].type))
        if stmt.target is None or not isinstance(source, Record):
            return None
        label = self._world.name_for(self._evaluator.named(self._result or "view"))
        held = Address(HostObject(label, "variable"), number(0))
        state.write(held, source.type, source)
        return Record(stmt.target.type, {(("pointer",), number(0)): (ir.Pointer(ir.VOID), held)})

    def _raw(self, stmt: ir.Call, given: Value, state: State) -> Value | None:
        """`thrust::raw_pointer_cast(p)`: `p` is a pointer class, by value or reference, or a plain pointer."""
        type_ = ir.Pointer(ir.VOID)
        if isinstance(given, Record):
            return member_of(self._world, given, (("pointer",), number(0)), type_)
        pointee = _pointee(stmt.args[0].type)
        if (
            isinstance(given, Address)
            and isinstance(pointee, ir.Struct)
            and _last(pointee.name) in words().pointer_classes
        ):
            return state.read(Address(given.object, given.offset, (*given.fields, "pointer")), type_)
        return given

    # --- containers ---------------------------------------------------------------------------------------------------

    def _container(self, stmt: ir.Call, name: str, args: list[Value], state: State, walk: Walk) -> Value | None:
        tensor = self._tensor(stmt, args, state)
        if tensor is None:
            if name in words().creations and _makes_tensor(stmt):
                return self._created(stmt, name, args, None, state)
            return self._constructed(stmt, name, args, state, walk)
        if name in words().size_methods:
            return self._size(tensor, args[1:], state)
        if name in words().count_methods:
            return self._count(tensor, state)
        if name in words().data_methods and stmt.target is not None and isinstance(stmt.target.type, ir.Pointer):
            if name in words().checked_data_methods and not isinstance(stmt.target.type.element, ir.Void):
                state.assume(equal(_item_bytes(tensor), size_term(stmt.target.type.element)), "lasting")
            return self._data(tensor, stmt.target.type, state)
        if name in words().accessors and stmt.target is not None and isinstance(stmt.target.type, ir.Struct):
            return self._accessor(tensor, stmt.target.type, state)
        if name == "push_back" and len(args) == 2 and (appended := self._appended(stmt, tensor, args, state, walk)):
            return appended
        if stmt.target is not None and is_vector_type(_pointee(stmt.args[0].type)):
            element = self._element(stmt, name, tensor, args, state)
            if element is not None:
                return element
        if name in words().rank_methods:
            known = self._checked_rank(tensor.root(), state)
            return self._rank(tensor) if known is None else number(known)
        if name in words().stride_methods:
            return self._stride(tensor, args[1:], state)
        if name == "sizes":
            return Sizes(tensor.dims, tensor)
        if name in words().type_methods and stmt.target is not None:
            if isinstance(stmt.target.type, ir.Int):
                return _item_type(tensor)
            if _is_dlpack_type(stmt.target.type):
                return _dlpack_type(tensor, stmt.target.type)
        if name in words().device_methods and stmt.target is not None:
            return self._world.unknown(f"{tensor.root().name}.device()", stmt.target.type)
        if name in ("element_size", "itemsize"):
            return _item_bytes(tensor)
        if name == "nbytes":
            return multiply(self._count(tensor, state), _item_bytes(tensor))
        return self._derived(stmt, name, tensor, args, state, walk)

    def _accessor(self, tensor: Tensor, type_: ir.Struct, state: State) -> Value | None:
        """`packed_accessor32<float, 2>()`: the tensor has that rank behind it, and is taken to be dense."""
        data = next((f.type for f in type_.fields if isinstance(f.type, ir.Pointer)), None)
        arrays = [(f.name, f.type) for f in type_.fields if isinstance(f.type, ir.Array)]
        rank = arrays[0][1].count if arrays else None
        if data is None or len(arrays) != 2 or not rank:
            return None
        state.assume(equal(self._rank(tensor.root()), number(rank)), "lasting")
        sizes = [integers.as_integer(self._size(tensor, [number(place)], state)) for place in range(rank)]  # type: ignore[arg-type]
        strides = [reduce(multiply, sizes[place + 1 :], number(1)) for place in range(rank)]
        _, largest = type_range(arrays[0][1].element)
        for reach in map(multiply, sizes, strides):  # a tensor with more elements is refused
            state.assume(at_most(reach, number(largest or 0)), "lasting")
        name = next(f.name for f in type_.fields if f.type is data)
        members: dict[MemberKey, tuple[ir.Type, Value]] = {
            ((name,), number(0)): (data, self._data(tensor, data, state))
        }
        for (field, array), values in zip(arrays, (sizes, strides)):
            for (_, offset), value in zip(((k, k[1]) for k, _ in member_keys(array)), values):
                members[((field,), offset)] = (array.element, value)
        return Record(type_, members)

    def _stride(self, tensor: Tensor, places: list[Value], state: State) -> Value | None:
        """Not negative, as ATen has it; the elements of a tensor that was not made here need not be dense."""
        if not _is_made_here(tensor):
            self._world.strided.add(tensor.storage)
        if not places or not isinstance(places[0], Number):
            return None
        place, rank = places[0].value, self._rank_if_known(tensor, state)
        if place < 0 and rank is not None:
            place += rank
        return self._named_stride(tensor, place)

    def _named_stride(self, tensor: Tensor, place: int) -> Term:
        return symbol(f"{tensor.root().name}.stride({place})", 0, LARGEST_SIZE)

    def _rank_if_known(self, tensor: Tensor, state: State) -> int | None:
        root = tensor.root()
        return len(root.dims) if root.dims is not None else self._checked_rank(root, state)

    def _layout(self, tensor: Tensor, item: Term | None, state: State) -> Layout | None:
        """Sizes and strides of a tensor that somebody else made, where its rank is known."""
        if tensor.dims is not None or tensor.like is not None or tensor.count is not None or tensor.made_by:
            return None
        rank = self._checked_rank(tensor, state)
        if not rank or tensor.name.startswith(APPROXIMATE):
            return None
        places = range(rank - 1, -1, -1)
        sizes = tuple(self._named_size(tensor, str(place)) for place in places)
        return Layout(sizes, tuple(self._named_stride(tensor, place) for place in places), _item_type(tensor), item)

    def _element(self, stmt: ir.Call, name: str, tensor: Tensor, args: list[Value], state: State) -> Value | None:
        """`v[i]`, `v.front()`: a place inside the buffer; `v.data()` of a vector whose pointers are a class."""
        assert stmt.target is not None
        type_ = stmt.target.type
        if name in words().data_methods and isinstance(type_, ir.Struct):
            item = _template_element(_pointee(stmt.args[0].type))
            pointer = self._data(tensor, ir.Pointer(item), state) if item is not None else None
            if pointer is None:
                return None
            return Record(type_, {(("pointer",), number(0)): (ir.Pointer(ir.VOID), pointer)})
        if (
            name in ("operator[]", "front")
            and isinstance(type_, ir.Struct)
            and _last(type_.name) in words().pointer_classes
        ):
            return self._proxy(type_, tensor, args, state)
        if not isinstance(type_, ir.Pointer):
            return None
        base = self._data(tensor, type_, state)
        distance: Term | None = None
        if name in ("operator[]", "at", "element_ptr") and len(args) > 1 and isinstance(args[1], Term):
            distance = integers.as_integer(args[1])
        elif name in ("end", "cend", "back") and not tensor.root().name.startswith(APPROXIMATE):
            count = self._count(tensor, state)
            distance = subtract(count, number(1)) if name == "back" else count
        if distance is not None:
            return self._evaluator.moved(base, multiply(distance, self._evaluator.element_size(type_)))
        return base if name == "front" else None

    def _fill(self, made: Tensor, type_: ir.Type, values: list[Value], state: State) -> None:
        """The elements of a vector whose number is known, where they are numbers or pointers."""
        size = ir.size_of(type_)
        if size is None or not isinstance(type_, ir.Int | ir.Pointer):
            return
        base = self._data(made, ir.Pointer(type_), state)
        for position, value in enumerate(values):
            if isinstance(base, Address):
                state.write(Address(base.object, number(position * size)), type_, value)

    def _appended(self, stmt: ir.Call, tensor: Tensor, args: list[Value], state: State, walk: Walk) -> Tensor | None:
        """`v.push_back(x)` of a vector whose elements are known: one more, in memory of its own."""
        type_, count = _pointee(stmt.args[1].type), tensor.dims[0] if tensor.dims is not None else None
        if not isinstance(count, Number) or not isinstance(type_, ir.Int | ir.Pointer) or count.value >= _MOST_ELEMENTS:
            return None
        size, base = ir.size_of(type_) or 0, self._data(tensor, ir.Pointer(type_), state)
        if not isinstance(base, Address) or not isinstance(args[0], Address):
            return None
        places = [Address(base.object, number(position * size)) for position in range(count.value)]
        last = state.read(args[1], type_) if isinstance(args[1], Address) else args[1]
        values = [*(state.read(place, type_) for place in places), last]
        label = f"{_pointer_name(args[0], 'vector')}#{self._world.count()}"
        vector = _pointee(stmt.args[0].type)
        made = container(vector, label, number(count.value + 1), f"vector of {count.value + 1}")
        self._fill(made, type_, values, state)
        walk.store(args[0], vector, made, state)
        return made

    def _proxy(self, type_: ir.Struct, tensor: Tensor, args: list[Value], state: State) -> Value | None:
        """`v[i]` of a device_vector is an object that knows the place."""
        item = _template_element(type_)
        if item is None:
            return None
        base: Value = self._data(tensor, ir.Pointer(item), state)
        if len(args) > 1 and isinstance(args[1], Term):
            base = self._evaluator.moved(base, multiply(integers.as_integer(args[1]), size_term(item)))
        return Record(type_, {(("pointer",), number(0)): (ir.Pointer(ir.VOID), base)})

    def _derived(
        self, stmt: ir.Call, name: str, tensor: Tensor, args: list[Value], state: State, walk: Walk
    ) -> Value | None:
        if name in words().same_tensor:
            if name == "operator=" and len(args) > 1:
                self._assign(_pointee(stmt.args[0].type), args, state, walk)
            return tensor
        if name in words().same_shape:
            made_by = f"{name}({plain(tensor.name)})"
            storage = self._storage(stmt, name)
            return Tensor(self._fresh_tensor(stmt, name), like=tensor, storage=storage, made_by=made_by)
        if name in words().views and not _names_a_type(stmt):
            label, count = self._fresh_tensor(stmt, name), self._count(tensor, state)
            dims = self._completed(self._result or name, _dims_of(args[1:]), count, state)
            return Tensor(label, dims, None, tensor.storage, count)
        if name in words().creations:
            return self._created(stmt, name, args[1:], tensor, state)
        shape = self._shape_of_result(stmt, name, tensor, args, state)
        if shape is not None:
            return self._shaped(stmt, name, tensor, shape)
        if stmt.target is not None and (is_tensor_type(stmt.target.type) or is_vector_type(stmt.target.type)):
            label, storage = f"~{self._fresh_tensor(stmt, name)}", self._storage(stmt, name)
            self._world.explain(label, f"result of {name}")
            made = Tensor(label, storage=storage, thin=name in words().thin_views)
            if name in words().rearranging:
                state.assume(equal(self._count(made, state), self._count(tensor, state)), "lasting")
            return made
        if name in ("resize", "assign", "resize_") and args:
            return self._resize(tensor, _pointee(stmt.args[0].type), args, state, walk)
        if name in ("push_back", "emplace_back", "insert", "clear", "erase", "swap", "pop_back"):
            for pointer in args[:1]:
                walk.forget(pointer, state)
        return None

    def _shaped(self, stmt: ir.Call, name: str, tensor: Tensor, shape: tuple[Term, ...]) -> Tensor:
        made = f"{name} of {plain(tensor.name)}, {{{', '.join(plain_term(d) for d in shape)}}}"
        return Tensor(self._fresh_tensor(stmt, name), shape, None, self._storage(stmt, name), made_by=made)

    def _shape_of_result(
        self, stmt: ir.Call, name: str, tensor: Tensor, args: list[Value], state: State
    ) -> tuple[Term, ...] | None:
        """The sizes of what an operation of linear algebra gives: of products, transposed matrices, sums along a dimension."""
        first = self._dims(tensor, state, 2 if name in words().matrix_products else None)
        if first is None:
            return None
        if name in words().matrix_products or name in words().products:
            other = self._argument(stmt, 1, args, state)
            second = self._dims(other, state, 2 if name in words().matrix_products else None) if other else None
            return (first[0], second[1]) if second is not None and len(first) == len(second) == 2 else None
        places = [a.value for a in args[1:] if isinstance(a, Number)]
        if name in words().swaps and len(first) >= 2 and len(places) == len(args) - 1 and len(places) in (0, 2):
            a, b = (place % len(first) for place in places or (0, 1))
            swapped = {a: first[b], b: first[a]}
            return tuple(swapped.get(place, dim) for place, dim in enumerate(first))
        if name in words().sums and len(args) == 2 and len(places) == 1 and len(first) > 1:
            left_out = places[0] % len(first)
            return tuple(dim for place, dim in enumerate(first) if place != left_out)
        return None

    def _argument(self, stmt: ir.Call, position: int, args: list[Value], state: State) -> Tensor | None:
        if position >= len(args):
            return None
        given, type_ = args[position], stmt.args[position].type
        if isinstance(given, Address) and isinstance(type_, ir.Pointer):
            given = state.read(given, type_.element)
        return given if isinstance(given, Tensor) else None

    def _dims(self, tensor: Tensor, state: State, rank: int | None) -> tuple[Term, ...] | None:
        """The sizes of a tensor of known rank; `rank` where the operation takes no other."""
        root = tensor.root()
        if root.dims is not None:
            return root.dims
        rank = rank or self._checked_rank(root, state)
        return None if rank is None else tuple(self._named_size(root, str(index)) for index in range(rank))

    def _completed(
        self, label: str, dims: tuple[Term, ...] | None, count: Term, state: State
    ) -> tuple[Term, ...] | None:
        """The sizes of a view; one that is left out (-1) makes their product the number of elements."""
        left_out = [place for place, dim in enumerate(dims or ()) if _negative(dim)]
        if dims is None or len(left_out) > 1:
            return None
        if not left_out:
            return dims
        place = left_out[0]
        others = reduce(multiply, (d for d in dims if d is not dims[place]), number(1))
        size = count
        if not is_number(others, 1):
            name = self._world.name_for(self._evaluator.named(f"{label}.size({place})"))
            size = symbol(name, 0, LARGEST_SIZE)
            state.assume(equal(multiply(size, others), count), "lasting")
        return (*dims[:place], size, *dims[place + 1 :])

    def _tensor(self, stmt: ir.Call, args: list[Value], state: State) -> Tensor | None:
        """The container that the first argument is, or points to."""
        if not args or not stmt.args:
            return None
        first = args[0]
        if isinstance(first, Tensor):
            return first
        declared = stmt.args[0].type
        element = _base_of(_pointee(declared), stmt.function)
        if isinstance(first, Address) and (is_tensor_type(element) or is_vector_type(element)):
            if _is_constructor(stmt.function):
                return None
            found = state.read(first, element)
            return found if isinstance(found, Tensor) else None
        return None

    def _constructed(self, stmt: ir.Call, name: str, args: list[Value], state: State, walk: Walk) -> Value | None:
        """`std::vector<int> v(n)`, `Tensor y(x)`."""
        if not args or not isinstance(args[0], Address) or not _is_constructor(stmt.function):
            return None
        declared = stmt.args[0].type
        element = declared.element if isinstance(declared, ir.Pointer) else declared
        if name in words().size_lists and len(args) > 1:
            return self._listed(args, stmt.args[1].type, element, state, walk)
        if not (is_vector_type(element) or is_tensor_type(element)):
            return None
        name = class_name(stmt.function)
        pointees = [_pointee(a.type) for a in stmt.args[1:3] if isinstance(a.type, ir.Pointer)]
        between = len(pointees) == 2 and pointees[0] == pointees[1] and pointees[0] != element
        if not between:
            args = [args[0], *(self._behind(stmt, i, arg, state) for i, arg in enumerate(args[1:], 1))]
        label = self._own_label(args[0], name)
        empty = TRUE if is_tensor_type(element) else FALSE
        made: Value = Tensor(label, None if empty is TRUE else (number(0),), storage=label, undefined=empty)
        counts = [arg for arg in args[1:3] if isinstance(arg, Term)]
        counted = bool(counts) and (
            name in words().byte_classes or args[1] is counts[0]
        )  # bytes may be copied from a pointer
        if name in words().scalar_classes:
            made = container(element, label, made_by=name)
        elif (written := _written_out(stmt.args[1:])) is not None and is_vector_type(element):
            made = container(element, label, number(len(written)), f"{name} of {len(written)}")
            self._fill(made, written[0].type if written else ir.VOID, _listed_values(args[1]), state)
        elif counted and is_vector_type(element):
            made = container(element, label, integers.as_integer(counts[0]), f"{name} of {plain_term(counts[0])}")
        elif len(args) > 1:
            source = state.read(args[1], element) if isinstance(args[1], Address) and not between else args[1]
            count = self._distance(args[1], args[2], stmt.args[1].type) if between else None
            if count is not None and _can_grow(element):
                made = container(element, label, count, f"{name} of {plain_term(count)}")
            elif isinstance(source, Tensor):
                made = self._carried(source, _copied(source, element, label), state)
            else:
                made = container(element, f"~{label}#{self._world.count()}")
        walk.store(args[0], element, made, state)
        return made

    def _distance(self, first: Value, last: Value, type_: ir.Type) -> Term | None:
        """Elements from one pointer to another of the same memory."""
        if not isinstance(first, Address) or not isinstance(last, Address) or first.object is not last.object:
            return None
        size = self._evaluator.element_size(type_)
        if first.object is None or first.fields != last.fields or is_number(size, 0):
            return None
        bytes_ = subtract(last.offset, first.offset)
        return quotient(bytes_, size) if is_number(remainder(bytes_, size), 0) else None

    def _own_label(self, pointer: Value, name: str) -> str:
        """The name of the variable that is made; those of several calls of one function are different ones."""
        label, found = _pointer_name(pointer, name), addresses(pointer)
        object_ = found[0].object if found else None
        if object_ is None or self._makers.setdefault(label, object_) is object_:
            return label
        return self._labels.setdefault((object_, label), f"{label}#{self._world.count()}")

    def _listed(self, args: list[Value], given: ir.Type, element: ir.Type, state: State, walk: Walk) -> Value | None:
        """`IntArrayRef sizes({a, b})`"""
        source = args[1]
        if isinstance(source, Address) and isinstance(given, ir.Pointer):
            source = state.read(source, given.element)
        if isinstance(source, Sizes):
            walk.store(args[0], element, source, state)
            return source
        return None

    def kept_apart(self, pointer: Value, type_: ir.Type, value: Value, state: State) -> Value:
        """`vector<int> o = d` is a copy where `d` lives on beside it."""
        if not isinstance(value, Tensor) or not is_vector_type(type_):
            return value
        here = {a.object for a in addresses(pointer)}
        others = (v for (held, *_), (_, v) in state.cells.items() if held not in here and held.kind == "variable")
        if not any(isinstance(v, Tensor) and v.storage == value.storage for v in others):
            return value
        return self._carried(value, _copied(value, type_, self._own_label(pointer, "vector")), state)

    def _carried(self, source: Tensor, made: Tensor, state: State) -> Tensor:
        """The copy of a vector, with the elements that are known of the other one."""
        known = [(c[2], v) for c, v in state.cells.items() if c[0].name == source.storage and not c[1]]
        for offset, (type_, value) in known if made.storage != source.storage else ():
            base = self._data(made, ir.Pointer(type_), state) if isinstance(offset, Number) else None
            if isinstance(base, Address):
                state.write(Address(base.object, offset), type_, value)
        return made

    def _assign(self, type_: ir.Type, args: list[Value], state: State, walk: Walk) -> None:
        source = args[1]
        if isinstance(source, Address):
            source = state.read(source, type_)
        if isinstance(source, Tensor) and is_vector_type(type_):
            source = self._carried(source, _copied(source, type_, self._own_label(args[0], "vector")), state)
        walk.store(args[0], type_, source, state)

    def _resize(self, tensor: Tensor, type_: ir.Type, args: list[Value], state: State, walk: Walk) -> Tensor:
        label = f"{_pointer_name(args[0], 'vector')}#{self._world.count()}"
        if len(args) > 1 and isinstance(args[1], Term):
            count = integers.as_integer(args[1])
            made = replace(container(type_, label, count, f"resize to {shown(count)}"), item=tensor.item)
        else:
            made = container(type_, f"{APPROXIMATE}{label}")
        walk.store(args[0], type_, made, state)
        return made

    def _created(self, stmt: ir.Call, name: str, args: list[Value], owner: Tensor | None, state: State) -> Tensor:
        made = f"{'torch::' if owner is None else ''}{name}"
        label, storage = self._fresh_tensor(stmt, name), self._storage(stmt, name)
        for arg in args:
            if isinstance(arg, Sizes) and arg.tensor is not None and arg.dims is None:
                return Tensor(
                    label, like=arg.tensor, storage=storage, made_by=f"{made}({plain(arg.tensor.name)}.sizes())"
                )
        dims = _dims_of(args)
        if dims is None:
            return Tensor(f"~{label}", storage=storage)
        return Tensor(label, dims, None, storage, made_by=f"{made}({{{', '.join(plain_term(d) for d in dims)}}})")

    def _fresh_tensor(self, stmt: ir.Call, name: str) -> str:
        return self._evaluator.named(f"{name}#{self._world.count()}")

    def _storage(self, stmt: ir.Call, name: str) -> str:
        return self._evaluator.named(f"{self._result or name}#{self._world.count()}")

    def _size(self, tensor: Tensor, args: list[Value], state: State) -> Value:
        if tensor.either is not None and tensor.like is None:
            cond, then, orelse = tensor.either
            sizes = [self._size(each, args, state) for each in (then, orelse)]
            if all(isinstance(size, Term) for size in sizes):
                return choice(cond, *(integers.as_integer(size) for size in sizes))  # type: ignore[arg-type]
        index = args[0] if args else None
        if index is None:
            return tensor.dims[0] if tensor.dims is not None and len(tensor.dims) == 1 else self._count(tensor, state)
        root = tensor.root()
        if not isinstance(index, Number):
            from_end = subtract(integers.as_integer(index), self._rank(root)) if isinstance(index, Term) else index
            if not isinstance(from_end, Number):
                return symbol(f"~{root.name}.size(?)#{self._world.count()}", 0, LARGEST_SIZE)
            index = from_end
        if root.dims is not None and -len(root.dims) <= index.value < len(root.dims):
            return root.dims[index.value]
        rank = self._checked_rank(root, state) if index.value < 0 else None
        return self._named_size(root, str(index.value + (rank or 0)))

    def _named_size(self, tensor: Tensor, index: str) -> Term:
        return symbol(f"{tensor.root().name}.size({index})", 0, LARGEST_SIZE)

    def _rank(self, tensor: Tensor) -> Term:
        root = tensor.root()
        return number(len(root.dims)) if root.dims is not None else symbol(f"{root.name}.dim()", 0, 64)

    def _count(self, tensor: Tensor, state: State) -> Term:
        """The number of elements: the product of the sizes where the rank is known."""
        if tensor.count is not None:
            return tensor.count
        if tensor.either is not None and tensor.like is None:
            cond, then, orelse = tensor.either
            return choice(cond, self._count(then, state), self._count(orelse, state))
        root = tensor.root()
        if root.count is not None:
            return root.count
        if root.dims is not None:
            product = number(1)
            for dim in root.dims:
                product = multiply(product, dim)
            return product
        rank = self._checked_rank(root, state)
        if rank is None:
            return symbol(f"{root.name}.numel()", 0, LARGEST_SIZE)
        product = number(1)
        for index in range(rank):
            product = multiply(product, self._named_size(root, str(index)))
        return product

    def _checked_rank(self, root: Tensor, state: State) -> int | None:
        """The rank that the host code has checked, of this tensor or of one whose shape it compared with this one's."""
        parts = {part for c in state.path for part in (c.term.parts[0] if isinstance(c.term, All) else (c.term,))}
        rank = self._rank(root)
        same = [rank, *(other for other in self._compared.get(rank, ()) if equal(rank, other) in parts)]
        found = (r for r in range(_LARGEST_RANK) for term in same if equal(term, number(r)) in parts)
        return next(found, None)

    def _same_shape(self, a: Sizes, b: Sizes) -> Term:
        """Whether two shapes agree, as far as a rank that tensors have goes."""
        ranks = [self._rank_of(sizes) for sizes in (a, b)]
        for rank, other in (ranks, ranks[::-1]):
            self._compared.setdefault(rank, []).append(other)
        known = next((len(sizes.dims) for sizes in (a, b) if sizes.dims is not None), None)
        indices = range(_ORDINARY_RANK if known is None else known)
        parts = [equal(self._size_at(a, index), self._size_at(b, index)) for index in indices]
        if known is None:
            parts += [equal(self._size_at(a, -1 - index), self._size_at(b, -1 - index)) for index in indices]
            counts = [
                symbol(f"{s.tensor.root().name}.numel()", 0, LARGEST_SIZE) for s in (a, b) if s.tensor is not None
            ]
            parts += [equal(*counts)] if len(counts) == 2 else []
        return conjunction(equal(*ranks), *parts)

    def _rank_of(self, sizes: Sizes) -> Term:
        if sizes.dims is not None:
            return number(len(sizes.dims))
        assert sizes.tensor is not None
        return self._rank(sizes.tensor)

    def _size_at(self, sizes: Sizes, index: int) -> Term:
        if sizes.dims is not None:
            return sizes.dims[index]
        assert sizes.tensor is not None
        return self._named_size(sizes.tensor, str(index))

    def _compared_shapes(self, stmt: ir.Call, name: str, args: list[Value], state: State) -> Term | None:
        """`a.sizes() == b.sizes()`, `a.sizes().equals(b.sizes())`, `a.is_same_size(b)`"""
        if name not in words().shape_comparisons or len(args) != 2:
            return None
        shapes = [self._shape_behind(stmt, position, arg, state) for position, arg in enumerate(args)]
        if any(shape is None for shape in shapes):
            return None
        same = self._same_shape(*(shape for shape in shapes if shape is not None))
        return negation(same) if name == "operator!=" else same

    def _shape_behind(self, stmt: ir.Call, position: int, arg: Value, state: State) -> Sizes | None:
        if isinstance(arg, Address):
            arg = state.read(arg, _pointee(stmt.args[position].type))
        if isinstance(arg, Tensor) and position < 2 and simple_name(stmt.function) == "is_same_size":
            root = arg.root()
            arg = Sizes(root.dims, root)
        return arg if isinstance(arg, Sizes) and (arg.dims is not None or arg.tensor is not None) else None

    def _data(self, tensor: Tensor, type_: ir.Pointer, state: State) -> Address | Either:
        """The buffer, or none of a tensor that only some paths have made."""
        if tensor.either is not None:
            cond, then, orelse = tensor.either
            return Either(cond, self._data(then, type_, state), self._data(orelse, type_, state))
        found = self._buffer(tensor, type_, state)
        return found if tensor.undefined in (FALSE, TRUE) else Either(tensor.undefined, NULL, found)

    def _buffer(self, tensor: Tensor, type_: ir.Pointer, state: State) -> Address:
        """The buffer; its size follows from the element type that the pointer has."""
        item = tensor.item or size_term(type_.element)
        thin = tensor.root().thin
        untyped = isinstance(type_.element, ir.Void) and tensor.item is None
        count = self._count(tensor, state) if not thin else None
        size = None if count is None or untyped else multiply(count, item)
        key = f"{tensor.storage} {size!r}"
        if key not in self._buffers:
            made = tensor.made_by or f"tensor {plain(tensor.name)}"
            untold = f"the type of the elements of {plain(tensor.name)} is not checked"
            why = f"{plain(tensor.root().name)} may have more elements than memory" if thin else untold
            items, given = count if untyped else None, not tensor.made_by and not tensor.root().made_by
            layout = self._layout(tensor, None if untyped else item, state)
            self._buffers[key] = HostObject(
                tensor.storage, "allocation", size, made, None, why, items, _item_type(tensor), given, layout
            )
        return Address(self._buffers[key], number(0))


_TEMPLATE_ELEMENT: dict[str, ir.Type] = {
    "float": ir.F32,
    "double": ir.F64,
    "int": ir.INT32,
    "unsigned int": ir.UINT32,
    "char": ir.INT8,
    "long": ir.INT64,
    "unsigned long": ir.UINT64,
    "unsigned char": ir.UINT8,
    "short": ir.INT16,
}


def _base_of(type_: ir.Type, method: str) -> ir.Type:
    """The class of a method that a class of the project inherits: `rmm::device_scalar` of `app::device_scalar<long>`."""
    owner, _, _ = _without_template_arguments(method).rpartition("::")
    if isinstance(type_, ir.Struct) and type_.fields and owner != _without_template_arguments(type_.name).strip():
        return ir.Unknown(owner)
    return type_


def _template_element(type_: ir.Type) -> ir.Type | None:
    """T of a `device_vector<T>` of a fundamental T."""
    name = type_.name if isinstance(type_, ir.Struct | ir.Unknown) else ""
    inner = name.partition("<")[2].split(",")[0].rstrip("> ").strip()
    return _TEMPLATE_ELEMENT.get(inner)


def _pointee(type_: ir.Type) -> ir.Type:
    return type_.element if isinstance(type_, ir.Pointer) else type_


_ARRAY_OF = re.compile(r"<(?:const )?([\w ]+?)\s*\[\]")
_ELEMENT_BYTES = {"float": 4, "int": 4, "unsigned int": 4, "double": 8, "char": 1, "unsigned char": 1, "long": 8}


def _array_element(type_: ir.Type) -> int | None:
    """Bytes of T where the type is `unique_ptr<T[]>` of a fundamental T."""
    found = _ARRAY_OF.search(type_.name) if isinstance(type_, ir.Struct | ir.Unknown) else None
    return _ELEMENT_BYTES.get(found[1]) if found else None


def _place_type(place: ir.Place) -> ir.Type:
    return place.var.type if isinstance(place, ir.Variable) else place.type


def _last(name: str) -> str:
    return name.split("<")[0].split("::")[-1].split(" ")[-1]


def _item_type(tensor: Tensor) -> Term:
    """The at::ScalarType of a tensor; one made `like` another need not have the other's."""
    return symbol(f"{tensor.name}.scalar_type()", 0, 127)


def _is_made_here(tensor: Tensor) -> bool:
    """By a call that gives dense memory: what only copies or converts may give the tensor that it got."""
    name = tensor.made_by.partition("(")[0].removeprefix("torch::")
    return tensor.dims is not None and name in words().creations


def _copied(source: Tensor, type_: ir.Type, label: str) -> Tensor:
    """What is made of another container: a vector has memory of its own, a tensor or a view shares the other's."""
    if not _can_grow(type_):
        return source
    made = source.made_by or source.root().made_by or f"copy of {plain(source.name)}"
    return Tensor(label, like=source.root(), storage=label, item=source.item, made_by=made)


def _can_grow(type_: ir.Type) -> bool:
    return is_vector_type(type_) and not _class_of(type_).endswith(("span", "view"))


def _class_of(type_: ir.Type) -> str:
    return class_name(f"{type_.name}::") if isinstance(type_, ir.Struct | ir.Unknown) else ""


def _is_dlpack_type(type_: ir.Type) -> bool:
    return isinstance(type_, ir.Struct) and tuple(f.name for f in type_.fields) == ("code", "bits", "lanes")


def _dlpack_type(tensor: Tensor, type_: ir.Type) -> Record:
    """DLPack's type of an element: its kind, its width, and how many of them are one element (1 wherever one is passed on)."""
    members: dict[MemberKey, tuple[ir.Type, Value]] = {}
    for key, member in member_keys(type_):
        low, high = (1, 255) if key[0] == ("lanes",) else type_range(member)
        members[key] = (member, symbol(f"{tensor.name}.dtype().{key[0][0]}", low, high))
    return Record(type_, members)


def _item_bytes(tensor: Tensor) -> Term:
    """The bytes of one element of a tensor."""
    return symbol(f"{tensor.name}.element_size()", 1, 16)


def _makes_tensor(stmt: ir.Call) -> bool:
    return stmt.target is not None and is_tensor_type(stmt.target.type)


def _names_a_type(stmt: ir.Call) -> bool:
    """`x.view(torch::kInt)`: the same memory as elements of another type."""
    return len(stmt.args) == 2 and isinstance(stmt.args[1].type, ir.Int) and stmt.args[1].type.bits == 8


def _dims_of(args: list[Value]) -> tuple[Term, ...] | None:
    """The sizes in a braced list or in leading integer arguments."""
    for arg in args[:1]:
        if isinstance(arg, Sizes) and arg.dims is not None:
            return arg.dims
        if isinstance(arg, Record) and arg.origin is None:
            terms = [integers.as_integer(v) for _, v in arg.members.values() if isinstance(v, Term)]
            return tuple(terms) if len(terms) == len(arg.members) else None
    leading: list[Term] = []
    for arg in args:
        if not isinstance(arg, Term):
            break
        leading.append(integers.as_integer(arg))
    return tuple(leading) if leading else None


def _negative(term: Term) -> bool:
    return isinstance(term, Number) and term.value < 0


def _pointer_name(pointer: Value, fallback: str) -> str:
    found = addresses(pointer)
    if not found or found[0].object is None:
        return fallback
    address = found[0]
    index = "" if address.offset is number(0) else f"[{address.offset!r}]"
    assert address.object is not None
    return address.object.name + index + "".join("." + f for f in address.fields)


def is_input(name: str) -> bool:
    """Whether what the call returns and writes comes from outside the program."""
    return name in words().inputs or name.startswith(tuple(words().input_prefixes))


def is_runtime_call(name: str) -> bool:
    """`cudaMemcpy`, but not `cuda_blocks` or `cudalib`."""
    return any(name.startswith(p) and name[len(p) : len(p) + 1].isupper() for p in words().success_prefixes)


def simple_name(qualified: str) -> str:
    """`size` of `at::Tensor::size<int>`; operators keep their name."""
    name = _without_template_arguments(qualified)
    return name.split("::")[-1].strip()


def _written_out(given: tuple[ir.Expr, ...]) -> tuple[ir.Expr, ...] | None:
    """The elements of `vector<int> v{0, 3, 5}`."""
    listed = given[0].args if len(given) == 1 and isinstance(given[0], ir.Opaque) else ()
    array = listed[0] if len(listed) == 1 else None
    if not isinstance(array, ir.Construct) or not isinstance(array.type, ir.Array) or _LIST not in str(given[0].type):
        return None
    return array.args if len(array.args) == array.type.count else None


def _listed_values(given: Value) -> list[Value]:
    """What a braced list holds, in order."""
    if isinstance(given, Sizes):
        return list(given.dims or ())
    return [value for _, value in given.members.values()] if isinstance(given, Record) else []


def _is_constructor(qualified: str) -> bool:
    """`Tensor::Tensor`, and `host_vector::vector`, which is inherited."""
    name, owner = simple_name(qualified), class_name(qualified)
    return bool(name) and (name == owner or {name, owner} <= words().vector_classes)


def class_name(qualified: str) -> str:
    """`Tensor` of `at::Tensor::size`, or nothing for a free function."""
    parts = _without_template_arguments(qualified).split("::")
    return parts[-2].strip() if len(parts) > 1 else ""


def _without_template_arguments(name: str) -> str:
    if "operator" in name:
        head, _, tail = name.partition("operator")
        return _without_template_arguments(head) + "operator" + tail
    kept: list[str] = []
    deep = 0
    for char in name.split("(")[0]:
        deep += char == "<"
        if deep == 0:
            kept.append(char)
        deep -= char == ">"
    return "".join(kept)


def plain_term(value: Value) -> str:
    return shown(value) if isinstance(value, Term) else "?"
