"""Loads and stores that are one update of an element, in statements of their own.

    float old = y[at[i]];  y[at[i]] = old + v;
    int old = table[h];  if (old == -1) table[h] = key;
    int slot = next[e];  sorted[slot] = i;  atomicAdd(&next[e], 1);

What is stored is what was loaded with something added or the larger of both, or a comparison of what was loaded decides whether
anything is stored. A value that is replaced otherwise (`m = 0.9f * m + g`) is a record that the thread may have of its own. What an
atomic counts on without asking for the old value was asked for before, where a store goes by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from cudalint import ir
from cudalint.ir.walk import evaluated, expressions, place_operands, statements
from cudalint.source import Span

SUMS = (ir.BinaryOp.ADD, ir.BinaryOp.SUBTRACT)
EXTREMES = ("min", "max")
COUNTS = ("add", "inc", "sub", "dec")


@lru_cache(maxsize=64)
def split_updates(kernel: ir.Function) -> frozenset[tuple[Span, Span]]:
    """The places of load and store, or atomic, of each of them; that both are of one element is not looked at."""
    values = _Values(kernel)
    return frozenset((*values.updates(kernel.body, frozenset()), *values.counted_on(kernel)))


class _Values:
    """Where the variables of a kernel have their values from."""

    def __init__(self, kernel: ir.Function) -> None:
        self.loads: dict[str, set[Span]] = {}
        self.assigned: dict[str, list[ir.Expr]] = {}
        for stmt in statements(kernel.body):
            if isinstance(stmt, ir.Load):
                self.loads.setdefault(stmt.target.name, set()).add(stmt.span)
            elif isinstance(stmt, ir.Assign):
                self.assigned.setdefault(stmt.target.name, []).append(stmt.value)

    def updates(self, body: tuple[ir.Stmt, ...], asked: frozenset[Span]) -> Iterator[tuple[Span, Span]]:
        """`asked`: the loads whose values decide that the body is run."""
        for stmt in body:
            if isinstance(stmt, ir.Store):
                for load in self._kept(stmt.value, frozenset()) | asked:
                    yield load, stmt.span
            elif isinstance(stmt, ir.If):
                decided = asked | self._loads_in(stmt.cond, frozenset())
                yield from self.updates(stmt.then, decided)
                yield from self.updates(stmt.orelse, decided)
            elif isinstance(stmt, ir.Loop):
                yield from self.updates(stmt.body, asked)

    def counted_on(self, kernel: ir.Function) -> Iterator[tuple[Span, Span]]:
        """Loads by which a store goes, and atomics that count without a use for the old value."""
        every = list(statements(kernel.body))
        operands = [each for s in every if isinstance(s, ir.Store) for each in place_operands(s.place)]
        loads = frozenset[Span]().union(*(self._loads_in(each, frozenset()) for each in operands))
        used = _names(part for stmt in every for part in evaluated(stmt))
        for stmt in every:
            unasked = isinstance(stmt, ir.Atomic) and (stmt.target is None or stmt.target.name not in used)
            if isinstance(stmt, ir.Atomic) and unasked and stmt.op in COUNTS:
                yield from ((load, stmt.span) for load in loads)

    def _kept(self, value: ir.Expr, seen: frozenset[str]) -> frozenset[Span]:
        """The loads whose values are a summand of the value, or one of those of which it is the extreme."""
        found: frozenset[Span] = frozenset()
        for part in _summands(value):
            if not isinstance(part, ir.Var) or part.name in seen:
                continue
            found |= self.loads.get(part.name, frozenset())
            begun = [each for each in self.assigned.get(part.name, ()) if part.name not in _names(_summands(each))]
            kept = [self._kept(each, seen | {part.name}) for each in begun]
            found |= frozenset.intersection(*kept) if kept else frozenset()
        return found

    def _loads_in(self, cond: ir.Expr, seen: frozenset[str]) -> frozenset[Span]:
        """The loads whose values the condition compares."""
        found: frozenset[Span] = frozenset()
        for name in _names(expressions(cond)) - seen:
            found |= self.loads.get(name, frozenset())
            for value in self.assigned.get(name, ()):
                found |= self._loads_in(value, seen | {name})
        return found


def _summands(value: ir.Expr) -> Iterator[ir.Expr]:
    if isinstance(value, ir.Cast):
        yield from _summands(value.operand)
    elif isinstance(value, ir.Binary) and value.op in SUMS:
        yield from _summands(value.left)
        yield from _summands(value.right) if value.op is ir.BinaryOp.ADD else ()
    elif isinstance(value, ir.Math) and value.name in EXTREMES:
        for each in value.args:
            yield from _summands(each)
    elif isinstance(value, ir.Math) and value.name == "fma":
        yield from _summands(value.args[-1])
    elif isinstance(value, ir.Select):
        yield from _summands(value.then)
        yield from _summands(value.orelse)
    else:
        yield value


def _names(values: Iterator[ir.Expr]) -> frozenset[str]:
    return frozenset(each.name for each in values if isinstance(each, ir.Var))
