"""Which instances of a kernel stand for all of them."""

from __future__ import annotations

from collections.abc import Mapping

from cudalint import ir
from cudalint.contract import Contract
from cudalint.frontend.translate import KernelEntry
from cudalint.ir.walk import statements

MAX_INSTANCES = 3  # that stand for the others
MOST_INSTANCES = 6  # where they are easy
DEEPEST = 8  # calls
_ACCESSES = (ir.Load, ir.Store, ir.Atomic, ir.AsyncCopy, ir.Barrier, ir.Unmodelled)


def walked_instances(
    entry: KernelEntry, unit: ir.Unit, launches: Mapping[str, tuple[Contract, ...]], annotated: bool
) -> tuple[str, ...]:
    """All that are worth it, in an order in which the first few stand for the others.

    Where launches of some are known, of the others nobody knows how they are launched. Those that only say that there is no
    code for them come last.
    """
    launched = tuple(each for each in entry.functions if launches.get(each))
    chosen = (not annotated and launched) or entry.functions
    if len(chosen) <= MAX_INSTANCES:
        return chosen
    return tuple(sorted(chosen, key=lambda each: not _does_something(unit, each, DEEPEST)))


def _does_something(unit: ir.Unit, function: str, depth: int) -> bool:
    found = unit.functions.get(function)
    if found is None or depth == 0:
        return False
    for stmt in statements(found.body):
        if isinstance(stmt, _ACCESSES) or (
            isinstance(stmt, ir.Call) and _does_something(unit, stmt.function, depth - 1)
        ):
            return True
    return False
