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
    if not any(isinstance(stmt, ir.Launch) and not stmt.gives_status for stmt in statements):
        return
    asking = _Asking(unit)
    last = next((place for place in reversed(range(len(statements))) if asking.does(statements[place])), -1)
    for stmt in statements[last + 1 :]:
        if isinstance(stmt, ir.Launch) and not stmt.gives_status:
            yield stmt


def _flat(body: tuple[ir.Stmt, ...]) -> Iterator[ir.Stmt]:
    for stmt in body:
        yield stmt
        if isinstance(stmt, ir.If):
            yield from _flat(stmt.then)
            yield from _flat(stmt.orelse)
        elif isinstance(stmt, ir.Loop):
            yield from _flat((*stmt.pre, *stmt.body, *stmt.step))


class _Asking:
    """Which statements ask for a status. Each function of the unit is looked into once."""

    def __init__(self, unit: ir.Unit) -> None:
        self._unit = unit
        self._known: dict[str, bool] = {}

    def does(self, stmt: ir.Stmt) -> bool:
        if isinstance(stmt, ir.Unmodelled):
            return True  # it may ask: nothing is said of what is not understood
        return isinstance(stmt, ir.Call) and self._call(stmt.function)

    def _call(self, called: str) -> bool:
        """Whether the function or one that it reaches asks."""
        reached, seen = [called], {called}
        while reached:
            name = reached.pop()
            if self._known.get(name) or name.endswith(CHECKS):
                self._known[called] = True
                return True
            callee = self._unit.functions.get(name) if name not in self._known else None
            for stmt in _flat(callee.body) if callee is not None else ():
                if isinstance(stmt, ir.Unmodelled):
                    self._known[called] = True
                    return True
                if isinstance(stmt, ir.Call) and stmt.function not in seen:
                    seen.add(stmt.function)
                    reached.append(stmt.function)
        self._known |= dict.fromkeys(seen, False)  # nothing that they reach asks
        return False
