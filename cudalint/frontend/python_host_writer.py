"""The C++ lines that word a Python host program, each with its place in the Python file, and the names in them.

What is not understood is the result of a function of its own without a body, so that a contract can say what was lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from cudalint.frontend.python_host_values import (
    C_NAMES,
    Array,
    Lost,
    Number,
    Pointer,
    Truth,
    Type,
    Value,
    is_plain,
    leaves,
)
from cudalint.frontend.python_values import Compiled

LOST = "py_lost_"
_KEYWORDS = frozenset((
    "alignas", "alignof", "and", "asm", "auto", "bool", "case", "catch", "char", "class", "const", "constexpr", "continue",
    "cupy", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern",
    "false", "float", "for", "friend", "goto", "if", "inline", "int", "long", "main", "mutable", "namespace", "new", "noexcept",
    "not", "nullptr", "operator", "or", "private", "protected", "public", "register", "return", "short", "signed", "sizeof",
    "static", "struct", "switch", "template", "this", "throw", "true", "try", "typedef", "typeid", "typename", "union",
    "unsigned", "using", "virtual", "void", "volatile", "while", "xor", "half", "dim3", "uint", "ushort", "uchar",
    "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """One line of C++, blamed on an offset of the Python file; `calls` is the function of the host that it calls."""

    text: str
    at: int
    calls: str = ""


@dataclass(frozen=True, slots=True)
class LaunchLine:
    """A launch of one kernel: `grid`, `block` and `shared` are C++, `arguments` values of Python in their order.

    `converts`: the library makes numbers of the types that it was told, rather than to hand on their bytes.
    """

    kernel: Compiled
    grid: str
    block: str
    shared: str
    arguments: tuple[Value, ...] | None
    at: int
    converts: bool = False


@dataclass(frozen=True, slots=True)
class ReturnLine:
    value: Value
    at: int


AnyLine = Line | LaunchLine | ReturnLine


@dataclass(slots=True)
class Written:
    """A function of the host in C++: its name there and in Python, its parameters, its lines, and what it returns.

    `free`: its callers are not in the file, or not all of them.
    """

    name: str
    shown: str
    parameters: tuple[str, ...]
    lines: list[AnyLine] = field(default_factory=list)
    result: Value | None = None
    at: int = 0
    free: bool = False

    def launches(self) -> list[int]:
        """The offsets of its launches."""
        return [line.at for line in self.lines if isinstance(line, LaunchLine)]

    def results(self) -> list[str]:
        """The C++ types of what it returns."""
        return [c_name(leaf) for leaf in leaves(self.result)] if self.result is not None else []


def c_name(leaf: Value) -> str:
    """The C++ type of a leaf."""
    return C_NAMES[type(leaf)]


class Names:
    """C++ names of one file: those of functions, of what was lost, and what they are in Python."""

    def __init__(self) -> None:
        self.shown: dict[str, str] = {}  # Python's words, by C++ name
        self.lost: dict[str, str] = {}  # C++ types of what was lost, by the name of its function
        self._functions: set[str] = set()

    def function(self, python: str) -> str:
        """A C++ name that no other function of the host has."""
        base = re.sub(r"\W", "_", python, flags=re.ASCII).strip("_") or "function"
        name = _fresh(base + "_" if base in _KEYWORDS or base[0].isdigit() else base, self._functions)
        if name != python:
            self.shown[name] = python
        return name

    def lose(self, c_type: str, written: str) -> str:
        """A call that gives a value of which nothing is known."""
        name = f"{LOST}{len(self.lost) + 1}"
        self.lost[name] = c_type
        self.shown[name] = f"`{written}`"
        return f"{name}()"


class Writer:
    """The lines of one function as it is written, block by block."""

    def __init__(self, names: Names, reserved: frozenset[str] = frozenset()) -> None:
        self.names, self.lines, self.at = names, list[AnyLine](), 0
        self._used = set(reserved)

    def emit(self, text: str, calls: str = "") -> None:
        self.lines.append(Line(text, self.at, calls))

    def fresh(self, hint: str) -> str:
        """A name for a variable: Python's, where C++ can have that."""
        base = re.sub(r"\W", "_", hint, flags=re.ASCII).lstrip("_") or "value"
        return _fresh(f"{base}_" if base in _KEYWORDS or base[0].isdigit() else base, self._used)

    def declare(self, leaf: Value, hint: str, init: str | None = None) -> Value:
        """A variable that holds the leaf."""
        name = self.fresh(hint)
        self.emit(f"{c_name(leaf)} {name} = {self.text(leaf) if init is None else init};")
        match leaf:
            case Array():
                return replace(leaf, text=name, start=None, flat=leaf.flat or leaf.start is not None)
            case Number() | Truth() | Pointer() | Type():
                return replace(leaf, text=name)
            case _:
                return leaf

    def text(self, value: Value) -> str:
        """The C++ of a leaf; an array that begins inside another one has none and is lost."""
        match value:
            case Array() if value.start is not None:
                return self.names.lose(C_NAMES[Array], f"part of {value.text}")
            case Number() | Truth() | Array() | Pointer() | Type():
                return value.text
            case Lost():
                return self.lost(value, value.kind or Number)
            case _:
                return self.names.lose(C_NAMES[Number], "value")

    def lost(self, value: Value, kind: type) -> str:
        """A value of the kind of which nothing is known."""
        return self.names.lose(C_NAMES[kind], value.written if isinstance(value, Lost) else "a value of another kind")

    def unknown(self, value: Value, kind: type) -> Value:
        """The same as a value."""
        text = self.lost(value, kind)
        return kind(text) if kind in (Number, Truth, Array, Pointer, Type) else value

    def number(self, value: Value) -> Number:
        """The integer that the value is."""
        if isinstance(value, Number):
            return value
        if isinstance(value, Truth):
            return Number(f"({value.text} ? 1 : 0)", None, True)
        return Number(self.lost(value, Number))

    def block(self) -> list[AnyLine]:
        """Start a block: the lines before it come back."""
        before, self.lines = self.lines, []
        return before

    def close(self, before: list[AnyLine]) -> list[AnyLine]:
        """End a block: its lines come back."""
        inside, self.lines = self.lines, before
        return inside

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What is written in between is a trial: its names are free again."""
        used = set(self._used)
        yield
        self._used = used

    def nested(self, head: str, inside: Iterable[AnyLine], tail: str = "}") -> None:
        self.emit(head)
        self.lines += inside
        self.emit(tail)


def _fresh(base: str, used: set[str]) -> str:
    name, count = base, 1
    while name in used:
        count += 1
        name = f"{base}_{count}"
    used.add(name)
    return name


def held(value: Value, hint: str, writer: Writer, parts: Mapping[str, str] | None = None) -> Value:
    """The value, kept in variables of its own; a constant and what only Python knows stay as they are."""
    if not is_plain(value) or (isinstance(value, Number) and value.value is not None):
        return value
    return writer.declare(value, hint)
