"""Statements of a function's body as tree-sitter sees them, against the places that lowering has visited.

libclang drops a statement that it cannot parse, sometimes without a word, so a second reader looks for what is lost:

    { a[i] = 1; b[i] = f(i); }      visited: the place of `a[i] = 1`      lost: `b[i] = f(i);`

A region that may be no part of the program (a branch of `#if` or of `if constexpr`, a lambda's body, a method of a local
class) counts only if something in it was visited.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

SIMPLE = frozenset({"expression_statement", "declaration", "return_statement", "break_statement", "continue_statement"})
NO_CODE = frozenset(
    {"using_declaration", "alias_declaration", "type_definition", "static_assert_declaration", "comment"}
)
OPTIONAL = frozenset(
    {
        "lambda_expression",
        "function_definition",
        "preproc_else",
        "preproc_elif",
        "preproc_elifdef",
        "template_declaration",
    }
)
CONDITIONAL = frozenset({"preproc_if", "preproc_ifdef", "preproc_elif", "preproc_elifdef"})
_HEAD = b"void f() "
_BEFORE_KEYWORD = re.compile(rb"\b[A-Z][A-Z0-9_]{3,}(?:[ \t]*\([^(){};]*\))?(?=\s+(?:for|while|do|if)\b)")  # a _Pragma
Extent = tuple[int, int]


def lost_statements(body: bytes, visited: Sequence[int], dropped: Sequence[Extent] = ()) -> list[Extent]:
    """Statements of `{ ... }` in which no visited place lies; all offsets in bytes of `body`.

    `dropped` are regions that a constant condition removes; one with a visited place is some other instance's code.
    """
    dead = [(first, last) for first, last in dropped if not _any_within(visited, first, last)]
    plain = _BEFORE_KEYWORD.sub(_without_macro, body)
    found = ((s - len(_HEAD), e - len(_HEAD)) for s, e in _simple(_parse(_HEAD + plain).root_node, visited))
    return [
        (start, end)
        for start, end in found
        if not _any_within(visited, start, end) and not any(a <= start < b for a, b in dead)
    ]


def _without_macro(found: re.Match[bytes]) -> bytes:
    """Blanks for a macro before a keyword; what ends a directive (`#ifdef SMOOTH`) is none."""
    line = found.string[found.string.rfind(b"\n", 0, found.start()) + 1 : found.start()]
    return found[0] if line.lstrip().startswith(b"#") else re.sub(rb"\S", b" ", found[0])


@lru_cache(maxsize=1)
def _parser() -> Any:
    import tree_sitter_cuda
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_cuda.language()))


def _parse(content: bytes) -> Any:
    return _parser().parse(content)


def _any_within(visited: Sequence[int], start: int, end: int) -> bool:
    at = bisect_left(visited, start)
    return at < len(visited) and visited[at] < end


def _simple(root: Any, visited: Sequence[int]) -> Iterator[Extent]:
    """Expression statements, declarations with a value, and jumps, in the order of the text."""
    pending = [root]
    outermost = True
    while pending:
        node = pending.pop()
        if node.type == "ERROR":
            continue
        if node.type in SIMPLE:
            if not node.has_error and _does_something(node):
                yield _start(node), node.end_byte
            pending += [n for n in _lambdas(node) if _counts(n, visited)]
            continue
        optional = node.type in OPTIONAL or _is_branch_of_constant(node)
        if optional and not outermost and not _counts(node, visited):
            continue
        outermost = outermost and node.type != "function_definition"
        pending += [c for c in reversed(_parts(node, visited)) if c.type not in NO_CODE]


def _start(node: Any) -> int:
    """Where a statement starts: what tree-sitter cannot read before it, such as `operator()<T>`, is its beginning."""
    before = node.prev_sibling
    return int(before.start_byte if before is not None and before.type == "ERROR" else node.start_byte)


def _parts(node: Any, visited: Sequence[int]) -> list[Any]:
    """The named children; of a conditional of the preprocessor only the alternative where its own branch is not visited."""
    below = list(node.named_children)
    if node.type not in CONDITIONAL:
        return below
    other = node.child_by_field_name("alternative")
    end = other.start_byte if other is not None else node.end_byte
    if _any_within(visited, node.start_byte - len(_HEAD), end - len(_HEAD)):
        return below
    return [] if other is None else [other]


def _counts(node: Any, visited: Sequence[int]) -> bool:
    return _any_within(visited, node.start_byte - len(_HEAD), node.end_byte - len(_HEAD))


def _is_branch_of_constant(node: Any) -> bool:
    parent = node.parent
    if node.type == "else_clause":
        return parent is not None and _is_constant_if(parent)
    return parent is not None and parent.child_by_field_name("consequence") == node and _is_constant_if(parent)


def _is_constant_if(node: Any) -> bool:
    return node.type == "if_statement" and any(c.type == "constexpr" for c in node.children)


def _lambdas(node: Any) -> list[Any]:
    found, stack = [], list(node.named_children)
    while stack:
        below = stack.pop()
        if below.type == "lambda_expression":
            found.append(below)
        else:
            stack += below.named_children
    return found


def _does_something(node: Any) -> bool:
    if node.type == "expression_statement":
        return bool(node.named_child_count)
    if node.type == "declaration":
        return any(child.type == "init_declarator" for child in node.named_children)
    return True
