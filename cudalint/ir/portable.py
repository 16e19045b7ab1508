"""The IR as JSON and back: a table of nodes in which each names earlier ones by number, so that what is shared is written once.

    x + x   ->   {"names": ["x", ...], "nodes": [["Int", 32, true], ["Var", 0, 0], ["Binary", "+", 1, 1, 0], ...], "root": 9}

A row is a class and its fields in order: names by their number, operators by their sign, floats as `float.hex`. The same unit
gives the same table. What is read is data: only classes of the language are made, each field has the type that the class says,
and what unfolds to more than a limit is refused. Reading raises ValueError with one line.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from cudalint.ir import nodes
from cudalint.ir import types as ir_types
from cudalint.source import Span

MOST_NODES = 1 << 22  # of the tree that the table unfolds to
MOST_DEPTH = 400
LARGEST_INITIALISER = 1 << 22  # elements of a variable with one
_BITS = (8, 16, 32, 64, 128)
_LANES = 1 << 10
_SCALARS = (bool, int, float, type(None))
Json = Any


@cache
def _classes() -> dict[str, type]:
    """The classes of the language by their names."""
    found: dict[str, type] = {"Span": Span}
    for module in (ir_types, nodes):
        for value in vars(module).values():
            if isinstance(value, type) and is_dataclass(value) and value.__module__ == module.__name__:
                found[value.__name__] = value
    return found


def dumped(unit: nodes.Unit) -> Json:
    """The table of a unit. Raises RecursionError for a tree that is too deep."""
    writer = _Writer()
    root = writer.node(unit)
    return {"names": list(writer.names), "nodes": writer.rows, "root": root}


def loaded(table: Json) -> nodes.Unit:
    """The unit of a table; raises ValueError."""
    if not isinstance(table, dict) or not all(isinstance(table.get(part), list) for part in ("names", "nodes")):
        raise ValueError("the IR is no table of names and nodes")
    reader = _Reader(table["names"])
    for row in table["nodes"]:
        reader.read(row)
    unit = reader.reference(table.get("root"), (nodes.Unit,))
    if not isinstance(unit, nodes.Unit):
        raise ValueError("the IR has no unit")
    return unit


# --- what a field holds -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Scalar:
    kinds: tuple[type, ...]


@dataclass(frozen=True, slots=True)
class _Name:
    """`optional`: or nothing."""

    optional: bool


@dataclass(frozen=True, slots=True)
class _Choice:
    of: type[Enum]


@dataclass(frozen=True, slots=True)
class _Node:
    """`optional`: or nothing."""

    classes: tuple[type, ...]
    optional: bool


@dataclass(frozen=True, slots=True)
class _Many:
    """Of one kind; `count` where it is fixed, `optional`: or nothing."""

    of: _Kind
    count: int | None
    optional: bool


@dataclass(frozen=True, slots=True)
class _Named:
    """A mapping from names."""

    of: _Kind


_Kind = _Scalar | _Name | _Choice | _Node | _Many | _Named


@cache
def _kinds(class_: Hashable) -> tuple[_Kind, ...]:
    assert isinstance(class_, type) and is_dataclass(class_)
    hints = get_type_hints(class_, vars(nodes) | vars(ir_types) | {"Span": Span})
    return tuple(_kind(hints[each.name]) for each in fields(class_))


def _kind(hint: Any) -> _Kind:
    members = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    optional = type(None) in members
    members = tuple(each for each in members if each is not type(None))
    first = members[0]
    if first is str:
        return _Name(optional)
    if all(each in _SCALARS for each in members):
        return _Scalar((*members, *([type(None)] if optional else [])))
    if isinstance(first, type) and issubclass(first, Enum):
        return _Choice(first)
    if get_origin(first) is dict:
        return _Named(_kind(get_args(first)[1]))
    if get_origin(first) is tuple:
        of = get_args(first)
        return _Many(_kind(of[0]), None if of[-1] is Ellipsis else len(of), optional)
    return _Node(members, optional)


# --- writing ------------------------------------------------------------------------------------------------------------


class _Writer:
    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.rows: list[Json] = []
        self._numbers: dict[str, int] = {}  # of rows by their text: 1 and true are different
        self._known: dict[int, int] = {}
        self._kept: list[object] = []  # so that no other node gets the identity of one that is known

    def node(self, value: Any) -> int:
        known = self._known.get(id(value))
        if known is not None:
            return known
        class_: type = type(value)
        given = (getattr(value, each.name) for each in fields(class_))
        row = [class_.__name__, *(self._field(kind, each) for kind, each in zip(_kinds(class_), given))]
        text = json.dumps(row)
        number = self._numbers.setdefault(text, len(self.rows))
        if number == len(self.rows):
            self.rows.append(row)
        self._known[id(value)] = number
        self._kept.append(value)
        return number

    def _field(self, kind: _Kind, value: Any) -> Json:
        match kind:
            case _Scalar():
                return value.hex() if isinstance(value, float) else value
            case _Name():
                return None if value is None else self._name(value)
            case _Choice():
                return value.value
            case _Node():
                return None if value is None else self.node(value)
            case _Many():
                return None if value is None else [self._field(kind.of, each) for each in value]
            case _Named():
                return [[self._name(name), self._field(kind.of, each)] for name, each in value.items()]

    def _name(self, name: str) -> int:
        return self.names.setdefault(name, len(self.names))


# --- reading ------------------------------------------------------------------------------------------------------------


class _Reader:
    def __init__(self, names: list[Json]) -> None:
        if not all(isinstance(name, str) for name in names):
            raise ValueError("a name in the IR is no text")
        self._names = names
        self._made: list[Any] = []
        self._sizes: list[int] = []
        self._depths: list[int] = []

    def read(self, row: Json) -> None:
        """The next node, out of those before it."""
        class_ = _classes().get(row[0]) if isinstance(row, list) and row and isinstance(row[0], str) else None
        kinds = _kinds(class_) if class_ is not None else ()
        if class_ is None or len(row) != len(kinds) + 1:
            raise ValueError(f"node {len(self._made)} of the IR is none of the language")
        try:
            made = class_(*(self._value(kind, each) for kind, each in zip(kinds, row[1:])))
        except ValueError as error:
            raise ValueError(f"node {len(self._made)} of the IR: {error}") from None
        _check(made)
        below = [number for kind, each in zip(kinds, row[1:]) for number in _references(kind, each)]
        size = 1 + sum(self._sizes[number] for number in below)
        depth = 1 + max((self._depths[number] for number in below), default=0)
        if size > MOST_NODES or depth > MOST_DEPTH:
            raise ValueError("the IR is larger or deeper than what is read")
        self._made.append(made)
        self._sizes.append(size)
        self._depths.append(depth)

    def reference(self, number: Json, classes: tuple[type, ...]) -> Any:
        if type(number) is not int or not 0 <= number < len(self._made):
            raise ValueError("a node is named that does not stand before it")
        made = self._made[number]
        if not isinstance(made, classes):
            raise ValueError(f"a {type(made).__name__} stands where none can be")
        return made

    def _value(self, kind: _Kind, value: Json) -> Any:
        match kind:
            case _Scalar():
                return _scalar(kind, value)
            case _Name():
                return None if value is None and kind.optional else self._name(value)
            case _Choice():
                return kind.of(value)
            case _Node():
                return None if value is None and kind.optional else self.reference(value, kind.classes)
            case _Many():
                return None if value is None and kind.optional else tuple(self._several(kind, value))
            case _Named():
                pairs = list(_pairs(value))
                return {self._name(name): self._value(kind.of, each) for name, each in pairs}

    def _several(self, kind: _Many, value: Json) -> Iterator[Any]:
        if not isinstance(value, list) or kind.count not in (None, len(value)):
            raise ValueError("a list of parts is missing or has another length")
        return (self._value(kind.of, each) for each in value)

    def _name(self, number: Json) -> str:
        if type(number) is not int or not 0 <= number < len(self._names):
            raise ValueError("a name that is not in the table")
        name: str = self._names[number]
        return name


def _scalar(kind: _Scalar, value: Json) -> Any:
    if isinstance(value, str) and float in kind.kinds:
        return float.fromhex(value)
    if type(value) not in kind.kinds or isinstance(value, float):
        raise ValueError(f"{str(value)[:40]!r} is no value that can stand there")
    return value


def _pairs(value: Json) -> Iterator[tuple[Json, Json]]:
    for pair in value if isinstance(value, list) else [None]:
        if not isinstance(pair, list) or len(pair) != 2:
            raise ValueError("a mapping is no list of pairs")
        yield pair[0], pair[1]


def _references(kind: _Kind, value: Json) -> Iterator[int]:
    """The numbers of the nodes that a field holds; the field was read."""
    match kind:
        case _Node():
            yield from () if value is None else (value,)
        case _Many():
            yield from (number for each in value or () for number in _references(kind.of, each))
        case _Named():
            yield from (number for _, each in value for number in _references(kind.of, each))
        case _Scalar() | _Name() | _Choice():
            return


def _check(made: Any) -> None:
    """What the meanings of the language rely on beyond the types of the fields; raises ValueError."""
    broken = _CHECKS.get(type(made), lambda each: False)
    if broken(made):
        raise ValueError(f"a {type(made).__name__} of a size that there is not")


def _is_broken_global(made: nodes.Global) -> bool:
    if made.init is None:
        return False
    size = ir_types.size_of(made.var.type)
    return size is None or size > LARGEST_INITIALISER


_CHECKS: dict[type, Callable[[Any], bool]] = {
    ir_types.Int: lambda made: made.bits not in _BITS,
    ir_types.Float: lambda made: made.format not in ir_types.FLOAT_FORMATS,
    ir_types.Vector: lambda made: not 1 <= made.lanes <= _LANES,
    ir_types.Array: lambda made: made.count is not None and made.count < 0,
    ir_types.Struct: lambda made: made.size < 0 or made.align < 1 or any(f.offset < 0 for f in made.fields),
    nodes.Global: _is_broken_global,
}
