"""Structs that describe memory which they do not own, with sizes and strides by dimension: `ggml_tensor` and its like.

    kernel<<<t->ne[1], 256>>>((float *) t->data, t->ne[0])        extent(x) = ne[0] * ne[1] * ne[2] * ne[3] elements, if dense

Which members hold what is in the vocabularies (`view_structs`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import reduce

from cudalint import ir
from cudalint.symbolic.host.evaluate import member_keys
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.values import APPROXIMATE, Address, Layout, Value
from cudalint.symbolic.host_vocabulary import RankedView, ViewStruct, words
from cudalint.symbolic.walk import integers
from cudalint.term import (
    All,
    Any_,
    Term,
    add,
    apply,
    choice,
    disjunction,
    equal,
    free_symbols,
    multiply,
    negation,
    number,
    quotient,
    subtract,
)

LARGEST_RANK = 8


@dataclass(frozen=True, slots=True)
class PitchedImage:
    """The members of a struct that describes rows of memory: `{T *data; size_t step; int cols, rows;}`, steps in bytes."""

    data: str
    step: str
    cols: str
    rows: str
    width: int  # bytes of an element

    @property
    def numbers(self) -> tuple[str, str, str]:
        return self.step, self.cols, self.rows

    @staticmethod
    def of(members: Mapping[str, ir.StructField]) -> PitchedImage | None:
        """As OpenCV names them, whose views of matrices many have taken over."""
        parts = [members.get(name) for name in ("data", "step", "cols", "rows")]
        pointer = parts[0].type if parts[0] is not None else None
        if not isinstance(pointer, ir.Pointer) or not all(
            p is not None and isinstance(p.type, ir.Int) for p in parts[1:]
        ):
            return None
        width = ir.size_of(pointer.element)
        return None if width is None else PitchedImage("data", "step", "cols", "rows", width)


@dataclass(frozen=True, slots=True)
class StridedArray:
    """The members of a struct that describes an array: `{T *data_; long stride_[N]; long size_[N];}`, strides in elements."""

    data: str
    sizes: str
    strides: str
    rank: int

    @staticmethod
    def of(members: Mapping[str, ir.StructField]) -> StridedArray | None:
        """By the names that libraries of tensors give them; of a rank that the struct itself tells not all entries count."""
        found = {_STRIDED[name]: field for name, field in members.items() if name in _STRIDED}
        pointer, sizes, strides = (found.get(part) for part in ("data", "sizes", "strides"))
        alike = sum(_STRIDED.get(name) in ("data", "sizes", "strides") for name in members)
        if pointer is None or sizes is None or strides is None or alike != len(found) or len(found) != 3:
            return None
        if not isinstance(pointer.type, ir.Pointer) or not ir.size_of(pointer.type.element):
            return None
        counts = [f.type.count for f in (sizes, strides) if _is_of_integers(f.type)]  # type: ignore[union-attr]
        if len(counts) != 2 or counts[0] != counts[1] or not counts[0] or counts[0] > LARGEST_RANK:
            return None
        return StridedArray(pointer.name, sizes.name, strides.name, counts[0])


_STRIDED = {
    **dict.fromkeys(("data", "data_", "ptr", "ptr_"), "data"),
    **dict.fromkeys(("size_", "sizes", "sizes_", "dims", "dims_", "shape", "shape_", "extents", "extents_"), "sizes"),
    **dict.fromkeys(("stride", "stride_", "strides", "strides_"), "strides"),
    **dict.fromkeys(("dim", "ndim", "ndim_", "ndims", "rank", "rank_", "nDims", "offset", "offset_"), "rank"),
}


def _is_of_integers(type_: ir.Type) -> bool:
    return isinstance(type_, ir.Array) and isinstance(type_.element, ir.Int)


def described(place: ir.Place, pointer: Value, value: Value, state: State) -> Value:
    """The pointer that was read, with what the struct around it says of its memory.

    Only where it is the one that the struct came with: a pointer that was put there has a size of its own.
    """
    owner = _type_of(place.base) if isinstance(place, ir.Field) else None
    ranked = words().ranked_views.get(_class_of(owner)) if isinstance(owner, ir.Struct) else None
    if ranked is not None:
        return _of_rank(ranked, owner, place, pointer, value, state)
    spec = _view(owner)
    if spec is None or place.name != spec.data or not (isinstance(pointer, Address) and isinstance(value, Address)):  # type: ignore[union-attr]
        return value
    object_ = value.object
    if object_ is None or object_.kind != "input" or object_.name.startswith(APPROXIMATE):
        return value
    if state.unwritten(pointer, ir.Pointer(ir.VOID)) != value:
        return value
    layout = _layout(owner, spec, Address(pointer.object, pointer.offset, pointer.fields[:-1]), state)
    return value if layout is None else Address(state.world.described_input(object_, layout), value.offset)


def elements_from(tensor: Address, owner: ir.Type, first: int, state: State) -> Term | None:
    """`ggml_nrows(t)`: the product of the sizes from a dimension on."""
    spec, members = _view(owner), _members(owner)
    if spec is None or spec.sizes not in members:
        return None
    places = _elements(tensor, spec.sizes, members[spec.sizes])
    sizes = [state.read(place, element) for place, element in places][first:]
    terms = [integers.as_integer(size) for size in sizes if isinstance(size, Term)]
    return reduce(multiply, terms) if terms else None


def bytes_of(tensor: Address, owner: ir.Type, state: State) -> Term | None:
    """`ggml_nbytes(t)`: from its first element to behind the last one, in so many steps of each stride.

    A row of a type whose elements lie in blocks has a number of bytes of its own.
    """
    spec, members = _view(owner), _members(owner)
    if spec is None or not {spec.sizes, spec.strides, spec.type} <= members.keys():
        return None
    sizes, strides = (
        [state.read(place, element) for place, element in _elements(tensor, name, members[name])]
        for name in (spec.sizes, spec.strides)
    )
    type_ = state.read(_member(tensor, spec.type), members[spec.type])
    known = [integers.as_integer(v) for v in (*sizes, *strides, type_) if isinstance(v, Term)]
    if not sizes or len(known) != 2 * len(sizes) + 1 or len(sizes) != len(strides):
        return None
    steps = [multiply(subtract(n, number(1)), b) for n, b in zip(known[: len(sizes)], known[len(sizes) : -1])]
    single = [int(key) for key, block in words().block_bytes.items() if block[0] == 1]
    plain = disjunction(*(equal(known[-1], number(key)) for key in single))
    row = choice(plain, steps[0], apply("bytes of a row", (known[0], known[len(sizes)], known[-1]), 0))
    return add(row, *steps[1:], apply("bytes of an element", (known[-1],), 0))


def room(layout: Layout, block: tuple[int, int | Term], told: Set[Term]) -> Term:
    """Bytes from the first element to behind the last one; a stride that is not `told` is that of a dense tensor.

    `block` are the elements of a block of the tensor's type, and its bytes.
    """
    per_block, width = number(block[0]), block[1] if isinstance(block[1], Term) else number(block[1])
    if free_symbols(layout.strides[0]) & told:
        total = add(multiply(subtract(layout.sizes[0], number(1)), layout.strides[0]), width)
    else:
        total = multiply(quotient(layout.sizes[0], per_block), width)
    dense = total
    for size, stride in zip(layout.sizes[1:], layout.strides[1:]):
        if free_symbols(stride) & told:
            total, dense = add(total, multiply(subtract(size, number(1)), stride)), multiply(stride, size)
        elif total is dense:
            total = dense = multiply(dense, size)
        else:
            total, dense = add(total, multiply(subtract(size, number(1)), dense)), multiply(dense, size)
    return total


def _layout(owner: ir.Type | None, spec: ViewStruct, base: Address, state: State) -> Layout | None:
    """The layout that the struct came with, as its pointer did."""
    members = _members(owner)
    if not {spec.sizes, spec.strides, spec.type} <= members.keys():
        return None
    sizes, strides = (
        tuple(state.unwritten(place, element) for place, element in _elements(base, name, members[name]))
        for name in (spec.sizes, spec.strides)
    )
    type_ = state.unwritten(_member(base, spec.type), members[spec.type])
    terms = [integers.as_integer(v) for v in (*sizes, *strides, type_) if isinstance(v, Term)]
    if not sizes or len(sizes) != len(strides) or len(terms) != 2 * len(sizes) + 1:
        return None
    return Layout(tuple(terms[: len(sizes)]), tuple(terms[len(sizes) : -1]), terms[-1])


def _elements(base: Address, name: str, type_: ir.Type) -> list[tuple[Address, ir.Type]]:
    """The places of the elements of an array that is a member."""
    if not isinstance(type_, ir.Array):
        return []
    array = _member(base, name)
    return [(Address(array.object, add(array.offset, at), array.fields), e) for (_, at), e in member_keys(type_)]


def _member(base: Address, name: str) -> Address:
    return Address(base.object, base.offset, (*base.fields, name))


def _members(owner: ir.Type | None) -> dict[str, ir.Type]:
    return {f.name: f.type for f in owner.fields} if isinstance(owner, ir.Struct) else {}


def _view(owner: ir.Type | None) -> ViewStruct | None:
    if not isinstance(owner, ir.Struct):
        return None
    return words().view_structs.get(_class_of(owner))


def _class_of(owner: ir.Type | None) -> str:
    name = owner.name if isinstance(owner, ir.Struct) else ""
    return name.split("<")[0].split("::")[-1].split(" ")[-1]


def _of_rank(
    spec: RankedView, owner: ir.Type | None, place: ir.Place, pointer: Value, value: Value, state: State
) -> Value:
    """A number of dimensions that was checked, or the pointer with the sizes that its struct has of so many dimensions."""
    name = place.name if isinstance(place, ir.Field) else ""
    members = _members(owner)
    if name == spec.rank and isinstance(value, Term):
        rank = _checked(value, state)
        return value if rank is None else number(rank)
    if name != spec.data or not isinstance(pointer, Address) or not isinstance(value, Address) or value.object is None:
        return value
    known = value.object.kind == "input" and not value.object.name.startswith(APPROXIMATE)
    if not known or state.unwritten(pointer, ir.Pointer(ir.VOID)) != value:
        return value
    base = Address(pointer.object, pointer.offset, pointer.fields[:-1])
    layout = _ranked_layout(spec, members, base, state)
    return value if layout is None else Address(state.world.described_input(value.object, layout), value.offset)


def _ranked_layout(spec: RankedView, members: dict[str, ir.Type], base: Address, state: State) -> Layout | None:
    outer, _, inner = spec.bits.partition(".")
    element = _members(members.get(outer)).get(inner)
    if element is None or not {spec.rank, spec.sizes, spec.strides, spec.start} <= members.keys():
        return None
    told = (
        state.unwritten(_member(base, spec.rank), members[spec.rank]),
        state.unwritten(_member(base, spec.start), members[spec.start]),
    )
    bits = state.unwritten(_member(_member(base, outer), inner), element)
    rank = _checked(told[0], state) if isinstance(told[0], Term) else None
    lists = [_listed(base, name, members[name], rank, state) for name in (spec.sizes, spec.strides)] if rank else []
    if not lists or not isinstance(bits, Term) or not isinstance(told[1], Term) or not all(lists):
        return None
    return Layout(lists[0], lists[1], integers.as_integer(bits), ranked=True, start=integers.as_integer(told[1]))


def _listed(base: Address, name: str, type_: ir.Type, rank: int, state: State) -> tuple[Term, ...]:
    """The first numbers behind a pointer that is a member, innermost dimension first; none where they are not those of before."""
    start = state.unwritten(_member(base, name), type_)
    width = ir.size_of(type_.element) if isinstance(type_, ir.Pointer) else None
    if not isinstance(start, Address) or width is None or not isinstance(type_, ir.Pointer):
        return ()
    places = [Address(start.object, add(start.offset, number(at * width)), start.fields) for at in range(rank)]
    numbers = [state.unwritten(place, type_.element) for place in reversed(places)]
    return tuple(integers.as_integer(each) for each in numbers if isinstance(each, Term))


def _checked(rank: Term, state: State) -> int | None:
    """The number of dimensions that the code has made sure of."""
    parts = settled(c.term for c in state.path)
    return next((each for each in range(LARGEST_RANK + 1) if equal(rank, number(each)) in parts), None)


def settled(path: Iterable[Term]) -> set[Term]:
    """What holds on a way, part by part: of `a || b` the one that is left where the other does not."""
    parts, open_ = set[Term](), list(path)
    before = -1
    while before != len(parts):
        before, pending, open_ = len(parts), open_, []
        while pending:
            term = pending.pop()
            if isinstance(term, All):
                pending += term.parts[0]
            elif isinstance(left := left_of(term, parts), Any_):
                open_.append(left)
            elif left is term:
                parts.add(term)
            else:
                pending.append(left)
    return parts


def left_of(term: Term, parts: Set[Term]) -> Term:
    """The one alternative of which the parts do not say that it does not hold; otherwise the term."""
    if not isinstance(term, Any_):
        return term
    left = [each for each in term.parts[0] if not _fails(each, parts)]
    return left[0] if len(left) == 1 else term


def _fails(term: Term, parts: Set[Term]) -> bool:
    whole = term.parts[0] if isinstance(term, All) else (term,)
    return negation(term) in parts or any(negation(each) in parts for each in whole)


def _type_of(place: ir.Place) -> ir.Type:
    return place.var.type if isinstance(place, ir.Variable) else place.type
