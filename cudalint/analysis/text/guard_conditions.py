"""Conditions as the comparisons that they are made of, with the operators that let a bound pass, and how far they hold."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from cudalint.analysis.text.scopes import leaves
from cudalint.analysis.text.text_program import Body
from cudalint.ir.syntax import Syntax

_ABOVE, _BELOW = (">", "<"), ("<=", ">=")
_ENTERED = ("if_statement", "for_statement", "while_statement", "conditional_expression")
_LOWEST = re.compile(r">=\s*1$|>\s*0$|^1\s*<=|^0\s*<(?!=)")  # with a border around what counts


def guards_of(node: Syntax, body: Body) -> Iterator[tuple[Syntax, tuple[str, str], int]]:
    """Comparisons that let an index pass, the operators that let its bound pass too, and where their effect ends.

    `bool inside = i <= n;  if (inside) ...`: a truth with a name is what it was declared with.
    """
    condition = node.child("condition")
    guarded = node.child("consequence") or node.child("body")
    if condition is None or guarded is None:
        return
    if node.kind == "if_statement" and (leaves(guarded) or "trap" in guarded.text[:40]):
        for part in parts_of(condition, "||"):
            kept = _truth(part.children[0], body) if part.op == "!" and part.children else None
            if kept is None:
                yield part, _ABOVE, sys.maxsize
            else:
                yield from ((each, _BELOW, sys.maxsize) for each in _entered(kept, body))
    elif node.kind in _ENTERED:
        yield from ((part, _BELOW, guarded.end) for part in _entered(condition, body))


def _entered(condition: Syntax, body: Body) -> list[Syntax]:
    """The parts that all hold for who goes on; none where there is a border around what counts."""
    parts: list[Syntax] = []
    for part in parts_of(condition, "&&"):
        kept = _truth(part, body)
        parts += [part] if kept is None else parts_of(kept, "&&")
    bordered = len(parts) > 1 and any(_LOWEST.search(part.text) for part in parts)
    return [] if bordered else parts


def _truth(node: Syntax, body: Body) -> Syntax | None:
    """What a name was declared with, where that is a condition and the name gets nothing else."""
    values = body.scope.values.get(node.text, []) if node.kind == "identifier" else []
    known = len(values) == 1 and node.text not in body.scope.grown and node.text not in body.scope.parameters
    return values[0] if known and values[0].kind == "binary_expression" and values[0].op in _CONDITIONS else None


_CONDITIONS = ("&&", "||", "<", "<=", ">", ">=", "==", "!=")


def parts_of(condition: Syntax, op: str) -> list[Syntax]:
    inner = condition.children[0] if condition.kind == "parenthesized_expression" and condition.children else condition
    if inner.kind == "binary_expression" and inner.op == op:
        return [part for child in inner.children for part in parts_of(child, op)]
    return [inner]
