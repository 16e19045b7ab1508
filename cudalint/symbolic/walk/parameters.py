"""The symbols that stand for a kernel's inputs: its parameters and the built-in variables of a launch.

Annotations, launch contracts and the symbolic thread must mean the same symbol by the same name: all make it here.
"""

from __future__ import annotations

import re

from cudalint import ir
from cudalint.symbolic.model import APPROXIMATE_PREFIX
from cudalint.term import Bound, Symbol, Term, apply, symbol

BLOCK_LIMITS = {"x": 1024, "y": 1024, "z": 64}
GRID_LIMITS = {"x": (1 << 31) - 1, "y": 65535, "z": 65535}
THREADS_PER_BLOCK = 1024

BUILTIN_RANGES: dict[str, tuple[int, int, str]] = {
    **{f"blockDim.{axis}": (1, limit, "launch") for axis, limit in BLOCK_LIMITS.items()},
    **{f"gridDim.{axis}": (1, limit, "launch") for axis, limit in GRID_LIMITS.items()},
    **{f"threadIdx.{axis}": (0, limit - 1, "thread") for axis, limit in BLOCK_LIMITS.items()},
    **{f"blockIdx.{axis}": (0, limit - 1, "block") for axis, limit in GRID_LIMITS.items()},
    "warpSize": (32, 32, "launch"),
    "laneid": (0, 31, "thread"),
    "warpid": (0, 31, "warp"),
}


def parameter_symbol(name: str, type_: ir.Type) -> Symbol:
    """The symbol of a scalar parameter, or of a field `p.n` of a by-value struct, with the range of its C type."""
    low, high = type_range(type_)
    return symbol(name, low, high)


def content_term(name: str, offset: Term, type_: ir.Int) -> Term:
    """What an array that nothing writes holds at a byte offset: equal places hold equal values."""
    low, high = ir.int_range(type_)
    return apply(f"mem:{name}", (offset,), low, high)


def type_range(type_: ir.Type) -> tuple[Bound, Bound]:
    """Smallest and largest value of a C type; a bool is 0 or 1, what is no integer has no bounds."""
    if isinstance(type_, ir.Bool):
        return 0, 1
    if isinstance(type_, ir.Int):
        return ir.int_range(type_)
    return None, None


def builtin_symbol(name: str) -> Symbol:
    """The symbol of `threadIdx.x` ... `gridDim.z`, `warpSize`, `laneid`, `warpid`; KeyError for another name."""
    low, high, scope = BUILTIN_RANGES[name]
    return symbol(name, low, high, scope)


def is_wide(param: ir.Param) -> bool:
    """Whether the parameter can tell a size that 32 bits do not hold."""
    type_ = param.var.type
    return type_.bits > 32 if isinstance(type_, ir.Int) else not isinstance(type_, ir.Bool | ir.Float | ir.Pointer)


_SIZE = "size: "  # what lowering says of the size of a type that it has guessed
_LARGEST_TYPE = 1 << 16
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]*|k[A-Z]\w*")


def absent_size(value: ir.Opaque) -> Term | None:
    """The size that is asked for of a type that nothing declares: one symbol for it in kernels and host code."""
    asked = value.reason.removeprefix(_SIZE)
    return None if value.args or asked == value.reason else symbol(asked, 1, _LARGEST_TYPE)


def absent_constant(value: ir.Opaque) -> Term | None:
    """A constant by its spelling that nothing declares: its value is nobody's, and one for all uses in host code.

    In a kernel it may be a macro that each thread reads otherwise, but for one that host code can name, too.
    """
    name = value.reason.removeprefix(ir.UNDECLARED)
    if value.args or name == value.reason or not _CONSTANT.fullmatch(name) or not isinstance(value.type, ir.Int):
        return None
    return symbol(f"{APPROXIMATE_PREFIX}{value.reason}", *type_range(value.type))


def size_of_absent(type_: ir.Type) -> Term:
    """The size of a type of which the code does not say it."""
    name = type_.name if isinstance(type_, ir.Struct | ir.Unknown) else str(type_)
    return symbol(f"sizeof({name})", 1, _LARGEST_TYPE)


def type_of_parameter(kernel: ir.Function, name: str) -> ir.Type | None:
    """The type of a parameter `n`, or of a member `list.count` of one; None where the kernel has no such name."""
    first, *members = name.split(".")
    type_: ir.Type | None = next((p.var.type for p in kernel.params if p.var.name == first), None)
    for member in members:
        owner = type_.element if isinstance(type_, ir.Pointer) else type_
        field = ir.field_of(owner, member) if owner is not None else None
        type_ = None if field is None else field.type
    return type_
