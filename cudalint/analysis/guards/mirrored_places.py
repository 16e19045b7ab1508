"""Places that are counted from the end without the one that the first place takes: at place 0 they are behind the last.

int i = blockIdx.x * blockDim.x + threadIdx.x;  if (i < n) out[n - i] = in[i];
for (int k = 0; k < K; ++k) sum += x[row * K + K - k];
if (i < n / 2) { int j = n - i;  float t = a[i];  a[i] = a[j];  a[j] = t; }
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_conditions import guards_of
from cudalint.analysis.text.guard_patterns import OFFSETS, GuardIssue, bodies, compared, is_count, is_placed, short
from cudalint.analysis.text.scopes import INT, UNSIGNED, WIDE, uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_STRICT = {(">", "<"): (">=", "<="), ("<=", ">="): ("<", ">")}  # by what would let the bound pass
_FROM_ZERO = re.compile(r"=\s*0[uUlL]*\s*;?$")


def mirrored_places(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each place, with the comparison that it lies behind."""
    for body in bodies(program_of(outline)):
        told: set[int] = set()
        for node in body.nodes:
            for part, operators, end in guards_of(node, body):
                sides = compared(part, _STRICT[operators])
                if sides is None or not _begins_at_zero(sides[0], node, body):
                    continue
                name, size = sides[0].text, _whole(sides[1], body)
                if size is None or _is_asked_for(name, size, body):
                    continue
                for use, difference in _uses(name, size, (part.end, end), body):
                    if use.start not in told:
                        told.add(use.start)
                        text = f"`{short(difference)}` is {size} where {name} is 0: the place behind the last"
                        yield GuardIssue(body.function, use, text, part)


def _begins_at_zero(place: Syntax, guard: Syntax, body: Body) -> bool:
    start = guard.child("initializer")
    if guard.kind == "for_statement" and start is not None:
        return place.kind == "identifier" and bool(
            re.search(rf"\b{re.escape(place.text)}\s*=", start.text) and _FROM_ZERO.search(start.text)
        )
    return (place.kind == "identifier" or "threadIdx" in place.text) and is_placed(place.text, body)


def _whole(bound: Syntax, body: Body) -> str | None:
    """The number of elements, of which the bound may be half; any number that the function is given."""
    bound = uncast(bound)
    given = bound.text in body.scope.parameters and body.scope.types.get(bound.text) in (INT, UNSIGNED, WIDE)
    if not given and not is_count(bound, body):
        return None
    whole = uncast(bound.children[0]) if bound.kind == "binary_expression" and bound.op == "/" else bound
    return whole.bare if whole.kind in ("identifier", "field_expression") else None


def _is_asked_for(name: str, size: str, body: Body) -> bool:
    """The first place is dealt with on its own, places begin at one, or there is room for one more."""
    place, many = re.escape(name), re.escape(size)
    text = body.function.body.text
    asked = (
        rf"\b{place}\s*(?:==|!=|>)\s*0\b|\b{place}\s*>=\s*1\b|\b0\s*<\s*{place}\b|!\s*{place}\b|\b{place}\s*\?"
        rf"|\b{many}\s*\+\s*1\b"
    )
    shifted = any(re.search(r"\+\s*1\b", value.text) for value in body.scope.values.get(name, []))
    return shifted or re.search(asked, text) is not None


def _uses(name: str, size: str, within: tuple[int, int], body: Body) -> Iterator[tuple[Syntax, Syntax]]:
    """Subscripts at `size - name`, or at a variable that is that and nothing else, and the difference."""
    made = {
        variable: uncast(values[0])
        for variable, values in body.scope.values.items()
        if len(values) == 1 and variable not in body.scope.grown and _is_difference(uncast(values[0]), name, size)
    }
    for node in body.nodes:
        if not within[0] <= node.start < within[1]:
            continue
        difference = node if _is_difference(node, name, size) else made.get(node.text)
        use = _subscript(node, body) if difference is not None else None
        if use is not None and difference is not None:
            yield use, difference


def _is_difference(node: Syntax, name: str, size: str) -> bool:
    if node.kind != "binary_expression" or node.op != "-":
        return False
    left, right = (uncast(side) for side in node.children)
    return left.bare == size and right.text == name


def _subscript(place: Syntax, body: Body) -> Syntax | None:
    """The element whose index is a sum with the place in it; none of an array of ends, which has one more."""
    for parent, child in body.ancestors(place):
        base = parent.child("argument") if parent.kind == "subscript_expression" else None
        if base is not None:
            return parent if base is not child and not OFFSETS.search(base.text) else None
        if parent.kind not in ("parenthesized_expression", "cast_expression", "subscript_argument_list"):
            if parent.kind != "binary_expression" or parent.op != "+":
                return None
    return None
