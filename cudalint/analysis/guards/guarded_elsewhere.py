"""Rows that one function of a file holds against their number and another reads without asking.

    load_q:  ... row < q_len ? ...
    mask:    if (column >= end) ...;  table[row * width + column]     // with q_len at hand, and rows padded to tiles

The column is compared, the row has the same name in both functions, and the number of rows is a parameter here as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, closure_of, short
from cudalint.analysis.text.scopes import POINTER, uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_ORDERS = ("<", "<=", ">", ">=")
_COORDINATES = ("threadIdx.x", "threadIdx.y", "blockIdx.x", "blockIdx.y")


def guarded_elsewhere(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each function: the read, and the comparison that another function makes."""
    every = list(bodies(program_of(outline)))
    compared: dict[str, list[tuple[Body, Syntax, str]]] = {}
    for body in every:
        for name, comparison, bound in _comparisons(body):
            compared.setdefault(name, []).append((body, comparison, bound))
    for body in every:
        own = {name for name, _, _ in _comparisons(body)}
        for access, row, column in _reads(body):
            if row in own or column not in own or not _is_place(row, body):
                continue
            others = [
                c for other, c, bound in compared.get(row, []) if other is not body and _at_hand(bound, row, body)
            ]
            if others:
                text = f"`{short(access)}` is read without asking about `{row}`; elsewhere `{short(others[0])}`"
                yield GuardIssue(body.function, access, text, others[0])
                break


def _comparisons(body: Body) -> Iterator[tuple[str, Syntax, str]]:
    """(name, comparison, bound) where the name alone stands on one side."""
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind != "binary_expression" or node.op not in _ORDERS or left is None or right is None:
            continue
        for small, large in ((left, right), (right, left)):
            name = uncast(small)
            if name.kind == "identifier":
                yield name.text, node, large.text


def _reads(body: Body) -> Iterator[tuple[Syntax, str, str]]:
    """(element, row, column) of `p[row * width + column]` in the memory of a parameter."""
    for node in body.nodes:
        base = node.child("argument") if node.kind == "subscript_expression" else None
        if base is None or base.text not in body.scope.parameters or body.scope.types.get(base.text) != POINTER:
            continue
        index = node.children[-1]
        if index.kind != "binary_expression" or index.op != "+" or len(index.children) != 2:
            continue
        product, column = index.children
        if product.kind == "binary_expression" and product.op == "*" and column.kind == "identifier":
            row = uncast(product.children[0])
            if row.kind == "identifier":
                yield node, row.text, column.text


def _is_place(name: str, body: Body) -> bool:
    """Computed once from the thread's place and a first row that the function is given."""
    values = body.scope.values.get(name, [])
    if len(values) != 1 or any(n.kind in ("subscript_expression", "conditional_expression") for n in values[0].walk()):
        return False
    made = closure_of(name, body)
    placed = not made.isdisjoint(_COORDINATES)
    return placed and not made.isdisjoint(body.scope.parameters) and "min" not in values[0].text and "%" not in name


def _at_hand(bound: str, row: str, body: Body) -> bool:
    """The number of rows is a parameter here: its first word is the bound's, and begins like the row's."""
    first, own = bound.partition("_")[0], row.partition("_")[0]
    if not first.isidentifier() or "_" not in bound or not first.startswith(own):
        return False
    return any(parameter.partition("_")[0] == first and parameter != row for parameter in body.scope.parameters)
