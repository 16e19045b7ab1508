"""Branches ask what their tests stand for, however they are written.

    inside = i < n;  if (inside) ...      ->   if (i < n) ...
    if (i >= n) {} else ...               ->   if (i < n) ...

A test is put in place of its name only where nothing that it reads is written in between, so that a branch takes the same way.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from cudalint.ir import nodes as ir
from cudalint.ir.types import Bool, Int
from cudalint.ir.walk import blocks, expressions, statements, target, written_itself

Tests = dict[str, ir.Expr]
_NEGATED = {
    ir.BinaryOp.LESS: ir.BinaryOp.GREATER_EQUAL,
    ir.BinaryOp.LESS_EQUAL: ir.BinaryOp.GREATER,
    ir.BinaryOp.GREATER: ir.BinaryOp.LESS_EQUAL,
    ir.BinaryOp.GREATER_EQUAL: ir.BinaryOp.LESS,
    ir.BinaryOp.EQUAL: ir.BinaryOp.NOT_EQUAL,
    ir.BinaryOp.NOT_EQUAL: ir.BinaryOp.EQUAL,
}
_JOINED = {
    ir.BinaryOp.LOGICAL_AND: ir.BinaryOp.LOGICAL_OR,
    ir.BinaryOp.LOGICAL_OR: ir.BinaryOp.LOGICAL_AND,
}


def with_plain_tests(body: tuple[ir.Stmt, ...]) -> tuple[ir.Stmt, ...]:
    """The statements of a function; the same ones where nothing is asked by a name or in an empty branch."""
    if not any(isinstance(stmt, ir.If) for stmt in body) and not any(isinstance(s, ir.If) for s in statements(body)):
        return body
    times = Counter(var.name for stmt in statements(body) if (var := target(stmt)) is not None)
    return _Writer(times).block(body, {})


class _Writer:
    """Writes the statements of a function in which variables are assigned so many `times`."""

    def __init__(self, times: Counter[str]) -> None:
        self._times = times
        self._changed: dict[int, frozenset[str]] = {}  # by a statement: a chain of branches asks each of its parts

    def block(self, body: tuple[ir.Stmt, ...], known: Tests) -> tuple[ir.Stmt, ...]:
        made: list[ir.Stmt] = []
        for stmt in body:
            inside = self._unchanged(known, stmt)
            made.append(self._with_tests(stmt, known, inside))
            known = inside
            if isinstance(stmt, ir.Assign) and self._times[stmt.target.name] == 1 and _is_test(stmt):
                known = {**known, stmt.target.name: stmt.value}
        same = all(new is old for new, old in zip(made, body, strict=True))
        return body if same else tuple(made)

    def _unchanged(self, known: Tests, stmt: ir.Stmt) -> Tests:
        changed = self._written(stmt) if known else None
        if not changed:
            return known
        return {
            name: test
            for name, test in known.items()
            if name not in changed and not any(isinstance(e, ir.Var) and e.name in changed for e in expressions(test))
        }

    def _written(self, stmt: ir.Stmt) -> frozenset[str]:
        inner = blocks(stmt)
        if not inner:
            return frozenset(written_itself(stmt))
        if id(stmt) not in self._changed:
            parts = (self._written(each) for part in inner for each in part)
            self._changed[id(stmt)] = frozenset(written_itself(stmt)).union(*parts)
        return self._changed[id(stmt)]

    def _with_tests(self, stmt: ir.Stmt, before: Tests, inside: Tests) -> ir.Stmt:
        if isinstance(stmt, ir.Loop):
            parts = [self.block(part, inside) for part in (stmt.pre, stmt.step, stmt.body)]
            same = all(new is old for new, old in zip(parts, (stmt.pre, stmt.step, stmt.body), strict=True))
            return stmt if same else replace(stmt, pre=parts[0], step=parts[1], body=parts[2])
        if not isinstance(stmt, ir.If):
            return stmt
        cond = _asked(stmt.cond, before)
        then, orelse = self.block(stmt.then, inside), self.block(stmt.orelse, inside)
        if not then and orelse:
            cond, then, orelse = _negated(cond), orelse, then
        same = cond is stmt.cond and then is stmt.then and orelse is stmt.orelse
        return stmt if same else replace(stmt, cond=cond, then=then, orelse=orelse)


def _is_test(stmt: ir.Assign) -> bool:
    value = stmt.value
    while isinstance(value, ir.Cast):
        value = value.operand
    return isinstance(stmt.target.type, Bool) and isinstance(value, ir.Binary) and value.op in (*_NEGATED, *_JOINED)


def _asked(cond: ir.Expr, known: Tests) -> ir.Expr:
    """With what the names in it stand for."""
    if not known:
        return cond
    if isinstance(cond, ir.Var):
        return known.get(cond.name, cond)
    if isinstance(cond, ir.Cast) or (isinstance(cond, ir.Unary) and cond.op is ir.UnaryOp.LOGICAL_NOT):
        inner = _asked(cond.operand, known)
        return cond if inner is cond.operand else replace(cond, operand=inner)
    if isinstance(cond, ir.Binary) and cond.op in _JOINED:
        left, right = _asked(cond.left, known), _asked(cond.right, known)
        return cond if left is cond.left and right is cond.right else replace(cond, left=left, right=right)
    return cond


def _negated(cond: ir.Expr) -> ir.Expr:
    """The opposite; of numbers with a fraction, which may be none, by a negation."""
    if isinstance(cond, ir.Unary) and cond.op is ir.UnaryOp.LOGICAL_NOT:
        return cond.operand
    if isinstance(cond, ir.Binary) and cond.op in _JOINED:
        return replace(cond, op=_JOINED[cond.op], left=_negated(cond.left), right=_negated(cond.right))
    if isinstance(cond, ir.Binary) and cond.op in _NEGATED and _is_whole(cond.left) and _is_whole(cond.right):
        return replace(cond, op=_NEGATED[cond.op])
    return ir.Unary(ir.UnaryOp.LOGICAL_NOT, cond, Bool())


def _is_whole(expr: ir.Expr) -> bool:
    return isinstance(expr.type, Int | Bool)
