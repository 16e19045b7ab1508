"""Counters of what was stored so far that may equal the room for it when the next value is stored.

for (int i = 0, count = 0; i < n && count <= K; i++)
  if (x[i] < limit) { found[row * K + count] = i; ++count; }          the one at K lies behind the last
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_conditions import guards_of
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, compared, names_in
from cudalint.analysis.text.scopes import INT, POINTER, UNSIGNED, WIDE
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_BOUNDARY = re.compile(r"last|end|upper|stop|final|high|limit", re.IGNORECASE)


def stored_counts(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each guard, with the store that it lets pass."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            for part, operators, end in guards_of(node, body):
                issue = _closed(part, operators, end, node, body)
                if issue is not None:
                    yield issue


def _closed(part: Syntax, operators: tuple[str, str], end: int, guard: Syntax, body: Body) -> GuardIssue | None:
    sides = compared(part, operators)
    if sides is None:
        return None
    left, right = sides
    if left.kind != "identifier" or not _is_room(right, body) or not _counts_up(left.text, body):
        return None
    name, bound = left.text, re.escape(right.text)
    if re.search(
        rf"\b{bound}\s*\+\s*1\b|\b{name}\s*[=!]=\s*{bound}\b|\b{name}\s*<\s*{bound}\b", body.function.body.text
    ):
        return None
    update = guard.child("update")
    if update is not None and name in names_in(update):
        return None
    for store in body.nodes:
        if part.end <= store.start < end and _stores(store, name, body):
            return GuardIssue(body.function, part, f"`{part.text}` lets {name} == {right.text} pass", store)
    return None


def _is_room(bound: Syntax, body: Body) -> bool:
    given = bound.kind == "identifier" and bound.text in body.scope.parameters
    return given and body.scope.types.get(bound.text) in (INT, UNSIGNED, WIDE) and not _BOUNDARY.search(bound.text)


def _counts_up(name: str, body: Body) -> bool:
    """From zero on, by one."""
    values, steps = body.scope.values.get(name, []), body.scope.steps.get(name, [])
    return (
        bool(values)
        and all(re.fullmatch(r"0[uUlL]*", value.text) for value in values)
        and bool(steps)
        and all(step.kind == "update_expression" and step.op == "++" for step in steps)
    )


def _stores(node: Syntax, name: str, body: Body) -> bool:
    """An element at the count is assigned, and then counted: in the same statement, or behind it in the same block."""
    left = node.child("left") if node.kind == "assignment_expression" else None
    if left is None or left.kind != "subscript_expression" or not _is_given(left, body):
        return False
    if not {name, f"{name}++"} & set(re.split(r"[\[\]()*]|(?<!\+)\+(?!\+)", left.children[-1].bare)):
        return False
    block = next((parent for parent, _ in body.ancestors(node) if parent.kind == "compound_statement"), None)
    counted = re.compile(rf"\b{name}\s*\+\+|\+\+\s*{name}\b")
    return block is not None and any(
        counted.search(child.text) is not None for child in block.children if child.end > node.start
    )


def _is_given(element: Syntax, body: Body) -> bool:
    """Memory of the caller: how much of it there is, only the names tell."""
    while element.kind == "subscript_expression" and element.children:
        element = element.children[0]
    return element.text in body.scope.parameters and (
        body.scope.types.get(element.text) == POINTER or "Accessor" in body.scope.structures.get(element.text, "")
    )
