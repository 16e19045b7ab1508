"""Quotients of whole numbers that are the exponent of a power: the place in a row over its length, which is 0 for all of the row.

powf(base, -(2 * i / dim))      float e = 2 * i / dim; ... powf(base, e)      expf(-logf(base) * (2 * i / dim))
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import closure_of, names_in
from cudalint.analysis.text.scopes import FLOATING, INT, UNSIGNED, WIDE, kind_of
from cudalint.analysis.text.text_program import Body
from cudalint.ir.syntax import Syntax

_POWER = re.compile(r"(::|std::)?_*(pow|exp2?|exp10)f?")
_THROUGH = ("unary_expression", "parenthesized_expression", "cast_expression", "argument_list")
_CONVERSION = re.compile(r"(static_cast<.*>|float|double)", re.DOTALL)
_PLACE = re.compile(r"(threadIdx|blockIdx)\.[xyz]")
_SCHEDULE = re.compile(r"step|period|interval|decay|every", re.IGNORECASE)


def is_quotient_of_exponent(node: Syntax, body: Body) -> bool:
    """A place of the thread or of a loop over a length; a pair that is also taken apart with its remainder is whole on purpose."""
    above, below = node.child("left"), node.child("right")
    if above is None or below is None or body.function.role == "host":
        return False
    if any(kind_of(side, body.scope) not in (INT, UNSIGNED, WIDE) for side in (above, below)):
        return False
    if not names_in(below) or _SCHEDULE.search(node.text) is not None or not _is_place(above, body):
        return False
    return not _is_whole_elsewhere(above, below, body) and _is_exponent(node, body)


def _is_whole_elsewhere(above: Syntax, below: Syntax, body: Body) -> bool:
    return any(
        each.op == "%" and [child.bare for child in each.children] == [above.bare, below.bare]
        for each in body.nodes
        if each.kind == "binary_expression"
    )


def _is_place(value: Syntax, body: Body) -> bool:
    names = names_in(value)
    reached = names.union(*(closure_of(name, body) for name in names))
    return any(_PLACE.fullmatch(name) or name in body.scope.grown for name in reached)


def _is_exponent(node: Syntax, body: Body) -> bool:
    """By itself, with its sign and factors, in the last argument of a power; or a real variable that is."""
    for parent, child in body.ancestors(node):
        if parent.kind in _THROUGH or (parent.kind == "binary_expression" and parent.op == "*"):
            continue
        if parent.kind == "call_expression":
            callee, arguments = parent.child("function"), parent.child("arguments")
            if callee is None or arguments is None:
                return False
            if _CONVERSION.fullmatch(callee.bare):
                continue
            return (
                _POWER.fullmatch(callee.bare) is not None
                and child is arguments
                and _is_under(arguments.children[-1], node)
            )
        name = parent.child("declarator") if parent.kind == "init_declarator" else None
        real = name is not None and kind_of(name, body.scope) == FLOATING
        return real and name is not None and any(name.text in names_in(each) for each in _exponents(body))
    return False


def _is_under(tree: Syntax, node: Syntax) -> bool:
    return any(part is node for part in tree.walk())


def _exponents(body: Body) -> Iterator[Syntax]:
    for node in body.nodes:
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind == "call_expression" and callee is not None and arguments is not None and arguments.children:
            if _POWER.fullmatch(callee.bare):
                yield arguments.children[-1]
