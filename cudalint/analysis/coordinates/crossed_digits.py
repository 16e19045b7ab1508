"""Coordinates taken from one number by two sides that do not belong together.

w = i % width;  h = i / height;         rows of `width` elements, and i / width of them before
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.coordinates.slips import are_siblings
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax


def crossed_digits(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each function, at the quotient."""
    for body in bodies(program_of(outline)):
        quotients, remainders = (_parts(op, body) for op in "/%")
        for whole in quotients.keys() & remainders.keys():
            by, of = quotients[whole], remainders[whole]
            crossed = by.keys() - of.keys(), of.keys() - by.keys()
            if len(by) != 1 or len(of) != 1 or not (crossed[0] and crossed[1]):
                continue
            ((divisor, quotient),), ((side, remainder),) = by.items(), of.items()
            if _takes("/", side, body) or _takes("%", divisor, body):
                continue  # further digits are taken by the other one of the two
            used = _use(quotient, remainder, body) if are_siblings(divisor, side) else None
            if used is not None:
                text = f"`{quotient.text}` beside `{remainder.text}`: what has {side} elements is counted by {divisor}"
                yield GuardIssue(body.function, quotient, text, remainder, behind=(used,))


def _parts(op: str, body: Body) -> dict[str, dict[str, Syntax]]:
    """What is divided, with its divisors, all by their names."""
    found: dict[str, dict[str, Syntax]] = {}
    for node in body.nodes:
        if node.kind == "binary_expression" and node.op == op and len(node.children) == 2:
            whole, by = node.children
            if whole.kind == "identifier" and whole.text not in body.scope.grown:
                found.setdefault(whole.text, {}).setdefault(by.bare, node)
    return found


def _takes(op: str, by: str, body: Body) -> bool:
    """Something is divided by the number."""
    return any(node.op == op and node.children[-1].bare == by for node in body.nodes if node.children)


def _use(quotient: Syntax, remainder: Syntax, body: Body) -> Syntax | None:
    """An element, or a call, that both choose, each by the name that it was declared with."""
    row, column = (_name(each, body) for each in (quotient, remainder))
    for node in body.nodes if row is not None and column is not None else ():
        if node.kind in ("subscript_expression", "call_expression", "init_declarator") and {row, column} <= names_in(
            node
        ):
            return node
    return None


def _name(value: Syntax, body: Body) -> str | None:
    parent = body.parents.get(id(value))
    name = parent.child("declarator") if parent is not None and parent.kind == "init_declarator" else None
    return name.text if name is not None else None
