"""A number that one function rounds up and another, which allocates for it or launches with it, rounds down.

void run(...)      { int groups = CEIL_DIV(channels, 32 * width); ... }
void allocate(...) { size_t groups = channels / (32 * width);  buffer = malloc(groups * bytes); }

if (wide) { int blocks = (n + TILE - 1) / TILE;  wide_kernel<<<blocks, 256>>>(x, n); }
else      { int blocks = n / TILE;               narrow_kernel<<<blocks, 256>>>(x, n); }
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.overflow.narrow_products import SIZED_CALLS
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in
from cudalint.analysis.text.stated_bounds import key_of
from cudalint.analysis.text.text_program import CEIL, Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_ALLOCATES = re.compile(r"alloc|resize|empty|zeros|buffer|reserve|vector", re.IGNORECASE)


def truncated_sizes(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each variable that is rounded down, where a variable of its name is rounded up elsewhere."""
    program = program_of(outline)
    every = list(bodies(program, ("host", "kernel", "device")))
    rounded: dict[tuple[str, str], list[Syntax]] = {}
    for body in every:
        for name, value, key in _rounded_up(body):
            rounded.setdefault((name, key), []).append(value)
    for body in every if rounded else ():
        for name, values in body.scope.values.items():
            for value in values:
                divisor = value.child("right") if value.op == "/" else None
                others = rounded.get((name, key_of(divisor)), []) if divisor is not None else []
                if not others or "+" in value.children[0].text or _is_even(value, body):
                    continue
                other = others[-1]
                if len(values) == 1 and _is_allocated(name, body):
                    text = f"`{name}` is rounded down for the allocation, and rounded up where it is used"
                    yield GuardIssue(body.function, value, text, other)
                elif _is_exception(value, others, values) and _is_launched(name, body):
                    text = f"`{name}` is rounded down for the grid here, and rounded up elsewhere"
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
            if value.op == "/" and left is not None and right is not None and _adds_all_but_one(left, right):
                yield name, value, key_of(right)


def _adds_all_but_one(dividend: Syntax, divisor: Syntax) -> bool:
    """`n + d - 1` or `n + (d) - 1`, which reads like a cast."""
    added = re.fullmatch(r".*\+(.+)-1", dividend.bare.removesuffix(")"), re.DOTALL)
    return added is not None and _bare(added[1]) == _bare(divisor.bare)


def _bare(text: str) -> str:
    while text.startswith("(") and text.endswith(")") and ")" not in text[:-1]:
        text = text[1:-1]
    return text


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


def _is_exception(value: Syntax, others: list[Syntax], values: list[Syntax]) -> bool:
    """The same function rounds the same size up, in more places than it rounds it down."""
    alike = [other for other in others if names_in(other) == names_in(value) and other in values]
    return len(alike) > sum(names_in(other) == names_in(value) and other not in alike for other in values)


def _is_launched(name: str, body: Body) -> bool:
    """A grid is made of the number: a `dim3`, or the configuration of a launch."""
    for node in body.nodes:
        if node.kind == "declaration" and node.text.startswith(("dim3", "const dim3")) and name in names_in(node):
            return True
        if node.kind == "call_expression" and "<<<" in node.text:
            configured = node.text.partition("<<<")[2].partition(">>>")[0].partition(",")[0]
            if re.search(rf"\b{re.escape(name)}\b", configured):
                return True
    return False
