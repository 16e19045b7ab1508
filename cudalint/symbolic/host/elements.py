"""Elements of arrays of pointers that are chosen while the program runs: all of them point to memory of one size.

    float *field[2];  cudaMalloc(&field[0], n * 4);  cudaMalloc(&field[1], n * 4);      k<<<...>>>(field[to], field[1 - to])
    for (int d = 0; d < devices; d++) cudaMalloc(&part[d], n * 4);                      k<<<...>>>(part[d])

Which of them it is stays open; an element that nobody has filled is no pointer that may be read.
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint import ir
from cudalint.symbolic.host.cells import Cell
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.text import shown
from cudalint.symbolic.host.values import (
    APPROXIMATE,
    Address,
    Either,
    FunctionValue,
    HostObject,
    Reference,
    Text,
    Value,
)
from cudalint.term import Number, Symbol, Term, equal, free_symbols, keep, number, quotient, subtract, symbol

LONGEST_CHOICE = 32  # functions
ANY = keep(symbol("any element"))  # the offset of the cell that stands for all


class Elements:
    """The memory behind the elements of one walk: the same element asked for twice is the same memory."""

    def __init__(self) -> None:
        self._known: dict[tuple[Address, Term, str], Address] = {}

    def read(self, place: Address, type_: ir.Type, state: State) -> Address | None:
        """What an element points to, where the array was filled with memory of one size."""
        if place.object is None or place.object.kind == "input" or not isinstance(type_, ir.Pointer):
            return None
        if (place.object, place.fields, place.offset) in state.cells:
            return None
        held = [state.cells[cell][1] for cell in state.cells.of(place.object) if cell[1] == place.fields]
        whole = (place.object, place.fields, ANY) in state.cells
        sizes = [_room(value) for value in held]
        first = sizes[0] if sizes else None
        if first is None or any(size is not first for size in sizes) or not (whole or _is_open(place, held)):
            return None
        key = (place, first, state.versions.get(place.object, ""))
        if key not in self._known:
            index = shown(quotient(place.offset, number(ir.size_of(type_) or 1)))
            made = held[0].object if isinstance(held[0], Address) else None
            assert made is not None
            member = "".join(f".{each}" for each in place.fields)
            name = f"{place.object.name}[{index}]{member}#{place.offset.digest.hex()[:8]}"
            memory = HostObject(name, "allocation", first, made.made_by, made.span, given=made.given)
            self._known[key] = Address(memory, number(0))
        return self._known[key]


def one_of(place: Address, type_: ir.Type, state: State) -> Value | None:
    """An element that the program chooses from a short array all of which is known: one of its functions or names.

    static const Kernel kernels[] = {scale<32>, scale<64>};            kernels[width == 64]<<<...>>>(x)
    """
    if place.object is None or isinstance(place.offset, Number) or not isinstance(type_, ir.Pointer | ir.Unknown):
        return None
    cells = {c[2]: state.cells[c][1] for c in state.cells.of(place.object) if c[1] == place.fields}
    known = [(o, v) for o, v in cells.items() if isinstance(v, FunctionValue | Text) and isinstance(o, Number)]
    if not known or len(known) < len(cells) or len(known) > LONGEST_CHOICE:
        return None
    result: Reference = known[-1][1]
    for offset, value in reversed(known[:-1]):
        result = Either(equal(place.offset, offset), value, result)
    return result


def filled(before: State, inside: State, assigned: frozenset[Term]) -> Iterator[tuple[Cell, tuple[ir.Type, Value]]]:
    """The cells that stand for all elements of the arrays that an iteration fills, one element each.

    The size is the same in every iteration, and nothing was known of the elements before.
    """
    for (object_, fields, offset), (type_, value) in inside.cells.items():
        if isinstance(offset, Number) or object_.kind == "input" or not isinstance(type_, ir.Pointer):
            continue
        known = (*before.cells.of(object_), *inside.cells.of(object_))
        others = [c for c in known if c[1] == fields and c[2] is not offset]
        size = _room(value)
        if size is None or others or any(_varies(atom, assigned) for atom in free_symbols(size)):
            continue
        yield (object_, fields, ANY), (type_, value)


def _varies(atom: Term, assigned: frozenset[Term]) -> bool:
    """It is another one in the next iteration, or may be: `plans[i].count` is."""
    if not isinstance(atom, Symbol) or atom in assigned or atom.name.startswith(APPROXIMATE):
        return True
    return any(f"[{shown(each)}" in atom.name or f"*{shown(each)}" in atom.name for each in assigned)


def _is_open(place: Address, held: list[Value]) -> bool:
    """One of several, of which the program chooses."""
    return not isinstance(place.offset, Number) and len(held) > 1


def _room(value: Value) -> Term | None:
    """Bytes behind a pointer into an allocation."""
    if not isinstance(value, Address) or value.object is None or value.object.kind != "allocation":
        return None
    return None if value.object.size is None or value.fields else subtract(value.object.size, value.offset)
