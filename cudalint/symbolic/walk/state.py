"""The state of the symbolic thread at one point, and how two states become one where branches join."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cudalint import ir
from cudalint.symbolic.model import Address, Aggregate, BarrierPoint, Conjunct, Either, MemoryObject, Path, Value
from cudalint.symbolic.walk.flights import Queue
from cudalint.symbolic.walk.members import Places, merge_places
from cudalint.term import FALSE, TRUE, Symbol, Term, choice, conjunction, disjunction, is_truth, negation

Cell = tuple[MemoryObject, int]
Epoch = tuple[str, tuple[Term, ...]]
MOST_QUEUES = 8
LONGEST_NAME = 80  # of an interval: that of two others doubles with each branch
Phases = tuple[tuple[BarrierPoint, Term], ...]


@dataclass(slots=True)
class State:
    """`registers` by frame-qualified name; `cells` hold what is known of thread-private memory by byte offset.

    `live` is the condition, relative to the path, under which the thread is still here (FALSE: nobody is).
    `stale` says where objects were written since the last barrier: what is loaded there is no function of the interval.
    """

    registers: dict[str, Value] = field(default_factory=dict)
    cells: dict[Cell, tuple[ir.Type, Value]] = field(default_factory=dict)
    path: Path = ()
    phases: Phases = ()
    epoch: Epoch = ("0", ())
    stale: Mapping[MemoryObject, frozenset[Places]] = field(default_factory=dict)
    dead: bool = False
    grid_phases: Phases = ()  # as `phases`, of barriers of the whole grid
    flights: tuple[Queue, ...] = ()  # asynchronous copies under way, one queue for each way on which they differ
    arrived: int | None = None  # accesses of the walk when the thread arrived at a barrier that it has not waited at
    left_by: str = "branch"  # of a dead state: exit where the thread has left the kernel

    def copy(self) -> State:
        made = State(dict(self.registers), dict(self.cells), self.path, self.phases, self.epoch)
        made.stale, made.dead, made.left_by = self.stale, self.dead, self.left_by
        made.grid_phases, made.flights, made.arrived = self.grid_phases, self.flights, self.arrived
        return made

    def assume(self, cond: Term, cause: str) -> None:
        if cond is TRUE:
            return
        if cond is FALSE:
            self.dead = True
        self.path = (*self.path, Conjunct(cond, cause))

    def note_written(self, found: MemoryObject, places: Places) -> None:
        self.stale = merge_places(self.stale, {found: frozenset((places,))})

    def condition(self) -> Term:
        return conjunction(*(c.term for c in self.path))

    def adopt(self, other: State) -> None:
        """Become the other state in place."""
        for name in State.__slots__:
            setattr(self, name, getattr(other, name))


def merge_values(cond: Term, a: Value | None, b: Value | None, fresh: Symbol) -> Value | None:
    """The value after a join: `a` where `cond` holds, else `b`; `fresh` where the two cannot be combined."""
    if a is b or b is None:
        return a
    if a is None:
        return b
    if isinstance(a, Term) and isinstance(b, Term):
        if is_truth(a) != is_truth(b):
            return fresh
        return choice(cond, a, b)
    if isinstance(a, Address) and isinstance(b, Address) and a.object is b.object:
        return Address(a.object, choice(cond, a.offset, b.offset))
    if isinstance(a, Address | Either) and isinstance(b, Address | Either):
        return a if a == b else Either(cond, a, b)
    if isinstance(a, Aggregate) and isinstance(b, Aggregate) and a.leaves.keys() == b.leaves.keys():
        leaves: dict[int, tuple[ir.Type, Value]] = {}
        for offset, (type_, left) in a.leaves.items():
            merged = merge_values(cond, left, b.leaves[offset][1], fresh)
            assert merged is not None
            leaves[offset] = (type_, merged)
        return Aggregate(a.type, leaves)
    return fresh


def join(cond: Term, then: State, orelse: State, base: State, fresh: Symbol) -> State:
    """The state behind `if (cond) then else orelse`, both walked from `base`."""
    if then.dead and orelse.dead:
        result = base.copy()
        result.dead = True
        result.left_by = "exit" if then.left_by == orelse.left_by == "exit" else "branch"
        return result
    if then.dead or orelse.dead:
        alive, gone = (orelse, then) if then.dead else (then, orelse)
        return _with_exit_causes(alive, base) if gone.left_by == "exit" else alive
    result = base.copy()
    for name in [*then.registers, *(n for n in orelse.registers if n not in then.registers)]:
        merged = merge_values(cond, then.registers.get(name), orelse.registers.get(name), fresh)
        if merged is not None:
            result.registers[name] = merged
    result.cells = _merge_cells(cond, then, orelse, fresh)
    result.path = _merge_paths(cond, then, orelse, base)
    result.phases = _merge_phases(cond, then.phases, orelse.phases)
    result.grid_phases = _merge_phases(cond, then.grid_phases, orelse.grid_phases)
    result.epoch = _merge_epochs(then.epoch, orelse.epoch)
    result.flights = _merge_flights(cond, then.flights, orelse.flights)
    result.arrived = then.arrived if then.arrived == orelse.arrived else None
    result.stale = merge_places(then.stale, orelse.stale)
    return result


def _merge_flights(cond: Term, then: tuple[Queue, ...], orelse: tuple[Queue, ...]) -> tuple[Queue, ...]:
    """What may be under way behind a join; where there are too many ways nobody knows."""
    if then == orelse:
        return then
    both = [queue for queue in then if queue in orelse]
    sides = [(cond, q) for q in then or (Queue(),) if q not in both]
    sides += [(negation(cond), q) for q in orelse or (Queue(),) if q not in both]
    if len(both) + len(sides) > MOST_QUEUES:
        return (Queue(lost=True),)
    return (*both, *(replace(q, path=(*q.path, Conjunct(side, "branch"))) for side, q in sides))


def _merge_epochs(then: Epoch, orelse: Epoch) -> Epoch:
    """The interval behind one of two: its name says which, and which rounds are whose, at a length that stays short."""
    if then == orelse:
        return then
    both = (*then[1], *orelse[1])
    rounds = tuple(dict.fromkeys(both))
    name = "{" + then[0] + "|" + orelse[0] + "}"
    if len(rounds) < len(both):
        name += "~" + ",".join(str(rounds.index(each)) for each in both)
    if len(name) > LONGEST_NAME:
        name = "{" + hashlib.sha256(name.encode()).hexdigest() + "}"
    return name, rounds


def _with_exit_causes(alive: State, base: State) -> State:
    """The other side has left: from here its conditions say who is still here."""
    kept = alive.path[: len(base.path)]
    rest = tuple(Conjunct(c.term, "exit" if c.cause == "branch" else c.cause) for c in alive.path[len(base.path) :])
    alive.path = kept + rest
    return alive


def _merge_cells(cond: Term, then: State, orelse: State, fresh: Symbol) -> dict[Cell, tuple[ir.Type, Value]]:
    cells: dict[Cell, tuple[ir.Type, Value]] = {}
    for cell, (type_, value) in then.cells.items():
        other = orelse.cells.get(cell)
        if other is None or other[0] != type_:
            continue
        merged = merge_values(cond, value, other[1], fresh)
        if merged is not None and merged is not fresh:
            cells[cell] = (type_, merged)
    return cells


def _merge_paths(cond: Term, then: State, orelse: State, base: State) -> Path:
    """What both sides know beyond the base: conditions of early exits and checks, guarded by the side they came from."""
    start = len(base.path)
    left = _grouped(then.path[start + 1 :])  # the first is the branch itself
    right = _grouped(orelse.path[start + 1 :])
    merged: list[Conjunct] = []
    for cause in sorted({*left, *right}):
        term = conjunction(
            disjunction(negation(cond), left.get(cause, TRUE)), disjunction(cond, right.get(cause, TRUE))
        )
        if term is not TRUE:
            merged.append(Conjunct(term, cause))
    return base.path + tuple(merged)


def _grouped(path: Path) -> dict[str, Term]:
    groups: dict[str, Term] = {}
    for conjunct in path:
        groups[conjunct.cause] = conjunction(groups.get(conjunct.cause, TRUE), conjunct.term)
    return groups


def _merge_phases(cond: Term, then: Phases, orelse: Phases) -> Phases:
    if then == orelse:
        return then
    merged: dict[BarrierPoint, Term] = {}
    for phases, side in ((then, cond), (orelse, negation(cond))):
        for point, term in phases:
            merged[point] = disjunction(merged.get(point, FALSE), conjunction(side, term))
    return tuple(merged.items())
