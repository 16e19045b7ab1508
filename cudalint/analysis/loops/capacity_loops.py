"""Loops over all elements that memory has room for, in a function that keeps another place in it below how many there are.

if (i >= boxes.size) return;  mine = boxes.data[i];
for (int j = 0; j < boxes.capacity; ++j) other = boxes.data[j];             those behind the last one are left from before
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.guards.given_memory import sources_of
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_ROOM = re.compile(r"((?:\w+(?:\.|->))+)(?:capacity|allocated|reserved)_?")
_COUNT = r"(?:size|count|length|len|n|num|num_\w+)_?"
_MARKS = re.compile(
    r"valid|active|alive|used|occupied|empty|exists|live|flag|mask|key|hash|slot|continue", re.IGNORECASE
)

_MEMBER = re.compile(r"\.|->")
_COMPARES = ("<", "<=", ">", ">=", "==", "!=")
_CONSTANTS = ("number_literal", "null", "true", "false")


def capacity_loops(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each loop; what it is about is the comparison with the number of elements."""
    if not any(word in outline.root.text for word in ("capacity", "allocated", "reserved")):
        return
    program = program_of(outline)
    for body in bodies(program):
        for loop in body.nodes:
            condition = loop.child("condition") if loop.kind == "for_statement" else None
            counter, owner = _bound(condition)
            if condition is None or not owner or _says_more(loop, owner, counter):
                continue
            array = next((base for base, index in _elements(loop, owner) if index == counter), "")
            about = _kept_below(array, owner, loop, body) if array else None
            if about is not None and not _is_filled(array, body, program):
                text = f"`{condition.text}` goes on to what `{array}` has room for, not to what is in it"
                yield GuardIssue(body.function, condition, text, about)


def _bound(condition: Syntax | None) -> tuple[str, str]:
    """`j` and `boxes.` of `j < boxes.capacity`."""
    left, right = (None, None) if condition is None else (condition.child("left"), condition.child("right"))
    if condition is None or condition.op != "<" or left is None or right is None or left.kind != "identifier":
        return "", ""
    matched = _ROOM.fullmatch(right.bare)
    return (left.text, matched[1]) if matched is not None else ("", "")


def _says_more(loop: Syntax, owner: str, counter: str) -> bool:
    """The loop asks about the number of elements itself, or may tell those that are there by what they hold.

    An element that is compared with a number may be an empty one, and one that is added up may be one of the zeros behind the
    last; those that are only stored or copied are cleared or moved. What is compared with another element is taken for one.
    """
    inside = loop.bare
    if re.search(rf"{re.escape(owner)}{_COUNT}\b", inside) is not None or _MARKS.search(inside) is not None:
        return True
    body = loop.child("body")
    asked = [node for node in body.walk() if node.op in _COMPARES] if body is not None else []
    if any(
        side.kind in _CONSTANTS or side.op == "-" or side.text.isupper() for node in asked for side in node.children
    ):
        return True
    return not any(counter not in [side.text for side in node.children] for node in asked)


def _elements(node: Syntax, owner: str) -> Iterator[tuple[str, str]]:
    """(array, index) of the elements of members of the object."""
    for part in node.walk():
        base = part.child("argument") if part.kind == "subscript_expression" else None
        if base is not None and base.bare.startswith(owner):
            yield base.bare, part.children[-1].bare.strip("[]")


def _kept_below(array: str, owner: str, loop: Syntax, body: Body) -> Syntax | None:
    """The comparison of another place with the number of elements, where the function takes the array there."""
    places = {index for base, index in _elements(body.function.body, owner) if base == array}
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.op not in ("<", ">=") or left is None or right is None or loop.start <= node.start < loop.end:
            continue
        if left.bare in places and re.fullmatch(rf"{re.escape(owner)}{_COUNT}", right.bare) is not None:
            return node
    return None


def _is_filled(array: str, body: Body, program: Program) -> bool:
    """Another kernel of the file stores a constant in the array: the places behind the last may hold what changes nothing."""
    member = _MEMBER.split(array)[-1]
    for other in bodies(program):
        for node in other.nodes if other is not body else ():
            target, value = node.child("left"), node.child("right")
            if node.kind != "assignment_expression" or target is None or value is None or node.op not in ("", "="):
                continue
            base = target.child("argument") if target.kind == "subscript_expression" else None
            if base is not None and _is_constant(value):
                last = _MEMBER.split(base.bare)[-1]
                if member == last or any(member == name for name, _ in sources_of(last, other.function, program)):
                    return True
    return False


def _is_constant(value: Syntax) -> bool:
    """`-1.f`, `INFINITY`, `__int_as_float(0x7f800000)`."""
    value = uncast(value)
    called = [node for node in value.walk() if node.child("function") is not None]
    names = names_in(value) - {node.children[0].text for node in called}
    return all(name.isupper() for name in names)
