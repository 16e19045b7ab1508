"""The accesses through a pointer that a product has moved: what is proved of their elements is proved of the product.

float *row = x + r * columns;  total += row[c];          out = out + blockIdx.y * n;  out[i] = 0;
"""

from __future__ import annotations

from collections.abc import Mapping

from cudalint.analysis.text.scopes import Scope
from cudalint.ir.syntax import Syntax

MOST_ACCESSES = 8  # of which a reader looks at each
_AROUND = ("binary_expression", "parenthesized_expression", "cast_expression")


def accesses_through(offset: Syntax, parents: Mapping[int, Syntax], scope: Scope) -> tuple[Syntax, ...]:
    """Every access through the pointer that the offset makes; none where it is used in another way, too, or there are many."""
    node = offset
    while (parent := parents.get(id(node))) is not None and parent.kind in _AROUND and parent.op not in ("*", "/", "%"):
        node = parent
    name = None if parent is None else _moved(parent, node)
    if parent is None or name is None:
        return ()
    found: list[Syntax] = []
    for each in scope.function.body.walk():
        if each.kind != "identifier" or each.text != name or each.end <= parent.start or _is_in(each, parent):
            continue
        access = parents.get(id(each))
        if access is None or not _is_access(access, each):
            return ()
        found.append(access)
    return tuple(found) if len(found) <= MOST_ACCESSES else ()


def _moved(statement: Syntax, value: Syntax) -> str | None:
    """The pointer that gets the value, or goes on by it."""
    if statement.kind == "init_declarator":
        declared = statement.child("declarator")
        return None if declared is None else declared.text.lstrip("* ").removeprefix("__restrict__").strip()
    left = statement.child("left")
    moves = statement.kind == "assignment_expression" and statement.op in ("=", "+=")
    moves = moves and left is not None and left.kind == "identifier" and left is not value
    return left.text if moves and left is not None else None


def _is_in(node: Syntax, statement: Syntax) -> bool:
    return statement.start <= node.start < statement.end


def _is_access(parent: Syntax, pointer: Syntax) -> bool:
    if parent.kind == "subscript_expression":
        return parent.child("argument") is pointer
    return parent.kind == "pointer_expression" and parent.text.startswith("*")
