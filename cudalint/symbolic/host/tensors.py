"""Methods of tensors and of other containers: sizes, accessors, views, results of operations."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.symbolic.host.element_types import (
    bytes_of_elements,
    bytes_of_type,
    item_bytes,
    item_type,
    same_options,
    type_in_options,
    type_of_conversion,
)
from cudalint.symbolic.host.evaluate import member_keys, size_term
from cudalint.symbolic.host.made_filled import range_of
from cudalint.symbolic.host.names import base_of, is_constructor, plain_term, pointee_of
from cudalint.symbolic.host.shapes import Shapes
from cudalint.symbolic.host.site import Site, behind
from cudalint.symbolic.host.size_lists import with_last
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.tensor_lists import joined, taken_apart
from cudalint.symbolic.host.tensor_views import viewed
from cudalint.symbolic.host.text import plain
from cudalint.symbolic.host.values import (
    LARGEST_SIZE,
    Address,
    HostObject,
    MemberKey,
    Record,
    Sizes,
    Tensor,
    Value,
    is_tensor_type,
    is_vector_type,
)
from cudalint.symbolic.host.vectors import Vectors
from cudalint.symbolic.host_vocabulary import words
from cudalint.symbolic.walk import integers
from cudalint.symbolic.walk.parameters import type_range
from cudalint.term import (
    FALSE,
    Number,
    Term,
    add,
    at_most,
    equal,
    is_number,
    multiply,
    negation,
    number,
    quotient,
    subtract,
    symbol,
)

if TYPE_CHECKING:
    from cudalint.symbolic.host.walk import Walk


_CUPY = "cupy::"


class Tensors:
    def __init__(self, site: Site, shapes: Shapes, vectors: Vectors) -> None:
        self._site, self._shapes, self._vectors = site, shapes, vectors

    def call(self, stmt: ir.Call, name: str, args: list[Value], state: State, walk: Walk) -> Value | None:
        self._site.world.formatted |= _speaks_of_formats(stmt, name)
        tensor = self._tensor(stmt, args, state)
        if tensor is None:
            if (same := same_options(stmt, name, args, state)) is not None:
                return same
            if (told := self._told_by_list(stmt, name, args, state)) is not None:
                return told
            if name in words().joins | words().stackings and _makes_tensor(stmt) and args:
                return joined(stmt, name, args, self._site, self._shapes, state)
            if name in words().ranges and _makes_tensor(stmt):
                return self._ranged(stmt, name, args, state)
            if name in words().creations and _makes_tensor(stmt):
                return self._created(stmt, name, args, None, state)
            return self._vectors.constructed(stmt, name, args, state, walk)
        if name in words().size_methods:
            return self._shapes.size(tensor, args[1:], state)
        if name in words().count_methods:
            return self._shapes.count(tensor, state)
        if name in words().empty_methods and len(args) == 1 and is_vector_type(pointee_of(stmt.args[0].type)):
            return equal(self._shapes.count(tensor, state), number(0))
        if name in words().data_methods and stmt.target is not None and isinstance(stmt.target.type, ir.Pointer):
            if name in words().checked_data_methods and not isinstance(stmt.target.type.element, ir.Void):
                state.assume(equal(item_bytes(tensor), size_term(stmt.target.type.element)), "lasting")
            return self._shapes.data(tensor, stmt.target.type, state)
        if name in words().accessors and stmt.target is not None and isinstance(stmt.target.type, ir.Struct):
            return self._accessor(tensor, stmt.target.type, state)
        if name in words().capacity_methods and is_vector_type(pointee_of(stmt.args[0].type)):
            return tensor
        if (
            name in ("push_back", "emplace_back")
            and len(args) == 2
            and (appended := self._vectors.appended(stmt, tensor, args, state, walk))
        ):
            return appended if stmt.target is None else self._vectors.element(stmt, "back", appended, args, state)
        if stmt.target is not None and is_vector_type(pointee_of(stmt.args[0].type)):
            element = self._vectors.element(stmt, name, tensor, args, state)
            if element is not None:
                return element
        if name == "defined" and len(args) == 1 and (tensor.made_by or tensor.undefined is not FALSE):
            return negation(tensor.undefined)
        if name in words().rank_methods:
            known = self._shapes.checked_rank(tensor.root(), state)
            return self._shapes.rank(tensor) if known is None else number(known)
        if name in words().stride_methods:
            return self._shapes.stride(tensor, args[1:], state)
        if name in words().density_methods and all(isinstance(arg, Number) and arg.value == 0 for arg in args[1:]):
            return self._shapes.is_dense(tensor)
        if name in ("sizes", "shape"):
            return Sizes(tensor.dims, tensor)
        if name in words().type_methods and stmt.target is not None:
            if isinstance(stmt.target.type, ir.Int):
                return item_type(tensor)
            if _is_dlpack_type(stmt.target.type):
                return _dlpack_type(tensor, stmt.target.type)
        if name in words().device_methods and stmt.target is not None:
            return self._site.world.unknown(f"{tensor.root().name}.device()", stmt.target.type)
        if name in ("element_size", "itemsize"):
            return item_bytes(tensor)
        if name == "nbytes":
            return multiply(self._shapes.count(tensor, state), item_bytes(tensor))
        return self._derived(stmt, name, tensor, args, state, walk)

    def _told_by_list(self, stmt: ir.Call, name: str, args: list[Value], state: State) -> Value | None:
        """`x.sizes()[0]`, `x.shape().size()` of a list of sizes that cannot be changed."""
        place = args[0] if args and 0 in stmt.constant else None
        held = state.cells.get((place.object, place.fields, place.offset)) if isinstance(place, Address) else None  # type: ignore[arg-type]
        sizes, index = held[1] if held is not None else None, args[1] if len(args) > 1 else None
        if not isinstance(sizes, Sizes) or stmt.target is None or sizes.last is not None:
            return None
        if name == "vec":
            return self._vectors.of_sizes(stmt, sizes, state)
        tensor = sizes.tensor or Tensor("list", sizes.dims)
        if name == "size":
            return self._shapes.rank(tensor)
        if name not in ("operator[]", "at") or not isinstance(index, Number):
            return None
        size, type_ = self._shapes.size(tensor, [index], state), stmt.target.type
        if isinstance(type_, ir.Pointer):  # a reference to it
            object_ = HostObject(f"{tensor.name}.size({index.value})", "variable")
            state.write(Address(object_, number(0)), type_.element, size)
            return Address(object_, number(0))
        return size

    def _tensor(self, stmt: ir.Call, args: list[Value], state: State) -> Tensor | None:
        """The container that the first argument is, or points to."""
        if not args or not stmt.args:
            return None
        first = args[0]
        if isinstance(first, Tensor):
            return first
        declared = stmt.args[0].type
        element = base_of(pointee_of(declared), stmt.function)
        if isinstance(first, Address) and (is_tensor_type(element) or is_vector_type(element)):
            if is_constructor(stmt.function):
                return None
            found = state.read(first, element)
            return found if isinstance(found, Tensor) else None
        return None

    def _accessor(self, tensor: Tensor, type_: ir.Struct, state: State) -> Value | None:
        """`packed_accessor32<float, 2>()`: the tensor has that rank behind it, and is taken to be dense."""
        data = next((f.type for f in type_.fields if isinstance(f.type, ir.Pointer)), None)
        arrays = [(f.name, f.type) for f in type_.fields if isinstance(f.type, ir.Array)]
        rank = arrays[0][1].count if arrays else None
        if data is None or len(arrays) != 2 or not rank:
            return None
        state.assume(equal(self._shapes.rank(tensor.root()), number(rank)), "lasting")
        sizes = [integers.as_integer(self._shapes.size(tensor, [number(place)], state)) for place in range(rank)]  # type: ignore[arg-type]
        strides = [reduce(multiply, sizes[place + 1 :], number(1)) for place in range(rank)]
        _, largest = type_range(arrays[0][1].element)
        for reach in map(multiply, sizes, strides):  # a tensor with more elements is refused
            state.assume(at_most(reach, number(largest or 0)), "lasting")
        name = next(f.name for f in type_.fields if f.type is data)
        members: dict[MemberKey, tuple[ir.Type, Value]] = {
            ((name,), number(0)): (data, self._shapes.data(tensor, data, state))
        }
        for (field, array), values in zip(arrays, (sizes, strides)):
            for (_, offset), value in zip(((k, k[1]) for k, _ in member_keys(array)), values):
                members[((field,), offset)] = (array.element, value)
        return Record(type_, members)

    def _derived(
        self, stmt: ir.Call, name: str, tensor: Tensor, args: list[Value], state: State, walk: Walk
    ) -> Value | None:
        root = tensor.root()
        if root.thin and name in words().dense_copies and (root.dims is not None or root.follows is not None):
            label, made_by = self._site.fresh_tensor(stmt, name), f"{name}({plain(tensor.name)})"
            storage, type_ = self._site.storage(stmt, name), _type_of_copy(stmt, name, tensor, args, state)
            return replace(root, name=label, storage=storage, thin=False, made_by=made_by, scalar_type=type_)
        if name in words().same_tensor:
            if name == "operator=" and len(args) > 1:
                self._vectors.assign(pointee_of(stmt.args[0].type), args, state, walk)
            return tensor
        if name in words().same_shape and name.endswith("_"):
            return args[0]  # a reference to the tensor itself
        if name in words().same_shape:
            made_by = f"{name}({plain(tensor.name)})"
            storage, type_ = self._site.storage(stmt, name), _type_of_copy(stmt, name, tensor, args, state)
            label = self._site.fresh_tensor(stmt, name)
            return Tensor(label, like=tensor, storage=storage, made_by=made_by, scalar_type=type_)
        if name in words().views and not _names_a_type(stmt):
            label, count = self._site.fresh_tensor(stmt, name), self._shapes.count(tensor, state)
            dims = self._completed(self._site.result or name, _dims_of(args[1:]), count, state)
            told = None if dims is not None and tensor.root().name.startswith("~") else count
            return Tensor(label, dims, None, tensor.storage, told, scalar_type=_kept_type(stmt, tensor))
        if name in words().views and (retyped := self._retyped(stmt, name, tensor, args, state)) is not None:
            return retyped
        if name in words().creations:
            return self._created(stmt, name, args[1:], tensor, state)
        if name in words().indexing and _makes_tensor(stmt):
            label, storage = self._site.fresh_tensor(stmt, name), self._site.storage(stmt, name)
            read = [arg if i == 0 else behind(stmt, i, arg, state) for i, arg in enumerate(args)]
            view = viewed(self._shapes, name, tensor, read, label, storage, state)
            if view is not None:
                return replace(view, scalar_type=_kept_type(stmt, tensor))
        if name in words().chunks | words().splits:
            apart = taken_apart(stmt, name, tensor, args, self._site, self._shapes, state)
            if apart is not None:
                return apart
        shape = self._shape_of_result(stmt, name, tensor, args, state)
        if shape is not None:
            same_elements = name in words().row_choices | words().repetitions | words().swaps
            made = self._shaped(stmt, name, tensor, shape)
            return replace(made, scalar_type=_kept_type(stmt, tensor)) if same_elements else made
        if stmt.target is not None and (is_tensor_type(stmt.target.type) or is_vector_type(stmt.target.type)):
            label, storage = f"~{self._site.fresh_tensor(stmt, name)}", self._site.storage(stmt, name)
            self._site.world.explain(label, f"result of {name}")
            same_type = _kept_type(stmt, tensor) if name in words().rearranging else None
            made = Tensor(label, storage=storage, thin=name in words().thin_views, scalar_type=same_type)
            if name in words().rearranging:
                state.assume(equal(self._shapes.count(made, state), self._shapes.count(tensor, state)), "lasting")
            return made
        if name in ("resize", "assign", "resize_") and args:
            return self._vectors.resize(tensor, pointee_of(stmt.args[0].type), args, state, walk)
        if name in ("push_back", "emplace_back", "insert", "clear", "erase", "swap", "pop_back"):
            for pointer in args[:1]:
                walk.forget(pointer, state)
        return None

    def _retyped(self, stmt: ir.Call, name: str, tensor: Tensor, args: list[Value], state: State) -> Tensor | None:
        """`x.view(torch::kInt)`: a last dimension of as many elements of that type as lie in the row."""
        type_ = args[1] if len(args) == 2 and isinstance(args[1], Number) else None
        dims = self._shapes.dims(tensor, state, None)
        old = bytes_of_elements([c.term for c in state.path], item_type(tensor))
        new = None if type_ is None else bytes_of_type(type_)
        if not dims or not isinstance(old, Number) or not isinstance(new, Number):
            return None
        last = quotient(multiply(dims[-1], old), new)
        if old.value < new.value:  # torch refuses a rest
            state.assume(equal(multiply(last, new), multiply(dims[-1], old)), "lasting")
        label = self._site.fresh_tensor(stmt, name)
        return Tensor(label, (*dims[:-1], last), None, tensor.storage, scalar_type=type_)

    def _shaped(self, stmt: ir.Call, name: str, tensor: Tensor, shape: tuple[Term, ...]) -> Tensor:
        made = f"{name} of {plain(tensor.name)}, {{{', '.join(plain_term(d) for d in shape)}}}"
        return Tensor(self._site.fresh_tensor(stmt, name), shape, None, self._site.storage(stmt, name), made_by=made)

    def _shape_of_result(
        self, stmt: ir.Call, name: str, tensor: Tensor, args: list[Value], state: State
    ) -> tuple[Term, ...] | None:
        """The sizes of what an operation of linear algebra gives: of products, transposed matrices, sums along a dimension."""
        first = self._shapes.dims(tensor, state, 2 if name in words().matrix_products else None)
        if first is None:
            return None
        if name in words().matrix_products or name in words().products:
            other = self._argument(stmt, 1, args, state)
            second = self._shapes.dims(other, state, 2 if name in words().matrix_products else None) if other else None
            return (first[0], second[1]) if second is not None and len(first) == len(second) == 2 else None
        if name in words().row_choices and len(args) == 3 and isinstance(args[1], Number):
            chosen, place = self._argument(stmt, 2, args, state), args[1].value % len(first)
            return None if chosen is None else (*first[:place], self._shapes.count(chosen, state), *first[place + 1 :])
        if name in words().repetitions and len(args) == 3:
            many, along = (behind(stmt, position, args[position], state) for position in (1, 2))
            if not isinstance(many, Term) or not isinstance(along, Number):
                return None
            at = along.value % len(first)
            return (*first[:at], multiply(first[at], integers.as_integer(many)), *first[at + 1 :])
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

    def _completed(
        self, label: str, dims: tuple[Term, ...] | None, count: Term, state: State
    ) -> tuple[Term, ...] | None:
        """The sizes of a view, whose product is the number of elements; -1 stands for the one that makes it so."""
        left_out = [place for place, dim in enumerate(dims or ()) if _negative(dim)]
        if dims is None or len(left_out) > 1:
            return None
        if not left_out:
            state.assume(equal(reduce(multiply, dims, number(1)), count), "lasting")
            return dims
        place = left_out[0]
        others = reduce(multiply, (d for d in dims if d is not dims[place]), number(1))
        size = count
        if not is_number(others, 1):
            name = self._site.world.name_for(self._site.evaluator.named(f"{label}.size({place})"))
            size = symbol(name, 0, LARGEST_SIZE)
            state.assume(equal(multiply(size, others), count), "lasting")
        return (*dims[:place], size, *dims[place + 1 :])

    def _ranged(self, stmt: ir.Call, name: str, args: list[Value], state: State) -> Tensor:
        """`arange(n)`: as many elements as there are whole steps; torch refuses a first number behind the last one."""
        label, storage = self._site.fresh_tensor(stmt, name), self._site.storage(stmt, name)
        ends = range_of(stmt, args, state)
        if ends is None or not (isinstance(ends[2], Number) and ends[2].value > 0):
            return Tensor(f"~{label}", storage=storage)
        low, high, step = *ends[:2], ends[2].value
        state.assume(at_most(low, high), "lasting")
        count = quotient(add(subtract(high, low), number(step - 1)), number(step))
        said = ", ".join(plain_term(each) for each in (low, high, ends[2])[: 3 if step > 1 else 2])
        return Tensor(label, (count,), None, storage, made_by=f"{_library_of(stmt)}{name}({said})")

    def _created(self, stmt: ir.Call, name: str, args: list[Value], owner: Tensor | None, state: State) -> Tensor:
        made = f"{_library_of(stmt) if owner is None else ''}{name}"
        label, storage = self._site.fresh_tensor(stmt, name), self._site.storage(stmt, name)
        type_ = type_in_options(args) or (None if owner is None else _kept_type(stmt, owner))
        for arg in args:
            if isinstance(arg, Sizes) and arg.tensor is not None and arg.last is not None:
                made_by = f"{made}({plain(arg.tensor.name)}.sizes(), {plain_term(arg.last)} last)"
                tensor = Tensor(label, storage=storage, made_by=made_by, scalar_type=type_)
                return with_last(tensor, arg, self._shapes, state)
            if isinstance(arg, Sizes) and arg.tensor is not None and arg.dims is None:
                made_by = f"{made}({plain(arg.tensor.name)}.sizes())"
                return Tensor(label, like=arg.tensor, storage=storage, made_by=made_by, scalar_type=type_)
        dims = _dims_of(args)
        if dims is None:
            return Tensor(f"~{label}", storage=storage, scalar_type=type_)
        made_by = f"{made}({{{', '.join(plain_term(d) for d in dims)}}})"
        return Tensor(label, dims, None, storage, made_by=made_by, scalar_type=type_)


def _type_of_copy(stmt: ir.Call, name: str, tensor: Tensor, args: list[Value], state: State) -> Term | None:
    """The type of what is made of a tensor: a copy has the same, a conversion the one that it names."""
    if name in words().kept_types:
        return type_in_options(args) or _kept_type(stmt, tensor)
    if name not in words().converting:
        return None
    return type_of_conversion(stmt, args, _kept_type(stmt, tensor), state)


def _kept_type(stmt: ir.Call, tensor: Tensor) -> Term | None:
    """The type of what shares the elements of a tensor; the host code of CuPy says of each array which it has."""
    return item_type(tensor) if _library_of(stmt) != _CUPY else None


def _speaks_of_formats(stmt: ir.Call, name: str) -> bool:
    """`options.memory_format(f)`, a format that is passed on, or one that comes from what nobody knows."""
    given = (
        arg.type for arg in stmt.args if isinstance(arg, ir.Opaque | ir.Var)
    )  # not the empty one of the declaration
    formats = any(isinstance(type_, ir.Struct) and "MemoryFormat" in type_.name for type_ in given)
    return formats or name.endswith("memory_format")


def _is_dlpack_type(type_: ir.Type) -> bool:
    return isinstance(type_, ir.Struct) and tuple(f.name for f in type_.fields) == ("code", "bits", "lanes")


def _dlpack_type(tensor: Tensor, type_: ir.Type) -> Record:
    """DLPack's type of an element: its kind, its width, and how many of them are one element (1 wherever one is passed on)."""
    members: dict[MemberKey, tuple[ir.Type, Value]] = {}
    for key, member in member_keys(type_):
        low, high = (1, 255) if key[0] == ("lanes",) else type_range(member)
        members[key] = (member, symbol(f"{tensor.name}.dtype().{key[0][0]}", low, high))
    return Record(type_, members)


def _library_of(stmt: ir.Call) -> str:
    return _CUPY if stmt.function.startswith(_CUPY) else "torch::"


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
