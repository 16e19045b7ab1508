"""Values of a Python host program while it is worded as C++: what has a C++ expression, and what Python alone knows.

    n = x.size; grid = (n + 255) // 256,          Number("n"), Items((Number("cupy::floor_div(n + 255, 256)"),))

A value of the first sort is worth one C++ expression of its type; kernels, tuples, strings and objects have none, but what
they hold may. `Lost` is what was not understood: the expression as written.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from cudalint.frontend.python_values import Compiled

ITEMS: Mapping[str, tuple[str, int]] = {  # by NumPy's name: the enumerator of the stub, and bytes
    "bool": ("bool_", 1), "bool_": ("bool_", 1), "?": ("bool_", 1),
    "int8": ("int8", 1), "b": ("int8", 1), "i1": ("int8", 1), "byte": ("int8", 1),
    "uint8": ("uint8", 1), "B": ("uint8", 1), "u1": ("uint8", 1), "ubyte": ("uint8", 1),
    "int16": ("int16", 2), "h": ("int16", 2), "i2": ("int16", 2), "short": ("int16", 2),
    "uint16": ("uint16", 2), "H": ("uint16", 2), "u2": ("uint16", 2), "ushort": ("uint16", 2),
    "int32": ("int32", 4), "i": ("int32", 4), "i4": ("int32", 4), "intc": ("int32", 4),
    "uint32": ("uint32", 4), "I": ("uint32", 4), "u4": ("uint32", 4), "uintc": ("uint32", 4),
    "int64": ("int64", 8), "int": ("int64", 8), "int_": ("int64", 8), "intp": ("int64", 8), "l": ("int64", 8),
    "q": ("int64", 8), "i8": ("int64", 8), "longlong": ("int64", 8),
    "uint64": ("uint64", 8), "uint": ("uint64", 8), "uintp": ("uint64", 8), "L": ("uint64", 8), "Q": ("uint64", 8),
    "u8": ("uint64", 8), "ulonglong": ("uint64", 8),
    "float16": ("float16", 2), "half": ("float16", 2), "e": ("float16", 2), "f2": ("float16", 2),
    "float32": ("float32", 4), "single": ("float32", 4), "f": ("float32", 4), "f4": ("float32", 4),
    "float64": ("float64", 8), "float": ("float64", 8), "float_": ("float64", 8), "double": ("float64", 8),
    "d": ("float64", 8), "f8": ("float64", 8),
    "complex64": ("complex64", 8), "F": ("complex64", 8), "c8": ("complex64", 8), "csingle": ("complex64", 8),
    "complex128": ("complex128", 16), "complex": ("complex128", 16), "D": ("complex128", 16), "c16": ("complex128", 16),
    "cdouble": ("complex128", 16),
}  # fmt: skip
INTEGERS = frozenset(("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"))
C_TYPES = {
    **{f"int{bits}": name for bits, name in ((8, "signed char"), (16, "short"), (32, "int"), (64, "long"))},
    **{f"uint{bits}": f"unsigned {name}" for bits, name in ((8, "char"), (16, "short"), (32, "int"), (64, "long"))},
}


@dataclass(frozen=True, slots=True)
class Number:
    """An integer. `item` is the NumPy type that it was given: how many bytes a kernel gets of it; a plain one has eight."""

    text: str
    value: int | None = None
    natural: bool = False
    item: str = ""


@dataclass(frozen=True, slots=True)
class Truth:
    text: str


@dataclass(frozen=True, slots=True)
class Real:
    """A float; `above` and `below` where it is the quotient of two integers. `item` is its type where that is known."""

    above: Number | None = None
    below: Number | None = None
    item: str = ""


@dataclass(frozen=True, slots=True)
class Array:
    """`item` is the type of its elements, `dims` its sizes where these are known; `start`: elements before its first one.

    `text` is the whole array that a slice belongs to. `flat`: its sizes are others than those of `text`. `host`: NumPy made
    it; `maybe`: it may be None.
    """

    text: str
    item: str = ""
    dims: tuple[Number, ...] | None = None
    start: Number | None = None
    flat: bool = False
    host: bool = False
    maybe: bool = False


@dataclass(frozen=True, slots=True)
class Pointer:
    text: str


@dataclass(frozen=True, slots=True)
class Type:
    """A type of elements: a constant one, or that of an array."""

    text: str
    item: str = ""


@dataclass(frozen=True, slots=True)
class Lost:
    """What was not understood, as written; `kind` is what it is all the same, where something tells."""

    written: str
    at: int = -1
    kind: type | None = None


@dataclass(frozen=True, slots=True)
class String:
    """`whole` is False where only its beginning is known."""

    chars: str
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Nothing:
    """None"""


@dataclass(frozen=True, slots=True)
class Items:
    parts: tuple[Value, ...]
    mutable: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    entries: tuple[tuple[str | int, Value], ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """`x.shape` of an array whose number of sizes nothing tells."""

    array: Array


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel, or one of several; `prepared` are the codes of PyCUDA's `prepare`."""

    choices: tuple[Compiled, ...]
    library: str


@dataclass(frozen=True, slots=True)
class Module:
    compiled: Compiled
    library: str


@dataclass(frozen=True, slots=True)
class Configured:
    """`k[grid, block]`"""

    kernel: Kernel
    given: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Routine:
    """A function of the file; `owner` is its class, `closure` the names around it where it stands in another one."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    owner: str = ""
    closure: tuple[tuple[str, Value], ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Bound:
    """A method and what it belongs to."""

    owner: Value
    name: str


@dataclass(frozen=True, slots=True)
class Class:
    name: str


@dataclass(frozen=True, slots=True)
class Object:
    """An instance of a class of the file, with the attributes that are set once."""

    owner: str
    attributes: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Library:
    """A module that is imported, or a name in it: `numpy.random`."""

    name: str


Value: TypeAlias = (
    Number | Truth | Real | Array | Pointer | Type | Lost | String | Nothing | Items | Table | Shape | Kernel | Module
    | Configured | Routine | Bound | Class | Object | Library
)  # fmt: skip

C_NAMES: Mapping[type, str] = {
    Number: "long", Truth: "bool", Real: "double", Array: "cupy::ndarray", Pointer: "void *", Type: "cupy::dtype",
}  # fmt: skip


def number(value: int) -> Number:
    """A constant."""
    return Number(str(value) if value >= 0 else f"({value})", value, value >= 0)


def leaves(value: Value) -> Iterator[Value]:
    """What of a value C++ has to be given, in order."""
    match value:
        case Number() if value.value is not None:
            return
        case Number() | Truth() | Array() | Pointer():
            yield value
        case Type():
            if not value.item:
                yield value
        case Shape():
            yield value.array
        case Items():
            for part in value.parts:
                yield from leaves(part)
        case Table():
            for _, part in value.entries:
                yield from leaves(part)
        case Object():
            for _, part in value.attributes:
                yield from leaves(part)
        case Bound():
            yield from leaves(value.owner)
        case _:
            return


def rebuilt(value: Value, change: Callable[[Value], Value]) -> Value:
    """The value with each of its leaves, in their order, replaced."""
    match value:
        case Number() if value.value is not None:
            return value
        case Number() | Truth() | Array() | Pointer():
            return change(value)
        case Type():
            return value if value.item else change(value)
        case Shape():
            array = change(value.array)
            return Shape(array) if isinstance(array, Array) else value
        case Items():
            return replace(value, parts=tuple(rebuilt(part, change) for part in value.parts))
        case Table():
            return Table(tuple((key, rebuilt(part, change)) for key, part in value.entries))
        case Object():
            return replace(value, attributes=tuple((key, rebuilt(part, change)) for key, part in value.attributes))
        case Bound():
            return replace(value, owner=rebuilt(value.owner, change))
        case _:
            return value


def renamed(value: Value, text: str) -> Value:
    """The leaf as it is known where it was passed under a name; sizes that were expressions there are the array's own."""
    match value:
        case Number() | Truth() | Pointer() | Type():
            return replace(value, text=text)
        case Array():
            dims = value.dims
            kept = None if dims is None else tuple(_own_size(text, place, dim) for place, dim in enumerate(dims))
            return replace(value, text=text, dims=None if value.flat else kept, start=None)
        case _:
            return value


def _own_size(text: str, place: int, dim: Number) -> Number:
    return dim if dim.value is not None else Number(f"{text}.size({place})", None, True)


def shape_of(value: Value) -> object:
    """What two values have in common that C++ can take for each other: all but the texts of their leaves."""
    return rebuilt(
        value, lambda leaf: replace(leaf, text="", natural=False) if isinstance(leaf, Number) else _bare(leaf)
    )


def _bare(leaf: Value) -> Value:
    match leaf:
        case Array():
            rank = None if leaf.dims is None else tuple(Number("", dim.value) for dim in leaf.dims)
            return replace(leaf, text="", dims=rank, start=None, flat=leaf.flat or leaf.start is not None)
        case Truth() | Pointer() | Type():
            return replace(leaf, text="")
        case _:
            return leaf


def is_plain(value: Value) -> bool:
    """Whether one C++ expression is all of it."""
    return isinstance(value, Number | Truth | Array | Pointer | Type)


def merged(values: Sequence[Value]) -> Value | None:
    """The sort of value that all of them are, with nothing said of its leaves; None where they are of several."""
    first = values[0]
    if all(value == first for value in values[1:]):
        return first
    if all(isinstance(value, Number) for value in values):
        numbers = [value for value in values if isinstance(value, Number)]
        item = numbers[0].item if len({each.item for each in numbers}) == 1 else None
        return None if item is None else Number("", None, all(each.natural for each in numbers), item)
    if all(isinstance(value, Real) for value in values):
        items = {value.item for value in values if isinstance(value, Real)}
        return Real(item=items.pop() if len(items) == 1 else "")
    if all(isinstance(value, Array) for value in values):
        return _merged_arrays([value for value in values if isinstance(value, Array)])
    if isinstance(first, Items) and all(isinstance(v, Items) and len(v.parts) == len(first.parts) for v in values):
        rows = [merged(row) for row in zip(*(value.parts for value in values if isinstance(value, Items)))]
        parts = tuple(row for row in rows if row is not None)
        return Items(parts, first.mutable) if len(parts) == len(rows) else None
    if all(isinstance(value, Kernel) for value in values):
        kernels = [value for value in values if isinstance(value, Kernel)]
        choices = dict.fromkeys(choice for kernel in kernels for choice in kernel.choices)
        return Kernel(tuple(choices), kernels[0].library) if len({k.library for k in kernels}) == 1 else None
    plain = all(type(value) is type(first) for value in values) and isinstance(first, Truth | Pointer | Type)
    return replace(first, text="", item="") if isinstance(first, Type) and plain else first if plain else None


def _merged_arrays(arrays: list[Array]) -> Array:
    item = arrays[0].item if len({each.item for each in arrays}) == 1 else ""
    flat = any(each.flat or each.start is not None for each in arrays)
    ranks = {None if each.dims is None else len(each.dims) for each in arrays}
    dims = None
    if len(ranks) == 1 and arrays[0].dims is not None and not flat:
        rows = zip(*(each.dims for each in arrays if each.dims is not None))
        dims = tuple(
            row[0] if row[0].value is not None and len(set(row)) == 1 else Number("", None, True) for row in rows
        )
    return Array("", item, dims, None, flat, all(each.host for each in arrays), any(each.maybe for each in arrays))


def settings(target: Value, value: Value) -> list[tuple[Value, Value]] | None:
    """What of a target is set to what, for the target to be the value; None where it is of another sort."""
    if is_plain(target) and type(target) is type(value):
        constant = isinstance(target, Number) and target.value is not None
        return [] if constant or (isinstance(target, Type) and target.item) else [(target, value)]
    if isinstance(target, Items) and isinstance(value, Items) and len(target.parts) == len(value.parts):
        found = [settings(a, b) for a, b in zip(target.parts, value.parts)]
        return None if None in found else [pair for part in found if part is not None for pair in part]
    if any(True for _ in leaves(target)):
        mine, others = list(leaves(target)), list(leaves(value))
        same = type(target) is type(value) and [type(each) for each in mine] == [type(each) for each in others]
        return list(zip(mine, others)) if same else None
    return []
