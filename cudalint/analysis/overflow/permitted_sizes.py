"""Products of 32 bits in 64-bit variables of the host, whose own checks let sizes pass for which they wrap.

if (n > 1000000) return error;   const int64_t pairs = n * (n - 1) / 2;                          up to 10^12

Where several factors are asked about together, they may be bounded by each other.
"""

from __future__ import annotations

from cudalint.analysis.text.scopes import WIDE
from cudalint.analysis.text.sizes import Sizes
from cudalint.analysis.text.text_program import Program
from cudalint.ir.syntax import Syntax, TextFunction

_OF_LIBRARY = frozenset((65535.0, 65536.0, 2.0**31 - 1, 2.0**31, 2.0**32 - 1, 2.0**32))  # of grids and of types
_COMPARES = ("<", ">", "<=", ">=")
_TOGETHER = ("+", "-", "*", "/", "%", "<<", *_COMPARES)
_INSIDE = ("binary_expression", "parenthesized_expression")


def is_permitted_to_wrap(
    product: Syntax, limit: float, parents: dict[int, Syntax], program: Program, function: TextFunction
) -> bool:
    """Each factor has a limit of its own that the function asks for, and together they are beyond that of the type."""
    top = product
    while (parent := parents.get(id(top))) is not None and parent.kind in _INSIDE:
        top = parent
    declared = parent.child("declarator") if parent is not None and parent.kind == "init_declarator" else None
    scope = program.scope(function)
    if function.role != "host" or declared is None or scope.types.get(declared.text) != WIDE or product.op != "*":
        return False
    caps = Sizes(program, function, product.start).caps
    cap = caps.of(product)
    names = [n for n in product.walk() if n.kind in ("identifier", "field_expression")]
    names = [n for n in names if (p := parents.get(id(n))) is None or p.kind != "field_expression"]
    own = [caps.of(each) for each in names if caps.of_constant(each) is None]
    asked = len(own) > 1 and all(each is not None and each not in _OF_LIBRARY for each in own)
    return asked and cap is not None and cap > limit and not _is_asked_together(product, names, function)


def is_asked_before(product: Syntax, function: TextFunction) -> bool:
    """A check in front compares a factor with the share that another one leaves of a limit: `rows > INT_MAX / cols`."""
    factors = {n.bare for n in product.walk() if n.kind == "identifier"}
    compared = (n for n in function.body.walk() if n.kind == "binary_expression" and n.op in _COMPARES)
    return any(
        node.end <= product.start and _has_several(node, factors) and any(part.op == "/" for part in node.children)
        for node in compared
    )


def _is_asked_together(product: Syntax, names: list[Syntax], function: TextFunction) -> bool:
    """Something in front of the product makes a sum or product of its factors, or hands several of them to a function."""
    factors = {each.bare for each in names}
    for node in function.body.walk():
        together = node.kind == "argument_list" or (node.kind == "binary_expression" and node.op in _TOGETHER)
        if together and node.end <= product.start and _has_several(node, factors):
            return True
    return False


def _has_several(node: Syntax, factors: set[str]) -> bool:
    """Two of the factors, or the only one twice."""
    found = [n.bare for n in node.walk() if n.kind in ("identifier", "field_expression") and n.bare in factors]
    return len(set(found)) > 1 or (len(factors) == 1 and len(found) > 1)
