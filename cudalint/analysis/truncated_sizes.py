"""A number that one function rounds up and another, which allocates for it, rounds down.

void run(...)      { int groups = CEIL_DIV(channels, 32 * width); ... }
void allocate(...) { size_t groups = channels / (32 * width);  buffer = malloc(groups * bytes); }
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.guard_patterns import Body, GuardIssue, bodies, names_in
from cudalint.analysis.narrow_products import SIZED_CALLS
from cudalint.analysis.stated_bounds import key_of
from cudalint.analysis.text_program import CEIL, Program
from cudalint.ir.syntax import Outline, Syntax

_ALLOCATES = re.compile(r"alloc|resize|empty|zeros|buffer|reserve|vector", re.IGNORECASE)


def truncated_sizes(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each variable that is rounded down, where a variable of its name is rounded up elsewhere."""
    program = Program(outline)
    every = list(bodies(program, ("host", "kernel", "device")))
    rounded = {(name, divisor): value for body in every for name, value, divisor in _rounded_up(body)}
    for body in every if rounded else ():
        for name, values in body.scope.values.items():
            value = values[0] if len(values) == 1 else None
            divisor = value.child("right") if value is not None and value.op == "/" else None
            other = rounded.get((name, key_of(divisor))) if divisor is not None else None
            if (
                value is None
                or other is None
                or "+" in value.children[0].text
                or _is_even(value, body)
                or not _is_allocated(name, body)
            ):
                continue
            text = f"`{name}` is rounded down for the allocation, and rounded up where it is used"
            yield GuardIssue(body.function, value, text, other)


def _rounded_up(body: Body) -> Iterator[tuple[str, Syntax, str]]:
    """(name, value, divisor) of `name = CEIL_DIV(size, divisor)` and `name = (size + divisor - 1) / divisor`."""
    for name, values in body.scope.values.items():
        for value in values:
            callee, arguments = value.child("function"), value.child("arguments")
            if (
                callee is not None
                and arguments is not None
                and len(arguments.children) == 2
                and CEIL.search(callee.text)
            ):
                yield name, value, key_of(arguments.children[1])
            left, right = value.child("left"), value.child("right")
            if value.op == "/" and left is not None and right is not None and left.op == "-":
                plus = left.child("left")
                if plus is not None and plus.op == "+" and key_of(plus.children[-1]) == key_of(right):
                    yield name, value, key_of(right)


def _is_even(value: Syntax, body: Body) -> bool:
    """The function looks at the rest of the division, or at that of a name in it."""
    return any(re.search(rf"\b{re.escape(name)}\s*%", body.function.body.text) for name in names_in(value))


def _is_allocated(name: str, body: Body) -> bool:
    for node in body.nodes:
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind == "call_expression" and callee is not None and arguments is not None:
            sized = any(word in callee.text.lower() for word in SIZED_CALLS[:1]) or _ALLOCATES.search(callee.text)
            if sized and name in names_in(arguments):
                return True
    return False
