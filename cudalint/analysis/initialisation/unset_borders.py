"""Borders of a shared tile that are loaded only where the data has such elements, and read wherever a thread has a result.

if (threadIdx.x < R && i >= R) tile[t - R] = x[i - R];   __syncthreads();
if (i < n) for (int k = -R; k <= R; ++k) sum += tile[t + k];          the first R results take what was left in the tile
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_conditions import parts_of
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_BORDER = re.compile(r"(\w+)-(\w+)")
_TILE = r"__shared__\s+(?:\w+\s+)*?(?:\w+(?:::\w+)*)\s+{}\s*\["
_LEAVES = ("return_statement", "continue_statement", "goto_statement")


def unset_borders(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each border in front of a tile; what it is about is where the tile is read."""
    if "__shared__" not in outline.root.text:
        return
    for body in bodies(program_of(outline), ("kernel",)):
        if "__shared__" not in body.function.body.text or any(node.kind in _LEAVES for node in body.nodes):
            continue
        for node in body.nodes:
            tile, place, radius = _filled(node)
            if not tile or re.search(_TILE.format(tile), body.function.body.text) is None:
                continue
            asked = _asked(node, radius, body)
            if asked is None or not _is_only_fill(node, tile, place, body):
                continue
            read = _read(tile, place, radius, asked.bare, body)
            if read is not None:
                text = (
                    f"`{tile}` is not set in front of `{place}` where `{asked.text}` does not hold, and is read there"
                )
                yield GuardIssue(body.function, node, text, read)


def _filled(node: Syntax) -> tuple[str, str, str]:
    """`tile`, `t` and `R` of `tile[t - R] = x[i - R]`."""
    left = node.child("left") if node.kind == "assignment_expression" and node.op == "=" else None
    base = left.child("argument") if left is not None and left.kind == "subscript_expression" else None
    matched = _BORDER.fullmatch(left.children[-1].bare.strip("[]")) if left is not None and base is not None else None
    if base is None or matched is None or base.kind != "identifier":
        return "", "", ""
    return base.text, matched[1], matched[2]


def _asked(fill: Syntax, radius: str, body: Body) -> Syntax | None:
    """The condition around it, without another branch, that there are so many elements before: `i >= R`, `i - R >= 0`."""
    for parent, _ in body.ancestors(fill):
        condition = parent.child("condition")
        if parent.kind in ("for_statement", "while_statement", "conditional_expression", "switch_statement"):
            return None
        if parent.kind != "if_statement" or condition is None:
            continue
        if parent.child("alternative") is not None:
            return None
        for part in parts_of(condition, "&&"):
            if (
                re.fullmatch(rf"\w+>={radius}|\w+-{radius}>=0|\w+-{radius}>-1", part.bare)
                and "threadIdx" not in part.text
            ):
                return part
    return None


def _is_only_fill(fill: Syntax, tile: str, place: str, body: Body) -> bool:
    """Whatever else sets the tile does so at `place`, or behind that, and the tile has no other name: `tile[t]`, `tile[t + B]`."""
    if len(body.scope.values.get(place, ())) != 1 or place in body.scope.grown:
        return False
    for node in body.nodes:
        if node.kind == "identifier" and node.text == tile and not _is_element(node, body):
            return False
        left = node.child("left") if node.kind == "assignment_expression" else None
        base = left.child("argument") if left is not None and left.kind == "subscript_expression" else None
        if node is fill or left is None or base is None or base.text != tile:
            continue
        if re.fullmatch(rf"{place}(\+\w+)?", left.children[-1].bare.strip("[]")) is None:
            return False
        if any(parent.kind in ("for_statement", "while_statement") for parent, _ in body.ancestors(node)):
            return False
    return True


def _is_element(name: Syntax, body: Body) -> bool:
    """`tile[t]`, and not `tile` or `&tile[t]`; or where it is declared."""
    above = [parent for parent, _ in body.ancestors(name)][:2]
    if not above or above[0].kind not in ("subscript_expression", "array_declarator"):
        return False
    return len(above) < 2 or above[1].kind != "pointer_expression"


def _asks_for_the_end(condition: Syntax, name: str) -> bool:
    """`i < n`"""
    matched = re.fullmatch(r"\(?\w+<(\w+)\)?", condition.bare)
    return matched is not None and matched[1] != name


def _is_always_taken(read: Syntax, name: str, body: Body) -> bool:
    """What is made of the element is used where no more is asked than for the end of the data."""
    made, seen = {id(read)}, set[str]()
    for node in body.nodes:
        if id(node) not in made and not (node.kind == "identifier" and node.text in seen and node.start > read.end):
            continue
        for parent, child in body.ancestors(node):
            condition = parent.child("condition")
            if condition is not None and parent.kind != "for_statement" and not _asks_for_the_end(condition, name):
                return False
            target = parent.child("left") if parent.kind == "assignment_expression" else parent.child("declarator")
            if target is not None and target is not child and target.kind == "identifier":
                seen.add(target.text)
    return bool(seen)


def _read(tile: str, place: str, radius: str, asked: str, body: Body) -> Syntax | None:
    """`tile[t + k]` for k from -R, where only ends of the data are asked about."""
    name = re.split(r"\W", asked)[0]
    if any(re.search(rf"\b{radius}\b", value.text) for value in body.scope.values.get(name, ())):
        return None  # it begins with the first that has a border
    for node in body.nodes:
        base = node.child("argument") if node.kind == "subscript_expression" else None
        index = node.children[-1].bare.strip("[]") if base is not None and base.text == tile else ""
        matched = re.fullmatch(rf"{place}\+(\w+)|(\w+)\+{place}", index)
        if matched is None:
            continue
        counter, begins = matched[1] or matched[2], False
        for parent, _ in body.ancestors(node):
            head = parent.child("initializer") if parent.kind == "for_statement" else None
            begins = begins or (
                head is not None and re.search(rf"\b{counter}\s*=\s*-\s*{radius}\b", head.text) is not None
            )
        if begins and _is_always_taken(node, name, body):
            return node
    return None
