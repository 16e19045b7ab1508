"""What a kernel takes the memory behind an untyped pointer for: `const void *data` that it reads as an array of blocks."""

from __future__ import annotations

from cudalint import ir
from cudalint.ir.walk import evaluated, statements


def pointees(kernel: ir.Function) -> dict[str, ir.Type]:
    """The first type of a known size that the kernel itself casts each of its untyped pointers to."""
    untyped = {p.var.name for p in kernel.params if p.var.type == ir.Pointer(ir.VOID)}
    found: dict[str, ir.Type] = {}
    for stmt in statements(kernel.body) if untyped else ():
        for part in evaluated(stmt):
            if not isinstance(part, ir.Bitcast) or not isinstance(part.operand, ir.Var):
                continue
            name, type_ = part.operand.name, part.type
            if name in untyped and isinstance(type_, ir.Pointer) and ir.size_of(type_.element):
                found.setdefault(name, type_.element)
    return found
