"""Arrays of a Python function that keep what they were made with, as far as the function's text can tell.

    idx = cp.arange(n, dtype=cp.int32)
    k((blocks,), (256,), (x, idx, n))         idx[i] = i; what the kernel may write is the walk's matter

Python may change an array in many ways that are not worded, so that one of whose uses none is known to only read it says nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from cudalint.frontend.python_host_values import Array, Kernel, Number, Value
from cudalint.frontend.python_values import Arguments

if TYPE_CHECKING:
    from cudalint.frontend.python_host_calls import Calls

_ALL_ALIKE = {"zeros": "0", "zeros_like": "0", "ones": "1", "ones_like": "1"}
_GIVEN = frozenset(("full", "full_like"))
_READ = frozenset(("size", "shape", "dtype", "ndim", "nbytes", "itemsize", "strides"))


def noted(calls: Calls, node: ast.Call, maker: str, made: Value, arguments: Arguments) -> Value:
    """What a call of an array library gives; the text says what is in it where that stays so."""
    content = made_with(maker.rpartition(".")[2], arguments)
    named = isinstance(made, Array) and made.start is None and made.text.isidentifier()
    if content is not None and named and not calls.quiet:
        if is_only_launched(calls.node, node, lambda callee: _is_kernel(calls, callee)):
            assert isinstance(made, Array)
            calls.writer.emit(f"cupy::holds({made.text}, {', '.join(content)});")
    return made


def _is_kernel(calls: Calls, callee: ast.expr) -> bool:
    """A name of a kernel that is launched as CuPy does, with parameters that are understood."""
    value = (calls.names.get(callee.id) or calls.free(callee.id)) if isinstance(callee, ast.Name) else None
    if not isinstance(value, Kernel) or value.library != "cupy":
        return False
    return all(calls.program.signatures.parameters(choice) is not None for choice in value.choices)


def made_with(maker: str, arguments: Arguments) -> tuple[str, str] | None:
    """The C++ of the first element and of the step from each to the next; None where that is not known."""
    if maker in _ALL_ALIKE:
        return _ALL_ALIKE[maker], "0"
    if maker in _GIVEN:
        value = arguments.get("fill_value", 1)
        return (value.text, "0") if isinstance(value, Number) else None
    given = [value for value in arguments.positional[:3] if isinstance(value, Number)]
    if maker != "arange" or not given or len(given) < len(arguments.positional[:3]):
        return None
    return given[0].text if len(given) > 1 else "0", given[2].text if len(given) == 3 else "1"


def is_only_launched(function: ast.AST, made: ast.Call, is_kernel: Callable[[ast.expr], bool]) -> bool:
    """Whether the call's array has one name in the function, by which it is only passed to kernels and asked for its sizes."""
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    target = next((name for stmt, name in _assigned(function) if stmt.value is made), None)
    if target is None:
        return False
    parents = {child: parent for parent in ast.walk(function) for child in ast.iter_child_nodes(parent)}
    uses = [each for each in ast.walk(function) if isinstance(each, ast.Name) and each.id == target]
    loads = [each for each in uses if isinstance(each.ctx, ast.Load)]
    bound = [each for each in ast.walk(function) if isinstance(each, ast.arg | ast.Global | ast.Nonlocal)]
    if len(uses) != len(loads) + 1 or any(_binds(each, target) for each in bound):
        return False
    return all(_reads(each, parents, is_kernel) for each in loads)


def _assigned(function: ast.AST) -> Iterator[tuple[ast.Assign, str]]:
    for each in ast.walk(function):
        if isinstance(each, ast.Assign) and len(each.targets) == 1 and isinstance(each.targets[0], ast.Name):
            yield each, each.targets[0].id


def _binds(node: ast.AST, name: str) -> bool:
    return node.arg == name if isinstance(node, ast.arg) else name in getattr(node, "names", ())


def _reads(use: ast.Name, parents: dict[ast.AST, ast.AST], is_kernel: Callable[[ast.expr], bool]) -> bool:
    """`idx.size`, or one of the arguments in `k(grid, block, (x, idx))`."""
    parent = parents[use]
    if isinstance(parent, ast.Attribute):
        return parent.attr in _READ and isinstance(parent.ctx, ast.Load)
    call = parents.get(parent)
    call = parents.get(call) if isinstance(call, ast.keyword) and call.arg == "args" else call
    if not isinstance(parent, ast.Tuple | ast.List) or not isinstance(call, ast.Call):
        return False
    if any(isinstance(each, ast.Starred) for each in (*parent.elts, *call.args)) or not is_kernel(call.func):
        return False
    places = call.args[2:3] + [k.value for k in call.keywords if k.arg == "args"]
    return places == [parent]
