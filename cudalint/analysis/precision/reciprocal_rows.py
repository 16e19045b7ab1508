"""Rows that are found by a product with the reciprocal of their length: it is rounded, and the last digit decides the row.

const float inverse = 1.0f / width;   int y = (int)(i * inverse);        41 * (1.0f / 41) is 0.99999994: row 0 in place of row 1
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.precision.truncated_floors import converted_number
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import INT, UNSIGNED, WIDE, kind_of, uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_WHOLE = (INT, UNSIGNED, WIDE)
_ONE = re.compile(r"1(\.0*)?f?")


def reciprocal_rows(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each conversion; what it is about is the reciprocal."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            _, value = converted_number(node, body)
            if value is None or value.op != "*" or len(value.children) != 2:
                continue
            for number, factor in (value.children, value.children[::-1]):
                inverse = _reciprocal(factor, body)
                if inverse is not None and kind_of(uncast(number), body.scope) in _WHOLE:
                    text = f"`{short(value)}` may be just below a whole number, which the conversion cuts off: it is rounded"
                    yield GuardIssue(body.function, value, text, inverse)
                    break


def _reciprocal(factor: Syntax, body: Body) -> Syntax | None:
    """`1.0f / n` of a whole number that is not written out, or a variable that begins as that."""
    factor = uncast(factor)
    if factor.kind == "identifier":
        values = body.scope.values.get(factor.text, [])
        if len(values) != 1 or factor.text in body.scope.grown:
            return None
        factor = uncast(values[0])
    above, below = factor.child("left"), factor.child("right")
    if factor.op != "/" or above is None or below is None or _ONE.fullmatch(above.bare) is None:
        return None
    below = uncast(below)
    return factor if below.kind == "identifier" and kind_of(below, body.scope) in _WHOLE else None
