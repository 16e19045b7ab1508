"""Types of the elements of tensors: what the options of a creation say, and how many bytes each has.

torch::empty(x.sizes(), x.options().dtype(torch::kFloat))      kFloat, whatever x holds
torch::empty_like(x), x.new_zeros(n)                           the type of x
x.to(torch::kInt)                                              kInt
"""

from __future__ import annotations

from collections.abc import Sequence

from cudalint import ir
from cudalint.symbolic.host.names import pointee_of
from cudalint.symbolic.host.same import representatives
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.values import Address, Record, Tensor, Value
from cudalint.symbolic.host_vocabulary import words
from cudalint.symbolic.walk import integers
from cudalint.term import All, Choice, IsZero, Number, Sum, Symbol, Term, choice, equal, number, symbol

_OPTIONS, _DEVICE = "TensorOptions", "Device"
_TYPE_BITS = 8  # at::ScalarType; no other argument of a conversion has as few


def item_type(tensor: Tensor) -> Term:
    """The at::ScalarType of a tensor."""
    return symbol(f"{tensor.name}.scalar_type()", 0, 127) if tensor.scalar_type is None else tensor.scalar_type


def item_bytes(tensor: Tensor) -> Term:
    """The bytes of one element of a tensor."""
    known = None if tensor.scalar_type is None else bytes_of_type(tensor.scalar_type)
    return _named_bytes(tensor.name) if known is None else known


def _named_bytes(tensor: str) -> Term:
    return symbol(f"{tensor}.element_size()", 1, 16)


def bytes_of_type(type_: Term) -> Term | None:
    """The bytes of an element of an at::ScalarType that is a number, or one of two."""
    if isinstance(type_, Number) and str(type_.value) in words().item_bytes:
        return number(words().item_bytes[str(type_.value)])
    if isinstance(type_, Choice):
        cond, then, orelse = type_.parts
        widths = bytes_of_type(then), bytes_of_type(orelse)
        return None if None in widths else choice(cond, *widths)  # type: ignore[arg-type]
    return None


def bytes_of_elements(path: Sequence[Term], type_: Term) -> Term | None:
    """The bytes of an element where the type is known, or the conditions fix it."""
    if (known_bytes := bytes_of_type(type_)) is not None:
        return known_bytes
    parts = dict.fromkeys(part for cond in path for part in (cond.parts[0] if isinstance(cond, All) else (cond,)))
    for value, width in words().item_bytes.items():
        if equal(type_, number(int(value))) in parts:
            return number(width)
    fixed = representatives(parts).get(type_)
    if fixed is not None and (known_bytes := bytes_of_type(fixed)) is not None:
        return known_bytes
    if not isinstance(type_, Symbol):
        return None
    name = type_.name.removesuffix(".scalar_type()")
    sized = representatives(parts).get(_named_bytes(name))  # by `x.data_ptr<float>()`
    if isinstance(sized, Number):
        return sized
    widths = (_dlpack_bits(part, f"{name}.dtype()") for part in parts)
    bits = next((width for width in widths if width), 0)
    return number(bits // 8) if bits and bits % 8 == 0 else None


def type_in_options(args: Sequence[Value]) -> Term | None:
    """What the options among the arguments of a creation say; None where they leave it to a default."""
    for arg in args:
        if isinstance(arg, Record) and isinstance(arg.type, ir.Struct) and arg.type.name.endswith(_OPTIONS):
            said = [value for _, value in arg.members.values()]
            if len(said) != 1 or not isinstance(said[0], Term):
                return None
            type_ = integers.as_integer(said[0])
            unsaid = isinstance(type_, Number) and bytes_of_type(type_) is None
            return None if unsaid else type_
    return None


def same_options(stmt: ir.Call, name: str, args: Sequence[Value], state: State) -> Value | None:
    """What `options.memory_format(f)` says of the type: what it said before."""
    of = pointee_of(stmt.args[0].type) if stmt.args else ir.Void()
    if name != "memory_format" or not isinstance(of, ir.Struct) or not of.name.endswith(_OPTIONS):
        return None
    return state.read(args[0], of) if isinstance(args[0], Address) else args[0]


def type_of_conversion(stmt: ir.Call, args: Sequence[Value], own: Term | None, state: State) -> Term | None:
    """The type that `x.to(torch::kFloat)`, `x.to(options)` or `x.to(y)` names; its `own` where only places are named."""
    for place in range(1, len(args)):
        given, named = args[place], pointee_of(stmt.args[place].type)
        if isinstance(given, Address):
            given = state.read(given, named)
        if isinstance(given, Tensor):
            return item_type(given)
        if _is_a_type(named):
            return integers.as_integer(given) if isinstance(given, Term) else None
        if isinstance(named, ir.Struct) and not named.name.endswith(_DEVICE):
            return type_in_options([given])
        if not isinstance(named, ir.Struct | ir.Bool | ir.Int):
            return None
    return own


def _is_a_type(type_: ir.Type) -> bool:
    return isinstance(type_, ir.Int) and type_.bits == _TYPE_BITS and type_.signed


def _dlpack_bits(cond: Term, name: str) -> int:
    """The width of an element where the condition fixes it, alone or encoded as code << 16 | bits << 8 | lanes; else 0."""
    inner = cond.parts[0] if isinstance(cond, IsZero) else None
    if not isinstance(inner, Sum) or any(len(atoms) != 1 for atoms, _ in inner.monomials):
        return 0
    factors = {str(atoms[0].parts[0]): factor for atoms, factor in inner.monomials}
    sign = 1 if inner.constant < 0 else -1
    if factors == {f"{name}.bits": sign}:
        return -sign * inner.constant
    encoded = {f"{name}.code": sign << 16, f"{name}.bits": sign << 8, f"{name}.lanes": sign}
    return -sign * inner.constant >> 8 & 0xFF if factors == encoded else 0
