"""What a host function does itself with the memory behind its parameters, and the pointer that a place lies behind."""

from __future__ import annotations

from cudalint import ir
from cudalint.ir.walk import statements
from cudalint.symbolic.host.ways_out import WAITS_FOR_NOTHING


def touched_by(callee: ir.Function) -> dict[str, str]:
    """Pointer parameters that the function reads or writes through before any call that may wait."""
    names = {param.var.name: param.var.name for param in callee.params}
    found: dict[str, str] = {}
    for stmt in statements(callee.body):
        if isinstance(stmt, ir.Launch | ir.Unmodelled):
            break
        if isinstance(stmt, ir.Call) and stmt.function not in WAITS_FOR_NOTHING:
            break
        if isinstance(stmt, ir.Assign) and isinstance(stmt.value, ir.Var) and stmt.value.name in names:
            names[stmt.target.name] = names[stmt.value.name]
        if isinstance(stmt, ir.Load) and isinstance(stmt.place, ir.Variable) and stmt.place.var.name in names:
            names[stmt.target.name] = names[stmt.place.var.name]
        if isinstance(stmt, ir.Load | ir.Store):
            pointer = pointer_of(stmt.place)
            if isinstance(pointer, ir.Var) and pointer.name in names:
                found.setdefault(names[pointer.name], "reads" if isinstance(stmt, ir.Load) else "writes")
    return found


def pointer_of(place: ir.Place) -> ir.Expr | None:
    """The pointer that a place lies behind."""
    while isinstance(place, ir.Field | ir.Index):
        place = place.base
    return place.pointer if isinstance(place, ir.Element) else None
