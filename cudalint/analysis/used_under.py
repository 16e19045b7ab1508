"""Under which conditions on the thread a register is used at all.

int begin = done[row];          every thread reads it, and the first one alone does anything with it:
if (threadIdx.x == 0)           who else reads it, and when, is of no consequence
    out[begin] = x;
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

from cudalint import ir
from cudalint.ir.walk import registers_read, statements, target

Guard: TypeAlias = tuple[
    ir.Expr, bool
]  # a condition made of parameters and places in the launch, and what it has to be
Guards: TypeAlias = frozenset[Guard]


def guards_of_uses(function: ir.Function) -> Mapping[str, Guards]:
    """For each register that is used under some such conditions only, those that all its uses share."""
    uses = _Uses(function)
    uses.visit(function.body, frozenset())
    shared = {name: uses.shared(name) for name in uses.found}
    return {name: guards for name, guards in shared.items() if guards}


class _Uses:
    def __init__(self, function: ir.Function) -> None:
        every = list(statements(function.body))
        written = Counter(var.name for stmt in every if (var := target(stmt)) is not None)
        self._fixed = {param.var.name for param in function.params if not written[param.var.name]}
        self._values = {
            stmt.target.name: stmt.value
            for stmt in every
            if isinstance(stmt, ir.Assign) and written[stmt.target.name] == 1
        }
        self.found: dict[str, list[tuple[Guards, str | None]]] = {}
        self._shared: dict[str, Guards] = {}

    def visit(self, body: tuple[ir.Stmt, ...], guards: Guards) -> None:
        """Note the uses in these statements, which are under the guards."""
        for stmt in body:
            following = stmt.target.name if isinstance(stmt, ir.Assign) else None
            for name in registers_read(stmt):
                self.found.setdefault(name, []).append((guards, following))
            if isinstance(stmt, ir.If):
                cond = self._made_of_fixed(stmt.cond)
                sides = [guards if cond is None else guards | {(cond, side)} for side in (True, False)]
                self.visit(stmt.then, sides[0])
                self.visit(stmt.orelse, sides[1])
                if _returns(stmt.then):
                    guards = sides[1]
                elif _returns(stmt.orelse):
                    guards = sides[0]
            elif isinstance(stmt, ir.Loop):
                self.visit((*stmt.pre, *stmt.body), guards)
                self.visit(stmt.step, guards)

    def shared(self, name: str) -> Guards:
        """What all uses are under; of a copy those of the copy count."""
        if name not in self._shared:
            self._shared[name] = frozenset()  # what goes around in a circle is used anywhere
            sets = [guards | (self.shared(copy) if copy else frozenset()) for guards, copy in self.found.get(name, ())]
            self._shared[name] = frozenset.intersection(*sets) if sets else frozenset()
        return self._shared[name]

    def _made_of_fixed(self, expr: ir.Expr, deep: int = 0) -> ir.Expr | None:
        """The condition in terms of parameters and places in the launch, which stay what they are."""
        match expr:
            case ir.Const() | ir.Builtin():
                return expr
            case ir.Var():
                if expr.name in self._fixed:
                    return expr
                value = self._values.get(expr.name)
                return None if value is None or deep > 8 else self._made_of_fixed(value, deep + 1)
            case ir.Unary() | ir.Cast():
                operand = self._made_of_fixed(expr.operand, deep)
                return None if operand is None else replace(expr, operand=operand)
            case ir.Binary():
                left, right = self._made_of_fixed(expr.left, deep), self._made_of_fixed(expr.right, deep)
                return None if left is None or right is None else replace(expr, left=left, right=right)
            case _:
                return None


def _returns(body: tuple[ir.Stmt, ...]) -> bool:
    return bool(body) and isinstance(body[-1], ir.Return)
