"""Copies and fills whose size is in elements instead of bytes, or for elements of another type.

cudaMalloc(&x, n * sizeof(float));  cudaMemset(x, 0, n);           double *x;  cudaMemcpy(x, h, n * sizeof(float), kind);
cudaMemcpy2D(x, pitch, h, w * sizeof(float), w, rows, kind);       cudaMemcpyToSymbol(taps, h, TAPS);
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint import ir
from cudalint.ir.walk import expressions, root
from cudalint.source import Span
from cudalint.symbolic.host.names import simple_name
from cudalint.symbolic.host.text import plain, shown
from cudalint.symbolic.host.values import Address, Value
from cudalint.symbolic.host_vocabulary import Copy
from cudalint.symbolic.walk import integers
from cudalint.term import Number, Term, add, ideal, is_number, multiply, number

_OF_BYTES = re.compile(r"byte|sz|mem", re.IGNORECASE)
_UNITS = (2, 4)  # bytes of elements that a wider one may be taken for
LEAST_WIDTH = 2  # bytes of an element of which there are fewer than bytes


@dataclass(frozen=True, slots=True)
class Counted:
    """A `call` for `needed` of the `held` bytes of a buffer, as a reader writes them; `made` is where the buffer is made.

    `folded`: the size is one number, and only the text says what it was made of. `unit` are the bytes of an element that the
    size counts, where it names a type; `rows`: it is said of each row of the buffer.
    """

    span: Span
    function: str  # the host function whose text holds it
    of: str
    call: str
    needed: str
    held: str
    made: Span | None
    folded: bool = False
    unit: int = 1
    rows: bool = False


_COPIED, _SET = (
    (((0, 1), (2, 3)), 4),
    (((0, 1),), 3),
)  # the places of pointers with their pitches, and of the width of a row
_ROWS = {"Memcpy2D": _COPIED, "Memcpy2DAsync": _COPIED, "Memset2D": _SET, "Memset2DAsync": _SET}


def counted_rows(stmt: ir.Call, args: list[Value], function: str) -> Iterator[Counted]:
    """A width in elements, of rows that the same call says to lie so many elements apart."""
    places = _ROWS.get(simple_name(stmt.function).removeprefix("cuda").removeprefix("hip"))
    if places is None or places[1] >= len(args) or _is_called_bytes(stmt.args[places[1]]):
        return
    sides, width = places
    asked = args[width]
    for pointer, pitch in sides:
        element, apart = _element_of(stmt.args[pointer]), args[pitch]
        if element < LEAST_WIDTH or not isinstance(asked, Term) or not isinstance(apart, Term):
            continue
        bytes_, row = integers.as_integer(asked), integers.as_integer(apart)
        if multiply(bytes_, number(element)) is row and not _measures(stmt.args[width], element):
            call, of = simple_name(stmt.function), _buffer_of(stmt.args[pointer], args[pointer])
            folded = isinstance(stmt.args[width], ir.Const)
            yield Counted(stmt.span, function, of, call, shown(bytes_), shown(row), None, folded, rows=True)
            return


def _buffer_of(expr: ir.Expr, value: Value) -> str:
    """What the pointer is called."""
    if isinstance(value, Address) and value.object is not None:
        return plain(value.object.name)
    named = next((e.name for e in expressions(expr) if isinstance(e, ir.Var)), "")
    return "" if named.startswith("t.") else named


def counted(stmt: ir.Call, copy: Copy, args: list[Value], function: str) -> Iterator[Counted]:
    """The call, where a side has as many elements as it names bytes, and none speaks against that."""
    size = args[copy.bytes] if copy.bytes < len(args) else None
    if not isinstance(size, Term) or _is_called_bytes(stmt.args[copy.bytes]):
        return
    bytes_ = integers.as_integer(size)
    if copy.at is not None:
        yield from _of_symbol(stmt, copy, bytes_, function)
        return
    sides = [place for place in (copy.to, copy.of) if place is not None and place < len(args)]
    asked = stmt.args[copy.bytes]
    units = (1, *(unit for unit in _UNITS if isinstance(asked, ir.Const) or _measures(asked, unit)))
    found_by = ((u, [_is_counted(stmt.args[p], args[p], bytes_, asked, u) for p in sides]) for u in units)
    unit, fitting = next(((u, each) for u, each in found_by if any(each) and False not in each), (0, []))
    if not unit:
        return
    value = args[sides[fitting.index(True)]]
    assert isinstance(value, Address) and value.object is not None and value.object.size is not None
    found = value.object
    held = shown(value.object.size)
    folded = isinstance(asked, ir.Const)
    call, needed = simple_name(stmt.function), shown(bytes_)
    yield Counted(stmt.span, function, plain(found.name), call, needed, held, found.span, folded, unit)


def _of_symbol(stmt: ir.Call, copy: Copy, bytes_: Term, function: str) -> Iterator[Counted]:
    """A copy for a variable of the device that is an array of as many elements."""
    expr = stmt.args[copy.to]
    while isinstance(expr, ir.Cast | ir.Bitcast):
        expr = expr.operand
    named = root(expr.place) if isinstance(expr, ir.AddressOf) else None
    if named is None or not isinstance(named.type, ir.Array) or copy.at is None:
        return
    size, element = ir.size_of(named.type), _least_of(named.type)
    offset = stmt.args[copy.at] if copy.at < len(stmt.args) else None
    from_start = offset is None or (isinstance(offset, ir.Const) and not offset.value)
    measured = _measures(stmt.args[copy.bytes], element)
    if size and element >= LEAST_WIDTH and from_start and not measured and is_number(bytes_, size // element):
        folded, call = isinstance(stmt.args[copy.bytes], ir.Const), simple_name(stmt.function)
        yield Counted(stmt.span, function, plain(named.name), call, shown(bytes_), str(size), None, folded)


def _least_of(type_: ir.Type) -> int:
    """The bytes of what an array of any dimensions is made of."""
    while isinstance(type_, ir.Array):
        type_ = type_.element
    return ir.size_of(type_) or 0


def _is_called_bytes(size: ir.Expr) -> bool:
    """Its name says what it counts: the memory is larger than what is meant to be in it."""
    return any(isinstance(e, ir.Var) and _OF_BYTES.search(e.name) for e in expressions(size))


def _measures(size: ir.Expr, width: int) -> bool:
    """`n * sizeof(T)`, of a T that is as wide: the size is in bytes, of memory that was made for wider elements."""
    measured = ir.Const(width, ir.Int(64, signed=False))
    return any(e == measured for e in expressions(size))


def _element_of(expr: ir.Expr) -> int:
    """The bytes of what the pointer points to, before any conversion."""
    while isinstance(expr, ir.Cast | ir.Bitcast) and isinstance(expr.operand.type, ir.Pointer):
        expr = expr.operand
    return (ir.size_of(expr.type.element) or 0) if isinstance(expr.type, ir.Pointer) else 0


def _is_counted(expr: ir.Expr, value: Value, bytes_: Term, size: ir.Expr, unit: int) -> bool | None:
    """The memory has so many elements, wider ones than the size counts in units; None where that may be."""
    width = _element_of(expr)
    spoken = unit > 1 and isinstance(size, ir.Const)  # one number, of which the text tells the type
    if width < LEAST_WIDTH or width <= unit or is_number(bytes_, 0) or (not spoken and _measures(size, width)):
        return False
    if not isinstance(value, Address) or value.object is None or value.object.size is None:
        return None
    is_whole = is_number(value.offset, 0) and not value.fields
    asked, held = multiply(bytes_, number(width)), multiply(value.object.size, number(unit))
    if is_whole and ideal(asked) is ideal(held):  # also where a vector's size was kept in an int
        return True
    more = add(ideal(held), multiply(number(-1), ideal(asked)))
    fewer = is_whole and isinstance(more, Number) and more.value > 0 and not isinstance(bytes_, Number)
    return None if fewer else False  # all but the last few elements
