"""What an object tells by a constant method whose body is elsewhere: asked again, it tells the same.

    k<<<(image.cols() + 255) / 256, 256>>>(x, image.cols());        grid = (image.cols() + 255) / 256, n = image.cols()

A member of the same name, `cols_` or `m_cols`, is what the method gives. Which methods give memory is in the vocabularies.
"""

from __future__ import annotations

import re

from cudalint import ir
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.values import Address, Value
from cudalint.symbolic.host_vocabulary import words
from cudalint.term import Number, Term, multiply, number

_SIZE = re.compile(
    r"size|count|num|len|dim|rank|rows?|col|width|height|depth|channel|stride|step|pitch|total", re.IGNORECASE
)


def told_by_object(stmt: ir.Call, args: list[Value], state: State) -> Value | None:
    """The number that the call of such a method gives; None for other calls."""
    if stmt.target is None or not isinstance(stmt.target.type, ir.Int | ir.Bool) or 0 not in stmt.constant:
        return None
    owner = args[0] if args else None
    if not isinstance(owner, Address) or owner.object is None:
        return None
    numbers = [arg.value for arg in args[1:] if isinstance(arg, Number)]
    name, class_ = _plain(stmt.function), _class_of(stmt)
    of, _, name = name.rpartition("::")
    if class_ is None or not of or not name.isidentifier() or len(numbers) != len(args) - 1:
        return None
    held = None if numbers else _held(name, class_, stmt.target.type)
    if held is not None:
        return state.read(Address(owner.object, owner.offset, (*owner.fields, held)), stmt.target.type)
    if of.rpartition("::")[2] != _plain(class_.name).rpartition("::")[2]:
        return None  # a function of a namespace, or of a base
    if class_.guessed and not _SIZE.search(name):  # whether it changes nothing was guessed as well
        return None
    asked = f"{name}({', '.join(map(str, numbers))})"
    return state.unwritten(Address(owner.object, owner.offset, (*owner.fields, asked)), stmt.target.type)


def held_by_object(stmt: ir.Call, args: list[Value], state: State) -> Value | None:
    """The pointer that a method gives to memory of its object, which knows how many elements there are."""
    owner, class_ = args[0] if args else None, _class_of(stmt) if args else None
    if class_ is None or not isinstance(owner, Address) or owner.object is None or stmt.target is None:
        return None
    of, _, name = _plain(stmt.function).rpartition("::")
    held = words().held_memory.get(f"{of.rpartition('::')[2]}::{name}")
    type_ = stmt.target.type
    counted = next((f for f in class_.fields if held is not None and f.name == held.count), None)
    if held is None or counted is None or not isinstance(type_, ir.Pointer):
        return None
    count = state.read(Address(owner.object, owner.offset, (*owner.fields, held.count)), counted.type)
    found = state.unwritten(Address(owner.object, owner.offset, (*owner.fields, held.memory)), type_)
    size = ir.size_of(type_.element)
    if not isinstance(found, Address) or found.object is None or not isinstance(count, Term) or size is None:
        return found
    return Address(state.world.sized_input(found.object, multiply(count, number(size)), class_.name), number(0))


def _class_of(stmt: ir.Call) -> ir.Struct | None:
    type_ = stmt.args[0].type
    class_ = type_.element if isinstance(type_, ir.Pointer) else type_
    return class_ if isinstance(class_, ir.Struct) else None


def _held(name: str, class_: ir.Struct, type_: ir.Type) -> str | None:
    names = (f"{name}_", f"m_{name}", f"_{name}")
    return next((f.name for f in class_.fields if f.name in names and f.type == type_), None)


def _plain(name: str) -> str:
    """A name without template arguments and parameters."""
    before = None
    name = name.partition("(")[0]
    while before != name:
        before, name = name, re.sub(r"<[^<>]*>", "", name)
    return name.strip()
