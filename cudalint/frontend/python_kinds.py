"""What kind of value a parameter or variable of a Python function has, as far as its uses tell."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.frontend.python_file import File
from cudalint.frontend.python_parameters import annotated_kind, stored_names
from cudalint.frontend.python_passed import bound, bound_to
from cudalint.frontend.python_said import Kind
from cudalint.frontend.python_wording import tested_for_none

_SHAPED = frozenset(("shape", "numel", "size", "dim", "ndim", "dtype", "stride", "is_contiguous"))


@dataclass(slots=True)
class Kinds:
    """`chosen`: the function of a library that the variables for one hold."""

    node: ast.FunctionDef
    file: File
    chosen: str = ""
    _passed: dict[str, set[Kind]] | None = None
    _shaped: tuple[set[str], set[str]] | None = None  # variables asked for their shape, and compared with None

    def passed(self, name: str) -> Kind:
        """The kind of value that the operators and functions take which get the parameter."""
        kinds = {kind for kind in self._kinds_where_passed(name) if kind is not Kind.ANY}
        if not kinds:
            return self.file.kind_passed(self.node, name)
        return (
            next(iter(kinds))
            if len(kinds) == 1 and kinds <= {Kind.TENSOR, Kind.OPTIONAL, Kind.INT, Kind.BOOL}
            else Kind.ANY
        )

    def _kinds_where_passed(self, name: str) -> set[Kind]:
        if self._passed is None:
            self._passed = {}
            for call in (n for n in ast.walk(self.node) if isinstance(n, ast.Call)):
                for node, kind in (*self._to_operator(call), *self._to_function(call)):
                    if isinstance(node, ast.Name):
                        self._passed.setdefault(node.id, set()).add(kind)
        return self._passed.get(name, set())

    def _to_operator(self, call: ast.Call) -> Iterator[tuple[ast.expr | None, Kind]]:
        callee = self.file.operators.of(call.func)
        given = bound_to(call, callee) if callee is not None else None
        if callee is not None and given is not None:
            yield from ((node, parameter.kind) for node, parameter in zip(given, callee.parameters))

    def _to_function(self, call: ast.Call) -> Iterator[tuple[ast.expr, Kind]]:
        """Of a function of the file what its annotations say."""
        meant = self.file.functions.called(call.func, self.node)
        given = bound(call, *meant) if meant is not None else None
        if meant is not None and given is not None:
            arguments = meant[0].args
            own = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
            yield from ((given[a.arg], annotated_kind(a, meant[0])) for a in own if a.arg in given)

    def is_tensor(self, name: str) -> bool:
        """Asked for its shape, or passed for a tensor, and never compared with None."""
        if self._shaped is None:
            nodes = list(ast.walk(self.node))
            asked = {getattr(n.value, "id", "") for n in nodes if isinstance(n, ast.Attribute) and n.attr in _SHAPED}
            tested = {tested_for_none(n)[0] for n in nodes if isinstance(n, ast.Compare)}
            self._shaped = asked - tested, tested
        asked, tested = self._shaped
        return name in asked or (name not in tested and Kind.TENSOR in self._kinds_where_passed(name))

    def is_counted(self, argument: ast.arg) -> bool:
        """Whether the library gets it as an integer."""
        stored: set[str] | None = None
        for call in (n for n in ast.walk(self.node) if isinstance(n, ast.Call)):
            if len(call.args) == 1 and re.search(r"\bc_(?:int|uint|long|size_t)\w*$", ast.unparse(call.func)):
                if getattr(call.args[0], "id", "") == argument.arg:
                    return True
            name = self.file.function(call.func)
            if not name and self.chosen and isinstance(call.func, ast.Name):
                stored = stored_names(self.node) if stored is None else stored
                name = self.chosen if call.func.id in stored else ""
            types = self.file.prototype(name) if name else None
            for node, type_ in zip(call.args, types or ()):
                if getattr(node, "id", "") == argument.arg and re.search(
                    r"\b(?:int|long|u?int\d+_t|size_t)\b[^*]*$", type_
                ):
                    return True
        return False
