"""Loops that count an unsigned number down for as long as it is not negative, which it never is.

for (unsigned t = steps - 1; t >= 0; --t) ...      while (i >= 0) { ... i--; }

Behind zero comes the largest number: what the loop reads there is no part of the data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, operands_of
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_LOOPS = ("for_statement", "while_statement", "do_statement")
_LEAVES = ("break_statement", "return_statement", "goto_statement", "throw_statement")
_UNSIGNED = re.compile(
    r"(unsigned\b.*|(std::|::)?(size_t|uint(8|16|32|64)_t)|u(int|char|short|long|long long))", re.DOTALL
)
_ZERO = re.compile(r"0[uUlL]*")


def endless_countdowns(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each loop that is not left from within."""
    if re.search(r">=\s*0|>\s*-\s*1|\b0[uUlL]*\s*<=", outline.root.text) is None:
        return
    for body in bodies(program_of(outline), ("kernel", "device", "host")):
        for loop in body.nodes:
            condition = loop.child("condition") if loop.kind in _LOOPS else None
            counter = _never_negative(condition) if condition is not None else None
            if condition is None or counter is None or not _is_unsigned(counter, loop, body):
                continue
            if _counts_down(counter, loop) and not any(part.kind in _LEAVES for part in loop.walk()):
                text = f"`{counter} >= 0` always holds: `{counter}` is unsigned, and the largest number comes behind 0"
                yield GuardIssue(body.function, condition, text, loop.child("update"))


def _never_negative(condition: Syntax) -> str | None:
    """The variable of a condition that is `i >= 0`, or this and others that do not ask about it."""
    while condition.kind in ("parenthesized_expression", "condition_clause") and len(condition.children) == 1:
        condition = condition.children[0]
    parts = operands_of(condition) if condition.op == "&&" else []
    if parts:
        named = [(name, part) for part in parts if (name := _never_negative(part)) is not None]
        alone = [n for n, own in named if not any(n in names_in(part) for part in parts if part is not own)]
        return alone[0] if alone else None
    left, right = condition.child("left"), condition.child("right")
    if condition.kind != "binary_expression" or left is None or right is None:
        return None
    if condition.op == "<=" and _ZERO.fullmatch(left.text):
        left, right = right, left
    elif condition.op != ">=" or not _ZERO.fullmatch(right.text):
        return None
    return left.text if left.kind == "identifier" else None


def _is_unsigned(name: str, loop: Syntax, body: Body) -> bool:
    """By the declaration in the head of the loop, or by every one in the function."""
    start = loop.child("initializer")
    own = [] if start is None else list(_written_types(name, start, body))
    written = own or [
        each for node in (*body.function.parameters, body.function.body) for each in _written_types(name, node, body)
    ]
    return bool(written) and all(_UNSIGNED.fullmatch(each) for each in written)


def _written_types(name: str, tree: Syntax, body: Body) -> Iterator[str]:
    for node in tree.walk():
        written = node.child("type") if node.kind.endswith("declaration") else None
        if written is not None and any(_declares(each, name) for each in node.all("declarator")):
            yield body.scope.outline.types.get(written.text, written.text)


def _declares(declarator: Syntax, name: str) -> bool:
    named = declarator.child("declarator") if declarator.kind == "init_declarator" else declarator
    return named is not None and named.kind == "identifier" and named.text == name


def _counts_down(name: str, loop: Syntax) -> bool:
    """And nothing else changes it there."""
    changes = [node for node in loop.walk() if _changed(node) == name]
    return bool(changes) and all(_is_less(node, name) for node in changes)


def _changed(node: Syntax) -> str | None:
    if node.kind == "update_expression" and node.children:
        return uncast(node.children[0]).text
    left = node.child("left") if node.kind == "assignment_expression" else None
    return None if left is None else left.text


def _is_less(change: Syntax, name: str) -> bool:
    if change.kind == "update_expression":
        return change.op == "--"
    right = change.child("right")
    return change.op == "-=" or (change.op == "=" and right is not None and right.bare.startswith(f"{name}-"))
