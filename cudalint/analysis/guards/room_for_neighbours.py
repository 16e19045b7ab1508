"""What leaves room for the neighbour of a place: bounds in the place's own value, and rows that are longer than their side.

float fx = fminf(x, last);  int x0 = (int)fx, x1 = x0 + 1;              `last` is what the caller says
a = table[r * (n + 1) + x1];  b = row[y * pitch + x1];                  one column more, or as many as the pitch leaves
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cudalint.analysis.text.guard_patterns import names_in
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body
from cudalint.ir.syntax import Syntax

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


def is_in_longer_row(name: str, places: list[Syntax], body: Body) -> bool:
    """`y * pitch + x`, `y * (width + 1) + x`: the factor of the row leaves room behind the side that `x` goes along."""
    products = [n for place in places for n in place.walk() if n.kind == "binary_expression" and n.op == "*"]
    factors = [uncast(factor) for product in products if name not in names_in(product) for factor in product.children]
    return any(_is_longer(factor, body) for factor in factors)


def _is_longer(factor: Syntax, body: Body) -> bool:
    if _LONGER.search(re.split(r"\.|->", factor.bare)[-1]) is not None and factor.kind != "binary_expression":
        return True
    made = _plain(factor, body)
    return made.op == "+" and made.kind == "binary_expression" and made.children[-1].kind == "number_literal"


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
