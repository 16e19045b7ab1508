"""Indices that are computed in 64 bits and kept in 32.

const int at = (plane * height + row) * width + column;      // int64_t plane, height, row, width
out[at] = x;                                                  // the upper half is lost on the way to `at`
const int at = row * row_stride;                              // int64_t row_stride
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.overflow.narrow_products import LIMITS
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.magnitude import SMALL, is_stride, largest_of, magnitude
from cudalint.analysis.text.scopes import POINTER, WIDE, kind_of, uncast
from cudalint.analysis.text.sizes import Sizes
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_BOUNDED = ("%", "&", ">>", "/")


def narrowed_indices(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each variable that an element of global memory is chosen with."""
    program = program_of(outline)
    for body in bodies(program):
        for name, values in body.scope.values.items():
            kind = body.scope.types.get(name)
            if kind not in LIMITS or len(values) != 1 or not _is_wide_product(values[0], body):
                continue
            use = _use(name, body)
            if use is None:
                continue
            sizes = Sizes(program, body.function, use.start)
            cap = sizes.caps.of(values[0])
            if magnitude(sizes.of(values[0])) > LIMITS[kind] and (cap is None or cap > LIMITS[kind]):
                text = f"`{name}` keeps 32 bits of `{short(values[0])}`"
                yield GuardIssue(body.function, values[0], text, use)


def _is_wide_product(value: Syntax, body: Body) -> bool:
    """A sum with a product of two variables that are declared with 64 bits; nothing keeps the sum small."""
    value = uncast(value)
    if value.kind != "binary_expression" or value.op in _BOUNDED:
        return False
    if value.op in ("+", "-"):
        return any(_is_wide_product(child, body) for child in value.children)
    factors = list(_factors(value)) if value.op == "*" else []
    if len(factors) == 2 and any(_is_wide_stride(factor, body) for factor in factors):
        return all(factor.kind == "identifier" and largest_of(factor.text)[1] is not SMALL for factor in factors)
    return len(factors) > 1 and all(_is_wide_variable(factor, body) for factor in factors[-2:])


def _is_wide_stride(factor: Syntax, body: Body) -> bool:
    """The host code gives 64 bits to how far rows are apart: `int at = row * stride` is about what that is for."""
    given = factor.text in body.scope.parameters and body.scope.types.get(factor.text) == WIDE
    return given and is_stride(factor.text)


def _factors(node: Syntax) -> Iterator[Syntax]:
    if node.kind == "binary_expression" and node.op == "*":
        for child in node.children:
            yield from _factors(child)
    else:
        yield node


def _is_wide_variable(factor: Syntax, body: Body) -> bool:
    if factor.kind == "binary_expression" and factor.op in ("+", "-"):
        return any(_is_wide_variable(child, body) for child in factor.children)
    return factor.kind == "identifier" and kind_of(factor, body.scope) == WIDE


def _use(name: str, body: Body) -> Syntax | None:
    """An element of a parameter's memory, whose index the variable is a term of."""
    for node in body.nodes:
        base = node.child("argument") if node.kind == "subscript_expression" else None
        if base is None or base.text not in body.scope.parameters or body.scope.types.get(base.text) != POINTER:
            continue
        if any(term.text == name for term in _terms(node.children[-1])):
            return node
    return None


def _terms(node: Syntax) -> Iterator[Syntax]:
    node = uncast(node)
    if node.kind == "binary_expression" and node.op in ("+", "-"):
        for child in node.children:
            yield from _terms(child)
    else:
        yield node
