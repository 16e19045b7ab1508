"""What follows a loop over whole steps, and is done by every thread, though only some of them have an element left.

for (; i < round_down(n, 32); i += 32) { take(*p);  p += 32; }
take(*p);                                                                       if (i < n) take(*p);
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_ROUNDED = re.compile(r"round_?down|align_?down|floor_?to", re.IGNORECASE)
_WHOLE = re.compile(r"^\(*[\w.()]+/(\w+)\)*\*\1$|^\(*[\w.()]+-\(?[\w.()]+%[\w.()]+\)*$")


def lost_remainders(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each loop: the first element that is taken behind it without a condition."""
    for body in bodies(program_of(outline)):
        for loop in body.nodes:
            limit = _limit(loop, body)
            taken = _taken(loop, body) if limit is not None else None
            if limit is not None and taken is not None:
                text = f"`{short(taken)}` is taken behind the loop by every thread, and only some have an element left"
                yield GuardIssue(body.function, taken, text, limit)


def _limit(loop: Syntax, body: Body) -> Syntax | None:
    """The bound of a loop that goes on with a variable of the outside, where it is rounded down to whole steps."""
    start, condition = loop.child("initializer"), loop.child("condition")
    if loop.kind != "for_statement" or condition is None or condition.op != "<":
        return None
    if start is not None and start.kind == "declaration":
        return None
    values = body.scope.values.get(condition.children[-1].text, [])
    value = values[0] if len(values) == 1 else condition.children[-1]
    callee = value.child("function")
    rounded = _ROUNDED.search(callee.text) if callee is not None else _WHOLE.match(value.bare)
    return value if rounded is not None else None


def _taken(loop: Syntax, body: Body) -> Syntax | None:
    """`*p` or `x[i]`, with what the loop steps, in the statements that follow it in the same block."""
    condition = loop.child("condition")
    block = body.parents.get(id(loop))
    if block is None or condition is None:
        return None
    counter = condition.children[0].text
    stepped = {counter} | {
        node.children[0].text for node in loop.walk() if node.kind == "assignment_expression" and node.op == "+="
    }
    for node in block.walk():
        if node.start < loop.end or not _is_taken(node, stepped):
            continue
        asked = (parent.child("condition") for parent, _ in body.ancestors(node) if parent.start > loop.start)
        if any(c is not None and counter in names_in(c) for c in asked):
            return None
        return None if _is_set_anew(stepped, loop.end, node.start, body) else node
    return None


def _is_taken(node: Syntax, stepped: set[str]) -> bool:
    if node.kind == "pointer_expression" and node.op == "*":
        return node.children[0].text in stepped
    return node.kind == "subscript_expression" and node.children[-1].bare.strip("[]") in stepped


def _is_set_anew(stepped: set[str], after: int, before: int, body: Body) -> bool:
    """Something is stored in one of the variables in between, or a way out asks about one."""
    for node in body.nodes:
        if not after <= node.start < before:
            continue
        left = node.child("left") if node.kind == "assignment_expression" else None
        condition = node.child("condition")
        if left is not None and left.text in stepped:
            return True
        if condition is not None and not stepped.isdisjoint(names_in(condition)):
            return True
    return False
