"""Copies and fills whose size is in elements instead of bytes: `cudaMalloc(&x, n * sizeof(float)); cudaMemset(x, 0, n);`"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint import ir
from cudalint.ir.walk import expressions
from cudalint.source import Span
from cudalint.symbolic.host.names import simple_name
from cudalint.symbolic.host.text import plain, shown
from cudalint.symbolic.host.values import Address, Value
from cudalint.symbolic.host_vocabulary import Copy
from cudalint.symbolic.walk import integers
from cudalint.term import Term, is_number, multiply, number

_OF_BYTES = re.compile(r"byte|sz|mem", re.IGNORECASE)
LEAST_WIDTH = 2  # bytes of an element of which there are fewer than bytes


@dataclass(frozen=True, slots=True)
class Counted:
    """A `call` for `needed` of the `held` bytes of a buffer, as a reader writes them; `made` is where the buffer is made.

    `folded`: the size is one number, and only the text says what it was made of.
    """

    span: Span
    function: str  # the host function whose text holds it
    of: str
    call: str
    needed: str
    held: str
    made: Span | None
    folded: bool = False


def counted(stmt: ir.Call, copy: Copy, args: list[Value], function: str) -> Iterator[Counted]:
    """The call, where a side has as many elements as it names bytes, and none speaks against that."""
    size = args[copy.bytes] if copy.bytes < len(args) else None
    if copy.at is not None or not isinstance(size, Term) or _is_called_bytes(stmt.args[copy.bytes]):
        return
    bytes_ = integers.as_integer(size)
    sides = [place for place in (copy.to, copy.of) if place is not None and place < len(args)]
    asked = stmt.args[copy.bytes]
    fitting = [_is_counted(stmt.args[place], args[place], bytes_, asked) for place in sides]
    if not any(fitting) or False in fitting:
        return
    value = args[sides[fitting.index(True)]]
    assert isinstance(value, Address) and value.object is not None and value.object.size is not None
    found = value.object
    held = shown(value.object.size)
    folded = isinstance(asked, ir.Const)
    call, needed = simple_name(stmt.function), shown(bytes_)
    yield Counted(stmt.span, function, plain(found.name), call, needed, held, found.span, folded)


def _is_called_bytes(size: ir.Expr) -> bool:
    """Its name says what it counts: the memory is larger than what is meant to be in it."""
    return any(isinstance(e, ir.Var) and _OF_BYTES.search(e.name) for e in expressions(size))


def _measures(size: ir.Expr, width: int) -> bool:
    """`n * sizeof(T)`, of a T that is as wide: the size is in bytes, of memory that was made for wider elements."""
    measured = ir.Const(width, ir.Int(64, signed=False))
    return any(e == measured for e in expressions(size))


def _is_counted(expr: ir.Expr, value: Value, bytes_: Term, size: ir.Expr) -> bool | None:
    """The memory has so many elements, of several bytes each; None where that may be."""
    while isinstance(expr, ir.Cast | ir.Bitcast) and isinstance(expr.operand.type, ir.Pointer):
        expr = expr.operand
    width = ir.size_of(expr.type.element) if isinstance(expr.type, ir.Pointer) else None
    if width is None or width < LEAST_WIDTH or is_number(bytes_, 0) or _measures(size, width):
        return False
    if not isinstance(value, Address) or value.object is None or value.object.size is None:
        return None
    is_whole = is_number(value.offset, 0) and not value.fields
    return is_whole and multiply(bytes_, number(width)) is value.object.size
