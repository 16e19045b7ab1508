"""Loops over the rest of whole vectors that start at the number of vectors, where it is the number of elements in them.

const int whole = n / 4;  for (int i = tid; i < whole; i += step) sum += dot(x4[i]);
for (int i = whole + tid; i < n; i += step) sum += x[i] * x[i];                                 whole * 4 + tid

What lies between the two is taken twice. Where the number of vectors is rounded up, the last one is not whole, and nothing is left
for the loop over the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

LANES = {"/": {"2": 2, "4": 4, "8": 8, "16": 16}, ">>": {"1": 2, "2": 4, "3": 8, "4": 16}}


def rest_starts(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each loop, at its start; what it is about is the loop over the vectors."""
    for body in bodies(program_of(outline), ("kernel", "device")):
        loops = [node for node in body.nodes if node.kind == "for_statement"]
        for place, rest in enumerate(loops):
            start, counter = _start(rest), _counter(rest)
            end = _end(rest, counter)
            if start is None or end is None or not _elements(rest, counter):
                continue
            rounded = next(_rounded_up(start, end.bare, rest, loops[:place], body), None)
            if rounded is not None:
                yield rounded
            for name, (lanes, size) in _counts(start, body).items():
                vectors = next((each for each in loops[:place] if _goes_over_vectors(each, name, rest, body)), None)
                if vectors is not None and size == end.bare:
                    said = f"the rest starts at `{name} * {lanes}`: `{name}` counts the vectors of {lanes} before it"
                    yield GuardIssue(body.function, start, said, vectors.child("condition"))
                    break


def _rounded_up(start: Syntax, size: str, rest: Syntax, before: list[Syntax], body: Body) -> Iterator[GuardIssue]:
    """`packs * 4 + tid` for `packs = (n + 3) / 4`: the loop over the packs goes beyond the end."""
    for product in _products(start):
        for name, lanes in permutations(map(uncast, product.children)):
            values = body.scope.values.get(name.text, [])
            if name.kind != "identifier" or len(values) != 1 or name.text in body.scope.grown:
                continue
            value, width = uncast(values[0]), lanes.bare.rstrip("uUlL")
            last = str(int(width) - 1) if width in LANES["/"] else ""
            if last and value.bare in (f"({size}+{last})/{width}", f"({last}+{size})/{width}"):
                vectors = next((each for each in before if _goes_over_vectors(each, name.text, rest, body)), None)
                if vectors is not None:
                    said = f"`{name.text}` is rounded up: the last vector of {width} is not whole, and the rest never has one"
                    yield GuardIssue(body.function, value, said, start)


def _products(node: Syntax) -> list[Syntax]:
    node = uncast(node)
    if node.kind != "binary_expression":
        return []
    return [node] if node.op == "*" else [each for side in node.children for each in _products(side)]


def _counter(loop: Syntax) -> str:
    condition = loop.child("condition")
    return condition.children[0].text if condition is not None and condition.op == "<" and condition.children else ""


def _start(loop: Syntax) -> Syntax | None:
    """What the counter begins with."""
    declared = loop.child("initializer")
    values = [node for node in declared.walk() if node.kind == "init_declarator"] if declared is not None else []
    return uncast(values[0].children[-1]) if len(values) == 1 and values[0].children else None


def _end(loop: Syntax, counter: str) -> Syntax | None:
    condition = loop.child("condition")
    if not counter or condition is None or condition.kind != "binary_expression":
        return None
    end = uncast(condition.children[1])
    return end if end.kind in ("identifier", "field_expression") else None


def _counts(start: Syntax, body: Body) -> dict[str, tuple[int, str]]:
    """The summands of a start that are the number of whole vectors of a size."""
    found: dict[str, tuple[int, str]] = {}
    for name in _summands(start):
        values = body.scope.values.get(name, [])
        if len(values) != 1 or name in body.scope.grown:
            continue
        value = uncast(values[0])
        if value.kind == "conditional_expression":  # none where the memory is not aligned
            value = uncast(value.children[1])
        if value.kind == "binary_expression" and value.op in LANES:
            size, by = (uncast(each) for each in value.children)
            lanes = LANES[value.op].get(by.bare.rstrip("uUlL"))
            if lanes is not None:
                found[name] = lanes, size.bare
    return found


def _summands(node: Syntax) -> list[str]:
    node = uncast(node)
    if node.kind == "binary_expression" and node.op == "+":
        return [name for side in node.children for name in _summands(side)]
    return [node.text] if node.kind == "identifier" else []


def _goes_over_vectors(loop: Syntax, name: str, rest: Syntax, body: Body) -> bool:
    """Up to that number, and what a round takes at its counter are vectors of the elements that the other loop takes."""
    counter, end = _counter(loop), loop.child("condition")
    if end is None or not counter or uncast(end.children[1]).text != name:
        return False
    taken = {node.children[0].text for node in _elements(rest, _counter(rest)) if not _is_written(node, body)}
    for node in _elements(loop, counter):
        pointer = node.children[0].text
        values = body.scope.values.get(pointer, [])
        made = _VECTORS.fullmatch(values[0].bare) if len(values) == 1 else None
        if made is not None and made[2] in taken and made[1] != body.scope.elements.get(made[2], "").replace(" ", ""):
            return re.search(rf"\b{re.escape(pointer)}\b", rest.text) is None
    return False


_VECTORS = re.compile(r"reinterpret_cast<(?:const)?([\w:]+(?:<.*>)?)(?:const)?\*>\((\w+)\)")


def _elements(loop: Syntax, counter: str) -> list[Syntax]:
    """What has the counter as its only place."""
    found = (node for node in loop.walk() if node.kind == "subscript_expression")
    return [node for node in found if node.children[-1].text.strip("[] ") == counter]


def _is_written(node: Syntax, body: Body) -> bool:
    parent = body.parents.get(id(node))
    return (
        parent is not None
        and parent.kind == "assignment_expression"
        and parent.op == "="
        and parent.child("left") is node
    )
