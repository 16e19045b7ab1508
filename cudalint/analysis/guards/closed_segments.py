"""Loops over pieces of an array that take the first element of the next piece as well.

const int begin = offsets[row], end = offsets[row + 1];      the next piece begins at `end`
for (int i = begin + threadIdx.x; i <= end; i += blockDim.x) out[i] = 0;
while (i < mine && j <= end) ...                             so does one of two rows that are gone through side by side
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_conditions import parts_of
from cudalint.analysis.text.guard_patterns import (
    GuardIssue,
    bodies,
    closure_of,
    compared,
    knows_the_end,
    names_in,
    short,
)
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_ELEMENT = re.compile(
    r"^(?P<array>[\w.>-]+)\[(?P<at>.+)\]$|^(?:\w+::)*__ldg\(&?\(?(?P<base>[\w.>-]+?)[+\[](?P<place>[^)\]]+)\]?\)+$"
)
_LOOPS = ("for_statement", "while_statement")


def closed_segments(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each loop that uses its counter as an index."""
    for body in bodies(program_of(outline)):
        for loop in body.nodes:
            condition = loop.child("condition") if loop.kind in _LOOPS else None
            parts = [] if condition is None else parts_of(condition, "&&")
            issues = (_closed(part, parts, loop, body) for part in parts)
            yield from (issue for issue in issues if issue is not None)


def _closed(part: Syntax, parts: list[Syntax], loop: Syntax, body: Body) -> GuardIssue | None:
    """`i <= end`, of a counter that nothing else keeps from the end."""
    sides = compared(part, ("<=", ">="))
    if sides is None or sides[0].kind != "identifier" or sides[1].text in body.scope.grown:
        return None
    counter, end = sides
    kept = any((pair := compared(each, ("<", ">"))) is not None and pair[0].text == counter.text for each in parts)
    if kept or not _is_next(end, counter.text, body) or knows_the_end(counter.text, end.text, body):
        return None
    used = _used(counter.text, loop, body)
    text = f"`{short(part)}`: at `{end.text}` the next piece begins"
    return None if used is None else GuardIssue(body.function, part, text, used)


def _is_next(end: Syntax, counter: str, body: Body) -> bool:
    """The end is, or was read, at the next place of the array that the begin of the counter was read from."""
    ends = body.scope.values.get(end.text, []) if end.kind == "identifier" else [end]
    last = _place(ends[0]) if len(ends) == 1 else None
    if last is None or not last[1].endswith("+1"):
        return False
    begins = {counter} | closure_of(counter, body)
    values = [value for name in sorted(begins) for value in body.scope.values.get(name, [])]
    first = (last[0], last[1].removesuffix("+1"))
    return any(_place(node) == first for value in values for node in value.walk())


def _place(value: Syntax) -> tuple[str, str] | None:
    """The array and the index of what is read."""
    found = _ELEMENT.match(value.bare)
    if found is None:
        return None
    return (found["array"] or found["base"], (found["at"] or found["place"]).strip("()"))


def _used(counter: str, loop: Syntax, body: Body) -> Syntax | None:
    for node in loop.walk():
        if node.kind == "subscript_expression" and counter in names_in(node.children[-1]):
            return node
    return None
