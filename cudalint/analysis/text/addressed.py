"""What memory a value addresses in the text, and how many bytes an element of it has.

const float4 *rows = ...;   rows += row * length;        2^31 elements are 32 GiB
"""

from __future__ import annotations

from collections.abc import Mapping

from cudalint.analysis.text.scopes import POINTER, Scope, cast_target, kind_of
from cudalint.analysis.text.type_widths import bytes_of_type
from cudalint.ir.syntax import Syntax

Parents = Mapping[int, Syntax]

SMALLEST = 1  # of what nothing is known
FEW_NUMBERS = 8  # bytes of an element that is written as a list of numbers, and of a class: two of them at least


def bytes_of_element(use: Syntax, parents: Parents, scope: Scope) -> int:
    """The fewest bytes that an element of what the value is an index or an offset of can have."""
    base, whole = _base(use, parents, scope)
    if base is None:
        return SMALLEST
    known = bytes_of_type(_element_type(base, scope))
    if known is not None:
        return known
    return FEW_NUMBERS if whole is not None and _is_of_numbers(whole, parents) else SMALLEST


def _base(use: Syntax, parents: Parents, scope: Scope) -> tuple[Syntax | None, Syntax | None]:
    """The pointer that the value is added to, and the element that it is the index of."""
    node = use
    while (parent := parents.get(id(node))) is not None:
        if parent.kind == "subscript_expression":
            base = parent.child("argument")
            return (None, None) if base is node else (base, parent)
        if parent.kind == "assignment_expression":
            left = parent.child("left")
            return (left if left is not None and kind_of(left, scope) == POINTER else None), None
        if parent.kind == "binary_expression":
            other = parent.child("left") if parent.child("right") is node else parent.child("right")
            if other is not None and kind_of(other, scope) == POINTER:
                return other, None
        node = parent
    return None, None


def _element_type(base: Syntax, scope: Scope) -> str:
    """As it is written where the pointer is declared, or cast to."""
    written = scope.structures.get(base.text, "")
    if written != "auto":
        return written
    targets = {cast_target(value) or "" for value in scope.values.get(base.text, ())}
    return targets.pop().replace("const", "").replace("*", "").strip() if len(targets) == 1 else ""


def _is_of_numbers(element: Syntax, parents: Parents) -> bool:
    """The element has members or elements of its own, or is set to a list of several values."""
    parent = parents.get(id(element))
    if parent is None:
        return False
    if parent.kind == "field_expression":
        return parent.child("argument") is element
    if parent.kind == "subscript_expression":
        return parent.child("argument") is element
    right = parent.child("right") if parent.kind == "assignment_expression" else None
    return right is not None and right.kind == "initializer_list" and len(right.children) > 1
