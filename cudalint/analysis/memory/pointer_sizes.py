"""Copies and fills whose bytes are counted with the size of a pointer, where that of what it points to was meant.

float *y = ...;  cudaMemset(y, 0, n * sizeof(y));        a pointer has 8 bytes, an element 4
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.memory.short_allocations import POINTER, factors_of, written_type
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.analysis.text.type_widths import bytes_of_type
from cudalint.ir.syntax import Outline, Syntax

_MOVES = re.compile(r"(?:(?:cuda|hip)(?:Memset|Memcpy)(?:Async)?|(?:std::)?mem(?:set|cpy|move))$")
_SIZE = 2  # the argument that counts bytes


def pointer_sizes(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each call."""
    for body in bodies(program_of(outline), ("host", "device", "kernel")):
        for node in body.nodes:
            callee, arguments = node.child("function"), node.child("arguments")
            if node.kind != "call_expression" or callee is None or arguments is None or not _MOVES.match(callee.text):
                continue
            given = arguments.children
            moved = {uncast(argument).text for argument in given[:_SIZE]}
            for factor in factors_of(given[_SIZE]) if len(given) > _SIZE else ():
                element = _element(factor, moved, body)
                if element is not None:
                    text = f"`{short(given[_SIZE])}` counts the bytes of a pointer for each element of {element}"
                    yield GuardIssue(body.function, given[_SIZE], text)


def _element(factor: Syntax, moved: set[str], body: Body) -> str | None:
    """The type of the elements behind a pointer of which the size is taken, and that the call moves memory of."""
    value = factor.child("value") if factor.kind == "sizeof_expression" else None
    while value is not None and value.kind == "parenthesized_expression" and value.children:
        value = value.children[0]
    written = written_type(value, body) if value is not None and value.text in moved else None
    if written is None or not written.endswith("*") or written.endswith("**"):
        return None
    element = written[:-1].strip()
    return None if bytes_of_type(element) == POINTER else element
