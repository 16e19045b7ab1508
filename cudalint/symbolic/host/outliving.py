"""What host functions read and write of what outlives them: members of objects that they get, and variables outside.

Field(int n) : n_(n) { cudaMalloc(&x_, n * 4); }            writes n_, and the memory x_
for (auto &p : buffers_) cudaMalloc(&p, bytes);             writes the memory buffers_
std::swap(now_, next_);                                     writes neither: the two exchange what they hold
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from cudalint import ir
from cudalint.ir.walk import statements
from cudalint.symbolic.host.linked import Linked
from cudalint.symbolic.host.names import can_grow, is_constructor, last_name, simple_name
from cudalint.symbolic.host.values import is_vector_type
from cudalint.symbolic.host_vocabulary import words

_SIZE_BITS = 32


@dataclass(frozen=True, slots=True)
class Held:
    """A member of the objects of a class, or a variable outside functions (`owner` is nothing); `path` leads down to it."""

    owner: str
    path: str

    def holders(self) -> Iterator[Held]:
        """The place itself, and all that it is a part of."""
        path = self.path
        yield self
        while path:
            path = path.rpartition(".")[0]
            yield Held(self.owner, path)


@dataclass(slots=True)
class Uses:
    """What a function reads and writes of what outlives it."""

    reads: set[Held] = field(default_factory=set)
    writes: set[Held] = field(default_factory=set)
    memory: set[Held] = field(default_factory=set)  # of the writes: pointers, and containers that get a size
    checked: set[Held] = field(default_factory=set)  # of the writes: numbers of a constructor that checks some
    handed: list[tuple[Held, str, ir.Call]] = field(default_factory=list)  # members of a class that a call may fill
    swapped: set[tuple[Held, Held]] = field(default_factory=set)  # pointers that exchange what they hold: no writes


def constructs(function: ir.Function) -> bool:
    parts = function.name.split("::")
    return len(parts) > 1 and parts[-1] == parts[-2]


def made_by(function: ir.Function) -> str:
    """The class of the objects that a constructor makes of anything but another one."""
    owner = class_of(pointee(function.params[0].var.type)) if function.params and constructs(function) else ""
    return owner if owner and len(objects_of(function, owner)) == 1 else ""


def _is_check(stmt: ir.Stmt) -> bool:
    """Nobody has an object for which it does not hold: `if (size % 32) throw ...;`"""
    ends = (*stmt.then, *stmt.orelse) if isinstance(stmt, ir.If) else ()
    return isinstance(stmt, ir.Check) or any(
        isinstance(end, ir.Trap) or (isinstance(end, ir.Call) and simple_name(end.function) in words().no_return)
        for end in ends
    )


def bases_of(functions: list[ir.Function]) -> dict[str, dict[str, frozenset[str]]]:
    """By a class the classes whose constructors its own ones call for the same object, with their members."""
    found: dict[str, dict[str, frozenset[str]]] = {}
    for function in functions:
        for stmt in statements(function.body) if constructs(function) and function.params else ():
            this, first = function.params[0].var, stmt.args[0] if isinstance(stmt, ir.Call) and stmt.args else None
            base = pointee(first.type) if isinstance(first, ir.Bitcast) else None
            if first is None or not isinstance(base, ir.Struct) or _unconverted(first) != this:
                continue
            if (owner := class_of(pointee(this.type))) and owner != base.name and base.fields:
                found.setdefault(owner, {})[base.name] = frozenset(each.name for each in base.fields)
    return found


def objects_of(function: ir.Function, owner: str) -> list[int]:
    """The parameters that are objects of a class."""
    return [i for i, p in enumerate(function.params) if class_of(pointee(p.var.type)) == owner]


def uses_of(function: ir.Function, linked: Linked) -> Uses:
    found, local = Uses(), {p.var.name for p in function.params}
    local |= {stmt.var.name for stmt in statements(function.body) if isinstance(stmt, ir.Declare)}
    checks = constructs(function) and any(map(_is_check, statements(function.body)))
    pairs = {o for p in function.params if (o := class_of(pointee(p.var.type))) and len(objects_of(function, o)) > 1}

    references = _references(function, local, linked)
    exchanged = _exchanged(function, local, linked)
    found.swapped |= exchanged
    for stmt in statements(function.body):
        found.handed += _handed(stmt, local, linked)
        found.reads.update(h for place in _read(stmt) if (h := _held(place, local, linked)) is not None)
        through = ((held, _type(place)) for place, held in _through(stmt, references))
        for held, type_ in (*((_held(place, local, linked), type_) for place, type_ in _written(stmt)), *through):
            if held is None or held.owner in pairs:  # copied from one object to another
                continue
            if any(held in pair for pair in exchanged):
                continue
            found.writes.add(held)
            if isinstance(type_, ir.Pointer) or _is_sized(stmt, type_):
                found.memory.add(held)
            elif checks and isinstance(type_, ir.Int) and type_.bits >= _SIZE_BITS:
                found.checked.add(held)
    return found


def _references(function: ir.Function, local: set[str], linked: Linked) -> dict[str, Held]:
    """`for (auto &p : buffers_)`: pointers and references of the function to a member that is a pointer."""
    found: dict[str, set[Held | None]] = {}
    for stmt in statements(function.body):
        if isinstance(stmt, ir.Assign) and isinstance(pointee(stmt.target.type), ir.Pointer):
            value = _unconverted(stmt.value)
            held = _held(value.place, local, linked) if isinstance(value, ir.AddressOf) else None
            found.setdefault(stmt.target.name, set()).add(held)
    return {name: held for name, (held, *others) in found.items() if held is not None and not others}


def _through(stmt: ir.Stmt, references: dict[str, Held]) -> Iterator[tuple[ir.Place, Held]]:
    """Members that a statement may fill through such a reference."""
    for arg in stmt.args if isinstance(stmt, ir.Call) else ():
        inner = _unconverted(arg)
        if isinstance(inner, ir.Var) and inner.name in references:
            member = pointee(inner.type)
            assert member is not None
            yield ir.Element(inner, ir.Const(0, ir.INT32), member), references[inner.name]
    if isinstance(stmt, ir.Store) and isinstance(stmt.place, ir.Element):
        pointer = _unconverted(stmt.place.pointer)
        if isinstance(pointer, ir.Var) and pointer.name in references and not _is_nothing(stmt.value):
            yield stmt.place, references[pointer.name]


def _handed(stmt: ir.Stmt, local: set[str], linked: Linked) -> Iterator[tuple[Held, str, ir.Call]]:
    """`buffer_.allocate(n)`: the member, its class and the call."""
    for position, arg in enumerate(stmt.args if isinstance(stmt, ir.Call) else ()):
        inner = _unconverted(arg)
        if isinstance(inner, ir.AddressOf) and isinstance(stmt, ir.Call) and position not in stmt.constant:
            held, name = _held(inner.place, local, linked), class_of(_type(inner.place))
            if held is not None and name:
                yield held, name, stmt


def _exchanged(function: ir.Function, local: set[str], linked: Linked) -> set[tuple[Held, Held]]:
    """`std::swap(now_, next_)`, `float *t = now_; now_ = next_; next_ = t;`, where the function does nothing else to the two."""
    loaded: dict[str, set[Held]] = {}
    written: dict[Held, set[Held | None]] = {}  # and what each gets: another's content, or anything
    for stmt in statements(function.body):
        if isinstance(stmt, ir.Load) and (isinstance(stmt.target.type, ir.Pointer) or _owns_pointer(stmt.target.type)):
            held = _held(stmt.place, local, linked)
            loaded.setdefault(stmt.target.name, set()).update({held} if held is not None else ())
        if isinstance(stmt, ir.Assign) and isinstance(value := _unconverted(stmt.value), ir.Var):
            loaded.setdefault(stmt.target.name, set()).update(loaded.get(value.name, ()))
        places = [_held(place, local, linked) for place, _ in _written(stmt)]
        if isinstance(stmt, ir.Call) and simple_name(stmt.function) == "swap" and len(places) == 2:
            sources: list[Held | None] = places[::-1]
        else:
            sources = [_source(stmt, loaded) for _ in places]
        for held, source in zip(places, sources):
            if held is not None:
                written.setdefault(held, set()).add(source)
    pairs = ((held, source) for held, found in written.items() for source in found if len(found) == 1)
    return {(a, b) for a, b in pairs if b is not None and a.owner == b.owner and written.get(b) == {a}}


def _source(stmt: ir.Stmt, loaded: dict[str, set[Held]]) -> Held | None:
    """The only member that a pointer which is stored was read from."""
    value = _unconverted(stmt.value) if isinstance(stmt, ir.Store) else None
    names = loaded.get(value.name, set()) if isinstance(value, ir.Var) else set()
    return next(iter(names)) if len(names) == 1 else None


def _read(stmt: ir.Stmt) -> Iterator[ir.Place]:
    """The places that a statement loads, and the containers of which a call asks something."""
    if isinstance(stmt, ir.Load):
        yield stmt.place
    elif isinstance(stmt, ir.Call) and stmt.args and isinstance(object_ := _unconverted(stmt.args[0]), ir.AddressOf):
        if is_vector_type(_type(object_.place)) or _owns_pointer(_type(object_.place)):
            yield object_.place


def _written(stmt: ir.Stmt) -> Iterator[tuple[ir.Place, ir.Type]]:
    """The places that a statement fills, or that a call may fill; what is emptied again is not filled."""
    if isinstance(stmt, ir.Store):
        if not _is_nothing(stmt.value):
            yield stmt.place, _type(stmt.place)
    elif isinstance(stmt, ir.Atomic):
        yield stmt.place, _type(stmt.place)
    elif isinstance(stmt, ir.Unmodelled):
        yield from ((place, _type(place)) for place in stmt.writes)
    elif isinstance(stmt, ir.Call):
        for position, arg in enumerate(stmt.args):
            inner = _unconverted(arg)
            if isinstance(inner, ir.AddressOf) and position not in stmt.constant:
                type_ = _type(inner.place)
                if position or not (is_vector_type(type_) and _keeps_size(simple_name(stmt.function))):
                    yield inner.place, type_


def _keeps_size(method: str) -> bool:
    """`x.data()`, `x.begin()`: leaves the number of elements of a container and their place."""
    known = words()
    places = (known.data_methods, known.list_methods - {"emplace_back", "push_back"}, known.asking, known.keeping)
    return any(method in names for names in places)


def _is_sized(stmt: ir.Stmt, type_: ir.Type) -> bool:
    """`x_(n)` of a constructor, `x_.resize(n)`: the container of that type gets a size, or the owner of a pointer that one."""
    if isinstance(stmt, ir.Store):
        return _owns_pointer(type_)
    if not isinstance(stmt, ir.Call) or len(stmt.args) < 2:
        return False
    if _owns_pointer(type_):
        return is_constructor(stmt.function) or simple_name(stmt.function) in ("reset", "operator=")
    if not can_grow(type_):
        return False
    return is_constructor(stmt.function) or simple_name(stmt.function) == "resize"


def _owns_pointer(type_: ir.Type) -> bool:
    return isinstance(type_, ir.Struct | ir.Unknown) and last_name(type_.name) in words().pointer_classes


def _is_nothing(value: ir.Expr) -> bool:
    value = _unconverted(value)
    return isinstance(value, ir.Const) and not value.value


def _unconverted(expr: ir.Expr) -> ir.Expr:
    while isinstance(expr, ir.Cast | ir.Bitcast):
        expr = expr.operand
    return expr


def _held(place: ir.Place, local: set[str], linked: Linked) -> Held | None:
    """The variable or member that a place is, or lies in."""
    names: list[str] = []
    while isinstance(place, ir.Field | ir.Index):
        names = [place.name, *names] if isinstance(place, ir.Field) else []
        place = place.base
    if isinstance(place, ir.Variable):
        if place.var.name not in local and place.var.name in linked.globals:
            return Held("", ".".join((place.var.name, *names)))
        owner = class_of(place.var.type)
        return Held(owner, ".".join(names)) if owner and names else None
    owner = class_of(place.type)
    return Held(owner, ".".join(names)) if owner else None


def _type(place: ir.Place) -> ir.Type:
    return place.var.type if isinstance(place, ir.Variable) else place.type


def pointee(type_: ir.Type) -> ir.Type | None:
    return type_.element if isinstance(type_, ir.Pointer) else None


def class_of(type_: ir.Type | None) -> str:
    return type_.name if isinstance(type_, ir.Struct) else ""
