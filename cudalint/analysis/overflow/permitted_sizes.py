"""Products of 32 bits in 64-bit variables of the host, whose own checks let sizes pass for which they wrap.

if (n > 1000000) return error;   const int64_t pairs = n * (n - 1) / 2;                          up to 10^12
"""

from __future__ import annotations

from cudalint.analysis.text.scopes import WIDE
from cudalint.analysis.text.sizes import Sizes
from cudalint.analysis.text.text_program import Program
from cudalint.ir.syntax import Syntax, TextFunction

_OF_LIBRARY = frozenset((65535.0, 65536.0, 2.0**31 - 1, 2.0**31, 2.0**32 - 1, 2.0**32))  # of grids and of types
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
    return asked and cap is not None and cap > limit
