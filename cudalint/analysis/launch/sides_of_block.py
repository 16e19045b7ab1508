"""Sides of a grid that the block of the same launch keeps small: it has as many threads as there are rows.

dim3 grid(batch, seq_len), block(seq_len);                 k<<<grid, block>>>(x);
dim3 grid(batch, heads, seq_len), block(next_pow2(seq_len / 2));

Where a block may have 1024 threads, there are no more rows than that, or a few times as many: more are an invalid block first.
"""

from __future__ import annotations

import re

from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import TextLaunch
from cudalint.ir.syntax import Syntax

BLOCK = 1024
_GROWING = re.compile(
    r"pow(er)?_?(of_?)?(2|two)|round_?up|ceil|div_?up|align", re.IGNORECASE
)  # no less than what it gets


def largest_by_block(side: Syntax, launch: TextLaunch) -> int | None:
    """The most that a side of one size, or of a part of it, can be while the block is valid; None where the block does not say."""
    size = uncast(side)
    if size.kind != "identifier":
        return None
    limits = [_largest(each, size.text, BLOCK) for each in launch.block if each is not None]
    return min((limit for limit in limits if limit is not None), default=None)


def _largest(node: Syntax, name: str, room: int) -> int | None:
    """The most that the name can be where the expression is at most `room`; None where it may be any number."""
    node = uncast(node)
    if node.kind == "identifier":
        return room if node.text == name else None
    if node.kind == "binary_expression" and len(node.children) == 2:
        return _of_operation(node, name, room)
    if node.kind == "call_expression" and _GROWING.search(node.text.partition("(")[0]):
        parts = [_largest(child, name, room) for child in node.children[-1].children[:1]]
        return parts[0] if parts else None
    return None


def _of_operation(node: Syntax, name: str, room: int) -> int | None:
    first, second = node.children
    if node.op == "*":
        sides = [_largest(first, name, room), _largest(second, name, room)]
        return min((limit for limit in sides if limit is not None), default=None)
    if node.op == "/" and second.text.isdecimal() and int(second.text):
        return _largest(first, name, (room + 1) * int(second.text))
    return None
