"""Quotients that are asked whether they are below zero: those of the numbers just below zero are zero.

page = slot / size;  at = slot % size;  if (page < 0) return;           slot -1 is page 0, and place -1 of it
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import UNSIGNED, uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_ASKED = {"<": "below zero", ">=": "at least zero"}


def quotient_signs(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each such question; what it is about is the remainder that goes with the quotient."""
    for body in bodies(program_of(outline), ("kernel", "device")):
        for node in body.nodes:
            left, right = node.child("left"), node.child("right")
            if node.op not in _ASKED or left is None or right is None or right.bare != "0" or left.kind != "identifier":
                continue
            divided = _divided(left.text, body)
            if divided is None:
                continue
            number, by = divided
            rest = next((each for each in body.nodes if each.op == "%" and _are(each, number, by)), None)
            if rest is not None and _is_loaded(number, body) and not _is_asked(number, body):
                text = (
                    f"`{short(node)}` asks about a quotient, which is 0 for `{number}` between {by} below zero and zero"
                )
                yield GuardIssue(body.function, node, text, rest)


def _divided(name: str, body: Body) -> tuple[str, str] | None:
    """`slot` and `size` of `page = slot / size`."""
    values = body.scope.values.get(name, [])
    value = uncast(values[0]) if len(values) == 1 and name not in body.scope.grown else None
    if value is None or value.op != "/" or len(value.children) != 2:
        return None
    number, by = (uncast(part) for part in value.children)
    return (number.text, by.bare) if number.kind == "identifier" else None


def _are(node: Syntax, number: str, by: str) -> bool:
    return len(node.children) == 2 and uncast(node.children[0]).text == number and uncast(node.children[1]).bare == by


def _is_loaded(name: str, body: Body) -> bool:
    """It is an element of an array, of a type that has a sign."""
    values = body.scope.values.get(name, [])
    loaded = len(values) == 1 and uncast(values[0]).kind in ("subscript_expression", "call_expression")
    loads = loaded and (uncast(values[0]).kind == "subscript_expression" or "ldg" in values[0].text)
    return loads and body.scope.types.get(name) != UNSIGNED and name not in body.scope.grown


def _is_asked(name: str, body: Body) -> bool:
    """Something compares the number itself, or a function gets it that may."""
    if any(name in {part.text for part in node.child("arguments").children} for node in body.nodes if _is_call(node)):  # type: ignore[union-attr]
        return True
    compared = re.compile(rf"{re.escape(name)}(<|<=|>|>=|==|!=)\S+|\S+(<|<=|>|>=|==|!=){re.escape(name)}")
    return any(node.kind == "binary_expression" and compared.fullmatch(node.bare) for node in body.nodes)


def _is_call(node: Syntax) -> bool:
    return node.kind == "call_expression" and node.child("arguments") is not None
