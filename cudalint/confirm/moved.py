"""Which registers may hold what a function moved: operations on these round to another side on a device.

    s = expf(x[i]); t = a * b; y[i] = s * t        moved: s; y holds moved values, t is the same everywhere

By names, without order: a register of a function counts in all calls of it. Memory counts by object: a pointer is of the object
of each pointer that it was ever made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from cudalint import ir
from cudalint.confirm.emulate.inexact import moves
from cudalint.ir.walk import evaluated, expressions, operands, places, root, statements, target

Key = tuple[str, str]  # function (empty for globals) and name
RESULT = "return value"


def moved_registers(unit: ir.Unit, functions: Iterable[ir.Function]) -> Mapping[str, frozenset[str]]:
    """Names of registers, by the id of their function."""
    found = _Moved(unit, tuple(functions))
    size: tuple[int, int, int] | None = None
    while size != found.size():
        size = found.size()
        for function in found.functions:
            for stmt in statements(function.body):
                found.statement(function, stmt)
    return {f.id: frozenset(name for owner, name in found.registers if owner == f.id) for f in found.functions}


@dataclass(slots=True)
class _Moved:
    """`same` leads from each object and pointer towards the one that stands for all that may be one object."""

    unit: ir.Unit
    functions: tuple[ir.Function, ...]
    registers: set[Key] = field(default_factory=set)
    objects: set[Key] = field(default_factory=set)
    same: dict[Key, Key] = field(default_factory=dict)

    def size(self) -> tuple[int, int, int]:
        return len(self.registers), len({self._object(key) for key in self.objects}), len(self.same)

    def statement(self, function: ir.Function, stmt: ir.Stmt) -> None:
        made = target(stmt)
        if isinstance(stmt, ir.Call) and stmt.function in self.unit.functions:
            self._call(function, stmt, self.unit.functions[stmt.function])
            return
        if isinstance(stmt, ir.Return):
            made = None if stmt.value is None else ir.Var(RESULT, stmt.value.type)
        if made is not None and _holds_pointers(made.type):
            self._join(self._key(function, made.name), *self._sources(function, stmt))
        moved = any(self._moves(function, e) for e in operands(stmt)) or _rounds_in_any_order(stmt)
        roots = [self._root(function, place) for place in places(stmt)]
        if isinstance(stmt, ir.AsyncCopy):
            self._copied(function, stmt)
        if moved and isinstance(stmt, ir.Store | ir.Atomic):
            self.objects.update(roots)
        held = {self._object(key) for key in self.objects}
        if made is not None and (moved or any(self._object(key) in held for key in roots)):
            self.registers.add((function.id, made.name))
            self.objects.add(self._key(function, made.name))

    def _call(self, function: ir.Function, stmt: ir.Call, callee: ir.Function) -> None:
        for param, arg in zip(callee.params, stmt.args):
            inside = self._key(callee, param.var.name)
            if _holds_pointers(param.var.type):
                self._join(inside, *(self._key(function, v.name) for v in _variables(arg)))
            if self._moves(function, arg):
                self.registers.add((callee.id, param.var.name))
                self.objects.add(inside)
        if stmt.target is not None:
            if _holds_pointers(stmt.target.type):
                self._join(self._key(function, stmt.target.name), (callee.id, RESULT))
            if (callee.id, RESULT) in self.registers:
                self.registers.add((function.id, stmt.target.name))
                self.objects.add(self._key(function, stmt.target.name))

    def _copied(self, function: ir.Function, stmt: ir.AsyncCopy) -> None:
        ends = [[self._key(function, v.name) for v in _variables(e)] for e in (stmt.source, stmt.destination)]
        held = {self._object(key) for key in self.objects}
        if any(self._object(key) in held for key in ends[0]):
            self.objects.update(ends[1])

    def _moves(self, function: ir.Function, expr: ir.Expr) -> bool:
        return moves(expr, frozenset(name for owner, name in self.registers if owner == function.id))

    # --- objects -----------------------------------------------------------------------------------------------------

    def _sources(self, function: ir.Function, stmt: ir.Stmt) -> list[Key]:
        """What a pointer may have been made of: variables, and memory that holds pointers."""
        found = [self._key(function, v.name) for e in evaluated(stmt) for v in _variables(e)]
        return found + [self._root(function, place) for place in places(stmt)]

    def _root(self, function: ir.Function, place: ir.Place) -> Key:
        var = root(place)
        if var is not None:
            return self._key(function, var.name)
        pointers = [v for e in _pointers_of(place) for v in _variables(e)]
        keys = [self._key(function, v.name) for v in pointers if _holds_pointers(v.type)] or [("", "")]
        self._join(*keys)
        return keys[0]

    def _key(self, function: ir.Function, name: str) -> Key:
        return ("", name) if name in self.unit.globals else (function.id, name)

    def _object(self, key: Key) -> Key:
        while key in self.same:
            key = self.same[key]
        return key

    def _join(self, first: Key, *others: Key) -> None:
        for other in others:
            a, b = self._object(first), self._object(other)
            if a != b:
                self.same[b] = a


def _rounds_in_any_order(stmt: ir.Stmt) -> bool:
    return isinstance(stmt, ir.Atomic) and any(isinstance(_leaf(arg.type), ir.Float) for arg in stmt.args)


def _leaf(type_: ir.Type) -> ir.Type:
    return type_.element if isinstance(type_, ir.Vector) else type_


def _holds_pointers(type_: ir.Type) -> bool:
    return isinstance(type_, ir.Pointer | ir.Struct | ir.Array)


def _pointers_of(place: ir.Place) -> tuple[ir.Expr, ...]:
    while isinstance(place, ir.Index | ir.Field):
        place = place.base
    return (place.pointer,) if isinstance(place, ir.Element) else ()


def _variables(expr: ir.Expr) -> list[ir.Var]:
    """Those that the value is made of; an address is made of the object that it lies in."""
    found = [e for e in expressions(expr) if isinstance(e, ir.Var)]
    addresses = (root(e.place) for e in expressions(expr) if isinstance(e, ir.AddressOf))
    return found + [replace(var, type=ir.Pointer(var.type)) for var in addresses if var is not None]
