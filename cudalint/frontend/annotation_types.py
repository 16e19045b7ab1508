"""The structures that a kernel names, for annotations that speak of them: `view(x) = block_q4_0[n]`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cudalint import ir
from cudalint.ir.walk import evaluated, statements


def named_types(kernel: ir.Function) -> Mapping[str, ir.Type]:
    """Structures of the kernel's parameters, variables and casts by name, with and without their namespace."""
    found: dict[str, ir.Type] = {}
    for type_ in _types(kernel):
        while isinstance(type_, ir.Pointer | ir.Array):
            type_ = type_.element
        if isinstance(type_, ir.Struct):
            found.setdefault(type_.name, type_)
            found.setdefault(type_.name.rsplit("::", 1)[-1], type_)
    return found


def _types(kernel: ir.Function) -> Iterator[ir.Type]:
    yield from (param.var.type for param in kernel.params)
    for stmt in statements(kernel.body):
        if isinstance(stmt, ir.Declare):
            yield stmt.var.type
        for expr in evaluated(stmt):
            if isinstance(expr, ir.Cast | ir.Bitcast):
                yield expr.type
