"""Questions about the last place that the loop around them never answers with yes.

for (int i = at; i < n; i += step) length = i == n ? total - begin[i] : begin[i + 1] - begin[i];     the last one is n - 1
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.text.guard_conditions import parts_of
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_ASKING = ("if_statement", "conditional_expression")
_LOOPS = ("for_statement", "while_statement")


def missed_lasts(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each question, where the other branch uses the element behind the place."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            asked = node.child("condition") if node.kind in _ASKING else None
            for part in [] if asked is None else parts_of(asked, "&&"):
                left, right = part.child("left"), part.child("right")
                if part.op not in ("==", "!=") or left is None or right is None or left.kind != "identifier":
                    continue
                other = node.child("alternative" if part.op == "==" else "consequence")
                use = None if other is None else _behind(left.text, other)
                loop = None if use is None else _counting(left.text, right.bare, node, body)
                if use is not None and loop is not None and not names_in(right) & body.scope.grown:
                    text = (
                        f"`{short(part)}` is asked where {left.text} stays below {right.text}: the last one is not met"
                    )
                    yield GuardIssue(body.function, part, text, use, behind=(loop,))


def _behind(place: str, branch: Syntax) -> Syntax | None:
    """`x[place + 1]`"""
    for node in branch.walk():
        if node.kind == "subscript_expression" and node.children:
            index = node.children[-1]
            inner = index.children[0] if index.kind == "subscript_argument_list" and index.children else index
            terms = [term.text for term in terms_of(inner)]
            if sorted(terms) == sorted(["1", place]):
                return node
    return None


def _counting(place: str, end: str, asked: Syntax, body: Body) -> Syntax | None:
    """The condition of the innermost loop around that counts the place, where it stays below that end in the whole round."""
    steps = body.scope.steps.get(place, [])
    if len(body.scope.values.get(place, [])) > 1:
        return None
    for loop, child in body.ancestors(asked):
        condition, update = loop.child("condition"), loop.child("update")
        if loop.kind not in _LOOPS or condition is None or child is condition:
            continue
        kept = any(_is_below(part, place, end) for part in parts_of(condition, "&&"))
        if kept and update is not None:
            return condition if all(update.start <= step.start < update.end for step in steps) else None
        if place in names_in(condition):
            return None
    return None


def _is_below(part: Syntax, place: str, end: str) -> bool:
    left, right = part.child("left"), part.child("right")
    if part.op not in ("<", ">") or left is None or right is None:
        return False
    lower, upper = (left, right) if part.op == "<" else (right, left)
    return lower.text == place and upper.bare == end
