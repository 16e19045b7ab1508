"""What the conditions of a Python host program say of types, ranks and signs behind them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from cudalint.frontend.python_host_calls import Calls
from cudalint.frontend.python_host_numbers import as_type
from cudalint.frontend.python_host_values import Array, Nothing, Number

_OPPOSITES: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt,
}  # fmt: skip


class Conditions(Calls):
    """A walk that learns from the conditions that hold where it is."""

    def rank(self, array: Array, sizes: tuple[Number, ...]) -> None:
        """The array has as many sizes as these, wherever it is known by a name."""
        for name, value in self.names.items():
            if isinstance(value, Array) and value.text == array.text and value.dims is None and not value.flat:
                self.names[name] = replace(value, dims=sizes)

    def learn(self, test: ast.expr, holds: bool) -> None:
        """What a condition says of types and ranks: `x.dtype == cp.float32`, `x.ndim == 2`, `out is not None`."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) == holds:
            for part in test.values:
                self.learn(part, holds)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self.learn(test.operand, not holds)
        if not isinstance(test, ast.Compare):
            return
        sides = [test.left, *test.comparators]
        if holds or len(test.ops) == 1:
            for op, a, b in zip(test.ops, sides, sides[1:]):
                self._learn_order(op if holds else _OPPOSITES.get(type(op), ast.Is)(), a, b)
        if all(isinstance(op, ast.Eq) for op in test.ops) and (holds or len(test.ops) == 1):
            equal = holds
        elif len(test.ops) == 1 and isinstance(test.ops[0], ast.NotEq | ast.IsNot | ast.Is):
            equal = holds != isinstance(test.ops[0], ast.NotEq | ast.IsNot)
        else:
            return
        for asked in sides:
            for said in sides:
                self._learn_one(test, asked, said, equal)

    def _learn_order(self, op: ast.cmpop, left: ast.expr, right: ast.expr) -> None:
        """`n > 0`: the number is not negative from here on."""
        if isinstance(op, ast.Lt | ast.LtE):
            op, left, right = ast.Gt() if isinstance(op, ast.Lt) else ast.GtE(), right, left
        known = self.names.get(left.id) if isinstance(left, ast.Name) else None
        if not isinstance(op, ast.Gt | ast.GtE) or not isinstance(known, Number) or known.value is not None:
            return
        if isinstance(right, ast.Constant) and type(right.value) is int and right.value >= 0:
            for name, value in self.names.items():
                if isinstance(value, Number) and value.text == known.text:
                    self.names[name] = replace(value, natural=True)

    def _learn_one(self, test: ast.Compare, asked: ast.expr, said: ast.expr, equal: bool) -> None:
        if isinstance(asked, ast.Name) and isinstance(said, ast.Constant) and said.value is None:
            known = self.names.get(asked.id)
            if isinstance(known, Array) and isinstance(test.ops[0], ast.Is | ast.IsNot):
                self.names[asked.id] = Nothing() if equal else replace(known, maybe=False)
            return
        if not equal or not isinstance(asked, ast.Attribute) or not isinstance(asked.value, ast.Name):
            return
        known = self.names.get(asked.value.id)
        if not isinstance(known, Array):
            return
        before = self.writer.block()
        value = self.value(said) if asked.attr in ("dtype", "ndim") else Nothing()
        self.writer.close(before)
        if asked.attr == "dtype" and (type_ := as_type(value)) is not None and type_.item and not known.item:
            self._typed(known, type_.item)
        rank = value.value if asked.attr == "ndim" and isinstance(value, Number) else None
        if rank is not None and 1 <= rank <= 8 and known.dims is None and not known.flat:
            self.writer.emit(f"if ({known.text}.dim() != {rank}) {{ cupy::abort(); }}")
            self.rank(known, tuple(Number(f"{known.text}.size({place})", None, True) for place in range(rank)))

    def _typed(self, array: Array, item: str) -> None:
        self.writer.emit(f"if ({array.text}.scalar_type() != cupy::dtype::{item}) {{ cupy::abort(); }}")
        for name, value in self.names.items():
            if isinstance(value, Array) and value.text == array.text and not value.item:
                self.names[name] = replace(value, item=item)
