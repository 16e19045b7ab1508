"""Launches whose status nobody asks for on the way to the end of the host function."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint import ir

CHECKS = (
    "GetLastError",
    "PeekAtLastError",
    "DeviceSynchronize",
    "StreamSynchronize",
    "EventSynchronize",
    "ThreadSynchronize",
)


def unchecked_launches(function: ir.Function, unit: ir.Unit) -> Iterator[ir.Launch]:
    """Launches after which the function neither asks for the last error nor waits with a status, directly or in a callee."""
    statements = list(_flat(function.body))
    for position, stmt in enumerate(statements):
        if not isinstance(stmt, ir.Launch) or stmt.gives_status:
            continue
        if not any(_asks(later, unit, frozenset()) for later in statements[position + 1 :]):
            yield stmt


def _flat(body: tuple[ir.Stmt, ...]) -> Iterator[ir.Stmt]:
    for stmt in body:
        yield stmt
        if isinstance(stmt, ir.If):
            yield from _flat(stmt.then)
            yield from _flat(stmt.orelse)
        elif isinstance(stmt, ir.Loop):
            yield from _flat((*stmt.pre, *stmt.body, *stmt.step))


def _asks(stmt: ir.Stmt, unit: ir.Unit, seen: frozenset[str]) -> bool:
    if isinstance(stmt, ir.Unmodelled):
        return True  # it may ask: nothing is said of what is not understood
    if not isinstance(stmt, ir.Call):
        return False
    if any(stmt.function.endswith(check) for check in CHECKS):
        return True
    callee = unit.functions.get(stmt.function)
    if callee is None or stmt.function in seen:
        return False
    return any(_asks(inner, unit, seen | {stmt.function}) for inner in _flat(callee.body))
