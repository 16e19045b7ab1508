"""Two coordinates of one element that are held against one side, while the other side is at hand and read nowhere.

int h = image.dims[1], w = image.dims[0];
bool in_row = j >= 0 && j < w;   bool in_column = i >= 0 && i < w;   v = in_row && in_column ? x[i * s0 + j * s1] : 0;
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from cudalint.analysis.coordinates.slips import are_siblings
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax


def unread_sides(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each function, at the second of the comparisons."""
    for body in bodies(program_of(outline)):
        for side, kept in _ends(body).items():
            lost = _unread_sibling(side, body) if len(kept) > 1 else None
            for (one, first), (other, second) in combinations(kept.items(), 2) if lost is not None else ():
                use = element_of_both(one, other, body)
                window = _counts(first, body) and _counts(second, body)
                if use is not None and not (window and _has_place(use, one, other, body)):
                    text = (
                        f"`{one}` and `{other}` are held against `{side}`, and `{lost}` is read nowhere: `{short(use)}`"
                    )
                    yield GuardIssue(body.function, second, text, first)
                    break


def _ends(body: Body) -> dict[str, dict[str, Syntax]]:
    """The sides that variables are kept below: for each the first comparison of every variable."""
    found: dict[str, dict[str, Syntax]] = {}
    for node in body.nodes:
        if node.kind == "binary_expression" and node.op in ("<", ">="):
            left, right = node.children
            if left.kind == right.kind == "identifier":
                found.setdefault(right.text, {}).setdefault(left.text, node)
    return found


def _unread_sibling(side: str, body: Body) -> str | None:
    """The only other side by its name that the function is given, or declares, and never uses."""
    text = body.function.body.text
    known = {*filter(None, body.scope.parameters), *body.scope.values} - body.scope.grown
    lost = [
        name
        for name in sorted(known)
        if are_siblings(name, side)
        and len(re.findall(rf"\b{re.escape(name)}\b", text)) == (0 if name in body.scope.parameters else 1)
    ]
    return lost[0] if len(lost) == 1 else None


def _counts(comparison: Syntax, body: Body) -> bool:
    """The condition of a loop."""
    return any(
        child is parent.child("condition")
        for parent, child in body.ancestors(comparison)
        if parent.kind == "for_statement"
    )


def _has_place(use: Syntax, one: str, other: str, body: Body) -> bool:
    """More places choose the element: `x[(row * k + i) * w + column * k + j]`, where i and j count within a window."""
    return not names_in(use.children[-1]).isdisjoint(body.scope.values.keys() - {one, other})


def element_of_both(one: str, other: str, body: Body) -> Syntax | None:
    """An element that both choose, each by a term of its own."""
    for node in body.nodes:
        if node.kind == "subscript_expression" and {one, other} <= names_in(node.children[-1]):
            index = node.children[-1]
            inner = index.children[0] if index.kind == "subscript_argument_list" and index.children else index
            spoken = [names_in(term) & {one, other} for term in terms_of(inner)]
            if {one} in spoken and {other} in spoken:
                return node
    return None
