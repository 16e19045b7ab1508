"""What leaves room for the neighbour of a place: bounds in the place's own value, and rows that are longer than their side.

float fx = fminf(x, last);  int x0 = (int)fx, x1 = x0 + 1;              `last` is what the caller says
a = table[r * (n + 1) + x1];  b = row[y * pitch + x1];                  one column more, or as many as the pitch leaves
if (q >= w / 2) return;  int x = 2 * q, x1 = x + 1;                     2 q + 1 < w for each q < w / 2
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cudalint.analysis.text.called_functions import given_to
from cudalint.analysis.text.guard_patterns import names_in
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Syntax, TextFunction

_BOUNDS = re.compile(r"(?:^|::|_)f?(?:min|clamp)f?(?:<.*>)?$", re.DOTALL)
_LAST_PLACE = re.compile(r"[\w.>()-]+?-1(?:\.0*)?f?")
_LONGER = re.compile(r"pitch|stride|step|^ld[a-z]?$|padded|leading", re.IGNORECASE)


def bounds_of_place(names: Iterable[str], body: Body) -> tuple[bool, bool]:
    """Whether values of these names are bounded by the last place of a side, and by something else that is given."""
    last, given = False, False
    for node in (n for name in names for value in body.scope.values.get(name, []) for n in value.walk()):
        callee, arguments = node.child("function"), node.child("arguments")
        if callee is not None and arguments is not None and _BOUNDS.search(callee.text):
            bounds = [_plain(argument, body) for argument in arguments.children]
            is_last = any(_LAST_PLACE.fullmatch(bound.bare) for bound in bounds)
            last = last or is_last
            given = given or (not is_last and any(_is_given(bound, body) for bound in bounds))
    return last, given


def is_in_longer_row(name: str, places: list[Syntax], body: Body, with_pitch: bool) -> bool:
    """`y * (width + 1) + x`, `y * pitch + x`: the factor of the row leaves room behind the side that `x` goes along."""
    products = [n for place in places for n in place.walk() if n.kind == "binary_expression" and n.op == "*"]
    factors = [uncast(factor) for product in products if name not in names_in(product) for factor in product.children]
    return any(_is_longer(factor, body, with_pitch) for factor in factors)


def is_in_chunk(place: str, step: str, body: Body) -> bool:
    """The place is `2 * q`, the step stays below 2, and q is kept below `w / 2`."""
    values = body.scope.values.get(place, [])
    value = uncast(values[0]) if len(values) == 1 and place not in body.scope.grown else None
    number = re.fullmatch(r"\+(\d+)", step)
    if value is None or value.op != "*" or number is None or len(value.children) != 2:
        return False
    for factor, chunk in (value.children, value.children[::-1]):
        if chunk.kind == "number_literal" and chunk.text.isdecimal() and int(number[1]) < int(chunk.text):
            kept = re.compile(rf"(?<![\w.>)]){re.escape(factor.bare)}(?:<|>=)[\w.]+/{chunk.text}(?![\w+*-])")
            if factor.kind == "identifier" and kept.search(body.function.body.bare):
                return True
    return False


def _is_longer(factor: Syntax, body: Body, with_pitch: bool) -> bool:
    if with_pitch and _is_pitch(factor):
        return True
    made = _plain(factor, body)
    return _has_more(made) or _is_given_longer(made, with_pitch, body.function, program_of(body.scope.outline))


def _is_pitch(factor: Syntax) -> bool:
    return _LONGER.search(re.split(r"\.|->", factor.bare)[-1]) is not None and factor.kind != "binary_expression"


def _has_more(made: Syntax) -> bool:
    return made.op == "+" and made.kind == "binary_expression" and made.children[-1].kind == "number_literal"


def _is_given_longer(factor: Syntax, with_pitch: bool, function: TextFunction, program: Program, hops: int = 3) -> bool:
    """A parameter that a call gives `w + 1`, or a pitch."""
    for value, caller in given_to(factor.text, function, program) if factor.kind == "identifier" and hops else ():
        held = program.scope(caller).values.get(value.text, [])
        made = uncast(held[0]) if len(held) == 1 else uncast(value)
        if _has_more(made) or (with_pitch and _is_pitch(value)):
            return True
        if _is_given_longer(made, with_pitch, caller, program, hops - 1):
            return True
    return False


def _is_given(bound: Syntax, body: Body) -> bool:
    """A parameter, a member of one, or either less a number."""
    if bound.kind == "binary_expression" and bound.op == "-":
        return bound.children[-1].kind == "number_literal" and _is_given(uncast(bound.children[0]), body)
    return bound.kind in ("identifier", "field_expression") and not names_in(bound).isdisjoint(body.scope.parameters)


def _plain(node: Syntax, body: Body) -> Syntax:
    """The expression without casts and parentheses, and what a variable of one value is made of."""
    node = uncast(node)
    while node.kind == "parenthesized_expression" and len(node.children) == 1:
        node = uncast(node.children[0])
    values = body.scope.values.get(node.text, []) if node.kind == "identifier" else []
    return uncast(values[0]) if len(values) == 1 and node.text not in body.scope.grown else node
