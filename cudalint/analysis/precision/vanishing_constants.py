"""Numbers that are too small for the format of 16 bits that they are converted to: nothing is left of them.

norm = norm + __float2half(1e-8f);      half eps = 1e-8f;      static_cast<scalar_t>(1e-12)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cudalint import ir
from cudalint.ir.walk import evaluated, expressions, statements
from cudalint.source import Span

_LEAST = {
    "f16": 2.0**-25,
    "e5m2": 2.0**-17,
    "e4m3": 2.0**-10,
}  # half of the smallest number: up to here it rounds to zero


@dataclass(frozen=True, slots=True)
class Vanished:
    value: float
    format: str
    span: Span


def vanishing_constants(function: ir.Function) -> Iterator[Vanished]:
    """One for each statement and positive number; a negative one is where a search for a maximum begins."""
    for stmt in statements(function.body):
        told: set[float] = set()
        for expr in (part for each in evaluated(stmt) for part in expressions(each)):
            value, format_ = _converted(expr)
            if 0 < value <= _LEAST.get(format_, 0) and value not in told:
                told.add(value)
                yield Vanished(value, format_, stmt.span)


def _converted(expr: ir.Expr) -> tuple[float, str]:
    """A number as it is written and the narrow format that it gets."""
    type_: Any = expr.type if isinstance(expr, ir.Cast) else None
    if not isinstance(type_, ir.Float) or type_.format not in _LEAST:
        return 0.0, ""
    inner: ir.Expr = expr
    while isinstance(inner, ir.Cast) and isinstance(inner.type, ir.Float):
        inner = inner.operand
    value = inner.value if isinstance(inner, ir.Const) else None
    return (value, type_.format) if isinstance(value, float) else (0.0, "")
