"""Values of Python expressions as far as the text says them, and the reader that knows where each was written.

A value that is not constant is a hole: the identifier `py_<what is written there>`, which no C++ declares.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from cudalint.frontend.python_text import Text, synthetic

BUDGET = 200_000
LONGEST_TEXT = 2_000_000
LONGEST_WRITTEN = 200
HOLE = "py_"
_SLUG = 40


@dataclass(frozen=True, slots=True)
class Hole:
    """A value that the text does not say: the expression as written, and its offset."""

    written: str
    at: int


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the file; `owner` is its class, `closure` holds the names around it."""

    node: ast.FunctionDef | ast.AsyncFunctionDef
    owner: str | None
    closure: dict[str, Any] = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Compiled:
    """What a compiling call gives: a module, or with a name one kernel of it; `text` is its source.

    `instances` are the kernels of templates that the call asks for.
    """

    text: Text = field(hash=False)
    kernel: str | None
    instances: tuple[str, ...] = field(default=(), compare=False)


Value: TypeAlias = Any  # Text | Hole | Function | Compiled | list[Value] | dict[str, Value] | int | float | bool | None
Names: TypeAlias = dict[str, Value]


@dataclass(frozen=True, slots=True)
class Arguments:
    """The values of a call: by position, by name."""

    positional: tuple[Value, ...]
    named: dict[str, Value]

    def get(self, name: str, position: int | None = None) -> Value:
        if name in self.named:
            return self.named[name]
        return self.positional[position] if position is not None and position < len(self.positional) else None


class Exhausted(Exception):
    """The file asks for more steps than its strings are worth."""


@dataclass(frozen=True, slots=True)
class Template:
    """What waits for its names: `$name` of the standard library, or `{{ name }}`."""

    text: Text
    jinja: bool


def key_of(value: Value) -> str | None:
    """The key that a constant is in a dictionary of strings."""
    if isinstance(value, Text):
        return value.chars
    return str(value) if isinstance(value, int) else None


class Reader:
    """Places and texts of one file. Every step counts against a budget."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.holes: dict[str, str] = {}
        self._starts = [0, *(m.end() for m in re.finditer(r"\r\n|\r|\n", source))]
        self._lines: dict[int, bytes] = {}
        self._steps = 0

    def offset(self, line: int, column: int) -> int:
        """The offset of a place as `ast` counts: lines from 1, columns in bytes of UTF-8."""
        start = self._starts[line - 1]
        if self.source.isascii():
            return start + column
        if line not in self._lines:
            end = self._starts[line] if line < len(self._starts) else len(self.source)
            self._lines[line] = self.source[start:end].encode("utf-8", "surrogatepass")
        return start + len(self._lines[line][:column].decode("utf-8", "replace"))

    def start(self, node: ast.expr) -> int:
        """The offset of the expression's first character."""
        return self.offset(node.lineno, node.col_offset)

    def hole(self, written: str, at: int) -> Text:
        """The identifier that stands for what is not known."""
        slug = re.sub(r"\W+", "_", written, flags=re.ASCII).strip("_")[:_SLUG]
        name = HOLE + (slug or "value")
        self.holes.setdefault(name, written)
        return synthetic(name, at)

    def text(self, value: Value, at: int) -> Text:
        """As `str(value)`."""
        match value:
            case Text():
                return value
            case Hole():
                return self.hole(value.written, value.at)
            case bool() | int() | float():
                return synthetic(str(value), at)
            case _:
                return self.hole("value", at)

    def unknown(self, node: ast.expr) -> Hole:
        """The value of an expression that is not constant."""
        if isinstance(node, ast.Name):
            return Hole(node.id, self.start(node))
        return Hole(self.written(node), self.start(node))

    def written(self, node: ast.expr) -> str:
        """The expression as it stands in the file, on one line."""
        start = self.start(node)
        return " ".join(self.source[start : min(self.end(node), start + LONGEST_WRITTEN)].split())

    def end(self, node: ast.expr) -> int:
        """The offset behind the expression."""
        if node.end_lineno is None or node.end_col_offset is None:
            return self.start(node)
        return self.offset(node.end_lineno, node.end_col_offset)

    def sized(self, text: Text) -> Text:
        """The text, unless it grew beyond what a source can be."""
        if len(text.chars) > LONGEST_TEXT:
            raise Exhausted
        return text

    def count(self) -> None:
        """One step; raises Exhausted when there were too many."""
        self._steps += 1
        if self._steps > BUDGET:
            raise Exhausted
