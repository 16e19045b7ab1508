"""Places in all elements that are kept in 64 bits, and cut to 32 before they are taken apart into coordinates.

for (int64_t i = first; i < numel; i += step) {       an element of its own for each i
  int at = i;   int row = at / cols, col = at % cols;             the row of another element from 2^31 on
  y[i] = x[col * rows + row];
}
void operator()(size_t i) const { int row = static_cast<int>(i) / cols, col = static_cast<int>(i) % cols; ... }
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from cudalint.analysis.overflow.element_counts import counted_elements, may_be_large
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.magnitude import is_stride
from cudalint.analysis.text.scopes import INT, POINTER, UNSIGNED, WIDE, cast_target, kind_of, uncast
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_NARROW = (INT, UNSIGNED)
_ASKS = re.compile(
    r"INT_?(32_)?MAX|numeric_limits<\s*(std::)?u?int|[uU]se_?32_?[bB]it|0x7f{7}|2147483647", re.IGNORECASE
)


def narrowed_places(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each place that is cut; a file that asks how large a number of 32 bits is knows better."""
    if _ASKS.search(outline.root.text):
        return
    for body in bodies(program_of(outline)):
        for place in _places(body):
            for name, cut in islice(_cuts(place, body), 1):
                said = _told(place, cut, body)
                if said is not None:
                    text = f"`{name}` keeps 32 bits of `{place}`, which has 64 and names one of all elements"
                    yield GuardIssue(body.function, cut, text, said)


def _places(body: Body) -> Iterator[str]:
    """Variables of 64 bits: the place in the launch, or the only argument of an object that is called."""
    scope = body.scope
    for name, values in sorted(scope.values.items()):
        if scope.types.get(name) == WIDE and values and "blockIdx" in values[0].text:
            yield name
    if body.function.name.endswith("operator()") and len(scope.parameters) == 1:
        yield from (name for name in scope.parameters if scope.types.get(name) == WIDE)


def _cuts(place: str, body: Body) -> Iterator[tuple[str, Syntax]]:
    """What keeps the lower half: `int at = place` where `at` is taken apart, and `(int)place` that is."""
    for node in body.nodes:
        name, value = node.child("declarator"), node.child("value")
        if node.kind == "init_declarator" and name is not None and value is not None and uncast(value).text == place:
            if body.scope.types.get(name.text) in _NARROW and _is_taken_apart(name.text, body):
                yield name.text, value
        elif _is_narrow_cast(node, place, body) and _is_taken_apart(node.bare, body):
            yield short(node), node


def _is_narrow_cast(node: Syntax, place: str, body: Body) -> bool:
    if node.kind != "cast_expression" and cast_target(node) is None:
        return False
    return uncast(node).text == place and kind_of(node, body.scope) in _NARROW


def _is_taken_apart(text: str, body: Body) -> bool:
    """It is divided by a size, and a remainder by the same size is taken."""
    divisors: dict[str, set[str]] = {"/": set(), "%": set()}
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind == "binary_expression" and node.op in divisors and left is not None and right is not None:
            if left.bare == text and right.kind != "number_literal":
                divisors[node.op].add(right.bare)
    return not divisors["/"].isdisjoint(divisors["%"])


def _told(place: str, cut: Syntax, body: Body) -> Syntax | None:
    """What says that there may be more than 2^31 places."""
    scope = body.scope
    if place in scope.parameters:
        return body.function.parameters[scope.parameters.index(place)]
    limits = [limit for limit in scope.limits.get(place, []) if kind_of(limit, scope) == WIDE]
    if not limits or is_stride(limits[0].text) or not _is_element(place, body):
        return None
    if not may_be_large(limits[0], cut, body):
        return None
    value = scope.values[place][0]
    widened = any(uncast(node) is not node and kind_of(node, scope) == WIDE for node in value.walk())
    return value if widened else counted_elements(limits[0], body, each=True)


def _is_element(place: str, body: Body) -> bool:
    """An element of a pointer has the place itself as a term of its index."""
    for node in body.nodes:
        base = node.child("argument")
        if node.kind == "subscript_expression" and base is not None and kind_of(base, body.scope) == POINTER:
            if any(term.text == place for child in node.children if child is not base for term in terms_of(child)):
                return True
    return False
