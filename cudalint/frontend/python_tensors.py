"""Tensors that methods of tensors and functions of torch make of others, worded with ATen's names.

x.view(-1, 4) -> x.view({-1, 4})     x.half() -> x.to(at::kHalf)     x.new_empty((n,)) -> x.new_empty({n})
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from cudalint.frontend.python_said import DTYPES, Kind, Said

Of = Callable[[ast.expr], Said]

_CONVERSIONS = {
    **{name: DTYPES[name] for name in ("float", "double", "half", "bfloat16", "int", "long", "bool")},
    "byte": "at::kByte", "char": "at::kChar", "short": "at::kShort",
}  # fmt: skip
_PLACES = {"transpose": 2, "swapaxes": 2, "unsqueeze": 1, "squeeze": 1, "t": 0, "flatten": 0}
_LISTED = frozenset(("view", "reshape"))
_NEW = frozenset(("new_empty", "new_zeros"))


def derived(name: str, tensor: Said, node: ast.Call, of: Of) -> Said | None:
    """What the method `name` gives; None where it is not one of these."""
    if name in _CONVERSIONS and not node.args and not node.keywords:
        type_ = _CONVERSIONS[name]
        return Said(f"{tensor.text}.to({type_})", Kind.TENSOR, flat=tensor.flat, item=type_)
    if tensor.flat or any(isinstance(each, ast.Starred) for each in node.args):
        return None
    if name in _LISTED and node.args and not node.keywords:
        return _listed(name, tensor, node.args, of)
    if name in _NEW and node.args and all(k.arg in ("device", "requires_grad") for k in node.keywords):
        return _listed(name, tensor, node.args, of)
    if name in _PLACES and len(node.args) == _PLACES[name] and not node.keywords:
        places = [of(each) for each in node.args]
        if all(place.kind is Kind.INT for place in places):
            called = "transpose" if name == "swapaxes" else name
            return Said(f"{tensor.text}.{called}({', '.join(place.text for place in places)})", Kind.TENSOR)
    return None


def _listed(name: str, tensor: Said, args: Sequence[ast.expr], of: Of) -> Said | None:
    """`x.view(a, b)`, `x.view((a, b))`, `x.view(y.shape)`"""
    if len(args) == 1:
        sizes = of(args[0])
        if sizes.kind is Kind.SIZES:
            return Said(f"{tensor.text}.{name}({sizes.text})", Kind.TENSOR)
    listed = args[0].elts if isinstance(args[0], ast.Tuple | ast.List) else args
    sizes_of = [of(each) for each in listed]
    if not sizes_of or any(size.kind is not Kind.INT for size in sizes_of):
        return None
    return Said(f"{tensor.text}.{name}({{{', '.join(size.text for size in sizes_of)}}})", Kind.TENSOR)
