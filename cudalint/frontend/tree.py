"""The statements of a file as tree-sitter sees them: the measure of what lowering has covered.

libclang drops a statement that it cannot parse without leaving a node, so a second reader counts them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from cudalint.source import SourceFile, Span

SIMPLE = frozenset({"expression_statement", "declaration", "return_statement", "break_statement", "continue_statement"})
NO_CODE = frozenset({"using_declaration", "alias_declaration", "type_definition", "static_assert_declaration"})


@lru_cache(maxsize=4)
def simple_statements(source: SourceFile) -> tuple[Span, ...]:
    """Every expression statement, declaration with a value, and jump inside a function body, in the order of the text."""
    content = source.text.encode("utf-8", "surrogatepass")
    columns = _Columns(content)
    return tuple(columns.span(source.path, node) for node in _simple(_parse(content).root_node))


def statements_within(source: SourceFile, body: Span) -> tuple[Span, ...]:
    """The simple statements between the first and the last line of a body."""
    start, end = (body.line, body.column), (body.end_line, body.end_column)
    return tuple(
        s for s in simple_statements(source) if start <= (s.line, s.column) and (s.end_line, s.end_column) <= end
    )


def _parse(content: bytes) -> Any:
    import tree_sitter_cuda
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_cuda.language())).parse(content)


def _simple(root: Any) -> Iterator[Any]:
    pending = [(root, False)]
    while pending:
        node, inside = pending.pop()
        if inside and node.type in SIMPLE and not node.has_error and _does_something(node):
            yield node
            continue
        inside = inside or node.type == "function_definition"
        pending.extend((child, inside) for child in reversed(node.named_children) if child.type not in NO_CODE)


def _does_something(node: Any) -> bool:
    if node.type == "expression_statement":
        return bool(node.named_child_count)
    if node.type == "declaration":
        return any(child.type == "init_declarator" for child in node.named_children)
    return True


class _Columns:
    """Byte columns to code points."""

    def __init__(self, content: bytes) -> None:
        self._lines = content.split(b"\n")

    def span(self, path: str, node: Any) -> Span:
        (line, column), (end_line, end_column) = node.start_point, node.end_point
        return Span(path, line + 1, self._at(line, column), end_line + 1, self._at(end_line, end_column))

    def _at(self, line: int, column: int) -> int:
        return len(self._lines[line][:column].decode("utf-8", "replace")) + 1
