"""Whether anything may raise or ask for the limit of dynamic shared memory: an attribute, or a function that is given a kernel."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from cudalint import ir
from cudalint.ir.walk import expressions, statements

_SETS = re.compile(
    r"FuncSetAttribute|setAttribute\b|MaxDynamicSharedMemorySize|MAX_DYNAMIC_SHARED_SIZE_BYTES|sharedMemPerBlock|MaxSharedMemoryPerBlock"
)


def raises_limits(unit: ir.Unit, text: Mapping[str, Sequence[str]]) -> bool:
    """An attribute in the text or behind a call, a kernel as an argument of a call, or host code that was not understood."""
    if any(mentions_limits(line) for lines in text.values() for line in lines):
        return True
    hosts = (function for function in unit.functions.values() if function.role is ir.Role.HOST)
    return any(_may_raise(stmt, unit) for function in hosts for stmt in statements(function.body))


def mentions_limits(text: str) -> bool:
    """Whether a text names such an attribute."""
    return _SETS.search(text) is not None


def sets_limits(unit: ir.Unit) -> bool:
    """A call of host code that by its name sets one."""
    hosts = (function for function in unit.functions.values() if function.role is ir.Role.HOST)
    calls = (stmt for function in hosts for stmt in statements(function.body) if isinstance(stmt, ir.Call))
    return any(mentions_limits(call.function) for call in calls)


def _may_raise(stmt: ir.Stmt, unit: ir.Unit) -> bool:
    if isinstance(stmt, ir.Unmodelled):
        return True
    if not isinstance(stmt, ir.Call):
        return False
    return mentions_limits(stmt.function) or any(_is_kernel(arg, unit) for arg in stmt.args)


def _is_kernel(arg: ir.Expr, unit: ir.Unit) -> bool:
    for expr in expressions(arg):
        if isinstance(expr, ir.FunctionRef):
            function = unit.functions.get(expr.function)
            if function is None or function.role is ir.Role.KERNEL:
                return True
    return False
