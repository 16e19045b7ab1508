"""Vectors and other containers that own their elements: made, copied, filled one by one, resized, read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.symbolic.host.cells import HELD
from cudalint.symbolic.host.contents import forget_contents
from cudalint.symbolic.host.evaluate import size_term
from cudalint.symbolic.host.made_filled import fill_vector
from cudalint.symbolic.host.names import (
    can_grow,
    class_name,
    is_constructor,
    last_name,
    plain_term,
    pointee_of,
    pointer_name,
    template_element,
)
from cudalint.symbolic.host.shapes import Shapes
from cudalint.symbolic.host.site import Site, behind
from cudalint.symbolic.host.size_lists import as_vector, sizes_in
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.tensor_lists import tensor_list
from cudalint.symbolic.host.text import plain, shown
from cudalint.symbolic.host.values import (
    APPROXIMATE,
    Address,
    HostObject,
    Record,
    Sizes,
    Tensor,
    Value,
    addresses,
    container,
    is_tensor_type,
    is_vector_type,
)
from cudalint.symbolic.host_vocabulary import words
from cudalint.symbolic.walk import integers
from cudalint.term import FALSE, TRUE, Number, Term, is_number, multiply, number, quotient, remainder, subtract

if TYPE_CHECKING:
    from cudalint.symbolic.host.walk import Walk


_LIST = "initializer_list"
_MOST_ELEMENTS = 64  # of a vector that a program fills one by one


class Vectors:
    def __init__(self, site: Site, shapes: Shapes) -> None:
        self._site, self._shapes = site, shapes
        self._makers: dict[str, HostObject] = {}  # the variable that first had a container of this name
        self._labels: dict[tuple[HostObject, str], str] = {}

    def constructed(self, stmt: ir.Call, name: str, args: list[Value], state: State, walk: Walk) -> Value | None:
        """`std::vector<int> v(n)`, `Tensor y(x)`."""
        if not args or not isinstance(args[0], Address) or not is_constructor(stmt.function):
            return None
        declared = stmt.args[0].type
        element = declared.element if isinstance(declared, ir.Pointer) else declared
        if name in words().size_lists and len(args) > 1:
            return self._listed(args, stmt.args[1].type, element, state, walk)
        if not (is_vector_type(element) or is_tensor_type(element)):
            return None
        name = class_name(stmt.function)
        pointees = [pointee_of(a.type) for a in stmt.args[1:3] if isinstance(a.type, ir.Pointer)]
        between = len(pointees) == 2 and pointees[0] == pointees[1] and pointees[0] != element
        if not between:
            args = [args[0], *(behind(stmt, i, arg, state) for i, arg in enumerate(args[1:], 1))]
        label = self._own_label(args[0], name)
        self._forget_contents(label, state)
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
            self._fill_all(made, element, name, args[2:], state)
        elif len(args) > 1:
            source = state.read(args[1], element) if isinstance(args[1], Address) and not between else args[1]
            count = self._distance(args[1], args[2], stmt.args[1].type) if between else None
            if count is not None and can_grow(element):
                made = container(element, label, count, f"{name} of {plain_term(count)}")
            elif isinstance(source, Tensor):
                made = self._carried(source, _copied(source, element, label), state)
            else:
                made = container(element, f"~{label}#{self._site.world.count()}")
        walk.store(args[0], element, made, state)
        return made

    def _fill_all(self, made: Tensor, type_: ir.Type, name: str, given: list[Value], state: State) -> None:
        """`vector<int> v(n)` is all zeros, `vector<int> v(n, 7)` all sevens."""
        item = template_element(type_)
        if item is not None and name in words().initialised_classes and len(given) < 2:
            fill_vector(self._shapes.data(made, ir.Pointer(item), state), item, given[0] if given else number(0), state)

    def _listed(self, args: list[Value], given: ir.Type, element: ir.Type, state: State, walk: Walk) -> Value | None:
        """`IntArrayRef sizes({a, b})`"""
        source = args[1]
        if isinstance(source, Address) and isinstance(given, ir.Pointer):
            source = state.read(source, given.element)
        if isinstance(source, Tensor) and isinstance(given, ir.Pointer) and is_vector_type(given.element):
            source = sizes_in(source, given.element, self._shapes, state) or source
        source = tensor_list(args[1], element, state) or source
        if isinstance(source, Sizes | Record):
            walk.store(args[0], element, source, state)
            return source
        return None

    def of_sizes(self, stmt: ir.Call, sizes: Sizes, state: State) -> Tensor | None:
        """`x.sizes().vec()`"""
        if stmt.target is None or not is_vector_type(stmt.target.type):
            return None
        return as_vector(sizes, stmt.target.type, f"sizes#{self._site.world.count()}", self._shapes, state)

    def _distance(self, first: Value, last: Value, type_: ir.Type) -> Term | None:
        """Elements from one pointer to another of the same memory."""
        if not isinstance(first, Address) or not isinstance(last, Address) or first.object is not last.object:
            return None
        size = self._site.evaluator.element_size(type_)
        if first.object is None or first.fields != last.fields or is_number(size, 0):
            return None
        bytes_ = subtract(last.offset, first.offset)
        return quotient(bytes_, size) if is_number(remainder(bytes_, size), 0) else None

    def _own_label(self, pointer: Value, name: str) -> str:
        """The name of the variable that is made; those of several calls of one function are different ones."""
        label, found = pointer_name(pointer, name), addresses(pointer)
        object_ = found[0].object if found else None
        if object_ is None or self._makers.setdefault(label, object_) is object_:
            return label
        return self._labels.setdefault((object_, label), f"{label}#{self._site.world.count()}")

    def element(self, stmt: ir.Call, name: str, tensor: Tensor, args: list[Value], state: State) -> Value | None:
        """`v[i]`, `v.front()`: a place inside the buffer; `v.data()` of a vector whose pointers are a class."""
        assert stmt.target is not None
        type_ = stmt.target.type
        if name in words().data_methods and isinstance(type_, ir.Struct):
            item = template_element(pointee_of(stmt.args[0].type))
            pointer = self._shapes.data(tensor, ir.Pointer(item), state) if item is not None else None
            if pointer is None:
                return None
            return Record(type_, {(("pointer",), number(0)): (ir.Pointer(ir.VOID), pointer)})
        if name in ("end", "cend") and isinstance(type_, ir.Struct):
            return self._behind_last(type_, tensor, state)
        if (
            name in ("operator[]", "front")
            and isinstance(type_, ir.Struct)
            and last_name(type_.name) in words().pointer_classes
        ):
            return self._proxy(type_, tensor, args, state)
        if not isinstance(type_, ir.Pointer):
            return None
        base = self._shapes.data(tensor, type_, state)
        distance: Term | None = None
        if name in ("operator[]", "at", "element_ptr") and len(args) > 1 and isinstance(args[1], Term):
            distance = integers.as_integer(args[1])
        elif name in ("end", "cend", "back") and not tensor.root().name.startswith(APPROXIMATE):
            count = self._shapes.count(tensor, state)
            distance = subtract(count, number(1)) if name == "back" else count
        if distance is not None:
            return self._site.evaluator.moved(base, multiply(distance, self._site.evaluator.element_size(type_)))
        return base if name == "front" else None

    def _behind_last(self, type_: ir.Struct, tensor: Tensor, state: State) -> Value | None:
        """`v.end()` of a vector whose iterators are a class."""
        item = template_element(type_)
        if (
            item is None
            or last_name(type_.name) not in words().pointer_classes
            or tensor.root().name.startswith(APPROXIMATE)
        ):
            return None
        count = multiply(self._shapes.count(tensor, state), size_term(item))
        pointer = self._site.evaluator.moved(self._shapes.data(tensor, ir.Pointer(item), state), count)
        return Record(type_, {(("pointer",), number(0)): (ir.Pointer(ir.VOID), pointer)})

    def _proxy(self, type_: ir.Struct, tensor: Tensor, args: list[Value], state: State) -> Value | None:
        """`v[i]` of a device_vector is an object that knows the place."""
        item = template_element(type_)
        if item is None:
            return None
        base: Value = self._shapes.data(tensor, ir.Pointer(item), state)
        if len(args) > 1 and isinstance(args[1], Term):
            base = self._site.evaluator.moved(base, multiply(integers.as_integer(args[1]), size_term(item)))
        return Record(type_, {(("pointer",), number(0)): (ir.Pointer(ir.VOID), base)})

    def _fill(self, made: Tensor, type_: ir.Type, values: list[Value], state: State) -> None:
        """The elements of a vector whose number is known, where they are numbers or pointers."""
        size = ir.size_of(type_)
        if size is None or not isinstance(type_, ir.Int | ir.Pointer):
            return
        base = self._shapes.data(made, ir.Pointer(type_), state)
        for position, value in enumerate(values):
            if isinstance(base, Address):
                state.write(Address(base.object, number(position * size)), type_, value)

    def appended(self, stmt: ir.Call, tensor: Tensor, args: list[Value], state: State, walk: Walk) -> Tensor | None:
        """`v.push_back(x)` of a vector whose elements are known: one more, in memory of its own."""
        type_, count = pointee_of(stmt.args[1].type), tensor.dims[0] if tensor.dims is not None else None
        if not isinstance(count, Number) or not isinstance(type_, ir.Int | ir.Pointer) or count.value >= _MOST_ELEMENTS:
            return None
        if template_element(pointee_of(stmt.args[0].type)) not in (None, type_):  # emplace_back() takes any number
            return None
        size, base = ir.size_of(type_) or 0, self._shapes.data(tensor, ir.Pointer(type_), state)
        if not isinstance(base, Address) or not isinstance(args[0], Address):
            return None
        places = [Address(base.object, number(position * size)) for position in range(count.value)]
        last = state.read(args[1], type_) if isinstance(args[1], Address) else args[1]
        values = [*(state.read(place, type_) for place in places), last]
        label = f"{pointer_name(args[0], 'vector')}#{self._site.world.count()}"
        vector = pointee_of(stmt.args[0].type)
        made = container(vector, label, number(count.value + 1), f"vector of {count.value + 1}")
        self._fill(made, type_, values, state)
        walk.store(args[0], vector, made, state)
        return made

    def resize(self, tensor: Tensor, type_: ir.Type, args: list[Value], state: State, walk: Walk) -> Tensor:
        label = f"{pointer_name(args[0], 'vector')}#{self._site.world.count()}"
        if len(args) > 1 and isinstance(args[1], Term):
            count = integers.as_integer(args[1])
            made = replace(container(type_, label, count, f"resize to {shown(count)}"), item=tensor.item)
        else:
            made = container(type_, f"{APPROXIMATE}{label}")
        walk.store(args[0], type_, made, state)
        return made

    def assign(self, type_: ir.Type, args: list[Value], state: State, walk: Walk) -> None:
        source = args[1]
        if isinstance(source, Address):
            source = state.read(source, type_)
        if isinstance(source, Tensor) and is_vector_type(type_):
            source = self._carried(source, _copied(source, type_, self._own_label(args[0], "vector")), state)
        walk.store(args[0], type_, source, state)

    def kept_apart(self, pointer: Value, type_: ir.Type, value: Value, state: State) -> Value:
        """`vector<int> o = d` is a copy where `d` lives on beside it."""
        if not isinstance(value, Tensor) or not is_vector_type(type_):
            return value
        here = {a.object for a in addresses(pointer)}
        others = (v for (held, *_), (_, v) in state.cells.items() if held not in here and held.kind == "variable")
        if not any(isinstance(v, Tensor) and v.storage == value.storage for v in others):
            return value
        return self._carried(value, _copied(value, type_, self._own_label(pointer, "vector")), state)

    def _forget_contents(self, storage: str, state: State) -> None:
        """Another container of this name is made."""
        for buffer in self._site.buffers_of(storage):
            forget_contents(buffer, state)

    def _carried(self, source: Tensor, made: Tensor, state: State) -> Tensor:
        """The copy of a vector, with the elements that are known of the other one."""
        if made.storage != source.storage:
            self._forget_contents(made.storage, state)
            if made.root().shape_of is not None and any(
                b in state.versions for b in self._site.buffers_of(source.storage)
            ):
                return Tensor(f"{APPROXIMATE}{made.storage}", storage=made.storage, item=made.item)
        cells = [(c, v) for c, v in state.cells.items() if c[0].name == source.storage and c[0].kind == "allocation"]
        held = [v for c, v in cells if c[1] == (HELD,)]
        known = [(c[2], v) for c, v in cells if not c[1]]
        for type_, value in held if made.storage != source.storage else ():
            fill_vector(self._shapes.data(made, ir.Pointer(type_), state), type_, value, state)
        for offset, (type_, value) in known if made.storage != source.storage else ():
            base = self._shapes.data(made, ir.Pointer(type_), state) if isinstance(offset, Number) else None
            if isinstance(base, Address):
                state.write(Address(base.object, offset), type_, value)
        return made


def _copied(source: Tensor, type_: ir.Type, label: str) -> Tensor:
    """What is made of another container: a vector has memory of its own, a tensor or a view shares the other's."""
    if not can_grow(type_):
        return source
    made = source.made_by or source.root().made_by or f"copy of {plain(source.name)}"
    return Tensor(label, like=source.root(), storage=label, item=source.item, made_by=made)


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
