"""Statements of host functions behind which not everybody goes on: calls that may end the program, and what leaves a block."""

from __future__ import annotations

from collections.abc import Iterable

from cudalint import ir
from cudalint.ir.walk import reached, statements
from cudalint.symbolic.host_vocabulary import words

_RUNTIME = ("cuda", "hip")
WAITS_FOR_NOTHING = ("printf", "fprintf", "puts", "cudaGetLastError", "cudaPeekAtLastError", "cudaGetErrorString",
                      "cudaEventRecord", "cudaEventCreate", "hipGetLastError")  # fmt: skip
_ENDS = (ir.Trap, ir.Unmodelled)
_LEAVES = (*_ENDS, ir.Return, ir.Break, ir.Continue)


def may_leave(stmts: Iterable[ir.Stmt], unit: ir.Unit) -> bool:
    """Whether one of the statements, or a function that it calls, may end the way: then the rest runs for the others alone."""
    for stmt in statements(stmts):
        if isinstance(stmt, _LEAVES):
            return True
        if isinstance(stmt, ir.Call) and not _goes_on(stmt.function):
            callee = unit.functions.get(stmt.function)
            if callee is None or any(isinstance(s, _ENDS) for f in reached(unit, callee) for s in statements(f.body)):
                return True
    return False


def _goes_on(name: str) -> bool:
    return bool(plain_name(name)) or name in words().frees or name in WAITS_FOR_NOTHING


def plain_name(name: str) -> str:
    """`Memcpy` of `cudaMemcpy`; nothing for what is no call of the runtime."""
    return next((name.removeprefix(prefix) for prefix in _RUNTIME if name.startswith(prefix)), "")
