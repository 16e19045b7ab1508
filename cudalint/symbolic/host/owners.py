"""Classes that hold one value: optionals, pointers with an owner, views on the device."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.symbolic.host.accessors import held_by_object
from cudalint.symbolic.host.columns import column_call
from cudalint.symbolic.host.joins import member_of
from cudalint.symbolic.host.names import array_element, class_name, last_name, pointee_of
from cudalint.symbolic.host.site import Site, behind
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.values import Address, HostObject, Record, Value
from cudalint.symbolic.host_vocabulary import words
from cudalint.symbolic.walk import integers
from cudalint.term import FALSE, TRUE, Term, multiply, number

if TYPE_CHECKING:
    from cudalint.symbolic.host.walk import Walk


class Owners:
    def __init__(self, site: Site) -> None:
        self._site = site

    def held(self, stmt: ir.Call, name: str, args: list[Value], state: State, walk: Walk) -> Value | None:
        """Methods of optionals and of pointers with an owner."""
        owner = class_name(stmt.function)
        if owner in words().optionals and args and isinstance(args[0], Address):
            return self._optional(stmt, name, args, args[0], state)
        if owner in words().pointer_classes and args and isinstance(args[0], Address):
            return self._owned(stmt, name, args, args[0], state, walk)
        if f"{owner}::{name}" in words().device_views and args:
            return self._device_view(stmt, args[0], state)
        if f"{owner}::{name}" in words().bases and args and isinstance(args[0], Address):
            return state.read(args[0], pointee_of(stmt.args[0].type))
        if name in ("make_unique", "make_unique_for_overwrite") and stmt.target is not None:
            return self._made_unique(stmt, [behind(stmt, i, arg, state) for i, arg in enumerate(args)])
        if (column := column_call(self._site, stmt, args, state)) is not None:
            return column
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
            empty = len(args) == 1 or "nullopt" in str(pointee_of(stmt.args[1].type))
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
            size = self._site.evaluator.element_size(stmt.target.type)
            return self._site.evaluator.moved(base, multiply(integers.as_integer(args[1]), size))
        if name == "operator&" and stmt.target is not None:
            held = state.read(place, ir.Pointer(ir.VOID))
            return Record(stmt.target.type, {(("pointer",), number(0)): (ir.Pointer(ir.VOID), held)})
        if name in ("reset", "operator=", class_name(stmt.function)) and len(args) > 1 and isinstance(args[1], Address):
            other, held = pointee_of(stmt.args[1].type), args[1]
            if (
                isinstance(other, ir.Struct) and last_name(other.name) in words().pointer_classes
            ):  # copied or moved from
                held = state.read(replace(held, fields=(*held.fields, "pointer")), ir.Pointer(ir.VOID))
            elif name == "operator=":
                return None
            walk.store(place, ir.Pointer(ir.VOID), held, state)
            return args[0]
        return None

    def _made_unique(self, stmt: ir.Call, args: list[Value]) -> Value | None:
        assert stmt.target is not None
        element = array_element(stmt.target.type)
        if element is None or len(args) != 1 or not isinstance(args[0], Term):
            return None
        size = multiply(integers.as_integer(args[0]), number(element))
        made = HostObject(
            self._site.buffer_name(self._site.result or "make_unique"), "allocation", size, "make_unique", stmt.span
        )
        key = (("pointer",), number(0))
        return Record(stmt.target.type, {key: (ir.Pointer(ir.VOID), Address(made, number(0)))})

    def _device_view(self, stmt: ir.Call, source: Value, state: State) -> Value | None:
        """`column_device_view::create(column)`: an owner of a struct that has what the members of these names have here."""
        if isinstance(source, Address):
            source = state.read(source, pointee_of(stmt.args[0].type))
        if stmt.target is None or not isinstance(source, Record):
            return None
        label = self._site.world.name_for(self._site.evaluator.named(self._site.result or "view"))
        held = Address(HostObject(label, "variable"), number(0))
        state.write(held, source.type, source)
        return Record(stmt.target.type, {(("pointer",), number(0)): (ir.Pointer(ir.VOID), held)})

    def _raw(self, stmt: ir.Call, given: Value, state: State) -> Value | None:
        """`thrust::raw_pointer_cast(p)`: `p` is a pointer class, by value or reference, or a plain pointer."""
        type_ = ir.Pointer(ir.VOID)
        if isinstance(given, Record):
            return member_of(self._site.world, given, (("pointer",), number(0)), type_)
        pointee = pointee_of(stmt.args[0].type)
        if (
            isinstance(given, Address)
            and isinstance(pointee, ir.Struct)
            and last_name(pointee.name) in words().pointer_classes
        ):
            return state.read(Address(given.object, given.offset, (*given.fields, "pointer")), type_)
        return given
