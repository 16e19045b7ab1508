"""Classes of headers that are not there, taken to be laid out as they were guessed: for runs of which nothing else hangs on it.

    struct View { T *ptr; int *dims; }?   ->   struct View { T *ptr; int *dims; }

What a run shows then hangs on the values of the members, as on those of parameters, and not on where they lie.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from cudalint.ir import nodes as ir
from cudalint.ir.types import Array, Struct
from cudalint.ir.walk import statements
from cudalint.source import Span

ROOM = 1 << 14
ROOM_OF_BLOCK = 1 << 11  # of an array that the function declares
_Known = dict[int, tuple[object, object]]  # by identity: the old one, kept alive, and the new one


def with_guessed_layouts(unit: ir.Unit, kernel: str) -> ir.Unit:
    """The unit with such classes as they were guessed, in a kernel, in what it calls, and in globals; arrays have room."""
    known: _Known = {}
    changed = {name: _taken(unit.functions[name], known) for name in _reached(unit, kernel)}
    sized = {name: _sized(global_, known) for name, global_ in unit.globals.items()}
    return replace(unit, functions=unit.functions | changed, globals=sized)


def _sized(global_: ir.Global, known: _Known) -> ir.Global:
    """An array whose length is a constant that was guessed has room for any small launch."""
    type_ = global_.var.type
    if isinstance(type_, Array) and type_.count is None and global_.storage is not ir.Storage.DYNAMIC_SHARED:
        type_ = replace(type_, count=ROOM)
    return replace(global_, var=replace(global_.var, type=_taken(type_, known)))


def _reached(unit: ir.Unit, kernel: str) -> Iterator[str]:
    seen, waiting = {kernel}, [kernel]
    while waiting:
        name = waiting.pop()
        yield name
        called = (s.function for s in statements(unit.functions[name].body) if isinstance(s, ir.Call))
        waiting += [each for each in dict.fromkeys(called) if each in unit.functions and each not in seen]
        seen.update(waiting)


def _taken(node: Any, known: _Known) -> Any:
    if isinstance(node, tuple):
        parts = tuple(_taken(each, known) for each in node)
        return node if all(a is b for a, b in zip(node, parts)) else parts
    if not is_dataclass(node) or isinstance(node, Span | type):
        return node
    found = known.get(id(node))
    if found is not None:
        return found[1]
    made = {f.name: _taken(getattr(node, f.name), known) for f in fields(node)}
    if isinstance(node, Struct):
        made["guessed"] = False
    if isinstance(node, Array) and node.count is None:
        made["count"] = ROOM_OF_BLOCK
    same = all(made[f.name] is getattr(node, f.name) for f in fields(node))
    result = node if same else replace(node, **made)
    known[id(node)] = node, result
    return result
