"""Rows of a tile that are stored under a guard and loaded without one.

    const float *q = Q + step_q * first;                     // first = blockIdx.x * ROWS
    for (j < ROWS) v[j] = q[j * step_q + i];                 // the last tile has rows beyond len_q
    for (j < ROWS) { if (first + j >= len_q) break; ... }    // and the kernel knows

The step between rows is called like the number of rows, so that both are about the same array.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, closure_of, names_in, short
from cudalint.analysis.text.scopes import POINTER, leaves, uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_ORDERS = ("<", "<=", ">", ">=")
_WORD = re.compile(r"[A-Za-z]+|\d+")
_PLAIN = frozenset(
    [
        "stride",
        "step",
        "pitch",
        "ld",
        "len",
        "length",
        "num",
        "n",
        "count",
        "rows",
        "row",
        "size",
        "nb",
        "ne",
        "end",
        "total",
    ]
)


def unguarded_rows(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each kernel."""
    for body in bodies(program_of(outline), ("kernel",)):
        guards = list(_guards(body))
        issue = next((i for guard in guards if (i := _unguarded(*guard, body)) is not None), None)
        if issue is not None:
            yield issue


def _guards(body: Body) -> Iterator[tuple[str, str, str, Syntax]]:
    """(first row, bound of the loop, number of rows, comparison) of `first + j < rows` in `for (j < bound)`."""
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind != "binary_expression" or node.op not in _ORDERS or left is None or right is None:
            continue
        if left.op != "+" or left.kind != "binary_expression" or right.kind != "identifier" or len(left.children) != 2:
            continue
        for first, counter in (left.children, tuple(reversed(left.children))):
            bound = _bound_of(counter.text, node, body)
            if bound and first.kind == "identifier" and "blockIdx.x" in closure_of(first.text, body):
                yield first.text, bound, right.text, node


def _bound_of(counter: str, inside: Syntax, body: Body) -> str:
    """The bound of the loop around a place that has this counter."""
    for parent, _ in body.ancestors(inside):
        condition = parent.child("condition") if parent.kind == "for_statement" else None
        if condition is not None and condition.op == "<" and condition.children[0].text == counter:
            return condition.children[-1].text
    return ""


def _unguarded(first: str, bound: str, rows: str, guard: Syntax, body: Body) -> GuardIssue | None:
    for node in body.nodes:
        base = node.child("argument") if node.kind == "subscript_expression" else None
        if base is None or base.kind != "identifier" or _is_written(node, body):
            continue
        steps = _steps(base.text, first, body)
        for product in node.children[-1].walk() if steps else ():
            if product.kind != "binary_expression" or product.op != "*" or len(product.children) != 2:
                continue
            for counter, step in (product.children, tuple(reversed(product.children))):
                named = names_in(step) & steps
                if not any(_belongs(name, rows) for name in named) or _bound_of(counter.text, node, body) != bound:
                    continue
                if not _is_asked(node, {counter.text, first}, body):
                    text = f"`{short(node)}` is read in every row of the tile; elsewhere `{short(guard)}`"
                    return GuardIssue(body.function, node, text, guard)
    return None


def _steps(pointer: str, first: str, body: Body) -> set[str]:
    """What the first row is multiplied by where the pointer is made from a parameter."""
    values = body.scope.values.get(pointer, [])
    if len(values) != 1 or body.scope.types.get(pointer) != POINTER:
        return set()
    made = closure_of(pointer, body)
    if made.isdisjoint(name for name in body.scope.parameters if body.scope.types.get(name) == POINTER):
        return set()
    found: set[str] = set()
    for node in values[0].walk():
        if node.kind == "binary_expression" and node.op == "*" and first in {uncast(c).text for c in node.children}:
            found |= names_in(node) - {first}
    return found


def _belongs(step: str, rows: str) -> bool:
    """nb01 and ne01, stride_q and len_q: the same word or number is left without what says step or size."""
    one, two = ({word.lower() for word in _WORD.findall(name) if word.lower() not in _PLAIN} for name in (step, rows))
    return bool(one) and one == two


def _is_written(element: Syntax, body: Body) -> bool:
    parent = body.parents.get(id(element))
    return parent is not None and parent.kind == "assignment_expression" and parent.child("left") is element


def _is_asked(node: Syntax, names: set[str], body: Body) -> bool:
    """A condition on the way to the element mentions the row, as may one that leaves a loop before it."""
    for parent, child in body.ancestors(node):
        condition = parent.child("condition")
        if condition is not None and child is not condition and parent.kind != "for_statement":
            if not names.isdisjoint(names_in(condition)):
                return True
        if parent.kind == "compound_statement":
            for before in parent.children:
                consequence, asked = before.child("consequence"), before.child("condition")
                if before.start < node.start and consequence is not None and asked is not None and leaves(consequence):
                    if not names.isdisjoint(names_in(asked)):
                        return True
    return False
