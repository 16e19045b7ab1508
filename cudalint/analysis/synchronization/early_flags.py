"""Flags that one block raises before it stores what others read as soon as they see them.

while (flag[b - 1] == 0) ;  sum = part[b - 1];  ...  flag[b] = 1;  part[b] = sum + own;          the sum may not be there yet
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_WAITS = ("while_statement", "do_statement")
_LOOPS = (*_WAITS, "for_statement")
_COMPARES = ("==", "!=", "<", "<=", ">", ">=")


def early_flags(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each flag that stands before the only stores of its data."""
    for body in bodies(program_of(outline), ("kernel", "device")):
        for flag, index, end in _waits(body):
            for data in sorted(_read_behind(flag, index, end, body)):
                issue = _early(flag, data, body)
                if issue is not None:
                    yield issue


def _waits(body: Body) -> Iterator[tuple[str, str, int]]:
    """(flag, index, end) of each loop that does nothing until an element is another one."""
    for loop in body.nodes:
        condition = loop.child("condition") if loop.kind in _WAITS else None
        if condition is None or any(_stored(node) is not None for node in loop.walk()):
            continue
        for node in condition.walk():
            if node.kind == "binary_expression" and node.op in _COMPARES:
                for side in node.children:
                    if (element := _element(side)) is not None:
                        yield *element, loop.end


def _read_behind(flag: str, index: str, end: int, body: Body) -> set[str]:
    """Arrays of which the element at the index of the flag is read behind the wait."""
    stored = {id(node.children[0]) for node in body.nodes if node.kind == "assignment_expression" and node.op == "="}
    elements = ((_element(n), n) for n in body.nodes if n.start >= end and id(n) not in stored)
    return {found[0] for found, _ in elements if found is not None and found[1] == index and found[0] != flag}


def _early(flag: str, data: str, body: Body) -> GuardIssue | None:
    """The flag is raised, and then the data are stored, in one run of statements; nothing stores either elsewhere."""
    raised, stores = _stores(flag, body), _stores(data, body)
    if len(raised) != 1 or len(stores) != 1 or f"&{data}[" in body.function.body.bare:
        return None
    first, later = raised[0], stores[0]
    value = first.child("right")
    zero = value is None or value.text in ("0", "0u", "0U", "false")
    same = _element(first.children[0]), _element(later.children[0])
    if zero or first.start > later.start or same[0] is None or same[1] is None or same[0][1] != same[1][1]:
        return None
    if _block(first, body) is not _block(later, body) or any(p.kind in _LOOPS for p, _ in body.ancestors(first)):
        return None
    text = (
        f"`{flag}[{same[0][1]}]` is raised before `{data}[{same[0][1]}]` is stored, which others read when they see it"
    )
    return GuardIssue(body.function, first, text, later)


def _stores(array: str, body: Body) -> list[Syntax]:
    return [node for node in body.nodes if _stored(node) == array]


def _stored(node: Syntax) -> str | None:
    """The array of which an element is assigned."""
    element = _element(node.children[0]) if node.kind == "assignment_expression" and node.children else None
    return None if element is None else element[0]


def _element(node: Syntax) -> tuple[str, str] | None:
    """(array, index) of `array[index]`."""
    while node.kind == "parenthesized_expression" and node.children:
        node = node.children[0]
    base = node.child("argument") if node.kind == "subscript_expression" else None
    return None if base is None else (base.bare, node.bare[len(base.bare) + 1 : -1])


def _block(node: Syntax, body: Body) -> Syntax | None:
    return next((parent for parent, _ in body.ancestors(node) if parent.kind == "compound_statement"), None)
