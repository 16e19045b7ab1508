"""What other functions have filled before one begins: members that a constructor allocates, variables that `prepare()` sets.

    Field(int n) : n_(n) { cudaMalloc(&x_, n * 4); }      void Field::run() { k<<<n_ / 256, 256>>>(x_, n_); }
    Layer(int n) : n_(n) { if (n % 32) throw ...; }      void Layer::run() { k<<<n_ / 32, 32>>>(y, n_); }
    Sum(int n) : n_(n), x_(n) {}  device_vector<int> x_;  void Sum::run() { k<<<n_ / 256, 256>>>(x_.data(), n_); }

A function that is walked as nobody's callee finds what the only function that fills a pointer, or makes a container of some
size, leaves in it, and numbers that a constructor checks. What others assign as well is taken as anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.ir.walk import statements
from cudalint.symbolic.host.cells import Cell
from cudalint.symbolic.host.evaluate import Frame
from cudalint.symbolic.host.linked import Linked, Node
from cudalint.symbolic.host.names import can_grow, is_constructor, simple_name
from cudalint.symbolic.host.sides import known_on_side, on_side, side_of_filled
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.values import APPROXIMATE, Address, HostObject, Value, addresses, is_vector_type
from cudalint.symbolic.host_vocabulary import words
from cudalint.term import FALSE, TRUE, Number, Term, is_number

if TYPE_CHECKING:
    from cudalint.symbolic.host.walk import Walk

MOST_PREPARING = 3
LONGEST_PREPARING = 2_000  # steps
_FARTHEST = 3
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


@dataclass(frozen=True, slots=True)
class Preparing:
    """A function that runs first: it gets the `parameter` of the one that follows, as its own parameter or its result."""

    node: Node
    own: int | None  # the position of the object among its parameters; None: the object is its result
    parameter: int | None
    owner: str  # the class of the object


@dataclass(slots=True)
class Uses:
    """What a function reads and writes of what outlives it."""

    reads: set[Held] = field(default_factory=set)
    writes: set[Held] = field(default_factory=set)
    memory: set[Held] = field(default_factory=set)  # of the writes: pointers, and containers that get a size
    checked: set[Held] = field(default_factory=set)  # of the writes: numbers of a constructor that checks some
    swapped: set[tuple[Held, Held]] = field(default_factory=set)  # pointers that exchange what they hold: no writes


class Filled:
    """Over all functions of a program."""

    def __init__(self, linked: Linked) -> None:
        self._linked = linked
        self._uses = {node: _uses(linked.function(node), linked) for node in linked.hosts()}
        self._callers: dict[Node, set[Node]] | None = None
        self._written: dict[Held, set[Node]] = {}
        made = Counter(owner for node in self._uses if (owner := _made_by(linked.function(node))))
        for uses in self._uses.values():
            uses.memory |= {
                held for held in uses.checked if made[held.owner] == 1
            }  # else it may be set later, by others
        for node, uses in self._uses.items():
            for held in uses.writes:
                self._written.setdefault(held, set()).add(node)

    def before(self, root: Node) -> tuple[Preparing, ...]:
        """The functions that fill what the root, or what it calls, reads without filling it; constructors first."""
        if not any(uses.memory for uses in self._uses.values()):
            return ()
        reached = self._linked.reached(root)
        reads = {held for node in reached if node in self._uses for held in self._uses[node].reads}
        found: dict[tuple[Node, int | None], Preparing] = {}
        for held in sorted(self._filled_once(reads, reached), key=lambda h: (h.owner, h.path)):
            (node,) = self._writers(held)
            for given in self._given(self._outermost(node, held, root, reached), held, root):
                if root not in self._linked.reached(given.node):
                    found.setdefault((given.node, given.parameter), given)
        order = sorted(
            found.values(), key=lambda p: (not _constructs(self._linked.function(p.node)), p.node, p.parameter or 0)
        )
        return tuple(order[:MOST_PREPARING])

    def assigned_elsewhere(self, preparing: tuple[Preparing, ...]) -> frozenset[Held]:
        """What functions assign that are no part of what runs first."""
        inside = {node for each in preparing for node in self._linked.reached(each.node)}
        return frozenset(held for node, uses in self._uses.items() if node not in inside for held in uses.writes)

    def exchanged(self) -> set[tuple[Held, Held]]:
        """Pairs of places that exchange what they hold in some function."""
        return {pair for uses in self._uses.values() for pair in uses.swapped}

    def _filled_once(self, reads: set[Held], reached: set[Node]) -> Iterator[Held]:
        for held in {h for uses in self._uses.values() for h in uses.memory}:
            writers = self._writers(held)
            if len(writers) == 1 and not writers & reached and not reads.isdisjoint(held.holders()):
                yield held

    def _writers(self, held: Held) -> set[Node]:
        return set().union(*(self._written.get(holder, ()) for holder in held.holders()))

    def _outermost(self, node: Node, held: Held, root: Node, reached: set[Node]) -> Node:
        """Who alone calls the function for the same object: a constructor that calls `init()`."""
        for _ in range(_FARTHEST):
            callers = self._called_by(node) - {node}
            (caller,) = callers if len(callers) == 1 else (None,)
            if caller is None or caller in reached or not self._given(caller, held, root):
                break
            if root in self._linked.reached(caller):
                break
            node = caller
        return node

    def _called_by(self, node: Node) -> set[Node]:
        if self._callers is None:
            self._callers = {}
            for caller in self._uses:
                for callee in self._linked.calls(caller):
                    self._callers.setdefault(callee, set()).add(caller)
        return self._callers.get(node, set())

    def _given(self, node: Node, held: Held, root: Node) -> list[Preparing]:
        """How a function that fills a place gets the objects that the root gets; nothing where it gets others."""
        function = self._linked.function(node)
        if not held.owner:
            return [Preparing(node, None, None, "")]
        own = _objects(function, held.owner)
        makes = isinstance(function.result, ir.Pointer) and _class(function.result.element) == held.owner
        if len(own) > 1 or not (own or makes):
            return []
        parameters = _objects(self._linked.function(root), held.owner)
        return [Preparing(node, own[0] if own else None, each, held.owner) for each in parameters]


def prepared(
    walk: Walk, filled: Filled, given: list[Value], state: State, frame: Frame
) -> tuple[list[Value], list[str]]:
    """The arguments of a root after what runs before it has filled members and variables, and the names of what has."""
    preparing = filled.before((frame.unit, walk.root.id))
    owners = {object_: ("", name) for name, object_ in walk.evaluator.globals.items()}
    before, names = dict(state.cells), dict[str, None]()
    for each in preparing:
        function = walk.linked.function(each.node)
        of = f"{walk.root.params[each.parameter].var.name}." if each.parameter else ""
        labels = [f"{simple_name(function.name)}:{of}{p.var.name}" for p in function.params]
        args = [walk.world.unknown(label, p.var.type) for label, p in zip(labels, function.params)]
        if each.own is not None and each.parameter is not None:
            args[each.own] = given[each.parameter]
        walk.world.preparing = True
        earlier, result = state.copy(), walk.tried(each.node, args, state, frame, LONGEST_PREPARING)
        walk.world.preparing = False
        if result is None:
            continue
        names[function.name] = None
        if each.parameter is not None:
            held = given[each.parameter] = given[each.parameter] if each.own is not None else result
            owners |= {a.object: (each.owner, "") for a in addresses(held) if a.object is not None}
        _restore_lost(owners, earlier, state)
        _take_filled(earlier, state)
    for cell in [c for c, content in state.cells.items() if before.get(c) != content and _is_placeholder(c, content)]:
        del state.cells[cell]
    if names:
        unlike = _unlike(filled.exchanged(), owners, state)
        _forget_assigned(filled.assigned_elsewhere(preparing) | unlike, owners, state)
        walk.start_anew()
    return given, list(names)


def _take_filled(earlier: State, state: State) -> None:
    """It has come to its end: where it fails half-way, what it should have filled is used by nobody."""
    changed = {cell: content for cell, content in state.cells.items() if earlier.cells.get(cell) != content}
    for side in dict.fromkeys(side for _, value in changed.values() if (side := side_of_filled(value)) is not None):
        state.path = tuple(replace(c, term=known_on_side(c.term, side)) for c in state.path)
        state.assume(side, "lasting")
        for cell in changed:
            type_, value = state.cells[cell]
            state.cells[cell] = type_, on_side(value, side)


def _restore_lost(owners: Iterable[HostObject], earlier: State, state: State) -> None:
    """What the function before has handed to somebody is as its root finds it: chosen by others, not lost."""
    for object_ in owners:
        version = earlier.versions.get(object_, "")
        if state.versions.get(object_, "").startswith(APPROXIMATE) and not version.startswith(APPROXIMATE):
            state.versions[object_] = version
            for cell in state.cells.of(object_):
                del state.cells[cell]
            for cell in earlier.cells.of(object_):
                state.cells[cell] = earlier.cells[cell]


def _forget_assigned(assigned: frozenset[Held], owners: dict[HostObject, tuple[str, str]], state: State) -> None:
    """Between what runs first and the root, others may have run that assign these."""
    paths = {held.path for held in assigned if held.owner}
    for object_, fields, offset in list(state.cells):
        owner, name = owners.get(object_, (None, ""))
        path = ".".join((name, *fields) if name else fields)
        if path in paths if owner is None else Held(owner, path) in assigned:
            del state.cells[object_, fields, offset]


def _unlike(pairs: set[tuple[Held, Held]], owners: dict[HostObject, tuple[str, str]], state: State) -> frozenset[Held]:
    """Of pointers that exchange what they hold, those that do not begin with allocations of one size."""
    sizes: dict[Held, set[Term | None]] = {}
    for object_, fields, offset in state.cells:
        owner, name = owners.get(object_, ("", ""))
        held = Held(owner, ".".join((name, *fields) if name else fields))
        if any(held in pair for pair in pairs):
            sizes.setdefault(held, set()).add(_whole_size(state.cells[object_, fields, offset][1]))
    alike = {
        pair
        for pair in pairs
        if len(both := sizes.get(pair[0], {None}) | sizes.get(pair[1], {None})) == 1 and None not in both
    }
    return frozenset(held for pair in pairs - alike for held in pair)


def _whole_size(value: Value) -> Term | None:
    """The bytes of the allocation at whose beginning a pointer is."""
    if not isinstance(value, Address) or value.object is None or not is_number(value.offset, 0):
        return None
    return value.object.size if value.object.kind == "allocation" else None


def _is_placeholder(cell: Cell, content: tuple[ir.Type, Value]) -> bool:
    """What stands there until somebody fills it, who may not be in sight: null, 0, -1, false."""
    value = content[1]
    if isinstance(value, Number):
        return value.value in (-1, 0, 1) and cell[1][-1:] not in (("x",), ("y",), ("z",))
    return value is TRUE or value is FALSE or any(address.object is None for address in addresses(value))


def _constructs(function: ir.Function) -> bool:
    parts = function.name.split("::")
    return len(parts) > 1 and parts[-1] == parts[-2]


def _made_by(function: ir.Function) -> str:
    """The class of the objects that a constructor makes of anything but another one."""
    owner = _class(_pointee(function.params[0].var.type)) if function.params and _constructs(function) else ""
    return owner if owner and len(_objects(function, owner)) == 1 else ""


def _is_check(stmt: ir.Stmt) -> bool:
    """Nobody has an object for which it does not hold: `if (size % 32) throw ...;`"""
    ends = (*stmt.then, *stmt.orelse) if isinstance(stmt, ir.If) else ()
    return isinstance(stmt, ir.Check) or any(
        isinstance(end, ir.Trap) or (isinstance(end, ir.Call) and simple_name(end.function) in words().no_return)
        for end in ends
    )


def _objects(function: ir.Function, owner: str) -> list[int]:
    """The parameters that are objects of a class."""
    return [i for i, p in enumerate(function.params) if _class(_pointee(p.var.type)) == owner]


def _uses(function: ir.Function, linked: Linked) -> Uses:
    found, local = Uses(), {p.var.name for p in function.params}
    local |= {stmt.var.name for stmt in statements(function.body) if isinstance(stmt, ir.Declare)}
    checks = _constructs(function) and any(map(_is_check, statements(function.body)))
    pairs = {o for p in function.params if (o := _class(_pointee(p.var.type))) and len(_objects(function, o)) > 1}

    exchanged = _exchanged(function, local, linked)
    found.swapped |= exchanged
    for stmt in statements(function.body):
        found.reads.update(h for place in _read(stmt) if (h := _held(place, local, linked)) is not None)
        for place, type_ in _written(stmt):
            held = _held(place, local, linked)
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


def _exchanged(function: ir.Function, local: set[str], linked: Linked) -> set[tuple[Held, Held]]:
    """`std::swap(now_, next_)`, `float *t = now_; now_ = next_; next_ = t;`, where the function does nothing else to the two."""
    loaded: dict[str, set[Held]] = {}
    written: dict[Held, set[Held | None]] = {}  # and what each gets: another's content, or anything
    for stmt in statements(function.body):
        if isinstance(stmt, ir.Load) and isinstance(stmt.target.type, ir.Pointer):
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
        if is_vector_type(_type(object_.place)):
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
    """`x_(n)` of a constructor, `x_.resize(n)`: the container of that type gets a size."""
    if not isinstance(stmt, ir.Call) or not can_grow(type_) or len(stmt.args) < 2:
        return False
    return is_constructor(stmt.function) or simple_name(stmt.function) == "resize"


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
        owner = _class(place.var.type)
        return Held(owner, ".".join(names)) if owner and names else None
    owner = _class(place.type)
    return Held(owner, ".".join(names)) if owner else None


def _type(place: ir.Place) -> ir.Type:
    return place.var.type if isinstance(place, ir.Variable) else place.type


def _pointee(type_: ir.Type) -> ir.Type | None:
    return type_.element if isinstance(type_, ir.Pointer) else None


def _class(type_: ir.Type | None) -> str:
    return type_.name if isinstance(type_, ir.Struct) else ""
