"""Updates without an atomic among statements that update what lies beside with one.

atomicAdd(grad + 3 * v, x);  atomicAdd(grad + 3 * v + 1, y);  grad[3 * v + 2] += z;     // the same threads meet there, too
atomicAdd(&sum[k], x);  atomicAdd(&square[k], x * x);  number[k] += 1;
int cell = cell_of(points + 3 * i);  sums[cell * channels + c] += x[i];  if (c == 0) atomicAdd(&counts[cell], 1);
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_ATOMIC_ADD = re.compile(r"(?:[\w:]*::)?\w*atomic_?add\w*(?:<[^<>]*>)?", re.IGNORECASE)
_STEP = re.compile(r"(?:\+(?:\d+|0x[\da-f]+)u?(?![\w.*/]))+$", re.IGNORECASE)
_UPDATES = ("+=", "-=")
_ROW = re.compile(r"([A-Za-z_]\w*)\*")
_READS = re.compile(r"\w\s*\[|\w\(.*\b[A-Za-z_]\w*\s*\+")  # an element, or a call that gets a pointer to one
_FEW = 2  # atomics at the same place of other arrays, beside which one without stands out


@dataclass(frozen=True, slots=True)
class _Update:
    """Of the element number `place` of what `base` points to, but for a constant that is left out."""

    base: str
    place: str
    step: str
    is_atomic: bool
    node: Syntax


def plain_among_atomics(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each such update."""
    if "tomic" not in outline.root.file.text:
        return
    for body in bodies(program_of(outline), ("kernel", "device")):
        if "tomic" not in body.function.body.text or any(map(_waits_for_turn, body.nodes)):
            continue
        for block in body.nodes:
            if block.kind == "compound_statement":
                yield from _in_block(block, body)
                yield from _in_rows(block, body)


def _waits_for_turn(node: Syntax) -> bool:
    """`while (atomicAdd(&turn, 0) != blockIdx.x) {}`: what comes behind is ordered by it."""
    condition = node.child("condition") if node.kind in ("while_statement", "do_statement") else None
    return condition is not None and "tomic" in condition.text


def _in_block(block: Syntax, body: Body) -> Iterator[GuardIssue]:
    updates = [u for child in block.children if (u := _update(child)) is not None]
    atomics = [u for u in updates if u.is_atomic]
    for each in updates:
        if each.is_atomic:
            continue
        beside = [a for a in atomics if a.base == each.base and a.place == each.place and a.step != each.step]
        alike = [a for a in atomics if a.base != each.base and (a.place, a.step) == (each.place, each.step)]
        given = (
            each.base in body.scope.parameters and each.base not in body.scope.values
        )  # a row of its own is no such array
        of_others = given and len({a.base for a in alike}) >= _FEW and re.search(r"[A-Za-z_]", each.place)
        if beside or of_others:
            line = (beside or alike)[0].node.span.line
            what = "the element beside it" if beside else "the same element of other arrays"
            text = f"lost updates of `{each.base}`: no atomic, and line {line} updates {what} with one"
            yield GuardIssue(body.function, each.node, text)


def _in_rows(block: Syntax, body: Body) -> Iterator[GuardIssue]:
    """A row that data choose is updated without an atomic, and what is counted for it with one."""
    inner = [
        c.child("consequence") for c in block.children if c.kind == "if_statement" and c.child("alternative") is None
    ]
    statements = [*block.children, *(each for each in inner if each is not None)]
    updates = [u for child in statements if (u := _update(child)) is not None]
    for each in updates:
        if each.is_atomic or each.base not in body.scope.parameters or each.base in body.scope.values:
            continue
        row = _ROW.match(each.place)
        counts = [
            u for u in updates if row and u.is_atomic and (u.place, u.step) == (row[1], "") and u.base != each.base
        ]
        if row is None or not counts or not _is_of_data(row[1], body) or _has_block(each.place[row.end(1) :], body):
            continue
        line = counts[0].node.span.line
        text = f"lost updates of `{each.base}`: no atomic, and line {line} counts on that others come to the same `{row[1]}`"
        yield GuardIssue(body.function, each.node, text)


def _is_of_data(name: str, body: Body) -> bool:
    """What a function makes of memory, or memory itself: nothing but luck keeps two threads apart."""
    values = body.scope.values.get(name, [])
    return bool(values) and all(_READS.search(value.text) for value in values) and name not in body.positions


def _has_block(rest: str, body: Body) -> bool:
    """Each block has a part of the row for its own."""
    names = re.findall(r"[A-Za-z_]\w*", rest)
    texts = [rest, *(value.text for name in names for value in body.scope.values.get(name, []))]
    return any("blockIdx" in text or "gridDim" in text for text in texts)


def _update(statement: Syntax) -> _Update | None:
    node = statement.children[0] if statement.kind == "expression_statement" and statement.children else statement
    if node.kind == "call_expression":
        callee, arguments = node.child("function"), node.child("arguments")
        if callee is None or arguments is None or len(arguments.children) < 2:
            return None
        if _ATOMIC_ADD.fullmatch("".join(callee.text.split())) is None:
            return None
        found = _address(arguments.children[0].bare)
    elif node.kind == "assignment_expression" and node.op in _UPDATES and (left := node.child("left")) is not None:
        found = _element(left.bare)
    else:
        return None
    return None if found is None else _Update(*found, node.kind == "call_expression", node)


def _address(text: str) -> tuple[str, str, str] | None:
    """`x + i + 1` or `&x[i + 1]`: the array, the place but for a constant, and the constant."""
    text = _without_parentheses(text)
    if text.startswith("&"):
        return _element(text[1:])
    base, _, place = text.partition("+")
    return _split(base, place) if re.fullmatch(r"[\w.]+(->\w+)?", base) else None


def _element(text: str) -> tuple[str, str, str] | None:
    """`x[i + 1]` or `*(x + i + 1)`."""
    text = _without_parentheses(text)
    if text.startswith("*"):
        return _address(text[1:])
    found = re.fullmatch(r"([\w.]+(?:->\w+)?)\[([^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*)\]", text)
    return _split(found[1], found[2]) if found is not None else None


def _split(base: str, place: str) -> tuple[str, str, str]:
    step = _STEP.search("+" + place)
    if step is None:
        return base, place, ""
    rest = ("+" + place)[: step.start()].removeprefix("+")
    return base, rest, step[0].strip("+").lstrip("0")


def _without_parentheses(text: str) -> str:
    while text.startswith("(") and text.endswith(")") and _closes_last(text):
        text = text[1:-1]
    return text


def _closes_last(text: str) -> bool:
    depth = 0
    for place, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return place == len(text) - 1
    return False
