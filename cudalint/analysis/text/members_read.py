"""The members of structs that a kernel reads, it and the device functions beside it.

A launch that passes a struct passes all of it; what the host code keeps there for itself says nothing to the kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cudalint import ir
from cudalint.ir.walk import evaluated, operands, place_operands, places, root, statements, subexpressions


def names_read(names: Iterable[str], unit: ir.Unit, kernel: ir.Function) -> frozenset[str]:
    """Those of the arguments, and of the members of structs among them (`x.sizes_[0]`), that the kernel may read."""
    known: dict[str, frozenset[str] | None] = {}
    found: set[str] = set()
    for name in names:
        parameter, _, member = name.partition(".")
        if member and parameter not in known:
            own = _members_read_of(parameter, unit, kernel)
            known[parameter] = own if own is not None else _members_read(unit, kernel)
        read = known[parameter] if member else None
        if read is None or member.rpartition(".")[2].partition("[")[0] in read:
            found.add(name)
    return frozenset(found)


def _members_read(unit: ir.Unit, kernel: ir.Function) -> frozenset[str] | None:
    """Their names; None where something is not understood that may read any."""
    device = [f for f in unit.functions.values() if f.role is ir.Role.DEVICE]
    found: set[str] = set()
    for stmt in (each for function in (kernel, *device) for each in statements(function.body)):
        if isinstance(stmt, ir.Unmodelled):
            return None
        found.update(name for place in places(stmt) for name in _members(place))
        found.update(name for expr in evaluated(stmt) for name in _named(expr))
    return frozenset(found)


def _members_read_of(parameter: str, unit: ir.Unit, kernel: ir.Function) -> frozenset[str] | None:
    """Those of one struct that the kernel takes: by itself, or by the functions that it hands the struct to.

    None where the struct goes on to somewhere else.
    """
    found: set[str] = set()
    handed: set[str] = set()
    for stmt in statements(kernel.body):
        if isinstance(stmt, ir.Unmodelled):
            return None
        for place in places(stmt):
            if _is_of(place, parameter):
                found.update(_members(place))
        given = [a for a in operands(stmt) if isinstance(stmt, ir.Call) and _is_whole(a, parameter)]
        if given and isinstance(stmt, ir.Call):
            handed.add(stmt.function)
        inside = [e for e in operands(stmt) if e not in given]
        inside += [e for place in places(stmt) for e in place_operands(place)]
        for expr in inside:
            names = _members_in(expr, parameter)
            if names is None:
                return None
            found |= names
    behind = _members_behind(handed, unit)
    return None if behind is None else frozenset(found | behind)


def _members_behind(called: set[str], unit: ir.Unit) -> set[str] | None:
    """The members that these functions read, and all that they call, of whatever object."""
    found: set[str] = set()
    open_, known = list(called), set(called)
    while open_:
        function = unit.functions.get(open_.pop())
        if function is None:
            return None
        for stmt in statements(function.body):
            if isinstance(stmt, ir.Unmodelled):
                return None
            found.update(name for place in places(stmt) for name in _members(place))
            found.update(name for expr in evaluated(stmt) for name in _named(expr))
            if isinstance(stmt, ir.Call) and stmt.function not in known:
                known.add(stmt.function)
                open_.append(stmt.function)
    return found


def _members_in(expr: ir.Expr, parameter: str) -> set[str] | None:
    """Those of the parameter that the expression names; None where it takes the struct as a whole."""
    if _is_whole(expr, parameter):
        return None
    if isinstance(expr, ir.Extract):
        names = {expr.field}
        value = expr.value
        while isinstance(value, ir.Extract):
            names.add(value.field)
            value = value.value
        if isinstance(value, ir.Var) and value.name == parameter:
            return names
    found: set[str] = set()
    if isinstance(expr, ir.AddressOf) and _is_of(expr.place, parameter):
        found.update(_members(expr.place))
    for each in subexpressions(expr):
        names_of = _members_in(each, parameter)
        if names_of is None:
            return None
        found |= names_of
    return found


def _is_whole(expr: ir.Expr, parameter: str) -> bool:
    if isinstance(expr, ir.AddressOf):
        return isinstance(expr.place, ir.Variable) and expr.place.var.name == parameter
    return isinstance(expr, ir.Var) and expr.name == parameter


def _is_of(place: ir.Place, parameter: str) -> bool:
    variable = root(place)
    return variable is not None and variable.name == parameter


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
