"""Two numbers of four bits in a signed byte: the lower one is taken with a mask, and the upper one brings the sign along.

const int8_t *packed;   low = table[packed[i] & 15];   high = table[packed[i] >> 4];          of 0x95 the place -7, not 9
low = (packed[i] & 0xF) - 8;   high = (packed[i] >> 4) - 8;
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import INT, WIDE, kind_of_type
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_SIGNED = re.compile(r"(signed )?char|(std::|::)?int8_t|int8|s8|i8")
_MASK = re.compile(r"0?xf|0x0f|15", re.IGNORECASE)
_AROUND = ("parenthesized_expression", "cast_expression")
_OF_SIGN = re.compile(r"\^|>\s*7|>=\s*8|<<\s*(4|12|28|60)|&=|\bsign|sext|&\s*(8|0x0?8)\b")


def signed_nibbles(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each upper half; what it is about is the lower half."""
    if re.search(r">>\s*4", outline.root.text) is None:
        return
    for body in bodies(program_of(outline)):
        lower = {value.bare: node for node in body.nodes if (value := _half(node, "&")) is not None}
        if not lower or _OF_SIGN.search(body.function.body.text) is not None:
            continue
        for node in body.nodes:
            value = _half(node, ">>")
            if value is None or value.bare not in lower or not _is_signed(value, body) or _is_masked(node, body):
                continue
            text = f"`{short(node)}` brings the sign of the byte along, and `{short(lower[value.bare])}` does not"
            yield GuardIssue(body.function, node, text, lower[value.bare])


def _half(node: Syntax, op: str) -> Syntax | None:
    """p of `p & 15` or of `p >> 4`, where no conversion has made p another number."""
    left, right = node.child("left"), node.child("right")
    if node.kind != "binary_expression" or node.op != op or left is None or right is None:
        return None
    if not (_MASK.fullmatch(right.bare) if op == "&" else right.bare == "4"):
        return None
    while left.kind == "parenthesized_expression" and left.children:
        left = left.children[0]
    return left if left.kind in ("identifier", "subscript_expression") else None


def _is_signed(value: Syntax, body: Body) -> bool:
    """A signed byte, or a variable that begins as one and stays so, for which its sign is kept."""
    base = value.child("argument") if value.kind == "subscript_expression" else value
    if base is None or base.kind not in ("identifier", "field_expression"):
        return False
    written, values = _written(base, body), body.scope.values.get(base.text, [])
    if _SIGNED.fullmatch(body.scope.outline.types.get(written, written)) is not None:
        return True
    keeps_sign = written == "auto" or kind_of_type(written, body.scope.outline) in (INT, WIDE)
    if base is not value or not keeps_sign or len(values) != 1 or base.text in body.scope.grown:
        return False
    return values[0].kind == "subscript_expression" and _is_signed(values[0], body)


def _written(base: Syntax, body: Body) -> str:
    """The type of a variable or of its elements, as it is written; of an array that is a member that of every one with its name."""
    if base.kind == "identifier":
        return body.scope.structures.get(base.text, "")
    name = base.child("field")
    return "" if name is None else body.scope.outline.members.get(f"{name.text}[]", "")


def _is_masked(node: Syntax, body: Body) -> bool:
    """`(p >> 4) & 15`, or a conversion to an unsigned byte of four bits by a remainder."""
    for parent, _ in body.ancestors(node):
        if parent.kind in _AROUND:
            continue
        return parent.kind == "binary_expression" and parent.op in ("&", "%")
    return False
