"""Guards that the numbers of a launch settle: with 1000 elements and 256 threads, `if (i < n)` holds for all of them.

The path does not show such a condition; that the launch was meant for more threads does (`lost_work`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.ir import BinaryOp
from cudalint.ir.walk import expressions, statements, target
from cudalint.term import Number, Term, add, ideal, interval, number, subtract

if TYPE_CHECKING:
    from cudalint.symbolic.walk.execute import Frame, Walk
    from cudalint.symbolic.walk.state import State

_NEGATED = {
    BinaryOp.LESS: BinaryOp.GREATER_EQUAL,
    BinaryOp.LESS_EQUAL: BinaryOp.GREATER,
    BinaryOp.GREATER: BinaryOp.LESS_EQUAL,
    BinaryOp.GREATER_EQUAL: BinaryOp.LESS,
}


@dataclass(frozen=True, slots=True)
class SettledGuard:
    """`difference <= 0` for every thread, asked before the steps of the walk from `first` to `last` (None: to the end)."""

    difference: Term
    first: int
    last: int | None

    def covers(self, serial: int) -> bool:
        return self.first <= serial and (self.last is None or serial <= self.last)


def sizes_given(kernel: ir.Function) -> frozenset[str]:
    """Integers that the kernel is given, and what it makes of them alone."""
    sizes = {param.var.name for param in kernel.params if isinstance(param.var.type, ir.Int)}
    spoiled: set[str] = set()
    for stmt in statements(kernel.body):
        var = target(stmt)
        if var is None:
            continue
        made = isinstance(stmt, ir.Assign) and _is_size(stmt.value, sizes)
        (sizes if made else spoiled).add(var.name)
    return frozenset(sizes - spoiled)


def settled_parts(stmt: ir.If, walk: Walk, state: State, frame: Frame) -> list[Term]:
    """The differences of the comparisons with a size that nothing but numbers of this launch decide."""
    return [d for place, size, closed in _asked(stmt) for d in _settled(place, size, closed, walk, state, frame)]


def leaves_kernel(stmt: ir.If) -> bool:
    return bool(stmt.then) and isinstance(stmt.then[-1], ir.Return) and not stmt.orelse


def _settled(place: ir.Expr, size: ir.Expr, closed: bool, walk: Walk, state: State, frame: Frame) -> Iterator[Term]:
    if not _is_size(size, walk.sizes) or _is_size(place, walk.sizes):
        return
    bound = walk.evaluator.integer(size, state, frame)
    if isinstance(bound, Number):
        reached = ideal(walk.evaluator.integer(place, state, frame))
        difference = add(subtract(reached, bound), number(0 if closed else 1))
        _, high = interval(difference)
        if high is not None and high <= 0:
            yield difference


def _asked(stmt: ir.If) -> Iterator[tuple[ir.Expr, ir.Expr, bool]]:
    """(place, size, whether the place may be the size) of each comparison that has to hold to go on."""
    leaving = leaves_kernel(stmt)
    for part in _joined(stmt.cond, BinaryOp.LOGICAL_OR if leaving else BinaryOp.LOGICAL_AND):
        if not isinstance(part, ir.Binary) or part.op not in _NEGATED:
            continue
        op = _NEGATED[part.op] if leaving else part.op
        closed = op in (BinaryOp.LESS_EQUAL, BinaryOp.GREATER_EQUAL)
        below = op in (BinaryOp.LESS, BinaryOp.LESS_EQUAL)
        yield (part.left, part.right, closed) if below else (part.right, part.left, closed)


def _joined(cond: ir.Expr, op: BinaryOp) -> Iterator[ir.Expr]:
    while isinstance(cond, ir.Cast):
        cond = cond.operand
    if isinstance(cond, ir.Binary) and cond.op is op:
        yield from _joined(cond.left, op)
        yield from _joined(cond.right, op)
    else:
        yield cond


def _is_size(expr: ir.Expr, sizes: set[str] | frozenset[str]) -> bool:
    parts = list(expressions(expr))
    names = {part.name for part in parts if isinstance(part, ir.Var)}
    plain = all(isinstance(part, ir.Var | ir.Const | ir.Binary | ir.Unary | ir.Cast) for part in parts)
    return bool(names) and plain and names <= sizes
