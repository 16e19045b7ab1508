"""Rows that are found by a product with the reciprocal of their length: it is rounded, and the last digit decides the row.

const float inverse = 1.0f / width;   int y = (int)(i * inverse);        41 * (1.0f / 41) is 0.99999994: row 0 in place of row 1
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.precision.truncated_floors import converted_number
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.launch_text import launches_of
from cudalint.analysis.text.scopes import INT, UNSIGNED, WIDE, Scope, kind_of, uncast
from cudalint.analysis.text.text_program import Body, constant_value, program_of
from cudalint.ir.syntax import Outline, Syntax

_WHOLE = (INT, UNSIGNED, WIDE)
_ONE = re.compile(r"1(\.0*)?f?")


def reciprocal_rows(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each conversion; what it is about is the reciprocal."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            row, value = converted_number(node, body)
            if value is None or value.op != "*" or len(value.children) != 2:
                continue
            for number, factor in (value.children, value.children[::-1]):
                inverse = _reciprocal(factor, body)
                if inverse is None or kind_of(uncast(number), body.scope) not in _WHOLE:
                    continue
                length = uncast(inverse.children[1]).text
                if not _is_put_right(row, length, body) and not _is_power_of_two(length, body):
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


def _is_put_right(row: str, length: str, body: Body) -> bool:
    """`if (c >= width) { ++r; c -= width; }` of `c = i - r * width`: the row is moved where the place in it is none."""
    scope = body.scope
    if not row or (row not in scope.grown and len(scope.values.get(row, [])) < 2):
        return False
    rests = {name for name, values in scope.values.items() if any({row, length} <= names_in(each) for each in values)}
    for node in body.nodes:
        if node.kind == "binary_expression" and node.op in ("<", "<=", ">", ">=") and len(node.children) == 2:
            for side, bound in (node.children, node.children[::-1]):
                if uncast(bound).text == length and ({row, length} <= names_in(side) or uncast(side).text in rests):
                    return True
    return False


def _is_power_of_two(length: str, body: Body) -> bool:
    """The launches of the file give `1 << log` or such a number, of which the reciprocal is exact."""
    scope = body.scope
    if length not in scope.parameters or length in scope.grown or body.function.role != "kernel":
        return False
    at, program = scope.parameters.index(length), program_of(scope.outline)
    launches = launches_of(body.function.name.rpartition("::")[2].partition("<")[0], program)
    return bool(launches) and all(
        at < len(launch.arguments) and _is_shifted_one(launch.arguments[at], program.scope(launch.function))
        for launch in launches
    )


def _is_shifted_one(value: Syntax, scope: Scope) -> bool:
    value = uncast(value)
    if value.kind == "identifier" and value.text not in scope.parameters and value.text not in scope.grown:
        values = scope.values.get(value.text, [])
        value = uncast(values[0]) if len(values) == 1 else value
    number = constant_value(value, scope.outline.constants)
    if number is not None:
        return number > 0 and number & (number - 1) == 0
    return value.op == "<<" and re.fullmatch(r"1[uUlL]*", value.children[0].bare) is not None
