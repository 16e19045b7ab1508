"""What host code computes with: terms, addresses, tensors, aggregates and the few floats that stand for exact ratios.

An unknown is a symbol: `main:n` is an input that a caller or user chooses; `~main:n#3` is a value that was lost on the way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias, TypeGuard

from cudalint import ir
from cudalint.source import Span
from cudalint.symbolic.host_vocabulary import words
from cudalint.term import FALSE, Symbol, Term, is_number, number

APPROXIMATE = "~"
SIZES = "sizes"  # the kind of an object that holds the sizes of a tensor of any rank
LISTED = "__listed"  # the field of a list's tensors, below which stand their number and the place of each
LARGEST_SIZE = (1 << 38) - 1  # elements: beyond every device's memory


@dataclass(frozen=True, slots=True)
class Layout:
    """What a tensor says of the memory that it describes: elements and strides by dimension, innermost first, and their type.

    Strides count elements of `item` bytes in a tensor class and where the memory is `ranked`, and bytes in another struct. Of
    ranked memory the type is the width of an element in bits, and the first one may lie `start` bytes behind the pointer.
    """

    sizes: tuple[Term, ...]
    strides: tuple[Term, ...]
    type: Term
    item: Term | None = None
    ranked: bool = False
    start: Term | None = None


@dataclass(frozen=True, slots=True, eq=False)
class HostObject:
    """A variable, an allocation, or what an unknown pointer points to.

    `size` in bytes is None where nothing tells it; `unsized` says why. `items` are the elements of a buffer whose type is
    the value of `item_type`, an at::ScalarType. `given` memory was made by nobody on the way.
    """

    name: str
    kind: str  # variable, allocation, input, sizes
    size: Term | None = None
    made_by: str = ""  # how a reader would write the allocation
    span: Span | None = None
    unsized: str = ""
    items: Term | None = None
    item_type: Term | None = None
    given: bool = False
    layout: Layout | None = None


@dataclass(frozen=True, slots=True)
class Address:
    """`offset` bytes into the object, then down `fields`. The null pointer has no object."""

    object: HostObject | None
    offset: Term
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FunctionValue:
    function: str


@dataclass(frozen=True, slots=True)
class Text:
    """A pointer to a literal, by which a program may look up a kernel."""

    said: str


@dataclass(frozen=True, slots=True)
class Either:
    """A pointer or function that depends on a condition."""

    cond: Term
    then: Reference
    orelse: Reference


Reference: TypeAlias = Address | FunctionValue | Text | Either


@dataclass(frozen=True, slots=True, eq=False)
class Tensor:
    """A tensor or vector. Its sizes are `dims`, or those of `like`, or unknown and named after it.

    `storage` names the buffer: views share it. `item` is the size of an element where the type of the container says it.
    Where `undefined` holds it is one that no path has filled, without memory. A `thin` one may have elements that lie in
    each other, or apart. Where nothing tells how many dimensions it has, `follows` may say how they follow from another
    tensor's, or `last` the last of them. A vector may hold the sizes of the tensor that it is the `shape_of`. The
    `scalar_type` of the elements is an at::ScalarType, of its own where nothing tells it.
    """

    name: str
    dims: tuple[Term, ...] | None = None
    like: Tensor | None = None
    storage: str = ""
    count: Term | None = None
    item: Term | None = None
    made_by: str = ""
    undefined: Term = FALSE
    either: tuple[Term, Tensor, Tensor] | None = None  # the first where the condition holds, of unknown sizes
    thin: bool = False
    follows: Follows | None = None
    last: Term | None = None
    shape_of: Tensor | None = None
    scalar_type: Term | None = None

    def root(self) -> Tensor:
        """The tensor that this one takes its sizes from."""
        return self.like.root() if self.like is not None and self.dims is None else self


@dataclass(frozen=True, slots=True, eq=False)
class Follows:
    """Sizes that are the `first` ones and then those of `tensor` from its dimension `rest` on."""

    first: tuple[Term, ...]
    tensor: Tensor
    rest: int


@dataclass(frozen=True, slots=True)
class Sizes:
    """`x.sizes()` or a braced list: dims, or the tensor that has them, but maybe the `last` one."""

    dims: tuple[Term, ...] | None
    tensor: Tensor | None = None
    last: Term | None = None


@dataclass(frozen=True, slots=True)
class Ratio:
    """A float that is exactly `numerator / denominator` (positive) where `exact` holds, and otherwise unknown."""

    numerator: Term
    denominator: Term
    exact: Term


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """Members that a record does not list are those at `address` in `version`."""

    address: Address
    version: str


MemberKey: TypeAlias = tuple[tuple[str, ...], Term]  # fields, byte offset


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """A struct by value: known members by place, the others from `origin` or, without one, zero."""

    type: ir.Type
    members: dict[MemberKey, tuple[ir.Type, Value]] = field(default_factory=dict)
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value that is neither an integer nor a pointer (a stream, a string, a float)."""


Value: TypeAlias = Term | Address | Either | FunctionValue | Text | Tensor | Sizes | Ratio | Record | Opaque


@dataclass(frozen=True, slots=True)
class Stored:
    """One store in an iteration of a loop, and how many conditions were on its path."""

    address: Address
    type: ir.Type
    value: Value
    depth: int


NULL = Address(None, number(0))
OPAQUE = Opaque()


def is_reference(value: Value | None) -> bool:
    return isinstance(value, Address | Either | FunctionValue | Text)


def addresses(value: Value) -> list[Address]:
    """All addresses that a pointer value may be."""
    if isinstance(value, Address):
        return [value]
    if isinstance(value, Either):
        return addresses(value.then) + addresses(value.orelse)
    return []


def is_lost(value: Value) -> bool:
    """Whether the value is nothing but an unknown that was lost on the way."""
    if isinstance(value, Symbol):
        return value.name.startswith(APPROXIMATE)
    if isinstance(value, Address):
        return value.object is not None and value.object.name.startswith(APPROXIMATE) and is_number(value.offset, 0)
    return isinstance(value, Opaque)


def depth(value: Reference) -> int:
    return 1 + max(depth(value.then), depth(value.orelse)) if isinstance(value, Either) else 0


def is_tensor_type(type_: ir.Type) -> bool:
    """A tensor class of any library, by its name; one whose members are known is a struct like others."""
    return _is_closed(type_) and _class_name(type_.name) in words().tensor_classes


def is_vector_type(type_: ir.Type) -> bool:
    """A container of any library, by its name; a span whose members are known is a struct like others."""
    known = words()
    classes = (known.vector_classes, known.byte_classes, known.scalar_classes)
    return _is_closed(type_) and any(_class_name(type_.name) in names for names in classes)


def _is_closed(type_: ir.Type) -> TypeGuard[ir.Struct | ir.Unknown]:
    """A class of which our headers say what it does and not what is in it."""
    return isinstance(type_, ir.Unknown) or (isinstance(type_, ir.Struct) and not type_.fields)


def container(type_: ir.Type, label: str, count: Term | None = None, made_by: str = "") -> Tensor:
    """A tensor or vector of that class; of a class of one element the number is known without `count`."""
    name = _class_name(type_.name) if isinstance(type_, ir.Struct | ir.Unknown) else ""
    if name in words().scalar_classes:
        count = number(1)
    item = number(1) if name in words().byte_classes else None
    return Tensor(label, None if count is None else (count,), storage=label, item=item, made_by=made_by)


def _class_name(name: str) -> str:
    return (
        name.split("<")[0].split("::")[-1].removeprefix("const ").removeprefix("struct ").removeprefix("class ").strip()
    )
