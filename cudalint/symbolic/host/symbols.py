"""What host code has copied to variables of the device: `cudaMemcpyToSymbol(params, &h, sizeof(h))`.

It is kept as cells of the variable, under a name that no member has, by the byte where a number lies. A call whose text nobody
has seen may copy other numbers, and so may every way to the variable but these copies; another device has variables of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cudalint import ir
from cudalint.contract import Fact, Origin, Placed
from cudalint.ir.walk import statements
from cudalint.source import Span
from cudalint.symbolic.host.cells import DEVICE
from cudalint.symbolic.host.contents import INDEX, held
from cudalint.symbolic.host.evaluate import Evaluator
from cudalint.symbolic.host.linked import Linked
from cudalint.symbolic.host.names import is_runtime_call, simple_name
from cudalint.symbolic.host.scan import address_roots, written_in
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.text import plain, shown
from cudalint.symbolic.host.values import APPROXIMATE, Address, HostObject, Value
from cudalint.symbolic.host_vocabulary import Copy, words
from cudalint.symbolic.walk import integers
from cudalint.term import Number, Symbol, Term, add, free_symbols, number, substitute

MOST_NUMBERS = 64  # in one variable
_LIBRARIES = ("std::", "thrust::", "cub::", "cuda::", "at::", "torch::", "c10::", "cooperative_groups::", "operator")
_OTHER_DEVICES = frozenset(("SetDevice", "DeviceReset", "CtxSetCurrent", "CtxPushCurrent"))


class Symbols:
    """The variables of the device that only copies to them change, as far as the program is visible."""

    def __init__(self, linked: Linked, evaluator: Evaluator) -> None:
        self._linked, self._evaluator = linked, evaluator
        self._kept: frozenset[str] | None = None
        self._stored: frozenset[str] = frozenset()
        self._spans: dict[tuple[HostObject, int], Span] = {}

    def note_call(self, stmt: ir.Call, name: str, args: list[Value], state: State) -> list[HostObject]:
        """The variables of which something else is known behind the call."""
        copy = words().copies.get(name)
        if copy is not None and copy.at is not None and "ToSymbol" in name:
            return self._copied(stmt, copy, args, state)
        runtime = is_runtime_call(name)
        other = runtime and name.removeprefix("cuda").removeprefix("hip").removeprefix("cu") in _OTHER_DEVICES
        if other or not (runtime or _is_of_library(stmt.function, name)):
            return _forget(None, state)
        return []

    def forget_all(self, state: State) -> None:
        """What ran at another time may have been followed by other copies."""
        _forget(None, state)

    def forget_launched(self, kernel: ir.Function, state: State) -> list[HostObject]:
        """A kernel, or a function of the device, may store to a variable that is no constant memory."""
        names = {c[0].name for c in state.cells.of_contents() if c[1] == (DEVICE,)}
        stored = names & (written_in(kernel.body) | self._stored) if names else names
        return [o for name in sorted(stored) for o in _forget(name, state)]

    def facts(self, kernel: ir.Function, unit: ir.Unit, state: State, span: Span) -> Iterator[Fact]:
        """What the kernel reads there, with the place of the copy."""
        cells = [(c[0], c[2], state.cells[c]) for c in state.cells.of_contents() if c[1] == (DEVICE,)]
        if not cells:
            return
        device = [repr(f.body) for f in unit.functions.values() if f.role is ir.Role.DEVICE]
        text = " ".join((repr(kernel.body), *device))
        for object_, offset, (type_, value) in cells:
            declared = unit.globals.get(object_.name)
            known = isinstance(offset, Number) and isinstance(value, Term) and isinstance(type_, ir.Int)
            if declared is None or not known or repr(object_.name) not in text:
                continue
            assert isinstance(offset, Number) and isinstance(value, Term) and isinstance(type_, ir.Int)
            part = next((p for p in _parts(declared.var.type) if p.offset == offset.value), None)
            if part is not None and not any(map(_is_lost, free_symbols(value))):
                said = f"{plain(object_.name)}{part.label} = {shown(value)}"
                where = self._spans.get((object_, offset.value), span)
                size = ir.size_of(declared.var.type) or 0
                yield Fact(Placed(object_.name, offset.value, type_.bits // 8, value, size), Origin.LAUNCH, said, where)

    def _copied(self, stmt: ir.Call, copy: Copy, args: list[Value], state: State) -> list[HostObject]:
        symbol = self._symbol(stmt.args[copy.to], args[copy.to])
        if symbol is None:
            return _forget(None, state)
        _forget(symbol.name, state)
        self._place(stmt, copy, args, symbol, state)
        return [symbol]

    def _symbol(self, expr: ir.Expr, value: Value) -> HostObject | None:
        """The variable that a copy is told by its name, or by a reference to it."""
        if isinstance(value, Address):
            whole = value.object is not None and not value.fields and value.offset is number(0)
            return (
                value.object
                if whole and value.object is not None and value.object.name in self._linked.globals
                else None
            )
        named = _plain(expr)
        return self._evaluator.globals.get(named.name) if isinstance(named, ir.Var) else None

    def _place(self, stmt: ir.Call, copy: Copy, args: list[Value], symbol: HostObject, state: State) -> None:
        declared, source_at = self._linked.globals.get(symbol.name), copy.of
        assert source_at is not None and copy.at is not None
        source, bytes_ = args[source_at], args[copy.bytes]
        at = args[copy.at] if copy.at < len(args) else number(0)
        if declared is None or symbol.name not in self._named() or not isinstance(source, Address):
            return
        if (
            not isinstance(bytes_, Number)
            or at is not number(0)
            or source.object is None
            or not _is_of_host(source.object)
        ):
            return
        given = _plain(stmt.args[source_at]).type
        pointee = given.element if isinstance(given, ir.Pointer) else given
        for part in _parts(declared.var.type) if _holds(pointee, declared.var.type) else ():
            value = _read(source, part, state) if part.offset + part.type.bits // 8 <= bytes_.value else None
            if value is not None:
                state.cells[symbol, (DEVICE,), number(part.offset)] = part.type, value
                self._spans[symbol, part.offset] = stmt.span

    def _named(self) -> frozenset[str]:
        """The variables that nothing but copies changes, and device code where it stores to them."""
        if self._kept is None:
            units = self._linked.units
            places: dict[str, set[tuple[str, int]]] = {}
            for unit in units:
                for name, declared in unit.globals.items():
                    places.setdefault(name, set()).add((declared.span.path, declared.span.line))
            functions = [f for unit in units for f in unit.functions.values()]
            device = [f for f in functions if f.role is ir.Role.DEVICE]
            self._stored = frozenset(name for f in device for name in written_in(f.body)) & places.keys()
            reached = frozenset(name for f in functions if f.role is ir.Role.HOST for name in _otherwise(f.body))
            one = frozenset(name for name, found in places.items() if len(found) == 1)
            python = any(unit.path.endswith(".py") for unit in units)  # by the module's `get_global`
            by_name = any(map(_takes_by_name, functions)) or python
            self._kept = frozenset() if by_name else one - reached
        return self._kept


def _otherwise(body: tuple[ir.Stmt, ...]) -> Iterator[str]:
    """Variables that host code stores to, or passes on to anything but copies of the runtime."""
    for stmt in statements(body):
        if isinstance(stmt, ir.Call) and words().copies.get(simple_name(stmt.function)) is not None:
            continue
        if isinstance(stmt, ir.Call | ir.Launch):
            yield from (name for arg in stmt.args for name in address_roots(arg))
        elif isinstance(stmt, ir.Store | ir.Atomic | ir.Assign | ir.Unmodelled):
            yield from written_in((stmt,))


def _takes_by_name(function: ir.Function) -> bool:
    calls = (simple_name(stmt.function) for stmt in statements(function.body) if isinstance(stmt, ir.Call))
    return any("GetGlobal" in name or "GetManaged" in name for name in calls)


def _is_of_library(function: str, name: str) -> bool:
    vocabulary = words()
    known = vocabulary.pure | vocabulary.standard_pure | vocabulary.inputs | vocabulary.no_return | vocabulary.checks
    known |= vocabulary.identity | vocabulary.frees | vocabulary.writes_bytes | vocabulary.asking
    return (
        function.startswith(_LIBRARIES)
        or name in known
        or name in vocabulary.allocators
        or name in vocabulary.copies
        or vocabulary.is_ceil_quotient(name)
    )


def _forget(name: str | None, state: State) -> list[HostObject]:
    """Nothing is known any longer of the variable of that name, or of any."""
    cells = [c for c in state.cells.of_contents() if c[1] == (DEVICE,) and name in (None, c[0].name)]
    for cell in cells:
        del state.cells[cell]
    return list(dict.fromkeys(cell[0] for cell in cells))


@dataclass(frozen=True, slots=True)
class Part:
    """An integer in a variable: its members, the bytes of the elements before it on the host, and where it lies on the device."""

    fields: tuple[str, ...]
    before: int
    offset: int
    type: ir.Int
    label: str


def _parts(type_: ir.Type, at: Part | None = None) -> list[Part]:
    """The integers in a variable, none where they are many."""
    at = at or Part((), 0, 0, ir.INT32, "")
    found: list[Part] = []
    if isinstance(type_, ir.Int):
        found.append(replace(at, type=type_))
    elif isinstance(type_, ir.Struct):
        for member in type_.fields:
            inner = replace(at, fields=(*at.fields, member.name), offset=at.offset + member.offset)
            found += _parts(member.type, replace(inner, label=f"{at.label}.{member.name}"))
    elif isinstance(type_, ir.Vector) and (width := ir.size_of(type_.element)):
        for place, lane in enumerate(ir.LANES[: type_.lanes]):
            inner = replace(at, fields=(*at.fields, lane), offset=at.offset + place * width)
            found += _parts(type_.element, replace(inner, label=f"{at.label}.{lane}"))
    elif isinstance(type_, ir.Array) and (width := ir.size_of(type_.element)) and (type_.count or 0) <= MOST_NUMBERS:
        for place in range(type_.count or 0):
            moved = place * width
            inner = replace(at, before=at.before + moved, offset=at.offset + moved, label=f"{at.label}[{place}]")
            found += _parts(type_.element, inner)
    return found if len(found) <= MOST_NUMBERS else []


def _holds(given: ir.Type, declared: ir.Type) -> bool:
    """What the pointer leads to has the members of the variable."""
    while isinstance(given, ir.Array):
        given = given.element
    while isinstance(declared, ir.Array):
        declared = declared.element
    return given == declared


def _plain(expr: ir.Expr) -> ir.Expr:
    while isinstance(expr, ir.Cast | ir.Bitcast):
        expr = expr.operand
    return expr


def _read(source: Address, part: Part, state: State) -> Term | None:
    place = Address(source.object, add(source.offset, number(part.before)), source.fields + part.fields)
    filled = held(source, part.type, state) if not part.fields else None
    if filled is not None and isinstance(place.offset, Number):
        return substitute(filled[0], {INDEX: number(place.offset.value // (part.type.bits // 8))})
    value = state.read(place, part.type)
    return (
        integers.as_integer(value) if isinstance(value, Term) and not any(map(_is_lost, free_symbols(value))) else None
    )


def _is_of_host(object_: HostObject) -> bool:
    """A variable or array of the host: what a pointer of somebody else's leads to may be the device's."""
    return object_.kind == "variable" or (
        object_.kind == "allocation" and object_.made_by in ("malloc", "new", "operator new[]")
    )


def _is_lost(atom: Term) -> bool:
    return isinstance(atom, Symbol) and (atom.name.startswith(APPROXIMATE) or "#" in atom.name)
