"""Upper bounds that the text of a function states, each with the part of the text where it holds.

    if (rows > 4096) return;         rows <= 4096 behind the check, to the end of the block around it
    TORCH_CHECK(rows <= 4096);       the same, also assert() and CHECK_LE(rows, 4096)
    rows = min(rows, 4096);          the same, also `if (rows > 4096) rows = 4096;`
    for (int r = 0; r < 64; ++r)     r < 64 inside

A bound ends where its name is assigned again; what a loop assigns is not bounded from outside of the loop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from cudalint.analysis.text.scopes import leaves
from cudalint.ir.syntax import Syntax

LOOPS = ("for_statement", "while_statement", "do_statement", "for_range_loop")
_COMPARISONS = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_CHECKS = re.compile(r"assert|check|require|enforce|ensure|expect|verify", re.IGNORECASE)
_STOPS = re.compile(
    r"(^|::|_)(exit|abort|terminate|trap|fatal|die|bail|panic|error|throw)\w*$|_CHECK$|_ERROR$", re.IGNORECASE
)
_CASTS = re.compile(r"(static_cast|reinterpret_cast|const_cast)\s*<[^<>]*>")


@dataclass(frozen=True, slots=True)
class StatedBound:
    """`name` is at most `limit`, or below it where `strict`, from `start` to `end` of the text."""

    name: str
    limit: Syntax
    strict: bool
    start: int
    end: int


def stated_bounds(body: Syntax) -> dict[str, list[StatedBound]]:
    """The bounds of a function by the name or expression that they are about."""
    changes = _changes(body)
    found: dict[str, list[StatedBound]] = {}
    for bound in _bounds(body):
        kept = _until_changed(bound, changes)
        if kept.start <= kept.end:  # the change itself is the last place where it holds
            found.setdefault(kept.name, []).append(kept)
    return found


def key_of(node: Syntax) -> str:
    """How an expression is called: without blanks and casts, the factors of a product and the terms of a sum in order."""
    if node.kind == "cast_expression":
        value = node.child("value")
        return key_of(value) if value is not None else _plain(node.text)
    if node.kind == "binary_expression" and node.op == "*":
        return "*".join(sorted(_parts(node, "*")))
    if node.kind == "binary_expression" and node.op == "+":
        return "+".join(sorted(_parts(node, "+")))
    if node.kind == "call_expression" and (callee := node.child("function")) is not None:
        arguments = node.child("arguments")
        if _CASTS.match(callee.text) and arguments is not None and len(arguments.children) == 1:
            return key_of(arguments.children[0])
    return _plain(node.text)


def _parts(node: Syntax, op: str) -> list[str]:
    left, right = node.child("left"), node.child("right")
    if node.kind != "binary_expression" or node.op != op or left is None or right is None:
        return [key_of(node)]
    return _parts(left, op) + _parts(right, op)


def _plain(text: str) -> str:
    return re.sub(r"\s+", "", text)[:80]


# --- where a condition holds -------------------------------------------------------------------------------------------


def _bounds(body: Syntax) -> Iterator[StatedBound]:
    pending = [(body, body.end)]
    while pending:
        node, end = pending.pop()
        yield from _inside(node)
        yield from _behind(node, end)
        inner = node.end if node.kind in ("compound_statement", "lambda_expression", *LOOPS) else end
        pending += [(child, child.end if _is_branch(node, child) else inner) for child in node.children]


def _is_branch(node: Syntax, child: Syntax) -> bool:
    return node.kind == "if_statement" and child is not node.child("condition")


def _inside(node: Syntax) -> Iterator[StatedBound]:
    """What holds in a branch, a loop's body or one side of a conditional expression."""
    condition = node.child("condition")
    if condition is None:
        return
    holding = node.child("consequence") or (node.child("body") if node.kind in LOOPS else None)
    if holding is not None and node.kind != "do_statement":
        yield from _facts(condition, True, holding.start, holding.end)
    alternative = node.child("alternative")
    if alternative is not None:
        yield from _facts(condition, False, alternative.start, alternative.end)


def _behind(node: Syntax, end: int) -> Iterator[StatedBound]:
    """What holds behind a statement, to the end of its block."""
    if node.kind == "if_statement":
        yield from _behind_branch(node, end)
    elif node.kind == "call_expression":
        yield from _behind_check(node, end)
    elif node.kind == "assignment_expression" and node.op == "=":
        left, right = node.child("left"), node.child("right")
        if left is not None and right is not None and left.text in right.text:
            yield StatedBound(key_of(left), right, False, node.end, end)


def _behind_branch(node: Syntax, end: int) -> Iterator[StatedBound]:
    condition, then, other = node.child("condition"), node.child("consequence"), node.child("alternative")
    if condition is None or then is None:
        return
    if stops(then):
        yield from _facts(condition, False, node.end, end)
    elif other is not None and stops(other):
        yield from _facts(condition, True, node.end, end)
    elif other is None:
        clamped = _clamp(then)
        if clamped is not None:
            for fact in _facts(condition, False, node.end, end):
                if fact.name == key_of(clamped[0]):
                    yield fact
                    break


def _clamp(statement: Syntax) -> tuple[Syntax, Syntax] | None:
    """`x = limit;` alone."""
    while statement.kind in ("compound_statement", "expression_statement") and len(statement.children) == 1:
        statement = statement.children[0]
    left, right = statement.child("left"), statement.child("right")
    if statement.kind != "assignment_expression" or statement.op != "=" or left is None or right is None:
        return None
    return left, right


def _behind_check(call: Syntax, end: int) -> Iterator[StatedBound]:
    callee, arguments = call.child("function"), call.child("arguments")
    if callee is None or arguments is None or not _CHECKS.search(callee.text):
        return
    given = arguments.children
    ordered = re.search(r"_(LE|LT|GE|GT)$", callee.text)
    if ordered is not None and len(given) >= 2:
        small, large = given[:2] if ordered[1][0] == "L" else (given[1], given[0])
        yield StatedBound(key_of(small), large, ordered[1][1] == "T", call.end, end)
    for argument in given:
        yield from _facts(argument, not callee.text.lower().endswith("_if"), call.end, end)


def _facts(condition: Syntax, holds: bool, start: int, end: int) -> Iterator[StatedBound]:
    left, right = condition.child("left"), condition.child("right")
    if condition.kind == "unary_expression" and condition.op == "!" and condition.children:
        yield from _facts(condition.children[0], not holds, start, end)
    elif condition.kind == "call_expression" and re.search(r"likely|expect", condition.text[:20]):
        arguments = condition.child("arguments")
        for argument in arguments.children[:1] if arguments is not None else ():
            yield from _facts(argument, holds, start, end)
    elif condition.kind != "binary_expression" or left is None or right is None:
        return
    elif condition.op in ("&&", "||"):
        if (condition.op == "&&") == holds:
            yield from _facts(left, holds, start, end)
            yield from _facts(right, holds, start, end)
    elif condition.op in _COMPARISONS:
        op = condition.op if holds else _COMPARISONS[condition.op]
        if op in ("<", "<=", "=="):
            yield StatedBound(key_of(left), right, op == "<", start, end)
        if op in (">", ">=", "=="):
            yield StatedBound(key_of(right), left, op == ">", start, end)


def stops(statement: Syntax) -> bool:
    """Whether the statement leaves its function or loop, also by exit(), a trap or a failing check."""
    while statement.kind in ("else_clause", "compound_statement", "expression_statement") and statement.children:
        statement = statement.children[-1]
    callee = statement.child("function")
    if statement.kind == "call_expression" and callee is not None:
        return _STOPS.search(callee.text.strip()) is not None
    return leaves(statement)


# --- where a bound ends ------------------------------------------------------------------------------------------------


def _changes(body: Syntax) -> dict[str, list[int]]:
    """For each name that is assigned, the places from which it may differ: a loop's begin for what it assigns."""
    found: dict[str, list[int]] = {}
    pending: list[tuple[Syntax, tuple[int, ...]]] = [(body, ())]
    while pending:
        node, loops = pending.pop()
        if node.kind in LOOPS:
            loops = (*loops, node.start)
        changed = node.child("left") if node.kind == "assignment_expression" else None
        if node.kind == "update_expression" and node.children:
            changed = node.children[0]
        if changed is not None:
            found.setdefault(key_of(changed), []).extend((*loops, node.start))
        pending += [(child, loops) for child in node.children]
    return found


def _until_changed(bound: StatedBound, changes: dict[str, list[int]]) -> StatedBound:
    places = [place for name in {bound.name, *bound.name.split("*")} for place in changes.get(name, ())]
    return replace(bound, end=min([bound.end, *(place for place in places if place >= bound.start)]))
