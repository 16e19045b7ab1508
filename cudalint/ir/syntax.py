"""The text of a file as a tree: what stands there, before any name means anything. Frozen data, no behaviour.

Where a template has no instance or a header is missing there is no IR, but the text still says that `int i` is
multiplied by `int cols` on its way to an index. Kinds and field names are those of the tree-sitter grammar of CUDA;
parentheses and comments are left out, and `op` holds the operator of an expression.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.source import SourceFile, Span


@dataclass(frozen=True, slots=True, eq=False)
class Syntax:
    """One node, from `start` to `end` in the file's text; `fields` names the children ("" for those without a name)."""

    kind: str
    file: SourceFile
    start: int
    end: int
    place: tuple[int, int, int, int]
    children: tuple[Syntax, ...] = ()
    fields: tuple[str, ...] = ()
    op: str = ""

    @property
    def text(self) -> str:
        return self.file.text[self.start : self.end]

    @property
    def bare(self) -> str:
        """The text without its spaces."""
        return "".join(self.text.split())

    @property
    def span(self) -> Span:
        return Span(self.file.path, *self.place)

    def child(self, field: str) -> Syntax | None:
        """The first child with this field name."""
        return self.children[self.fields.index(field)] if field in self.fields else None

    def all(self, field: str) -> tuple[Syntax, ...]:
        """Every child with this field name."""
        return tuple(child for name, child in zip(self.fields, self.children) if name == field)

    def walk(self) -> Iterator[Syntax]:
        """This node and all below it, in the order of the text."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            if node.children:
                stack += node.children[::-1]


@dataclass(frozen=True, slots=True, eq=False)
class TextFunction:
    """A function definition: `role` is kernel, device or host; `result` is the written type of its result.

    `template` names the template parameters of the function and of the classes around it.
    """

    name: str
    role: str
    result: str
    parameters: tuple[Syntax, ...]
    body: Syntax
    span: Span
    template: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """One file. `constants` are names that stand for a number everywhere in it; `types` are names for other types."""

    path: str
    root: Syntax
    functions: tuple[TextFunction, ...]
    constants: dict[str, int]
    types: dict[str, str]
    members: dict[str, str]
