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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.symbolic.host.cells import Cell
from cudalint.symbolic.host.evaluate import Frame
from cudalint.symbolic.host.linked import Linked, Node
from cudalint.symbolic.host.names import simple_name
from cudalint.symbolic.host.outliving import (
    Held,
    Uses,
    bases_of,
    class_of,
    constructs,
    made_by,
    pointee,
    uses_of,
)
from cudalint.symbolic.host.sides import known_on_side, on_side, sides_of_filled
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.values import APPROXIMATE, Address, HostObject, Value, addresses
from cudalint.symbolic.model import LOOSELY_KNOWN
from cudalint.term import FALSE, TRUE, Flag, Number, Symbol, Term, is_number

if TYPE_CHECKING:
    from cudalint.symbolic.host.walk import Walk

MOST_PREPARING = 3
LONGEST_PREPARING = 2_000  # steps
_FARTHEST = 3


@dataclass(frozen=True, slots=True)
class Preparing:
    """A function that runs first: it gets the `parameter` of the one that follows, as its own parameter or its result."""

    node: Node
    own: int | None  # the position of the object among its parameters; None: the object is its result
    parameter: int | None
    owner: str  # the class of the object


class Filled:
    """Over all functions of a program."""

    def __init__(self, linked: Linked) -> None:
        self._linked = linked
        self._bases = bases_of([linked.function(node) for node in linked.hosts()])
        self._uses = {node: self._settled(uses_of(linked.function(node), linked)) for node in linked.hosts()}
        self._callers: dict[Node, set[Node]] | None = None
        self._written: dict[Held, set[Node]] = {}
        made = Counter(owner for node in self._uses if (owner := made_by(linked.function(node))))
        for uses in self._uses.values():
            uses.memory |= {
                held for held in uses.checked if made[held.owner] == 1
            }  # else it may be set later, by others
        for _ in range(_FARTHEST):
            self._pass_on()
        for node, uses in self._uses.items():
            for held in uses.writes:
                self._written.setdefault(held, set()).add(node)

    def _pass_on(self) -> None:
        """Who has a member filled by a function fills what that fills: `buffer_.allocate(n)` the memory `buffer_.data`."""
        for node, uses in self._uses.items():
            for held, name, call in uses.handed:
                callee = self._linked.callee(call.function, call.args, node[0])
                filled = self._uses[callee].memory if callee in self._uses else set[Held]()
                inside = {Held(held.owner, f"{held.path}.{each.path}") for each in filled if each.owner == name}
                uses.memory |= {self.member(each) for each in inside}

    def _settled(self, uses: Uses) -> Uses:
        for found in (uses.reads, uses.writes, uses.memory, uses.checked):
            own = {self.member(held) for held in found}
            found.clear()
            found.update(own)
        uses.swapped = {(self.member(a), self.member(b)) for a, b in uses.swapped}
        return uses

    def member(self, held: Held) -> Held:
        """The same place as a member of the class that declares it, which others derive from."""
        head = held.path.partition(".")[0]
        for base, members in self._bases.get(held.owner, {}).items():
            if head in members:
                return self.member(Held(base, held.path))
        return held

    def _objects(self, function: ir.Function, owner: str) -> list[int]:
        """The parameters that are objects of a class, or of one that derives from it."""
        return [i for i, p in enumerate(function.params) if self._is_a(class_of(pointee(p.var.type)), owner)]

    def _is_a(self, name: str, owner: str) -> bool:
        return name == owner or any(self._is_a(base, owner) for base in self._bases.get(name, ()))

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
            found.values(), key=lambda p: (not constructs(self._linked.function(p.node)), p.node, p.parameter or 0)
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
        own = self._objects(function, held.owner)
        makes = held.owner in (class_of(pointee(function.result)), class_of(function.result))
        if len(own) > 1 or not (own or makes):
            return []
        parameters = self._objects(self._linked.function(root), held.owner)
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
            if each.own is None and isinstance(
                function.result, ir.Struct
            ):  # it is given by value, and got by reference
                walk.store(given[each.parameter], function.result, result, state)
            elif each.own is None:
                given[each.parameter] = result
            owner = class_of(pointee(walk.root.params[each.parameter].var.type))
            owners |= {a.object: (owner, "") for a in addresses(given[each.parameter]) if a.object is not None}
        _restore_lost(owners, earlier, state)
        _take_filled(earlier, state)
    for cell in [c for c, content in state.cells.items() if before.get(c) != content and _is_placeholder(c, content)]:
        del state.cells[cell]
    if names:
        unlike = _unlike(filled, owners, state)
        _forget_assigned(filled, filled.assigned_elsewhere(preparing) | unlike, owners, state)
        walk.start_anew()
    return given, list(names)


def _take_filled(earlier: State, state: State) -> None:
    """It has come to its end: where it fails half-way, what it should have filled is used by nobody."""
    changed = {cell: content for cell, content in state.cells.items() if earlier.cells.get(cell) != content}
    for side in dict.fromkeys(side for _, value in changed.values() for side in sides_of_filled(value)):
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


def _forget_assigned(
    filled: Filled, assigned: frozenset[Held], owners: dict[HostObject, tuple[str, str]], state: State
) -> None:
    """Between what runs first and the root, others may have run that assign these."""
    paths = {held.path for held in assigned if held.owner}
    for object_, fields, offset in list(state.cells):
        owner, name = owners.get(object_, (None, ""))
        path = ".".join((name, *fields) if name else fields)
        if is_loose(state.cells[object_, fields, offset][1]):
            continue  # any number already, and the one that sizes were made of
        if path in paths if owner is None else not assigned.isdisjoint(filled.member(Held(owner, path)).holders()):
            del state.cells[object_, fields, offset]


def _unlike(filled: Filled, owners: dict[HostObject, tuple[str, str]], state: State) -> frozenset[Held]:
    """Of pointers that exchange what they hold, those that do not begin with allocations of one size."""
    pairs = filled.exchanged()
    sizes: dict[Held, set[Term | None]] = {}
    for object_, fields, offset in state.cells:
        owner, name = owners.get(object_, ("", ""))
        place = filled.member(Held(owner, ".".join((name, *fields) if name else fields)))
        for held in (each for each in place.holders() if any(each in pair for pair in pairs)):
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


def is_loose(value: Value) -> bool:
    return isinstance(value, Symbol | Flag) and str(value.parts[0]).endswith(LOOSELY_KNOWN)


def is_first_value(address: Address, type_: ir.Type, value: Value) -> bool:
    """A member begins with 0, 1, -1 or false, until somebody sets it, who may not be in sight: it is taken for any number.

    What is made of it while the object is prepared is made of the same number: `cudaMalloc(&x_, (n_ + 2 * halo_) * 4)`.
    """
    return isinstance(type_, ir.Int | ir.Bool) and bool(address.fields) and _is_small(address.fields[-1], value)


def first_value_name(place: str, value: Value) -> str:
    """`this.halo_=1~`: the name of the number, which says what it begins with."""
    first = value.value if isinstance(value, Number) else int(value is TRUE)
    return f"{place}={first}{LOOSELY_KNOWN}"


def _is_small(member: str, value: Value) -> bool:
    if isinstance(value, Number):
        return value.value in (-1, 0, 1) and member not in ("x", "y", "z")
    return value is TRUE or value is FALSE


def _is_placeholder(cell: Cell, content: tuple[ir.Type, Value]) -> bool:
    """What stands there until somebody fills it, who may not be in sight: null, and a number or false outside of objects."""
    value = content[1]
    return _is_small("".join(cell[1][-1:]), value) or any(address.object is None for address in addresses(value))
