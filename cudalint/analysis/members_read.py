"""The members of structs that a kernel reads, it and the device functions beside it.

A launch that passes a struct passes all of it; what the host code keeps there for itself says nothing to the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint import ir
from cudalint.ir.walk import evaluated, places, statements


def members_read(unit: ir.Unit, kernel: ir.Function) -> frozenset[str] | None:
    """Their names; None where something is not understood that may read any."""
    device = [f for f in unit.functions.values() if f.role is ir.Role.DEVICE]
    found: set[str] = set()
    for stmt in (each for function in (kernel, *device) for each in statements(function.body)):
        if isinstance(stmt, ir.Unmodelled):
            return None
        found.update(name for place in places(stmt) for name in _members(place))
        found.update(name for expr in evaluated(stmt) for name in _named(expr))
    return frozenset(found)


def _named(expr: ir.Expr) -> Iterator[str]:
    if isinstance(expr, ir.Extract):
        yield expr.field
    elif isinstance(expr, ir.AddressOf):
        yield from _members(expr.place)


def _members(place: ir.Place) -> Iterator[str]:
    """Those on the way to a place; one that an address leads on to may be any behind it, and has a name there."""
    while isinstance(place, ir.Field | ir.Index):
        if isinstance(place, ir.Field):
            yield place.name
        place = place.base
