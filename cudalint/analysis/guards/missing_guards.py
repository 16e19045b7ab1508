"""Conditions that compare nothing, and statements that only look guarded: `if (offset + i)`, an `if` without its braces."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, operands_of, short
from cudalint.analysis.text.scopes import INT, UNSIGNED, kind_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_POSITION = re.compile(r"\b(threadIdx|blockIdx)\b")


def lost_comparisons(outline: Outline) -> Iterator[GuardIssue]:
    """`if (offset + i)`: a sum of positions as a condition, where a comparison was meant."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            condition = node.child("condition") if node.kind in ("if_statement", "while_statement") else None
            for part in [] if condition is None else operands_of(condition):
                if part.kind == "binary_expression" and part.op == "+" and _counts(part, body):
                    yield GuardIssue(body.function, part, f"`{part.text}` is a condition, and compares nothing")


def _counts(node: Syntax, body: Body) -> bool:
    integral = kind_of(node, body.scope) in (INT, UNSIGNED)
    return integral and (_POSITION.search(node.text) is not None or not body.positions.isdisjoint(names_in(node)))


def unbraced_guards(outline: Outline) -> Iterator[GuardIssue]:
    """The statement after an `if` without braces stands as deep as the guarded one, and uses the guarded index."""
    for body in bodies(program_of(outline)):
        for block in body.nodes:
            if block.kind != "compound_statement":
                continue
            for node, after in zip(block.children, block.children[1:]):
                consequence, condition = node.child("consequence"), node.child("condition")
                if node.kind != "if_statement" or consequence is None or condition is None or node.child("alternative"):
                    continue
                deep = consequence.place[1] == after.place[1] > node.place[1]
                if consequence.kind != "compound_statement" and deep and consequence.place[0] > node.place[0]:
                    if after.place[0] == consequence.place[2] + 1 and _uses_guarded(after, condition):
                        text = f"`{short(after)}` looks guarded by `{short(condition)}`, and is not"
                        yield GuardIssue(body.function, after, text, condition)


def _uses_guarded(statement: Syntax, condition: Syntax) -> bool:
    subscripts = [n for n in statement.walk() if n.kind == "subscript_expression"]
    return any(not names_in(s).isdisjoint(names_in(condition)) for s in subscripts)
