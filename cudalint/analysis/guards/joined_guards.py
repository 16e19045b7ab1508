"""Guards of several coordinates that are joined the wrong way: one coordinate outside is enough to be outside.

if (x >= width && y >= height) return;      a place beside the image goes on
if (x < width || y < height) out[...] = 0;  likewise
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.scopes import leaves
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax


def joined_guards(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each condition."""
    for body in bodies(program_of(outline), ("kernel",)):
        for node in body.nodes:
            condition, guarded = node.child("condition"), node.child("consequence")
            if node.kind != "if_statement" or condition is None or guarded is None or node.child("alternative"):
                continue
            leaving = guarded.kind == "return_statement" or (leaves(guarded) and "return" in guarded.text)
            operators, join = ((">=", ">"), "&&") if leaving else (("<", "<="), "||")
            places = _places(condition, join, operators, body)
            if len(places) < 2 or len(set(places)) < len(places) or not _used_together(places, condition.end, body):
                continue
            text = f"`{short(condition)}` lets pass where one of {' and '.join(places)} alone is outside"
            yield GuardIssue(body.function, condition, text)


def _places(condition: Syntax, join: str, operators: tuple[str, str], body: Body) -> list[str]:
    """The coordinates that are compared with sizes that are given, where the condition is nothing else."""
    while condition.kind == "parenthesized_expression" and condition.children:
        condition = condition.children[0]
    if condition.kind == "binary_expression" and condition.op == join:
        sides = [_places(child, join, operators, body) for child in condition.children]
        return [name for side in sides for name in side] if all(sides) else []
    left, right = condition.child("left"), condition.child("right")
    if condition.kind != "binary_expression" or condition.op not in operators or left is None or right is None:
        return []
    given = right.text in body.scope.parameters
    return [left.text] if left.text in body.positions and given else []


def _used_together(places: list[str], after: int, body: Body) -> bool:
    """One index is made of all of them."""
    return any(
        node.kind in ("subscript_expression", "init_declarator")
        and node.start > after
        and set(places) <= names_in(node)
        for node in body.nodes
    )
