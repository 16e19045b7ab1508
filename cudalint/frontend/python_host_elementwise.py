"""Calls of CuPy's ElementwiseKernel, worded as launches of the kernel around its expression (`python_kernels`).

    shifted = cp.ElementwiseKernel("raw float32 x, int32 k", "float32 y", "y = x[i + k]", "shifted")
    shifted(x, 1, y)                        shifted<<<(y.size + 127) / 128, 128>>>(x, k of all ones, y, y.size)

What is not raw has as many elements as the loop has rounds: an array of its own stands for the view that CuPy makes of it. A raw
array is the one that the call gets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cudalint.frontend import python_host_arrays as arrays
from cudalint.frontend.python_host_values import Array, Kernel, Lost, Number, Real, Truth, Type, Value
from cudalint.frontend.python_host_writer import LaunchLine
from cudalint.frontend.python_kernels import SIZE_OF, THREADS, TYPES, UNRAW
from cudalint.frontend.python_values import Arguments, Compiled

if TYPE_CHECKING:
    import ast

    from cudalint.frontend.python_host_calls import Calls

LIBRARY = "cupy elementwise"
_NAMED = frozenset(("size", "block_size", "stream"))
_ITEMS = {c: item for item, c in reversed(TYPES.items()) if c != "float2" and c != "double2"}


@dataclass(frozen=True, slots=True)
class _Parameter:
    name: str
    type: str  # in C, without `const`; that of the elements of an array
    array: bool
    output: bool

    @property
    def raw(self) -> bool:
        return not self.name.startswith(UNRAW)


def launched(calls: Calls, node: ast.Call, kernel: Kernel, arguments: Arguments) -> Value:
    """The lines of the call, and what it gives: the array that it fills."""
    if len(kernel.choices) != 1:  # which of several it is, is not known: they may fill different arrays
        return calls.lost(node, Array)
    (compiled,) = kernel.choices
    parameters = _parameters(compiled)
    taken = [p for p in parameters if p.array]
    least, given = sum(not p.output for p in taken), arguments.positional
    if calls.quiet:
        return calls.lost(node, Array)
    if not taken or not least <= len(given) <= len(taken) or not arguments.named.keys() <= _NAMED:
        nothing = calls.lost(node)
        calls.writer.lines.append(_line(calls, node, compiled, calls.writer.number(nothing).text, None))
        return calls.lost(node, Array)
    values = dict(zip((p.name for p in taken), given))
    rounds = _rounds(taken, values, arguments)
    at = calls.writer.at
    text = calls.writer.number(rounds if rounds is not None else Lost("the size of its arrays", at, Number)).text
    size = calls.writer.declare(Number(""), "size", text)
    assert isinstance(size, Number)
    views = {p.name: _view(calls, p, values.get(p.name), size) for p in taken if not p.raw}
    passed = tuple(_passed(calls, p, compiled, values, views, size) for p in parameters)
    calls.writer.emit(f"if ({size.text} > 0) {{")
    calls.writer.lines.append(_line(calls, node, compiled, size.text, passed))
    calls.writer.emit("}")
    outputs = [p for p in taken if p.output]
    made = values.get(outputs[0].name, views.get(outputs[0].name)) if len(outputs) == 1 else None
    return calls.lost(node, Array) if made is None else made


def _line(calls: Calls, node: ast.Call, compiled: Compiled, size: str, passed: tuple[Value, ...] | None) -> LaunchLine:
    at = calls.writer.at = calls.reader.start(node)
    grid = f"dim3(cupy::floor_div({size} + {THREADS - 1}, {THREADS}), 1, 1)"
    return LaunchLine(compiled, grid, f"dim3({THREADS}, 1, 1)", "0", passed, at)


def _parameters(compiled: Compiled) -> list[_Parameter]:
    """Those of the kernel around the expression, whose head is of one form."""
    head = re.search(rf"__global__ void {re.escape(compiled.kernel or '')}\((.*?)\) \{{\n", compiled.text.chars)
    found: list[_Parameter] = []
    for piece in head[1].split(", ") if head is not None else ():
        type_, star, name = piece.rpartition("*") if "*" in piece else piece.rpartition(" ")
        const = type_.startswith("const ")
        plain = type_.removeprefix("const ").strip()
        found.append(_Parameter(name.strip(), plain, star == "*", star == "*" and not const))
    return found


def _rounds(taken: list[_Parameter], values: dict[str, Value], arguments: Arguments) -> Number | None:
    """As many as what it fills has elements, or all that it reads where they have as many, else what the call says."""
    filled = [values[p.name] for p in taken if p.output and not p.raw and p.name in values]
    read = [values[p.name] for p in taken if not p.output and not p.raw]
    if filled:
        return arrays.size_of(filled[0]) if isinstance(filled[0], Array) else None
    sizes = {arrays.size_of(each).text: arrays.size_of(each) for each in read if isinstance(each, Array)}
    if any(not isinstance(each, Array | Number | Real | Truth) for each in read) or len(sizes) > 1:
        return None
    size = arguments.named.get("size")
    if sizes:
        return next(iter(sizes.values()))
    return size if isinstance(size, Number) else None


def _view(calls: Calls, parameter: _Parameter, value: Value | None, size: Number) -> Array:
    """As many elements as there are rounds; a number that is passed is all of them."""
    item = _ITEMS.get(parameter.type, "")
    type_ = Type(f"cupy::dtype::{item}", item) if item else arrays.ANY
    hint = parameter.name.removeprefix(UNRAW)
    maker = "of_number" if isinstance(value, Number) else "empty"
    made = arrays.declared(calls.writer, f"cupy::{maker}({size.text})", type_, None, hint, True)
    if isinstance(value, Number):
        calls.writer.emit(f"cupy::holds({made.text}, {value.text}, 0);")
    return made


def _passed(
    calls: Calls, parameter: _Parameter, compiled: Compiled, values: dict[str, Value], views: dict[str, Array], size: Number
) -> Value:  # fmt: skip
    if parameter.name in views:
        return views[parameter.name]
    if parameter.array:
        value = values.get(parameter.name)
        return _as_taken(calls, parameter, compiled, value) if isinstance(value, Array) else Lost(parameter.name)
    if not parameter.name.startswith(SIZE_OF):
        return size
    owner = values.get(parameter.name.removeprefix(SIZE_OF))
    return arrays.size_of(owner) if isinstance(owner, Array) else Lost(parameter.name, kind=Number)


def _as_taken(calls: Calls, parameter: _Parameter, compiled: Compiled, array: Array) -> Array:
    """A type variable of the kernel is whatever type the array has: of one that is not its stand-in, the elements are of any."""
    stands_for = re.search(rf"^typedef (\w+) {re.escape(parameter.type)};$", compiled.text.chars, re.MULTILINE)
    if stands_for is None or not array.item or array.item == _ITEMS.get(stands_for[1]):
        return array
    return arrays.copied(calls.writer, array, arrays.ANY, parameter.name)
