"""Buffers that a launch has to write as a whole: an annotation calls them outputs, and the kernel only ever stores through them.

What an operator's schema says is written may be written in parts, by several kernels.
"""

from __future__ import annotations

from cudalint import ir
from cudalint.confirm.emulate.run import Argument, PointerTo
from cudalint.contract import Contract, Origin, Output
from cudalint.ir.walk import expressions, operands, registers_read, statements


def whole_outputs(kernel: ir.Function, contract: Contract, args: tuple[Argument, ...]) -> list[str]:
    """Names of the buffers; one that is read, handed on or passed twice is not among them: its old contents may be needed."""
    promised = (fact for fact in contract.facts if fact.origin is Origin.ANNOTATION)
    outputs = {fact.what.pointer for fact in promised if isinstance(fact.what, Output)}
    passed = [arg.buffer for arg in args if isinstance(arg, PointerTo)]
    return sorted(
        arg.buffer
        for arg, param in zip(args, kernel.params)
        if isinstance(arg, PointerTo) and arg.buffer is not None and arg.offset == 0
        if param.var.name in outputs and passed.count(arg.buffer) == 1 and _is_only_stored_to(kernel, param.var.name)
    )


def _is_only_stored_to(kernel: ir.Function, name: str) -> bool:
    uses = [stmt for stmt in statements(kernel.body) if name in registers_read(stmt)]
    return bool(uses) and all(isinstance(stmt, ir.Store) and not _is_in_value(stmt, name) for stmt in uses)


def _is_in_value(stmt: ir.Store, name: str) -> bool:
    return any(isinstance(part, ir.Var) and part.name == name for expr in operands(stmt) for part in expressions(expr))
