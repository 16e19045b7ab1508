"""Runs that ask only who meets whom go on past what is not understood; what rests on it is named, and nobody takes it for shown.

    Unmodelled("cub::BlockScan::ExclusiveSum", writes=rank)  s[rank] = x  t[tid] = y   ->   Barrier  s[rank] = x  t[tid] = y

A statement that may synchronise is a barrier, since a race that only its lack of order makes is none to report; where not all
threads may come to it, it stays and ends the run. Variables keep what they hold; `s[rank]` is unsettled: nobody knows which
element a thread takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from cudalint import ir
from cudalint.ir.walk import expressions, operands, place_operands, places, root, statements, target
from cudalint.source import Span

_OF_BLOCK = re.compile(r"cub::Block")
_OF_WARP = re.compile(r"cub::Warp")
_MAY_ORDER = re.compile(r"sync|barrier|block|reduce|scan|wait|arrive|group", re.IGNORECASE)
_OWN = ("threadIdx", "laneid", "warpid")
Name = tuple[str, str]  # function, variable


@dataclass(frozen=True, slots=True)
class Passed:
    """The unit without holes in what the kernel reaches.

    `unsettled` are accesses of which nobody knows where they are or who makes them; `waits` are barriers in the places of holes.
    """

    unit: ir.Unit
    unsettled: frozenset[Span] = frozenset()
    waits: frozenset[Span] = frozenset()

    def leaves_open(self, places: Iterable[Span]) -> bool:
        """Nobody knows where one of these accesses is, or who makes it."""
        return not self.unsettled.isdisjoint(places)

    def may_order(self, places: Iterable[Span]) -> bool:
        """One of them is a hole."""
        return not self.waits.isdisjoint(places)


def pass_holes(unit: ir.Unit, kernel: str) -> Passed:
    """The same unit where the kernel comes to no hole."""
    reached = [unit.functions[name] for name in _reached(unit, kernel)]
    holes = [stmt for function in reached for stmt in statements(function.body) if _is_hole(stmt, unit)]
    if not holes:
        return Passed(unit)
    unsettled = frozenset(_Spread(unit, reached).accesses())
    parted = _Spread(unit, reached, of_threads=True).parted()
    changed = {f.id: replace(f, body=_without_holes(f.body, unit, parted)) for f in reached}
    made = replace(unit, functions=unit.functions | changed)
    return Passed(made, unsettled, frozenset(hole.span for hole in holes) - parted)


def _reached(unit: ir.Unit, kernel: str) -> Iterator[str]:
    seen, waiting = {kernel}, [kernel]
    while waiting:
        name = waiting.pop()
        yield name
        called = (s.function for s in statements(unit.functions[name].body) if isinstance(s, ir.Call))
        waiting += [each for each in dict.fromkeys(called) if each in unit.functions and each not in seen]
        seen.update(waiting)


def _is_hole(stmt: ir.Stmt, unit: ir.Unit) -> bool:
    if isinstance(stmt, ir.Unmodelled):
        return stmt.reason != ir.ADDRESS_AS_NUMBER
    return isinstance(stmt, ir.Call) and stmt.function not in unit.functions


def _without_holes(body: tuple[ir.Stmt, ...], unit: ir.Unit, parted: frozenset[Span]) -> tuple[ir.Stmt, ...]:
    return tuple(made for stmt in body for made in _passed(stmt, unit, parted))


def _passed(stmt: ir.Stmt, unit: ir.Unit, parted: frozenset[Span]) -> tuple[ir.Stmt, ...]:
    if isinstance(stmt, ir.If):
        then, orelse = (_without_holes(part, unit, parted) for part in (stmt.then, stmt.orelse))
        return (replace(stmt, then=then, orelse=orelse),)
    if isinstance(stmt, ir.Loop):
        pre, step, inner = (_without_holes(part, unit, parted) for part in (stmt.pre, stmt.step, stmt.body))
        return (replace(stmt, pre=pre, step=step, body=inner),)
    if not isinstance(stmt, ir.Unmodelled | ir.Call) or not _is_hole(stmt, unit):
        return (stmt,)
    name = stmt.reason if isinstance(stmt, ir.Unmodelled) else stmt.function
    if _OF_WARP.match(name):
        return (ir.Barrier(ir.Scope.WARP, stmt.span),)
    may_order = stmt.may_sync if isinstance(stmt, ir.Unmodelled) else _MAY_ORDER.search(name) is not None
    if not may_order and not _OF_BLOCK.match(name):
        return ()
    return (stmt,) if stmt.span in parted else (ir.Barrier(ir.Scope.BLOCK, stmt.span),)


@dataclass(slots=True)
class _Spread:
    """Which variables hold, or point to, what a hole made, whatever way the program goes.

    `of_threads`: what a thread's own number or memory made, too, so that threads may differ in it.
    """

    unit: ir.Unit
    functions: list[ir.Function]
    of_threads: bool = False
    values: set[Name] = field(default_factory=set)
    memory: set[Name] = field(default_factory=set)
    _around: list[str] = field(default_factory=list)  # calls that the walk is inside of

    def accesses(self) -> Iterator[Span]:
        """Where an address rests on a hole, or whether a thread comes there."""
        self._spread()
        for function in self.functions:
            yield from self._unsettled(function, function.body, False)

    def parted(self) -> frozenset[Span]:
        """The holes to which not all threads may come together."""
        self._spread()
        found: set[Span] = set()
        for function in self.functions:
            self._find_parted(function, function.body, False, found)
        return frozenset(found)

    def _spread(self) -> None:
        """Until nothing is added: what is left out would be taken for settled."""
        while True:
            before = len(self.values), len(self.memory)
            for function in self.functions:
                self._block(function, function.body, False)
            if before == (len(self.values), len(self.memory)):
                return

    # --- spreading ----------------------------------------------------------------------------------------------------

    def _block(self, function: ir.Function, body: Iterable[ir.Stmt], guarded: bool) -> None:
        for stmt in body:
            match stmt:
                case ir.If():
                    inside = guarded or self._rests(function, (stmt.cond,))
                    self._block(function, (*stmt.then, *stmt.orelse), inside)
                case ir.Loop():
                    inside = guarded or self._rests(function, (stmt.cond,)) or self._is_left(function, stmt.body)
                    self._block(function, (*stmt.pre, *stmt.body, *stmt.step), inside)
                case _:
                    self._simple(function, stmt, guarded)

    def _simple(self, function: ir.Function, stmt: ir.Stmt, guarded: bool) -> None:
        rests = guarded or self._rests(function, operands(stmt))
        if isinstance(stmt, ir.Call) and stmt.function in self.unit.functions:
            rests = guarded or self._called(function, stmt)
        elif _is_hole(stmt, self.unit) or (self.of_threads and isinstance(stmt, ir.Warp | ir.Atomic)):
            rests = True
        if isinstance(stmt, ir.Load):
            held = root(stmt.place)
            rests = rests or self.of_threads or self._is_unsettled(function, stmt.place)
            rests = rests or (held is not None and (function.id, held.name) in self.memory)
            rests = rests or any((function.id, name) in self.memory for name in _bases(place_operands(stmt.place)))
        made = target(stmt)
        if rests and made is not None:
            self.values.add((function.id, made.name))
        if rests and not isinstance(stmt, ir.Load):
            for place in places(stmt):
                self._spoil(function, place)
        if isinstance(stmt, ir.Call) and stmt.function not in self.unit.functions:
            self.memory |= {(function.id, name) for name in _bases(stmt.args)}

    def _spoil(self, function: ir.Function, place: ir.Place) -> None:
        held = root(place)
        if isinstance(place, ir.Variable):
            self.values.add((function.id, place.var.name))
        names = [held.name] if held is not None else _bases(place_operands(place))
        self.memory |= {(function.id, name) for name in names}

    def _called(self, function: ir.Function, call: ir.Call) -> bool:
        """Whether the result rests on a hole; parameters take what they are given, and give back what they point to."""
        callee = self.unit.functions[call.function]
        for param, arg in zip(callee.params, call.args):
            inner, bases = (callee.id, param.var.name), [(function.id, name) for name in _bases((arg,))]
            if self._rests(function, (arg,)):
                self.values.add(inner)
            if any(base in self.memory for base in bases):
                self.memory.add(inner)
            if inner in self.memory:
                self.memory.update(bases)
        results = [s.value for s in statements(callee.body) if isinstance(s, ir.Return) and s.value is not None]
        return self._rests(callee, results)

    def _rests(self, function: ir.Function, exprs: Iterable[ir.Expr]) -> bool:
        return any(
            (isinstance(part, ir.Var) and (function.id, part.name) in self.values)
            or (isinstance(part, ir.Opaque) and isinstance(part.type, ir.Int | ir.Bool))
            or (self.of_threads and isinstance(part, ir.Builtin) and part.name.startswith(_OWN))
            for expr in exprs
            for part in expressions(expr)
        )

    def _is_left(self, function: ir.Function, body: Iterable[ir.Stmt]) -> bool:
        """A thread goes on elsewhere because of what a hole made."""
        return any(
            isinstance(stmt, ir.If)
            and self._rests(function, (stmt.cond,))
            and any(isinstance(s, ir.Return | ir.Break | ir.Continue) for s in statements((stmt,)))
            for stmt in statements(body)
        )

    # --- what is said of accesses -----------------------------------------------------------------------------------------

    def _is_unsettled(self, function: ir.Function, place: ir.Place) -> bool:
        return self._rests(function, place_operands(place))

    def _unsettled(self, function: ir.Function, body: Iterable[ir.Stmt], guarded: bool) -> Iterator[Span]:
        for stmt in body:
            match stmt:
                case ir.If():
                    inside = guarded or self._rests(function, (stmt.cond,))
                    yield from self._unsettled(function, (*stmt.then, *stmt.orelse), inside)
                    guarded = guarded or (inside and self._is_left(function, (stmt,)))
                case ir.Loop():
                    inside = guarded or self._rests(function, (stmt.cond,)) or self._is_left(function, stmt.body)
                    yield from self._unsettled(function, (*stmt.pre, *stmt.body, *stmt.step), inside)
                case ir.Load() | ir.Store() | ir.Atomic():
                    if guarded or self._is_unsettled(function, stmt.place):
                        yield stmt.span
                case ir.AsyncCopy():
                    if guarded or self._rests(function, (stmt.destination, stmt.source)):
                        yield stmt.span
                case ir.Call() if (
                    guarded and stmt.function in self.unit.functions and stmt.function not in self._around
                ):
                    callee = self.unit.functions[stmt.function]
                    self._around.append(stmt.function)
                    yield from self._unsettled(callee, callee.body, True)
                    self._around.pop()
                case _:
                    pass

    def _find_parted(self, function: ir.Function, body: Iterable[ir.Stmt], guarded: bool, found: set[Span]) -> None:
        for stmt in body:
            if isinstance(stmt, ir.If | ir.Loop):
                inside = guarded or self._rests(function, (stmt.cond,))
                inner = (*stmt.then, *stmt.orelse) if isinstance(stmt, ir.If) else (*stmt.pre, *stmt.body, *stmt.step)
                inside = inside or (isinstance(stmt, ir.Loop) and self._is_left(function, stmt.body))
                self._find_parted(function, inner, inside, found)
            elif guarded and _is_hole(stmt, self.unit):
                found.add(stmt.span)
            elif guarded and isinstance(stmt, ir.Call) and stmt.function not in self._around:
                callee = self.unit.functions[stmt.function]
                self._around.append(stmt.function)
                self._find_parted(callee, callee.body, True, found)
                self._around.pop()


def _bases(exprs: Iterable[ir.Expr]) -> list[str]:
    """The variables that addresses start from."""
    found: list[str] = []
    for expr in exprs:
        for part in expressions(expr):
            if isinstance(part, ir.Var) and isinstance(part.type, ir.Pointer):
                found.append(part.name)
            if isinstance(part, ir.AddressOf) and (held := root(part.place)) is not None:
                found.append(held.name)
    return found
