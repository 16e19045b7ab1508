"""Types of the IR, with sizes and layouts of the 64-bit Linux ABI.

    type = Void | Bool | Int(bits, signed) | Float(format) | Pointer(element) | Vector(element, lanes)
         | Array(element, count?) | Struct(name, size, align, fields*) | Unknown(name)

References are pointers. `Array.count` is None where the launch decides (`extern __shared__ T s[]`) or in a
flexible member. `Unknown` is a type that the front end had to guess: its size is symbolic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, assert_never


@dataclass(frozen=True, slots=True)
class Void:
    pass


@dataclass(frozen=True, slots=True)
class Bool:
    pass


@dataclass(frozen=True, slots=True)
class Int:
    bits: int
    signed: bool


@dataclass(frozen=True, slots=True)
class Float:
    """`format` is one of f16, bf16, f32, f64, e4m3, e5m2, tf32."""

    format: str


@dataclass(frozen=True, slots=True)
class Pointer:
    element: Type


@dataclass(frozen=True, slots=True)
class Vector:
    """A CUDA vector type such as float4 or half2; lanes are named x, y, z, w."""

    element: Type
    lanes: int


@dataclass(frozen=True, slots=True)
class Array:
    element: Type
    count: int | None


@dataclass(frozen=True, slots=True)
class StructField:
    name: str
    offset: int
    type: Type


@dataclass(frozen=True, slots=True)
class Struct:
    """A class, struct or union (overlapping offsets); `guessed` where any member's type was unknown."""

    name: str
    size: int
    align: int
    fields: tuple[StructField, ...]
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class Unknown:
    """A type of which nothing but the name is known, and its `size` in bytes where it is a pointer to a function."""

    name: str
    size: int | None = None


Type: TypeAlias = Void | Bool | Int | Float | Pointer | Vector | Array | Struct | Unknown

LANES = ("x", "y", "z", "w")

VOID = Void()
BOOL = Bool()
INT8, INT16, INT32, INT64 = (Int(b, True) for b in (8, 16, 32, 64))
UINT8, UINT16, UINT32, UINT64 = (Int(b, False) for b in (8, 16, 32, 64))
F16, BF16, F32, F64 = (Float(f) for f in ("f16", "bf16", "f32", "f64"))

_FLOAT_BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "e4m3": 1, "e5m2": 1, "tf32": 4}
FLOAT_FORMATS = tuple(_FLOAT_BYTES)


def size_of(type_: Type) -> int | None:
    """Bytes of one object of this type, or None where the code alone does not say."""
    match type_:
        case Void():
            return 1
        case Bool():
            return 1
        case Int():
            return type_.bits // 8
        case Float():
            return _FLOAT_BYTES[type_.format]
        case Pointer():
            return 8
        case Vector():
            element = size_of(type_.element)
            if element is None:
                return None
            return element * type_.lanes
        case Array():
            element = size_of(type_.element)
            if element is None or type_.count is None:
                return None
            return element * type_.count
        case Struct():
            return None if type_.guessed else type_.size
        case Unknown():
            return type_.size
        case _:
            assert_never(type_)


def align_of(type_: Type) -> int:
    """Alignment in bytes that an access of this type needs (1 where unknown). Vectors: power-of-two sizes up to 16."""
    match type_:
        case Void() | Bool() | Unknown():
            return 1
        case Int() | Float() | Pointer():
            return size_of(type_) or 1
        case Vector():
            size = size_of(type_) or 1
            if type_.lanes == 3:
                return align_of(type_.element)
            return min(size, 16)
        case Array():
            return align_of(type_.element)
        case Struct():
            return type_.align
        case _:
            assert_never(type_)


def field_of(type_: Type, name: str) -> StructField | None:
    """The member `name` of a struct, or the lane of a vector, with its byte offset."""
    if isinstance(type_, Struct):
        return next((f for f in type_.fields if f.name == name), None)
    if isinstance(type_, Vector) and name in LANES[: type_.lanes]:
        lane = LANES.index(name)
        return StructField(name, lane * (size_of(type_.element) or 0), type_.element)
    return None


def int_range(type_: Int) -> tuple[int, int]:
    """Smallest and largest value, both inclusive."""
    if type_.signed:
        return -(1 << (type_.bits - 1)), (1 << (type_.bits - 1)) - 1
    return 0, (1 << type_.bits) - 1
