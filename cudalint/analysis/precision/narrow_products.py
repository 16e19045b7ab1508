"""Sums of products of bytes in 8 or 16 bits, which the second or third product is too much for.

short sum = 0;   for (int k = 0; k < n; ++k) sum += a[k] * b[k];            int8_t a[], b[]: -128 * -128 * 2 is 32768
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.memory.short_allocations import written_type
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_NARROW = re.compile(r"(unsigned |signed )?(short|char)( int)?|(std::)?u?int(8|16)_t|u(short|char)")
_LOOPS = ("for_statement", "while_statement", "do_statement")


def narrow_products(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each step of such a sum."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            target, added = node.child("left"), node.child("right")
            if node.kind != "assignment_expression" or target is None or added is None or target.kind != "identifier":
                continue
            product = added if node.op == "+=" else _beside(target.text, added) if node.op == "=" else None
            if product is None or not _is_narrow(target, body) or not _is_product_of_narrow(product, body):
                continue
            if any(parent.kind in _LOOPS for parent, _ in body.ancestors(node)):
                text = f"`{target.text}` has no room for a sum of products like `{short(product)}`"
                yield GuardIssue(body.function, node, text)


def _beside(name: str, value: Syntax) -> Syntax | None:
    """p of `name + p`."""
    left, right = value.child("left"), value.child("right")
    if value.op != "+" or left is None or right is None:
        return None
    return right if left.text == name else left if right.text == name else None


def _is_narrow(place: Syntax, body: Body) -> bool:
    written = written_type(place, body)
    return written is not None and _NARROW.fullmatch(body.scope.outline.types.get(written, written)) is not None


def _is_product_of_narrow(product: Syntax, body: Body) -> bool:
    product = uncast(product)
    sides = [uncast(child) for child in product.children] if product.op == "*" else []
    return len(sides) == 2 and all(_is_narrow_element(side, body) for side in sides)


def _is_narrow_element(side: Syntax, body: Body) -> bool:
    """An element of 8 or 16 bits, or a variable that begins as one."""
    if side.kind == "identifier":
        values = body.scope.values.get(side.text, [])
        return len(values) == 1 and _is_narrow_element(uncast(values[0]), body)
    base = side.child("argument") if side.kind == "subscript_expression" else None
    written = written_type(base, body) if base is not None else None
    return written is not None and written.endswith("*") and _NARROW.fullmatch(written[:-1].strip()) is not None
