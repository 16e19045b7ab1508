"""A side of a grid that the text keeps below a number of its own, and that is larger than the side may be.

const unsigned blocks = std::min<int64_t>(rows, 1 << 20);   dim3 grid(1, blocks);      up to 2^20 where 65535 are the most
"""

from __future__ import annotations

import re

from cudalint.analysis.text.caps import Caps
from cudalint.analysis.text.launch_text import plain_name
from cudalint.analysis.text.scopes import Scope, uncast
from cudalint.ir.syntax import Syntax

_OF_A_TYPE = 2.0**31 - 1  # and more: what a type holds, and no number of blocks
_MINIMUM = ("min", "umin", "imin")


def clamped_beyond(limit: int, side: Syntax, scope: Scope, caps: Caps) -> bool:
    """The smaller of a size, which nothing else keeps within the limit, and of a constant beyond it."""
    values = scope.values.get(side.text, []) if side.kind == "identifier" and side.text not in scope.grown else []
    value = uncast(values[0]) if len(values) == 1 and side.text not in scope.parameters else uncast(side)
    corrected = len(values) == 2 and _is_corrected(side.text, values[1], scope)
    first, second = (uncast(values[0]), uncast(values[1])) if corrected else _sides(value)
    for size, most in ((first, second), (second, first)):
        if size is not None and most is not None and caps.of_constant(size) is None:
            largest, cap = caps.of_constant(most), caps.of(size)
            if largest is not None and limit < largest < _OF_A_TYPE and (cap is None or cap > limit):
                return True
    return False


def _is_corrected(name: str, value: Syntax, scope: Scope) -> bool:
    """`if (blocks > 100000) blocks = 100000;`"""
    tested = rf"\bif\({re.escape(name)}>=?{re.escape(value.bare)}\){{?{re.escape(name)}={re.escape(value.bare)};"
    return re.search(tested, "".join(scope.function.body.text.split())) is not None


def _sides(value: Syntax) -> tuple[Syntax | None, Syntax | None]:
    """a and b of `min(a, b)` and of `a < b ? a : b`."""
    callee, arguments = value.child("function"), value.child("arguments")
    if value.kind == "call_expression" and callee is not None and arguments is not None:
        two = len(arguments.children) == 2 and plain_name(callee.text) in _MINIMUM
        return (uncast(arguments.children[0]), uncast(arguments.children[1])) if two else (None, None)
    condition, then, other = value.child("condition"), value.child("consequence"), value.child("alternative")
    if value.kind != "conditional_expression" or condition is None or then is None or other is None:
        return None, None
    left, right = condition.child("left"), condition.child("right")
    if left is None or right is None:
        return None, None
    ways = uncast(then).bare, uncast(other).bare
    tested = uncast(left).bare, uncast(right).bare
    least = tested if condition.op in ("<", "<=") else tested[::-1] if condition.op in (">", ">=") else ()
    return (uncast(then), uncast(other)) if ways == least else (None, None)
