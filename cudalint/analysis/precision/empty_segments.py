"""Means over a segment between two neighbours of an array of offsets, which may be empty: 0 / 0 is NaN.

const int start = indptr[row], end = indptr[row + 1];   for (e = start; e < end; ++e) sum += x[e];
y[row] = sum / (end - start);                            // a row of a sparse matrix, a node without neighbours
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.scopes import FLOATING, uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_LOOPS = ("for_statement", "while_statement", "do_statement")
MOST_HOPS = 3


def empty_segments(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each quotient of what a loop adds up and the length of the segment, where no condition asks for that."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            above, below = node.child("left"), node.child("right")
            if node.op not in ("/", "/=") or above is None or below is None or not _is_sum(above, body):
                continue
            names = _length(below, body)
            if names and not _is_asked(names, body) and not _is_in_loop_over(names, node, body):
                text = f"`{short(node)}` is 0 / 0 where the segment is empty"
                yield GuardIssue(body.function, node, text)


def _is_sum(above: Syntax, body: Body) -> bool:
    """A number in floating point that a loop adds to."""
    named = uncast(above)
    return any(
        step.op == "+=" and any(parent.kind in _LOOPS for parent, _ in body.ancestors(step))
        for step in (body.scope.steps.get(named.text, []) if body.scope.types.get(named.text) == FLOATING else [])
    )


def _length(node: Syntax, body: Body, hops: int = MOST_HOPS) -> set[str]:
    """The names that the length of a segment is made of; nothing for other values."""
    node = _inner(node)
    if node.kind == "identifier" and hops:
        value = _only_value(node.text, body)
        names = set() if value is None else _length(value, body, hops - 1)
        return names | {node.text} if names else set()
    end, start = node.child("left"), node.child("right")
    if node.kind != "binary_expression" or node.op != "-" or end is None or start is None:
        return set()
    first, last = _element(start, body), _element(end, body)
    if first is None or last is None or first[0] != last[0]:
        return set()
    follows = last[1] in (f"{first[1]}+1", f"1+{first[1]}")
    ends = {node.text for node in map(_inner, (end, start)) if node.kind == "identifier"}
    return ends | {first[0]} if follows else set()


def _element(node: Syntax, body: Body) -> tuple[str, str] | None:
    """(array, index) of an element, also through a variable."""
    node = _inner(node)
    if node.kind == "identifier":
        node = _inner(_only_value(node.text, body) or node)
    base = node.child("argument") if node.kind == "subscript_expression" else None
    return None if base is None else (base.bare, re.sub(r"^[\[(]|[\])]$", "", node.bare[len(base.bare) :]))


def _inner(node: Syntax) -> Syntax:
    node = uncast(node)
    while node.kind == "parenthesized_expression" and len(node.children) == 1:
        node = uncast(node.children[0])
    return node


def _only_value(name: str, body: Body) -> Syntax | None:
    values = body.scope.values.get(name, [])
    return values[0] if len(values) == 1 and name not in body.scope.grown else None


def _is_in_loop_over(names: set[str], node: Syntax, body: Body) -> bool:
    """A loop around it comes to no round where the segment is empty."""
    loops = (parent.child("condition") for parent, _ in body.ancestors(node) if parent.kind in _LOOPS)
    return any(condition is not None and names_in(condition) & names for condition in loops)


def _is_asked(names: set[str], body: Body) -> bool:
    """A condition, other than that of a loop up to the end, names the length or both ends; or a maximum bounds it."""
    for node in body.nodes:
        condition = node.child("condition")
        if condition is not None and node.kind not in _LOOPS and names_in(condition) & names:
            return True
        callee = node.child("function")
        if callee is not None and re.search(r"max|clamp|assert", callee.text, re.I) and names_in(node) & names:
            return True
    return False
