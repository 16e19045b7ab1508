"""Launches that hand on the elements of a tensor as elements of another type than the way to them has settled.

    TORCH_CHECK(idx.scalar_type() == torch::kLong);  k<<<g, b>>>(reinterpret_cast<int *>(idx.data_ptr()))

Kernels that are templates are left out, and what memory may be packed into: bytes, words of 16 bits behind integers, vectors,
and types of one width, but for the two formats of 16 bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cudalint import ir
from cudalint.source import Span
from cudalint.symbolic.host.described import settled
from cudalint.symbolic.host.same import representatives
from cudalint.symbolic.host.text import plain
from cudalint.symbolic.host.values import Address, HostObject, Value
from cudalint.term import Number, Term, equal, is_number, number

_ITEMS: Mapping[int, ir.Int | ir.Float] = {  # of at::ScalarType, but for bytes, complex numbers and formats of 8 bits
    2: ir.Int(16, True), 3: ir.Int(32, True), 4: ir.Int(64, True), 5: ir.F16, 6: ir.F32, 7: ir.F64,
    15: ir.BF16, 27: ir.Int(16, False), 28: ir.Int(32, False), 29: ir.Int(64, False),
}  # fmt: skip
_NAMES = {"f16": "half", "bf16": "bfloat16", "f32": "float", "f64": "double"}
_WORD = 4  # bytes: narrower integers are parts of what is packed


@dataclass(frozen=True, slots=True)
class Retyped:
    """`of` holds elements of the type `held`, and the kernel's `parameter` points to those of the type `taken`.

    Of a number that is passed itself, there is no `of`.
    """

    span: Span
    function: str  # the host function whose text holds the launch
    kernel: str
    parameter: str
    of: str
    held: str
    taken: str


def retyped(
    stmt: ir.Launch, function: str, kernel: ir.Function, args: Sequence[Value], path: Sequence[Term]
) -> Iterator[Retyped]:
    """One for each such argument of the launch; of a template, one instance may stand for others of the dispatch."""
    if kernel.template_args:
        return
    parts: set[Term] | None = None
    for param, arg in zip(kernel.params, args):
        object_, type_ = _whole(arg), param.var.type
        taken = type_.element if isinstance(type_, ir.Pointer) else None
        if object_ is None or object_.item_type is None or not isinstance(taken, ir.Int | ir.Float):
            continue
        parts = settled(path) if parts is None else parts
        held = _held(object_.item_type, parts)
        if held is not None and _differ(held, taken):
            name = plain(object_.name)
            yield Retyped(stmt.span, function, kernel.name, f"`{param.var.name}`", name, _named(held), _named(taken))


def _whole(value: Value) -> HostObject | None:
    """The object that an argument is the beginning of."""
    whole = isinstance(value, Address) and is_number(value.offset, 0) and not value.fields
    return value.object if whole and isinstance(value, Address) else None


def _held(item_type: Term, parts: set[Term]) -> ir.Int | ir.Float | None:
    """The type of its elements, where checks, dispatches or what made it leave one."""
    for value, type_ in _ITEMS.items():
        if equal(item_type, number(value)) in parts:
            return type_
    known = item_type if isinstance(item_type, Number) else representatives(parts).get(item_type)
    return _ITEMS.get(known.value) if isinstance(known, Number) else None


def _differ(held: ir.Int | ir.Float, taken: ir.Int | ir.Float) -> bool:
    """Whether the one is no way to look at the other."""
    widths = ir.size_of(held) or 0, ir.size_of(taken) or 0
    if min(widths) < 2:
        return False
    if isinstance(held, ir.Float) and isinstance(taken, ir.Float):
        return held.format != taken.format
    return min(widths) >= _WORD and widths[0] != widths[1]


def _named(type_: ir.Int | ir.Float) -> str:
    if isinstance(type_, ir.Float):
        return _NAMES.get(type_.format, type_.format)
    return f"{'' if type_.signed else 'u'}int{type_.bits}"
