"""Conditions before the element of a neighbour that ask nothing which does not hold anyway.

if (z >= depth) return;   front = z < depth ? at + plane : at;     the last one has no neighbour: z + 1 < depth
if (x < width) left = x >= 0 ? in[at - 1] : 0;                     a place in the grid is never negative: x > 0
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.text.guard_conditions import guards_of, parts_of
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, closure_of, names_in, short
from cudalint.analysis.text.scopes import POINTER, uncast
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_UPPER, _LOWER = "+", "-"
_STEP = {
    "identifier",
    "number_literal",
    "binary_expression",
    "parenthesized_expression",
    "field_expression",
    "field_identifier",
}


@dataclass(frozen=True, slots=True)
class _Question:
    """`name < bound`, or `name >= 0`."""

    name: str
    bound: str
    side: str


def repeated_guards(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each condition: what holds anyway, and the neighbour behind it."""
    for body in bodies(program_of(outline)):
        held = list(_held(body))
        for node in body.nodes:
            condition, guarded = node.child("condition"), node.child("consequence")
            if node.kind not in ("conditional_expression", "if_statement") or condition is None or guarded is None:
                continue
            parts = [question for part in parts_of(condition, "&&") if (question := _question(part, ("<", ">=")))]
            for question in parts:
                if not _is_fixed(question.name, body):
                    continue
                asked = next((a for q, a, start, end in held if q == question and start <= node.start < end), None)
                if asked is None and not (question.side == _LOWER and _is_never_negative(question.name, body)):
                    continue
                use = _neighbour(question, parts, node, guarded, body)
                if use is not None:
                    why = "was asked before" if asked is not None else "holds for every place in the grid"
                    text = f"`{short(condition)}` {why}: it does not keep `{short(use)}` inside"
                    yield GuardIssue(body.function, condition, text, asked, behind=(use,))
                    break


def _held(body: Body) -> Iterator[tuple[_Question, Syntax, int, int]]:
    """What guards have asked, with where it begins and ends to hold."""
    for node in body.nodes:
        if node.kind != "if_statement":
            continue
        for part, closed, end in guards_of(node, body):
            leaving = closed == (">", "<")
            question = _question(part, (">=", "<") if leaving else ("<", ">="), turned=leaving)
            if question is not None:
                yield question, part, node.end if leaving else part.end, end


def _question(part: Syntax, operators: tuple[str, str], turned: bool = False) -> _Question | None:
    """The operators are those of the upper and of the lower side, for a name on the left."""
    left, right = part.child("left"), part.child("right")
    if part.kind != "binary_expression" or part.op not in _TURNED or left is None or right is None:
        return None
    left, right, op = uncast(left), uncast(right), part.op
    if left.kind != "identifier" or (right.kind == "identifier" and left.text.isupper()):
        left, right, op = right, left, _TURNED[op]
    upper, lower = operators
    if left.kind != "identifier":
        return None
    if op == lower and right.text == "0":
        return _Question(left.text, "0", _LOWER)
    return _Question(left.text, right.bare, _UPPER) if op == upper and right.kind != "number_literal" else None


def _is_fixed(name: str, body: Body) -> bool:
    scope = body.scope
    if name in scope.grown:
        return False
    return len(scope.values.get(name, ())) == 1 or (name in scope.parameters and name not in scope.values)


def _is_never_negative(name: str, body: Body) -> bool:
    """Made of the place in the launch, and nothing is taken away from it."""
    values = body.scope.values.get(name, [])
    text = values[0].text if len(values) == 1 else "-"
    plain = re.fullmatch(r"[\w\s.+*()]*", text) is not None
    return name in body.positions and plain and not names_in(values[0]) & set(body.scope.parameters)


def _neighbour(question: _Question, parts: list[_Question], node: Syntax, guarded: Syntax, body: Body) -> Syntax | None:
    """The element one further on the side of the question, which only this condition chooses."""
    alternative = node.child("alternative")
    beside = uncast(alternative).bare if node.kind == "conditional_expression" and alternative is not None else None
    if beside is not None and _is_beside(uncast(guarded), beside, question, body):
        return guarded if len(parts) == 1 else None
    for use in guarded.walk():
        base, index = (use.children[0], use.children[-1]) if use.kind == "subscript_expression" else (None, None)
        if base is None or index is None or body.scope.types.get(base.text) != POINTER:
            continue
        if index.kind == "subscript_argument_list" and len(index.children) == 1:
            index = index.children[0]
        if _is_one_further(index, question, parts, body) and _is_first_condition(use, guarded, body):
            return use
    return None


def _is_beside(chosen: Syntax, other: str, question: _Question, body: Body) -> bool:
    """`at + plane` where the other way is `at`, which is made of the variable; or the variable itself and one more."""
    while chosen.kind == "parenthesized_expression" and chosen.children:
        chosen = chosen.children[0]
    left, right = chosen.child("left"), chosen.child("right")
    if chosen.op != question.side or left is None or right is None or left.bare != other:
        return False
    steps = all(n.kind in _STEP for n in right.walk()) and right.text != "0" and "Idx" not in right.text
    made_of = {other, *closure_of(other, body)}
    return left.kind == "identifier" and question.name in made_of and steps


def _is_one_further(index: Syntax, question: _Question, parts: list[_Question], body: Body) -> bool:
    """`at + 1` or `at - 1`, where the place is made of the variable alone in its row, or of one that is asked as well."""
    index = uncast(index)
    left, right = index.child("left"), index.child("right")
    if index.op != question.side or left is None or right is None or right.text != "1":
        return False
    names = {term.text for term in terms_of(left) if term.kind == "identifier"}
    if question.name in names:
        return True
    flat = next(iter(names)) if len(names) == 1 and len(terms_of(left)) == 1 else ""
    values = body.scope.values.get(flat, [])
    in_row = {term.bare for term in terms_of(values[0])} if len(values) == 1 and flat not in body.scope.grown else set()
    return question.name in in_row and {part.name for part in parts} <= {question.name, *closure_of(flat, body)}


def _is_first_condition(use: Syntax, guarded: Syntax, body: Body) -> bool:
    """No further condition stands between the two."""
    if use is guarded:
        return True
    for parent, _ in body.ancestors(use):
        if parent is guarded:
            return parent.child("condition") is None
        if parent.child("condition") is not None or parent.op in ("&&", "||"):
            return False
    return False
