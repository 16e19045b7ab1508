"""What kind of value a parameter or variable of a Python function has, as far as its uses tell."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.frontend.python_file import File
from cudalint.frontend.python_parameters import stored_names
from cudalint.frontend.python_passed import bound_to
from cudalint.frontend.python_said import Kind
from cudalint.frontend.python_wording import tested_for_none

_SHAPED = frozenset(("shape", "numel", "size", "dim", "ndim", "dtype", "stride", "is_contiguous"))


@dataclass(frozen=True, slots=True)
class Kinds:
    """`chosen`: the function of a library that the variables for one hold."""

    node: ast.FunctionDef
    file: File
    chosen: str = ""

    def passed(self, name: str) -> Kind:
        """The kind of value that the operators take which get the parameter."""
        kinds = {kind for kind in self._kinds_where_passed(name) if kind is not Kind.ANY}
        if not kinds:
            return self.file.kind_passed(self.node, name)
        return (
            next(iter(kinds))
            if len(kinds) == 1 and kinds <= {Kind.TENSOR, Kind.OPTIONAL, Kind.INT, Kind.BOOL}
            else Kind.ANY
        )

    def _kinds_where_passed(self, name: str) -> Iterator[Kind]:
        for call in (n for n in ast.walk(self.node) if isinstance(n, ast.Call)):
            callee = self.file.operators.of(call.func)
            given = bound_to(call, callee) if callee is not None else None
            for node, parameter in zip(given or (), callee.parameters if callee is not None else ()):
                if getattr(node, "id", "") == name:
                    yield parameter.kind

    def is_tensor(self, name: str) -> bool:
        """Asked for its shape, or passed for a tensor, and never compared with None."""
        tested = any(tested_for_none(n)[0] == name for n in ast.walk(self.node) if isinstance(n, ast.expr))
        asked = (n for n in ast.walk(self.node) if isinstance(n, ast.Attribute) and getattr(n.value, "id", "") == name)
        return not tested and (any(n.attr in _SHAPED for n in asked) or Kind.TENSOR in self._kinds_where_passed(name))

    def is_counted(self, argument: ast.arg) -> bool:
        """Whether the library gets it as an integer."""
        for call in (n for n in ast.walk(self.node) if isinstance(n, ast.Call)):
            if len(call.args) == 1 and re.search(r"\bc_(?:int|uint|long|size_t)\w*$", ast.unparse(call.func)):
                if getattr(call.args[0], "id", "") == argument.arg:
                    return True
            name = self.file.function(call.func) or (
                self.chosen if getattr(call.func, "id", "") in stored_names(self.node) else ""
            )
            types = self.file.prototype(name) if name else None
            for node, type_ in zip(call.args, types or ()):
                if getattr(node, "id", "") == argument.arg and re.search(
                    r"\b(?:int|long|u?int\d+_t|size_t)\b[^*]*$", type_
                ):
                    return True
        return False
