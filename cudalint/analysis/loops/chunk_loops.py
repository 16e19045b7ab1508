"""Loops over whole chunks that stop one chunk early, so that what remains fills the buffer it is kept in.

if (fill + len < CHUNK) { ... }                             // the buffer never holds a whole chunk
while (len > CHUNK + done) { copy(buffer, data + done, CHUNK); step(); done += CHUNK; }
copy(buffer, data + done, len - done);  fill = len - done;  // may be CHUNK
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_SIDES = {">": ("left", "right"), "<": ("right", "left")}
_LOOPS = ("while_statement", "for_statement")


def early_stops(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each loop."""
    for body in bodies(program_of(outline), ("kernel", "device", "host")):
        for node in body.nodes:
            condition, inner = node.child("condition"), node.child("body")
            if node.kind not in _LOOPS or condition is None or inner is None or condition.op not in _SIDES:
                continue
            for length, chunk, done in _pieces(condition):
                target = _copied(inner, chunk)
                if target is None or not _advances(node, length, chunk, done):
                    continue
                rest = _rest(target, length, done, node.end, body)
                if rest is not None and _never_holds(chunk, body):
                    text = f"`{' '.join(condition.text.split())}` leaves a whole chunk: `{target}` is kept full"
                    yield GuardIssue(body.function, condition, text, rest)


def _pieces(condition: Syntax) -> Iterator[tuple[str, str, str]]:
    """(length, chunk, what is done) of `length > chunk + done`, `length - done > chunk` and `length > chunk`."""
    left, right = (condition.child(side) for side in _SIDES[condition.op])
    if left is None or right is None:
        return
    if right.kind == "binary_expression" and right.op == "+" and len(right.children) == 2:
        a, b = (child.text for child in right.children)
        yield left.text, a, b
        yield left.text, b, a
    elif left.kind == "binary_expression" and left.op == "-" and len(left.children) == 2:
        yield left.children[0].text, right.text, left.children[1].text
    elif left.kind == "identifier":
        yield left.text, right.text, ""


def _copied(inner: Syntax, chunk: str) -> str | None:
    """The buffer into which the loop copies a chunk."""
    for target, size in _copies(inner):
        if size == chunk:
            return target
    return None


def _copies(node: Syntax) -> Iterator[tuple[str, str]]:
    """(buffer, size) of each memcpy and its like, and of each loop that copies element by element."""
    for each in node.walk():
        callee, arguments = each.child("function"), each.child("arguments")
        if each.kind == "call_expression" and callee is not None and arguments is not None:
            given = [argument.text for argument in arguments.children]
            if len(given) >= 3 and re.search(r"cpy|copy", callee.text, re.IGNORECASE):
                yield given[0], given[2]
        condition, inner = each.child("condition"), each.child("body")
        if each.kind == "for_statement" and condition is not None and inner is not None and condition.op == "<":
            counter, size = condition.children[0].text, condition.children[-1].text
            for target in _elements(inner, counter):
                yield target, size


def _elements(inner: Syntax, counter: str) -> Iterator[str]:
    """Arrays that are assigned at the counter."""
    for node in inner.walk():
        left = node.child("left")
        if node.kind == "assignment_expression" and node.op == "=" and left is not None:
            if left.kind == "subscript_expression" and left.children[-1].text == counter:
                yield left.children[0].text


def _advances(loop: Syntax, length: str, chunk: str, done: str) -> bool:
    name, op = (done, "+=") if done else (length, "-=")
    for node in loop.walk():
        left, right = node.child("left"), node.child("right")
        if node.kind == "assignment_expression" and node.op == op and left is not None and right is not None:
            if left.text == name and right.text == chunk:
                return True
    return False


def _rest(target: str, length: str, done: str, after: int, body: Body) -> Syntax | None:
    """The copy of what remains into the same buffer, which nothing asks about."""
    size = f"{length}-{done}" if done else length
    for node in body.nodes:
        if node.start >= after and node.kind in ("call_expression", "for_statement"):
            for buffer, given in _copies(node):
                if buffer == target and given.replace(" ", "") == size:
                    return node
    return None


def _never_holds(chunk: str, body: Body) -> bool:
    """Elsewhere the function takes it for granted that the buffer is not full: `fill + length < chunk`."""
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind == "binary_expression" and node.op == "<" and left is not None and right is not None:
            if right.text == chunk and left.op == "+":
                return True
    return False
