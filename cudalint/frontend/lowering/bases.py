"""The bases of a class and where they lie in it, those of an instance of a class template among them.

    template <class T> struct Step : Data<T> { size_t step; };         Step<float>: Data<float> at 0, step at 8

libclang shows no bases of an instance: they follow from the template and the arguments, and their places from the usual layout.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from cudalint.frontend import clang
from cudalint.frontend.clang import ClangType, Cursor, Kind, TypeKind
from cudalint.ir.types import Array, Pointer, Struct, StructField, Type, align_of, size_of

_PARAMETER = re.compile(r"\btype-parameter-0-(\d+)\b")
_UNUSUAL = (Kind.UNION_DECL, Kind.PACKED_ATTR, Kind.ALIGNED_ATTR)
_DEPENDENT = -3  # what libclang says of the size of such a type
Argument = tuple[str, Callable[[], Type | None]]  # how it is spelled, and what it is where that matters
Arguments = tuple[Argument | None, ...]  # None for a value


class Bases:
    """Where each base of a class lies in it, by their names."""

    def __init__(self, translate: Callable[[ClangType], Type]) -> None:
        self._translate = translate
        self._places: dict[str, dict[str, int]] = {}
        self._open: set[str] = set()

    def members(self, name: str, type_: ClangType, declaration: Cursor) -> tuple[list[StructField], bool]:
        """The members that a class inherits, under their own names, and whether one of its bases was guessed."""
        found, end, last, guessed = list[StructField](), 0, 0, False
        certain = True
        for base in self._of(type_, declaration):
            if isinstance(base, Struct):
                certain = certain and end == last
                at = self._add(name, base, end)
                found += _moved(base, at)
                end, last = (at + base.size, at + _last(base)) if base.fields else (end, last)
                guessed |= base.guessed
        certain = certain and any(_leaves_the_rest(behind, type_) for behind in (end, last))
        if not clang.children(declaration) and not certain:
            self._places.pop(name, None)
            return [], False
        return found, guessed

    def distance(self, source: Type, to: Type) -> int:
        """Bytes from an object to its base of the other class, less than none the other way round; 0 where neither is one."""
        if not isinstance(source, Struct) or not isinstance(to, Struct):
            return 0
        down, up = self._place_in(source.name, to.name), self._place_in(to.name, source.name)
        return down if down is not None else -(up or 0)

    def _place_in(self, owner: str, base: str) -> int | None:
        for name, at in self._places.get(owner, {}).items():
            inner = 0 if name == base else self._place_in(name, base)
            if inner is not None:
                return at + inner
        return None

    def _add(self, owner: str, base: Struct, end: int) -> int:
        at = -(-end // max(1, base.align)) * base.align
        self._places.setdefault(owner, {})[base.name] = at
        return at

    def _of(self, type_: ClangType, declaration: Cursor) -> Iterator[Type]:
        """The bases in their order; none where one of them cannot be said."""
        shown = clang.children(declaration)
        template = None if shown else clang.template_of(declaration)
        if template is None or template.kind != Kind.CLASS_TEMPLATE:
            yield from (self._translate(c.type) for c in shown if c.kind == Kind.CXX_BASE_SPECIFIER)
            return
        count = max(0, type_.get_num_template_arguments())
        given = tuple(self._argument(type_.get_template_argument_type(i)) for i in range(count))
        found = [self._meant(c.type, given) for c in clang.children(template) if c.kind == Kind.CXX_BASE_SPECIFIER]
        yield from (base for base in found if base is not None) if None not in found else ()

    def _argument(self, type_: ClangType) -> Argument | None:
        if type_.kind == TypeKind.INVALID:
            return None
        return type_.get_canonical().spelling, partial(self._translate, type_)

    def _meant(self, type_: ClangType, given: Arguments) -> Type | None:
        """What a type in a template is with these arguments; None where that cannot be said."""
        canonical = type_.get_canonical()
        if canonical.get_size() != _DEPENDENT:
            return self._translate(type_)
        if (parameter := _PARAMETER.fullmatch(canonical.spelling.removeprefix("const "))) is not None:
            place = int(parameter[1])
            meant = given[place] if place < len(given) else None
            return None if meant is None else meant[1]()
        if canonical.kind == TypeKind.POINTER:
            pointee = self._meant(canonical.get_pointee(), given)
            return None if pointee is None else Pointer(pointee)
        if canonical.kind == TypeKind.CONSTANTARRAY:
            element = self._meant(canonical.element_type, given)
            return None if element is None else Array(element, canonical.element_count)
        return self._instance(type_, given)

    def _instance(self, type_: ClangType, given: Arguments) -> Struct | None:
        """`Data<T>` where T is given."""
        count, template = type_.get_num_template_arguments(), type_.get_declaration()
        if count < 1 or template.kind != Kind.CLASS_TEMPLATE:
            return None
        name = _spelled(type_, given)
        if name in self._open:
            return None
        arguments = (type_.get_template_argument_type(i) for i in range(count))
        inner = tuple(
            None if a.kind == TypeKind.INVALID else (_spelled(a, given), partial(self._meant, a, given))
            for a in arguments
        )
        self._open.add(name)
        made = self._laid_out(template, inner, name)
        self._open.discard(name)
        return made

    def _laid_out(self, template: Cursor, given: Arguments, name: str) -> Struct | None:
        """The class that a template makes of arguments; None where its layout is not the usual one."""
        definition = template.get_definition()
        below = clang.children(definition) if definition is not None else []
        if definition is None or any(map(_is_unusual, below)):
            return None
        fields, end, last, align = list[StructField](), 0, 0, 1
        for child in (c for c in below if c.kind in (Kind.CXX_BASE_SPECIFIER, Kind.FIELD_DECL)):
            type_ = self._meant(child.type, given)
            size = None if type_ is None else size_of(type_)
            if type_ is None or size is None or end != last:  # what comes next may lie in the rest of a base
                return None
            if child.kind == Kind.FIELD_DECL:
                at = -(-end // align_of(type_)) * align_of(type_)
                fields.append(StructField(child.spelling, at, type_))
                end = last = at + size
            elif isinstance(type_, Struct):
                at = self._add(name, type_, end)
                fields += _moved(type_, at)
                end, last = (at + size, at + _last(type_)) if type_.fields else (end, last)
            align = max(align, align_of(type_))
        return Struct(name, max(1, -(-end // align) * align), align, tuple(fields))


def _last(base: Struct) -> int:
    """Where the last member ends: what derives from the class may begin in the rest."""
    return max((f.offset + (size_of(f.type) or 0) for f in base.fields), default=0)


def _moved(base: Struct, at: int) -> list[StructField]:
    return [StructField(f.name, at + f.offset, f.type) for f in base.fields]


def _spelled(type_: ClangType, given: Arguments) -> str:
    """A dependent type as the one that the arguments make of it is spelled."""

    def argument(match: re.Match[str]) -> str:
        meant = given[int(match[1])] if int(match[1]) < len(given) else None
        return match[0] if meant is None else meant[0]

    return _PARAMETER.sub(argument, type_.get_canonical().spelling)


def _leaves_the_rest(end: int, type_: ClangType) -> bool:
    """Whether bases that end there leave the class the members and the size that it has."""
    first = next(iter(type_.get_fields()), None)
    if first is None:
        align = max(1, type_.get_align())
        return bool(type_.get_size() == max(1, -(-end // align) * align))
    width = max(1, first.type.get_align())
    return bool(first.get_field_offsetof() // 8 == -(-end // width) * width)


def _is_unusual(part: Cursor) -> bool:
    """What makes a layout other than that of plain members one behind the other."""
    if part.kind in (Kind.CXX_METHOD, Kind.DESTRUCTOR):
        return bool(part.is_virtual_method())
    if part.kind == Kind.FIELD_DECL:
        return part.is_bitfield() or any(c.kind in _UNUSUAL for c in clang.children(part))
    return part.kind in _UNUSUAL or (part.kind == Kind.STRUCT_DECL and not part.spelling)
