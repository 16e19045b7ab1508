"""Elements whose coordinates stand in another order than the sizes that they are held against.

for (b < out.size(0)) for (x < out.size(2)) g = out[plane][b][x];         b counts along the first side
                                            in[b][plane][x] = g;         and stands first elsewhere
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_SIZE = re.compile(r"(\w+)\s*\.\s*(?:size|getSize|shape|extent)\s*[(\[]\s*(\d)\s*[)\]]")

Element = tuple[Syntax, str, tuple[str, ...]]


def crossed_indices(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each function."""
    for body in bodies(program_of(outline)):
        elements = list(_elements(body))
        ends = _ends(body) if len(elements) > 1 else {}
        for node, base, names in elements if ends else ():
            twin = _contradicting(base, names, ends, elements)
            if twin is not None:
                name, side, other = twin
                text = f"`{short(node)}` does not begin like `{short(other)}`: `{name}` counts along side {side} of `{base}`"
                yield GuardIssue(body.function, node, text, other)
                break


def _elements(body: Body) -> Iterator[Element]:
    """(element, array, coordinates) where every coordinate is a name and no two are the same."""
    for node in body.nodes:
        parent = body.parents.get(id(node))
        if node.kind != "subscript_expression" or (parent is not None and parent.kind == "subscript_expression"):
            continue
        names: list[str] = []
        inner = node
        while inner.kind == "subscript_expression" and len(inner.children) == 2:
            inner, index = inner.children
            index = index.children[0] if index.kind == "subscript_argument_list" and index.children else index
            names.insert(0, index.text if index.kind == "identifier" else "")
        if inner.kind == "identifier" and len(names) > 1 and all(names) and len(set(names)) == len(names):
            yield node, inner.text, tuple(names)


def _ends(body: Body) -> dict[tuple[str, str], set[int]]:
    """The sides of an array that a variable is kept below, by variable and array."""
    found: dict[tuple[str, str], set[int]] = {}
    for name, limits in body.scope.limits.items():
        for limit in limits:
            values = body.scope.values.get(limit.text, []) if limit.kind == "identifier" else [limit]
            size = _SIZE.fullmatch(values[0].text) if len(values) == 1 else None
            if size is not None:
                found.setdefault((name, size[1]), set()).add(int(size[2]))
    return found


def _contradicting(
    base: str, names: tuple[str, ...], ends: dict[tuple[str, str], set[int]], elements: list[Element]
) -> tuple[str, int, Syntax] | None:
    """(variable, side, another element) where the variable stands at that side of the other, and not of this one."""
    for at, name in enumerate(names):
        sides = ends.get((name, base), set())
        side = min(sides, default=at)
        if len(sides) != 1 or side == at or side >= len(names) or ends.get((names[side], base)) == sides:
            continue
        for other, _, order in elements:
            if order != names and sorted(order) == sorted(names) and order[side] == name:
                return name, side, other
    return None
