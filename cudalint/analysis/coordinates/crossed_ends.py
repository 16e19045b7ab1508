"""Coordinates that are compared with the last place of each other's side.

if (x >= width || y >= height) return;
if (x == 0 || y == 0 || x == height - 1 || y == width - 1) { out[y * width + x] = 0; return; }
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax


def crossed_ends(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each function."""
    for body in bodies(program_of(outline)):
        limits = {name: map(uncast, found) for name, found in body.scope.limits.items()}
        sides = {name: {limit.bare for limit in found if limit.op != "-"} for name, found in limits.items()}
        for (one, its, first), (other, length, second) in combinations(_last_places(body), 2):
            if one != other and its != length and sides.get(one) == {length} and sides.get(other) == {its}:
                text = (
                    f"`{first.text}` and `{second.text}`: `{one}` is kept below `{length}`, and `{other}` below `{its}`"
                )
                yield GuardIssue(body.function, first, text, second)
                break


def _last_places(body: Body) -> Iterator[tuple[str, str, Syntax]]:
    """(variable, side, comparison) of each `x == width - 1`."""
    for node in body.nodes:
        if node.kind == "binary_expression" and node.op in ("==", "!=") and len(node.children) == 2:
            name, last = map(uncast, node.children)
            if name.kind == "identifier" and last.op == "-" and last.children[-1].text in ("1", "1u", "1U"):
                yield name.text, uncast(last.children[0]).bare, node
