"""Roots and arcs of values that rounding takes out of their range: NaN where the exact result is at its edge.

sqrtf(sq / n - mean * mean)         a difference of nearly equal numbers may be a little below zero
sqrtf(a2 + b2 - 2.f * ab)           the same, of equal points
acosf(dot)                          a dot product of unit vectors may be a little above one
__powf(a - b, 2.f)                  exp2(2 * log2(a - b)): no square of a negative number (CUDA C++ programming guide, intrinsics)

A variance with a small number added to it is negative where the mean is some hundred deviations: no certain defect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.precision.magnitudes import ROOT, is_square
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.scopes import FLOATING, uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_ARC = re.compile(r"^(::|std::)?a(cos|sin)f?$")
_TWO = re.compile(r"2(\.0*)?f?")
_WHOLE = re.compile(r"[2-6](\.0*)?f?")
_SIZES = re.compile(
    r"dist|prob|norm|std|sigma|len|radi|count|var|sq|mag", re.IGNORECASE
)  # by their names never negative
_SMALL = re.compile(r"eps|tiny|small", re.IGNORECASE)
_KEEPS = re.compile(r"max|min|clamp|saturate|abs", re.IGNORECASE)
_STEPS = 4  # from a name to what it stands for
_CHOOSES = ("if_statement", "conditional_expression", "while_statement")


def negative_roots(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each root or arc of a value that no condition or clamp keeps in its range."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            callee, arguments = node.child("function"), node.child("arguments")
            if node.kind != "call_expression" or callee is None or arguments is None:
                continue
            if _is_fast_square(callee.text, arguments.children, body):
                text = f"`{short(node)}` is NaN where `{short(arguments.children[0])}` is negative: __powf takes its logarithm"
                yield GuardIssue(body.function, node, text)
            if len(arguments.children) != 1:
                continue
            written = uncast(arguments.children[0])
            value = _value(written, body)
            if value is None or _is_kept(written, body):
                continue
            if ROOT.match(callee.text) and (_is_variance(value, body) or _is_distance(value)):
                text = f"`{short(node)}` is NaN where rounding makes `{short(value)}` negative"
            elif ROOT.match(callee.text) and (variance := _raised_variance(value, body)) is not None:
                text = f"`{short(node)}` is NaN where rounding makes `{short(variance)}` smaller than what is added"
                yield GuardIssue(body.function, node, text, certain=False)
                continue
            elif _ARC.match(callee.text) and _is_dot_product(value):
                text = f"`{short(node)}` is NaN where rounding takes `{short(value)}` beyond 1"
            else:
                continue
            yield GuardIssue(body.function, node, text, value if value is not written else None)


def _value(node: Syntax, body: Body) -> Syntax | None:
    """The expression, or that of a variable that is set once."""
    if node.kind != "identifier":
        return node
    values = body.scope.values.get(node.text, [])
    return uncast(values[0]) if len(values) == 1 and node.text not in body.scope.grown else None


def _is_kept(written: Syntax, body: Body) -> bool:
    """A condition asks about the variable, or about the expression itself."""
    name = written.text if written.kind == "identifier" else ""
    for node in body.nodes:
        condition = node.child("condition")
        if node.kind in _CHOOSES and condition is not None:
            if (name and name in names_in(condition)) or written.bare in condition.bare:
                return True
    return False


def _is_variance(value: Syntax, body: Body) -> bool:
    """`a / n - m * m`, or `a - m * m` where one of the two is made by a division."""
    mean_of_squares, square = value.child("left"), value.child("right")
    if value.op != "-" or mean_of_squares is None or square is None or not is_square(uncast(square)):
        return False
    mean = square.child("left")
    return mean is not None and _is_quotient(mean, body) and _is_quotient(mean_of_squares, body)


def _raised_variance(value: Syntax, body: Body) -> Syntax | None:
    """v of `v + eps`, where v is a variance from mean squares that no condition asks about."""
    left, right = value.child("left"), value.child("right")
    if (
        value.op != "+"
        or left is None
        or right is None
        or not (_SMALL.search(right.text) or right.kind == "number_literal")
    ):
        return None
    variance = _value(uncast(left), body)
    return left if variance is not None and _is_variance(variance, body) and not _is_kept(left, body) else None


def _is_fast_square(name: str, arguments: tuple[Syntax, ...], body: Body) -> bool:
    """`__powf(a - b, 2.f)`, `__powf(x[i], 3.f)`: of an element, or of a difference of numbers that are no constants."""
    if name != "__powf" or len(arguments) != 2 or _WHOLE.fullmatch(arguments[1].bare) is None:
        return False
    base = _value(uncast(arguments[0]), body)
    if base is None or _is_kept(uncast(arguments[0]), body):
        return False
    array = base.child("argument") if base.kind == "subscript_expression" else None
    if array is not None:
        named = array.text in body.scope.parameters and _SIZES.search(array.text) is None
        return named and body.scope.elements.get(array.text) == FLOATING
    sides = [base.child("left"), base.child("right")] if base.op == "-" else []
    return len(sides) == 2 and all(side is not None and side.kind != "number_literal" for side in sides)


def _is_quotient(node: Syntax, body: Body) -> bool:
    """A quotient, or a product with a reciprocal: what a mean is made by."""
    value = _passed_on(uncast(node), body)
    if value is None:
        return False
    inverse = any(re.search(r"inv|recip|1(\.0*)?f?\s*/", part.text, re.IGNORECASE) for part in value.children)
    return value.kind == "binary_expression" and (value.op == "/" or (value.op == "*" and inverse))


def _passed_on(value: Syntax, body: Body) -> Syntax | None:
    """What a name that is set once stands for, and an element that is: `mean = s_mean;` where `s_mean = sum / n;`"""
    for _ in range(_STEPS):
        if value.kind == "subscript_expression":
            stored = [n for n in body.nodes if n.kind == "assignment_expression" and n.children[0].bare == value.bare]
            values = [n.children[1] for n in stored] if all(n.op == "=" for n in stored) else []
        elif value.kind == "identifier":
            values = [] if value.text in body.scope.grown else body.scope.values.get(value.text, [])
        else:
            return value
        if len(values) != 1:
            return None
        value = uncast(values[0])
    return None


def _is_distance(value: Syntax) -> bool:
    """`a + b - 2 * c`, in which no part is a constant."""
    left, right = value.child("left"), value.child("right")
    if value.op != "-" or left is None or right is None or left.op != "+" or right.op != "*":
        return False
    if any(_KEEPS.search(part.text) or part.kind == "number_literal" for part in left.children):
        return False
    return any(_TWO.fullmatch(uncast(part).bare) for part in right.walk())


def _is_dot_product(value: Syntax) -> bool:
    """A sum of at least two products, over a norm or not."""
    if value.op == "/" and (above := value.child("left")) is not None:
        value = uncast(above)
    callee = value.child("function")
    if callee is not None:
        return re.fullmatch(r"(\w*::)?dot(_product)?[23]?", callee.text) is not None
    parts = _terms(value)
    return len(parts) > 1 and all(uncast(part).op == "*" and not is_square(uncast(part)) for part in parts)


def _terms(value: Syntax) -> list[Syntax]:
    left, right = value.child("left"), value.child("right")
    if value.op != "+" or left is None or right is None:
        return [value]
    return [*_terms(left), *_terms(right)]
