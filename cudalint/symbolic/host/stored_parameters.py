"""Which of its pointers a kernel itself stores through.

__global__ void find(const int *a, int *found) { ... *found = i; }      ->  {1}
"""

from __future__ import annotations

from cudalint import ir
from cudalint.ir.walk import statements


def stored_parameters(kernel: ir.Function) -> frozenset[int]:
    """Places in the list of parameters."""
    names = {param.var.name: place for place, param in enumerate(kernel.params)}
    found: set[int] = set()
    for stmt in statements(kernel.body):
        if isinstance(stmt, ir.Assign) and (source := _base(stmt.value)) in names:
            names[stmt.target.name] = names[source]
        if isinstance(stmt, ir.Load) and isinstance(stmt.place, ir.Variable) and stmt.place.var.name in names:
            names[stmt.target.name] = names[stmt.place.var.name]
        if isinstance(stmt, ir.Store | ir.Atomic) and (pointer := _pointer(stmt.place)) in names:
            found.add(names[pointer])
    return frozenset(found)


def _pointer(place: ir.Place) -> str:
    """The variable that a place lies behind."""
    while isinstance(place, ir.Field | ir.Index):
        place = place.base
    return _base(place.pointer) if isinstance(place, ir.Element) else ""


def _base(expr: ir.Expr) -> str:
    while isinstance(expr, ir.Cast | ir.Bitcast | ir.Offset):
        expr = expr.pointer if isinstance(expr, ir.Offset) else expr.operand
    return expr.name if isinstance(expr, ir.Var) else ""
