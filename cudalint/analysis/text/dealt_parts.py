"""Numbers of parts that are made smaller: by a minimum with themselves, and by dealing out a whole again.

blocks = min(blocks, n / SMALLEST);             // at most what it was
chunk = (n + blocks - 1) / blocks;              // each block's share, which may be rounded up further
parts = (n + chunk - 1) / chunk;                // at most `blocks`
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cudalint.analysis.text.scopes import Scope, uncast
from cudalint.analysis.text.text_program import CEIL, number_of
from cudalint.ir.syntax import Syntax

_MINIMUM = re.compile(r"(?:std::)?[ui]?min(?:<[^<>]*>)?")
_RAISING = re.compile(r"(?:\w+::)*(?:\w*(?:round|align)_?up\w*|[ui]?max)(?:<[^<>]*>)?", re.IGNORECASE)


def number_of_parts(node: Syntax, scope: Scope) -> Syntax | None:
    """What the whole was dealt out to before each part's share was rounded up: the quotient by such a share is no larger."""
    found = _quotient(node)
    if found is None or found.by.kind != "identifier" or not _is_kept(found.whole, scope):
        return None
    share = found.by.text
    values = scope.values.get(share, [])
    dealt = _quotient(values[0]) if values and share not in scope.grown else None
    if dealt is None or not dealt.is_rounded_up or dealt.whole.bare != found.whole.bare:
        return None
    return dealt.by if all(_is_raised(value, share) for value in values[1:]) else None


def is_minimum_with(name: str, value: Syntax) -> bool:
    """`min(blocks, most)`: no larger than before."""
    callee, arguments = value.child("function"), value.child("arguments")
    if value.kind != "call_expression" or callee is None or arguments is None or len(arguments.children) != 2:
        return False
    return _MINIMUM.fullmatch(callee.bare) is not None and any(each.text == name for each in arguments.children)


@dataclass(frozen=True, slots=True)
class _Quotient:
    whole: Syntax
    by: Syntax
    is_rounded_up: bool


def _quotient(node: Syntax) -> _Quotient | None:
    """`n / by`, `(n + by - 1) / by`, `ceil_div(n, by)`."""
    node = uncast(node)
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind == "call_expression" and callee is not None and arguments is not None:
        name, sides = callee.bare.partition("<")[0].rpartition("::")[2], arguments.children
        return _Quotient(uncast(sides[0]), uncast(sides[1]), True) if len(sides) == 2 and CEIL.search(name) else None
    left, by = node.child("left"), node.child("right")
    if node.kind != "binary_expression" or node.op != "/" or left is None or by is None:
        return None
    by = uncast(by)
    whole = _rounded_whole(uncast(left), by)
    return _Quotient(whole or uncast(left), by, whole is not None)


def _rounded_whole(dividend: Syntax, by: Syntax) -> Syntax | None:
    """n of `n + by - 1`, of `n + (by - 1)` and of `n + 31` by 32."""
    left, right = dividend.child("left"), dividend.child("right")
    if dividend.kind != "binary_expression" or left is None or right is None:
        return None
    if dividend.op == "-" and right.text == "1" and left.kind == "binary_expression" and left.op == "+":
        whole, added = left.child("left"), left.child("right")
        return whole if added is not None and added.bare == by.bare else None
    if dividend.op != "+":
        return None
    if right.kind == by.kind == "number_literal":
        return left if number_of(right.text) == number_of(by.text) - 1 else None
    return left if right.bare.strip("()") == f"{by.bare}-1" else None


def _is_raised(value: Syntax, share: str) -> bool:
    """`((chunk + TILE - 1) / TILE) * TILE`, `max(chunk, 64)`, `round_up(chunk, TILE)`."""
    value = uncast(value)
    callee, arguments = value.child("function"), value.child("arguments")
    if value.kind == "call_expression" and callee is not None and arguments is not None:
        return _RAISING.fullmatch(callee.bare) is not None and any(a.text == share for a in arguments.children)
    left, right = value.child("left"), value.child("right")
    if value.kind != "binary_expression" or value.op != "*" or left is None or right is None:
        return False
    for tiles, tile in ((left, right), (right, left)):
        found = _quotient(tiles)
        if found is not None and found.is_rounded_up and found.whole.text == share and found.by.bare == tile.bare:
            return True
    return False


def _is_kept(whole: Syntax, scope: Scope) -> bool:
    """Nothing is assigned to it on the way."""
    names = {part.text for part in whole.walk() if part.kind == "identifier"}
    return all(
        name not in scope.grown and len(scope.values.get(name, ())) <= (name not in scope.parameters) for name in names
    )
