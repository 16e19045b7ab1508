"""Sizes and arrays of a Python host program, as far as the text says them, in the words of annotations.

    rows, cols = x.shape; out = cp.empty(rows)        k((rows,), (256,), (x, out, rows, cols))
    extent(x) = rows * cols; extent(out) = rows       launch grid=(rows) block=(256)

A size that Python does not compute from numbers is a name such as `@3` or `@3.shape0` until the call of a kernel gives it to a
parameter. What no parameter tells is left out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from cudalint.frontend.python_text import NOWHERE
from cudalint.frontend.python_values import Arguments, Hole, Value

_PLACEHOLDER = re.compile(r"@\d+(?:\.\w+)?")
_MAKERS = frozenset(("empty", "zeros", "ones", "full", "random", "rand", "randn", "random_sample"))
_LIKE = frozenset(("empty_like", "zeros_like", "ones_like", "full_like"))
_SAME = frozenset(("asarray", "array", "ascontiguousarray", "copy", "astype"))
_SPREAD = frozenset(("rand", "randn"))  # take their sizes one by one
_INTEGERS = frozenset(("int", "int32", "int64", "uint32", "uint64", "intc", "int_"))
_OPERATORS: Mapping[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/"}
LONGEST = 200


@dataclass(frozen=True, slots=True)
class Size(Hole):
    """An integer; `negated` where it was made by a minus in front of that. `above` and `below` make a quotient of the two."""

    size: str = ""
    negated: str | None = None
    above: str | None = None
    below: str | None = None


@dataclass(frozen=True, slots=True)
class Array(Hole):
    """An array of the device with its sizes."""

    dims: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shape(Hole):
    """`x.shape`, where nothing says how many sizes that are."""


class Chosen(int):
    """The number of one of several branches: good for a text, and no size."""


def is_as_large(value: Value, other: Value) -> bool:
    """Both are the same number, or arrays of the same sizes; what is neither is not asked."""
    if isinstance(value, Array) and isinstance(other, Array):
        return value.dims == other.dims
    asked = isinstance(value, Hole) or type(value) is int
    return not asked or (size_text(value) is not None and size_text(value) == size_text(other))


def either(value: Value, name: str) -> Value:
    """What a name is worth behind branches that make it different things, of which the first gives this value."""
    return Chosen(value) if type(value) is int else Hole(name, NOWHERE) if isinstance(value, Hole) else value


def size_text(value: Value) -> str | None:
    """The integer in the words of an annotation; None for what is none."""
    if isinstance(value, Size):
        return value.size or None
    if type(value) is int:
        return str(value) if value >= 0 else f"(0 - {-value})"
    if type(value) is Hole and value.origin:
        return f"@{value.origin}"
    return None


def attribute(owner: Value, name: str, made: Hole) -> Hole | list[Value] | None:
    """`x.shape`, `x.size`, `x.T` of an array, or of a value that may be one."""
    if isinstance(owner, Array):
        if name == "shape":
            return [_size(made, dim) for dim in owner.dims]
        if name == "size":
            return _size(made, _product(owner.dims))
        return replace(owner, dims=owner.dims[::-1]) if name == "T" else None
    if type(owner) is Hole and owner.origin:
        if name == "shape":
            return Shape(made.written, made.at, owner.origin)
        return _size(made, f"@{owner.origin}.size") if name == "size" else None
    return None


def side(shape: Shape, place: int, made: Hole) -> Size:
    """`x.shape[place]`"""
    return _size(made, f"@{shape.origin}.shape{place}")


def operate(op: ast.operator, left: Value, right: Value, made: Hole) -> Hole | None:
    """Sums, products and quotients; `-(-n // b)` is the quotient that is rounded up."""
    a, b = size_text(left), size_text(right)
    if a is None or b is None:
        return None
    if isinstance(op, ast.Div):
        return Size(made.written, made.at, 0, "", None, a, b)
    if isinstance(op, ast.FloorDiv) and isinstance(left, Size) and left.negated is not None:
        return Size(made.written, made.at, 0, "", f"ceil_div({left.negated}, {b})")
    sign = _OPERATORS.get(type(op))
    return None if sign is None else _size(made, f"({a} {sign} {b})")


def minus(value: Value, made: Hole) -> Hole | None:
    """`-n`"""
    if isinstance(value, Size) and value.negated is not None:
        return _size(made, value.negated)
    text = size_text(value)
    return None if text is None else Size(made.written, made.at, 0, f"(0 - {text})", text)


def call(name: str, owner: Value, arguments: Arguments, made: Hole) -> Hole | None:
    """What a function of an array library or of Python's makes of sizes and arrays; `owner` is what a method belongs to."""
    last, first = name.rpartition(".")[2], arguments.get("", 0)
    if last == "len" and isinstance(first, Array) and first.dims:
        return _size(made, first.dims[0])
    if last == "ceil" and isinstance(first, Size) and first.above is not None:
        return _size(made, f"ceil_div({first.above}, {first.below})")
    if last in ("min", "max") and len(arguments.positional) == 2:
        texts = [size_text(value) for value in arguments.positional]
        return _size(made, f"{last}({texts[0]}, {texts[1]})") if None not in texts else None
    if last in _INTEGERS and (text := size_text(first)) is not None:
        return _size(made, text)
    if last in _LIKE or (last in _SAME and first is not None):
        return _copy(first, made)
    if last in ("copy", "astype"):
        return _copy(owner, made)
    if last == "reshape" and isinstance(owner, Array | Hole):
        given = first if isinstance(first, list) else list(arguments.positional)
        return _array(given, made)
    if last == "arange" and len([a for a in arguments.positional if size_text(a) is not None]) == 1:
        return _array([first], made)
    if last in _SPREAD:
        return _array(list(arguments.positional), made)
    if last in _MAKERS or "size" in arguments.named:
        shape = arguments.named.get("size", arguments.named.get("shape", first))
        return _array(shape if isinstance(shape, list) else [shape], made)
    return None


def _copy(value: Value, made: Hole) -> Hole | None:
    """An array of the same sizes, be they known or only those of an argument."""
    sized = isinstance(value, Array) or (type(value) is Hole and value.origin)
    return replace(value, written=made.written, at=made.at) if isinstance(value, Hole) and sized else None


def _array(shape: Sequence[Value], made: Hole) -> Array | None:
    dims = [size_text(value) for value in shape]
    known = tuple(dim for dim in dims if dim is not None and not dim.startswith("(0 - "))
    return Array(made.written, made.at, 0, known) if dims and len(known) == len(dims) else None


def _size(made: Hole, text: str) -> Size:
    return Size(made.written, made.at, 0, text if len(text) <= LONGEST else "")


def _product(dims: Sequence[str]) -> str:
    return " * ".join(dims) if dims else "1"


# --- a launch ------------------------------------------------------------------------------------------------------------


def bound(parameters: Sequence[str], values: Sequence[Value]) -> dict[str, str]:
    """The parameter that each name of a size is given to."""
    found: dict[str, str] = {}
    for parameter, value in zip(parameters, values):
        text = size_text(value)
        if parameter and text is not None and _PLACEHOLDER.fullmatch(text):
            found.setdefault(text, parameter)
    return found


def unbound(parameters: Sequence[str], values: Sequence[Value], known: Mapping[str, str]) -> dict[str, str]:
    """A name for each size of the arrays that a call passes and that none of its parameters holds: `x_size0`."""
    found: dict[str, str] = {}
    for parameter, value in zip(parameters, values):
        for place, dim in enumerate(value.dims if isinstance(value, Array) else ()):
            for size in _PLACEHOLDER.findall(dim):
                if size not in known:
                    found.setdefault(size, f"{parameter}_size{place}")
    return {size: name for size, name in found.items() if name not in parameters and size == _first(found, name)}


def _first(found: Mapping[str, str], name: str) -> str:
    """Of two sizes in one dimension the first has the name."""
    return next(size for size, given in found.items() if given == name)


def told(text: str | None, names: Mapping[str, str]) -> str | None:
    """The size in terms of parameters; None where it speaks of what no parameter holds."""
    if text is None:
        return None
    filled = _PLACEHOLDER.sub(lambda found: names.get(found[0], found[0]), text)
    return None if "@" in filled else filled


def facts(
    parameters: Sequence[str], pointers: frozenset[str], values: Sequence[Value], ranks: Mapping[int, int],
    names: Mapping[str, str],
) -> tuple[str, ...]:  # fmt: skip
    """`extent(p) = ...` of the arrays and `assume n == ...` of the integers that a call passes; `names` are those of sizes."""
    if len(parameters) != len(values):
        return ()
    found = list[str]()
    owners: dict[str, str] = {}
    for parameter, value in zip(parameters, values):
        if parameter in pointers:
            extent = told(_extent(value, ranks), names)
            if extent is not None:
                found.append(f"extent({parameter}) = {extent}")
            if isinstance(value, Hole) and owners.setdefault(value.written, parameter) != parameter:
                found.append(f"alias({owners[value.written]}, {parameter})")
            continue
        text = size_text(value)
        filled = told(text, names)
        if filled is not None and filled != parameter:
            found.append(f"assume {parameter} == {filled}")
    return tuple(found)


def _extent(value: Value, ranks: Mapping[int, int]) -> str | None:
    if isinstance(value, Array):
        return _product(value.dims)
    if type(value) is not Hole or not value.origin:
        return None
    rank = ranks.get(value.origin)
    return f"@{value.origin}.size" if rank is None else _product([f"@{value.origin}.shape{i}" for i in range(rank)])
