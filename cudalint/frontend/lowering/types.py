"""Types of libclang to types of the IR, with the layouts that clang computed."""

from __future__ import annotations

import re
from typing import Any

from cudalint.frontend import clang
from cudalint.frontend.clang import ClangType, Cursor, Kind, TypeKind
from cudalint.frontend.lowering.bases import Bases
from cudalint.ir.types import (
    BF16,
    BOOL,
    F16,
    F32,
    F64,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    VOID,
    Array,
    Float,
    Int,
    Pointer,
    Struct,
    StructField,
    Type,
    Unknown,
    Vector,
)  # fmt: skip

SCALARS: dict[Any, Type] = {
    TypeKind.VOID: VOID,
    TypeKind.BOOL: BOOL,
    TypeKind.CHAR_U: UINT8,
    TypeKind.UCHAR: UINT8,
    TypeKind.CHAR_S: INT8,
    TypeKind.SCHAR: INT8,
    TypeKind.CHAR16: UINT16,
    TypeKind.CHAR32: UINT32,
    TypeKind.WCHAR: INT32,
    TypeKind.SHORT: INT16,
    TypeKind.USHORT: UINT16,
    TypeKind.INT: INT32,
    TypeKind.UINT: UINT32,
    TypeKind.LONG: INT64,
    TypeKind.ULONG: UINT64,
    TypeKind.LONGLONG: INT64,
    TypeKind.ULONGLONG: UINT64,
    TypeKind.FLOAT: F32,
    TypeKind.DOUBLE: F64,
    TypeKind.LONGDOUBLE: F64,
    TypeKind.HALF: F16,
    TypeKind.INT128: Int(128, True),
    TypeKind.UINT128: Int(128, False),
}
POINTERS = (TypeKind.POINTER, TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE)
NAMED = (TypeKind.TYPEDEF, TypeKind.ELABORATED)
REFERENCES = (TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE)
ARRAYS = (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY, TypeKind.VARIABLEARRAY)
FUNCTIONS = (TypeKind.FUNCTIONPROTO, TypeKind.FUNCTIONNOPROTO)

NARROW: dict[str, Type] = {
    "__half": F16,
    "__nv_bfloat16": BF16,
    "c10::Half": F16,
    "c10::BFloat16": BF16,
    "at::Half": F16,
    "at::BFloat16": BF16,
    "__nv_fp8_e4m3": Float("e4m3"),
    "__nv_fp8_e5m2": Float("e5m2"),
    "c10::Float8_e4m3fn": Float("e4m3"),
    "c10::Float8_e5m2": Float("e5m2"),
    "cutlass::half_t": F16,
    "cutlass::bfloat16_t": BF16,
    "cutlass::float_e4m3_t": Float("e4m3"),
    "cutlass::float_e5m2_t": Float("e5m2"),
    "__half2": Vector(F16, 2),
    "__nv_bfloat162": Vector(BF16, 2),
}
_LANE_TYPES: dict[str, Type] = {
    "char": INT8, "uchar": UINT8, "short": INT16, "ushort": UINT16, "int": INT32, "uint": UINT32, "long": INT64,
    "ulong": UINT64, "longlong": INT64, "ulonglong": UINT64, "float": F32, "double": F64,
}  # fmt: skip
VECTORS: dict[str, Type] = {
    f"{name}{lanes}": Vector(element, lanes) for name, element in _LANE_TYPES.items() for lanes in (1, 2, 3, 4)
}


class Types:
    """Translates and remembers types; `guessed_file` is where guessed declarations live."""

    def __init__(self, guessed_file: str) -> None:
        self._known: dict[int, Type] = {}
        self._open: set[str] = set()
        self.bases = Bases(self.translate)
        self._guessed_file = guessed_file

    def of(self, cursor: Cursor) -> Type:
        return self.translate(cursor.type)

    def translate(self, type_: ClangType) -> Type:
        key = int(type_.data[0] or 0)
        known = self._known.get(key)
        if known is None:
            lost = type_.kind in NAMED and _is_lost(type_.get_declaration())
            known = Unknown(portable(type_.spelling)) if lost else self._translate(type_.get_canonical())
            self._known[key] = known
        return known

    def of_parameter(self, type_: ClangType) -> Type:
        """An array is the address of its first element: `float *rows[2]`, `float m[3][4]`."""
        translated = self.translate(type_)
        return Pointer(translated.element) if isinstance(translated, Array) else translated

    def _translate(self, type_: ClangType) -> Type:
        kind = type_.kind
        if kind in SCALARS:
            return SCALARS[kind]
        if kind in POINTERS:
            pointee = type_.get_pointee()
            if pointee.get_canonical().kind in FUNCTIONS:
                return Unknown(portable(pointee.spelling), 8)
            return Pointer(self.translate(pointee))
        if kind in ARRAYS:
            count = type_.element_count if kind == TypeKind.CONSTANTARRAY else None
            return Array(self.translate(type_.element_type), count)
        if kind == TypeKind.ENUM:
            return self.translate(type_.get_declaration().enum_type)
        if kind == TypeKind.RECORD:
            return self._record(type_)
        return Unknown(portable(type_.spelling))

    def _record(self, type_: ClangType) -> Type:
        declaration = type_.get_declaration()
        name = _plain(type_.spelling)
        special = NARROW.get(name) or VECTORS.get(name)
        if special is not None:
            return special
        size = type_.get_size()
        if size < 0 or name in self._open:
            return Unknown(name)
        self._open.add(name)
        fields, guessed = self._fields(type_, declaration)
        self._open.discard(name)
        guessed = guessed or self.is_guessed(declaration) or clang.is_invalid(declaration)
        return Struct(name, size, type_.get_align(), fields, guessed)

    def is_guessed(self, declaration: Cursor) -> bool:
        file = declaration.location.file
        return file is not None and file.name == self._guessed_file

    def _fields(self, type_: ClangType, declaration: Cursor) -> tuple[tuple[StructField, ...], bool]:
        """Members with their offsets. Those of bases come first, under their own names; anonymous members are opened."""
        found, guessed = self.bases.members(_plain(type_.spelling), type_, declaration)
        closure = is_closure(type_)
        own = {child.spelling for child in type_.get_fields()} if found else set()
        found = [StructField(f"{OF_BASE}{f.name}", f.offset, f.type) if f.name in own else f for f in found]
        for i, child in enumerate(type_.get_fields()):
            offset = child.get_field_offsetof() // 8
            member = self.translate(child.type)
            guessed |= (isinstance(member, Unknown) and member.size is None) or (
                isinstance(member, Struct) and member.guessed
            )
            if closure:
                found.append(StructField(f"capture.{i}", offset, member))
            elif is_unnamed(child) and isinstance(member, Struct):
                found += [StructField(f.name, offset + f.offset, f.type) for f in member.fields]
            elif child.is_bitfield() or offset < 0:
                guessed = True
            else:
                found.append(StructField(child.spelling, offset, member))
        return tuple(found), guessed


def _is_lost(declaration: Cursor) -> bool:
    """`typedef absent::wide wide_t;` of a type that nothing declares: to the parser it is an int."""
    return declaration.kind in (Kind.TYPEDEF_DECL, Kind.TYPE_ALIAS_DECL) and clang.is_invalid(declaration)


def is_unnamed(member: Cursor) -> bool:
    """The member that an anonymous union or structure is of its owner; libclang spells it as its type."""
    return not member.spelling or "(anonymous " in member.spelling


_PLACE = re.compile(r"\((lambda|anonymous \w+|unnamed \w+|anonymous|unnamed) at [^()]*?([^/()]*)\)")


def portable(spelling: str) -> str:
    """A type's name without the folder that an unnamed class was found in."""
    return _PLACE.sub(r"(\1 at \2)", spelling) if " at " in spelling else spelling


OF_BASE = "base::"  # before the name of a base's member that a member of the class hides


def is_closure(type_: ClangType) -> bool:
    """The class of a lambda, not one that has a lambda among its template arguments."""
    spelling = type_.spelling or ""
    return spelling.removeprefix("const ").removeprefix("volatile ").startswith("(lambda at")


def _plain(spelling: str) -> str:
    spelling = portable(spelling)
    for word in ("const ", "volatile ", "struct ", "class ", "union "):
        spelling = spelling.replace(word, "")
    return spelling


def is_reference(type_: ClangType) -> bool:
    """Whether it is an address. A reference to a function is none: it holds the function, as a pointer to one does."""
    canonical = type_.get_canonical()
    return canonical.kind in REFERENCES and not is_function(canonical.get_pointee())


def is_function(type_: ClangType) -> bool:
    return type_.get_canonical().kind in FUNCTIONS


def references_held(type_: ClangType) -> dict[str, ClangType]:
    """The members of a struct that are references, with their types."""
    fields = type_.get_canonical().get_fields() if type_.get_canonical().kind == TypeKind.RECORD else ()
    return {field.spelling: field.type for field in fields if is_reference(field.type)}


def is_scalar(type_: Type) -> bool:
    return not isinstance(type_, (Vector, Array, Struct, Unknown))


def is_aggregate(type_: Type) -> bool:
    return isinstance(type_, (Vector, Array, Struct, Unknown))


def promoted(type_: Type) -> Type:
    """C's integer promotion."""
    if type_ == BOOL or (isinstance(type_, Int) and type_.bits < 32):
        return INT32
    return type_


def common(left: Type, right: Type) -> Type:
    """The type in which C computes an arithmetic operation on these operands."""
    left, right = promoted(left), promoted(right)
    if isinstance(left, Float) or isinstance(right, Float):
        return max((t for t in (left, right) if isinstance(t, Float)), key=lambda t: _RANK.get(t.format, 0))
    if isinstance(left, Int) and isinstance(right, Int):
        if left.bits != right.bits:
            return left if left.bits > right.bits else right
        return Int(left.bits, left.signed and right.signed)
    return left


_RANK = {"f64": 4, "f32": 3, "tf32": 2, "f16": 1, "bf16": 1}
