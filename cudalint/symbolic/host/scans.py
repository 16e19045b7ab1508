"""What memory holds behind a prefix sum of memory whose elements are all one number; else why nothing is known of it.

    thrust::exclusive_scan(device, counts, counts + n, offsets)              offsets[i] = c * i            where counts[i] = c
    cub::DeviceScan::InclusiveSum(storage, bytes, counts, ends, n)           ends[i] = c * (i + 1)

A sum of numbers that differ has no such form, and nothing says that it rises: counts of which nothing is known may be negative.
"""

from __future__ import annotations

from dataclasses import dataclass

from cudalint import ir
from cudalint.symbolic.host.cells import HELD
from cudalint.symbolic.host.contents import INDEX, WIDTH_OF_COUNTS, Fill, held, without_references
from cudalint.symbolic.host.names import class_name
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.values import Address, Text, Value
from cudalint.symbolic.walk import integers
from cudalint.term import Term, add, free_symbols, multiply, number, quotient, subtract

UNKNOWN_COUNTS = "a prefix sum of counts of which nothing is known: they may be negative"
DIFFERENT_COUNTS = "a prefix sum of counts that differ"
OTHER_TYPE = "a prefix sum in elements of another type"
_OF_RANGES = {"exclusive_scan": False, "inclusive_scan": True}
_OF_CUB = {"ExclusiveSum": False, "InclusiveSum": True}


@dataclass(frozen=True, slots=True)
class Sum:
    """What a prefix sum leaves, from `to` on: the content of all elements, or a reason."""

    to: Address
    bytes: Term
    element: ir.Type
    value: Term | None
    reason: str = ""

    def note(self, state: State) -> None:
        if self.value is not None:
            Fill(self.to, self.bytes, self.element, self.value).note(state)
        elif self.to.object is not None:
            state.cells[self.to.object, (HELD,), number(0)] = self.element, Text(self.reason)


def sum_of(name: str, stmt: ir.Call, args: list[Value], state: State) -> Sum | None:
    """The prefix sum that a call makes, as the memory is before it; None where it is no such call, or one with an operator."""
    cub = class_name(stmt.function) == "DeviceScan" and name in _OF_CUB
    if not cub and name not in _OF_RANGES:
        return None
    types, args = without_references(stmt, args, state)
    if cub:
        if len(args) < 5 or (isinstance(args[0], Address) and args[0].object is None):
            return None  # asks how much storage it needs
        types, args = types[2:5], args[2:5]
    else:
        first = next((at for at, type_ in enumerate(types) if isinstance(type_, ir.Int)), len(args))
        types, args = types[first:], args[first:]
    inclusive = _OF_CUB[name] if cub else _OF_RANGES[name]
    if not 3 <= len(args) <= (3 if cub or inclusive else 4) or not isinstance(args[0], Address):
        return None
    source, to, element = args[0], args[1 if cub else 2], types[1 if cub else 2]
    start = number(0) if len(args) == 3 else args[3]
    start = state.read(start, types[3] or ir.INT32) if isinstance(start, Address) else start
    width = None if element is None else ir.size_of(element)
    length = _length(args[1], types[0], source) if not cub else args[2]
    if not isinstance(to, Address) or element is None or width is None or not isinstance(length, Term):
        return None
    bytes_ = multiply(integers.as_integer(length), number(width))
    known = held(source, types[0], state) if types[0] is not None else None
    if known is None or not isinstance(start, Term):
        return Sum(to, bytes_, element, None, UNKNOWN_COUNTS)
    count, _ = known
    if INDEX in free_symbols(count) or types[0] != element:
        return Sum(to, bytes_, element, None, OTHER_TYPE if types[0] != element else DIFFERENT_COUNTS)
    terms = add(INDEX, number(1)) if inclusive else INDEX
    value = add(integers.as_integer(start), multiply(count, terms))
    return Sum(to, bytes_, element, integers.convert(value, element) if width < WIDTH_OF_COUNTS else value)


def _length(last: Value, type_: ir.Type | None, first: Address) -> Term | None:
    """Elements from the first pointer to the last one."""
    width = None if type_ is None else ir.size_of(type_)
    if not isinstance(last, Address) or last.object is not first.object or width is None or last.fields != first.fields:
        return None
    return quotient(subtract(last.offset, first.offset), number(width))
