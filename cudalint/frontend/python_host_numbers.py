"""Arithmetic, comparisons and conditions of Python on worded values: C++ where that means the same.

(n + 255) // 256     cupy::floor_div((n + 255), 256)         x.shape == y.shape     x.is_same_size(y)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from cudalint.frontend.python_host_values import (
    C_TYPES,
    ITEMS,
    Array,
    Bound,
    Items,
    Kernel,
    Library,
    Lost,
    Module,
    Nothing,
    Number,
    Object,
    Pointer,
    Real,
    Routine,
    Shape,
    String,
    Table,
    Truth,
    Type,
    Value,
    number,
)

_SIGNS: Mapping[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<",
    ast.RShift: ">>",
}  # fmt: skip
_COMPARISONS: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_LARGEST = 1 << 62
_MOST_BITS = 62
_NATURAL = (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)


def binary(op: ast.operator, left: Value, right: Value) -> Value | None:
    """The result on integers, floats, strings and lists; None where it is not understood."""
    left, right = as_number(left), as_number(right)
    if isinstance(left, Number) and isinstance(right, Number):
        return _of_integers(op, left, right)
    if isinstance(left, Real | Number) and isinstance(right, Real | Number):
        return Real(item=_item_of(left, right))
    if isinstance(op, ast.Add):
        if isinstance(left, Items) and isinstance(right, Items):
            return Items((*left.parts, *right.parts), left.mutable)
        if isinstance(left, String) and left.whole and isinstance(right, String):
            return String(left.chars + right.chars, right.whole)
        if isinstance(left, String):
            return String(left.chars, False)
    if isinstance(op, ast.Mult) and isinstance(left, Items) and isinstance(right, Number):
        count = right.value
        return None if count is None or not 0 <= count <= 16 else Items(left.parts * count, left.mutable)
    return None


def _item_of(*operands: Real | Number) -> str:
    """Python's own floats and integers give its floats."""
    plain = all(each.item == ("float64" if isinstance(each, Real) else "") for each in operands)
    return "float64" if plain else ""


def as_number(value: Value) -> Value:
    """A truth as the integer that Python takes it for."""
    return Number(f"({value.text} ? 1 : 0)", None, True) if isinstance(value, Truth) else value


def _of_integers(op: ast.operator, left: Number, right: Number) -> Value | None:
    if left.value is not None and right.value is not None:
        return _constant(op, left.value, right.value)
    item = left.item or right.item  # NumPy's integers keep their type
    if item:
        return _wrapped(op, left, right)
    match op:
        case ast.Div():
            return Real(left, right, "float64")
        case ast.FloorDiv() | ast.Mod():
            return _divided(op, left, right)
        case ast.Pow() if right.value == 2:
            return Number(f"({left.text} * {left.text})", None, True)
        case ast.Pow() if left.value == 2 and right.natural:
            return Number(f"(1l << {right.text})", None, True)
        case _ if type(op) in _SIGNS:
            natural = left.natural and right.natural and isinstance(op, _NATURAL)
            return Number(f"({left.text} {_SIGNS[type(op)]} {right.text})", None, natural)
        case _:
            return None


def _wrapped(op: ast.operator, left: Number, right: Number) -> Value | None:
    """Of NumPy's integers as they are without an overflow, which nothing rules out."""
    plain = _of_integers(
        op, Number(left.text, left.value, left.natural), Number(right.text, right.value, right.natural)
    )
    if not isinstance(plain, Number):
        return plain
    kept = left.item if left.item and right.item in ("", left.item) else right.item if not left.item else ""
    return None if kept not in C_TYPES else Number(f"(({C_TYPES[kept]})({plain.text}))", None, False, kept)


def _constant(op: ast.operator, a: int, b: int) -> Value | None:
    try:
        match op:
            case ast.Add():
                found = a + b
            case ast.Sub():
                found = a - b
            case ast.Mult():
                found = a * b
            case ast.FloorDiv():
                found = a // b
            case ast.Mod():
                found = a % b
            case ast.Div():
                return Real(number(a), number(b), "float64")
            case ast.Pow() if 0 <= b <= _MOST_BITS and abs(a) <= 1 << 16:
                found = int(a**b)
            case ast.LShift() if 0 <= b <= _MOST_BITS:
                found = a << b
            case ast.RShift() if b >= 0:
                found = a >> min(b, 1 << 10)
            case ast.BitAnd():
                found = a & b
            case ast.BitOr():
                found = a | b
            case ast.BitXor():
                found = a ^ b
            case _:
                return None
    except ArithmeticError:
        return None
    return number(found) if abs(found) < _LARGEST else None


def _divided(op: ast.operator, left: Number, right: Number) -> Number | None:
    """Rounded down, as Python does; of a divisor that may be negative nothing is known there."""
    if right.value is not None and right.value <= 0:
        return None
    name = "floor_div" if isinstance(op, ast.FloorDiv) else "floor_mod"
    natural = left.natural or isinstance(op, ast.Mod)
    return Number(f"cupy::{name}({left.text}, {right.text})", None, natural)


def rounded_up(above: Number, below: Number) -> Number | None:
    """The quotient rounded up."""
    if above.value is not None and below.value is not None:
        return number(-(-above.value // below.value)) if below.value > 0 else None
    if below.value is not None and below.value <= 0:
        return None
    more = f"{above.text} + {below.value - 1}" if below.value is not None else f"{above.text} + {below.text} - 1"
    return Number(f"cupy::floor_div({more}, {below.text})", None, above.natural)


def negative(value: Value) -> Value | None:
    """`-value`"""
    value = as_number(value)
    if isinstance(value, Number):
        return number(-value.value) if value.value is not None else Number(f"(-{value.text})")
    return Real(item=value.item) if isinstance(value, Real) else None


def extreme(name: str, values: list[Value]) -> Value | None:
    """`min` and `max` of integers."""
    given = [value for value in map(as_number, values) if isinstance(value, Number)]
    if len(given) != len(values) or not given:
        return None
    result = given[0]
    for other in given[1:]:
        if result.value is not None and other.value is not None:
            result = number((min if name == "min" else max)(result.value, other.value))
            continue
        sign = "<" if name == "min" else ">"
        both, any_ = result.natural and other.natural, result.natural or other.natural
        text = f"({other.text} {sign} {result.text} ? {other.text} : {result.text})"
        result = Number(text, None, both if name == "min" else any_)
    return result


def product(parts: tuple[Number, ...]) -> Number:
    """The number of elements of an array with these sizes."""
    constant = 1
    for part in parts:
        constant *= part.value if part.value is not None else 1
    open_ = [part.text for part in parts if part.value is None]
    if not open_:
        return number(constant)
    factors = [*([str(constant)] if constant != 1 else []), *open_]
    return Number(f"({' * '.join(factors)})" if len(factors) > 1 else factors[0], None, True)


# --- conditions ------------------------------------------------------------------------------------------------------------


def as_type(value: Value) -> Type | None:
    """What names a type of elements: `np.float32`, "float32", `float`, `x.dtype`."""
    match value:
        case Type():
            return value
        case Library() if value.name.rpartition(".")[2] in ITEMS:
            return constant_type(value.name.rpartition(".")[2])
        case String() if value.whole:
            return constant_type(value.chars.lstrip("<=|"))
        case _:
            return None


def constant_type(name: str) -> Type | None:
    """The type by NumPy's name."""
    item = ITEMS.get(name)
    return None if item is None else Type(f"cupy::dtype::{item[0]}", item[0])


def settled(value: Value) -> bool | None:
    """What the value is as a condition, where the text alone tells."""
    match value:
        case Number() if value.value is not None:
            return value.value != 0
        case Nothing():
            return False
        case String() if value.whole:
            return bool(value.chars)
        case Items():
            return bool(value.parts) if not value.mutable else None
        case Kernel() | Module() | Routine() | Object() | Library() | Bound():
            return True
        case Truth() if value.text in ("true", "false"):
            return value.text == "true"
        case _:
            return None


def truth(found: bool) -> Truth:
    return Truth("true" if found else "false")


def compared(op: ast.cmpop, left: Value, right: Value) -> Truth | None:
    """One comparison; None where it is not understood."""
    match op:
        case ast.Is() | ast.IsNot():
            found = _is(left, right)
            return None if found is None else truth(found == isinstance(op, ast.Is))
        case ast.In() | ast.NotIn():
            return _among(op, left, right)
        case _:
            pass
    left, right = as_number(left), as_number(right)
    sign = _COMPARISONS[type(op)]
    if isinstance(left, Number) and isinstance(right, Number):
        if left.value is not None and right.value is not None:
            return truth(_ORDERS[sign](left.value, right.value))
        return Truth(f"({left.text} {sign} {right.text})")
    if sign not in ("==", "!="):
        return None
    same = _same(left, right)
    return None if same is None else same if sign == "==" else negation(same)


_ORDERS: Mapping[str, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}  # fmt: skip


def negation(cond: Truth) -> Truth:
    """Its opposite."""
    known = settled(cond)
    return Truth(f"!{cond.text}") if known is None else truth(not known)


def both(conds: list[Truth]) -> Truth:
    """All of them."""
    open_ = [cond for cond in conds if settled(cond) is not True]
    if any(settled(cond) is False for cond in open_):
        return truth(False)
    return Truth(f"({' && '.join(cond.text for cond in open_)})") if open_ else truth(True)


def either(conds: list[Truth]) -> Truth:
    """One of them at least."""
    open_ = [cond for cond in conds if settled(cond) is not False]
    if any(settled(cond) is True for cond in open_):
        return truth(True)
    return Truth(f"({' || '.join(cond.text for cond in open_)})") if open_ else truth(False)


def _is(left: Value, right: Value) -> bool | None:
    if isinstance(left, Nothing) or isinstance(right, Nothing):
        other = right if isinstance(left, Nothing) else left
        if isinstance(other, Nothing):
            return True
        return None if isinstance(other, Lost) or (isinstance(other, Array) and other.maybe) else False
    return None


def _same(left: Value, right: Value) -> Truth | None:
    if isinstance(left, String) and isinstance(right, String) and left.whole and right.whole:
        types = as_type(left), as_type(right)
        return truth(left.chars == right.chars) if None in types or left == right else None
    a, b = as_type(left), as_type(right)
    if a is not None and b is not None:
        return truth(a.item == b.item) if a.item and b.item else Truth(f"({a.text} == {b.text})")
    if isinstance(left, Nothing) and isinstance(right, Nothing):
        return truth(True)
    return _same_shape(left, right)


def _same_shape(left: Value, right: Value) -> Truth | None:
    if isinstance(left, Items) and isinstance(right, Items):
        if len(left.parts) != len(right.parts):
            return truth(False)
        parts = [compared(ast.Eq(), a, b) for a, b in zip(left.parts, right.parts)]
        known = [part for part in parts if part is not None]
        return both(known) if len(known) == len(parts) else None
    if isinstance(left, Shape) and isinstance(right, Shape):
        return Truth(f"{left.array.text}.is_same_size({right.array.text})")
    if isinstance(left, Shape) and isinstance(right, Items):
        ranked = [Truth(f"({left.array.text}.dim() == {len(right.parts)})")]
        sizes = [Number(f"{left.array.text}.size({place})") for place in range(len(right.parts))]
        parts = [compared(ast.Eq(), a, b) for a, b in zip(sizes, right.parts)]
        known = [part for part in parts if part is not None]
        return both([*ranked, *known]) if len(known) == len(parts) else None
    return _same_shape(right, left) if isinstance(right, Shape) and isinstance(left, Items) else None


def _among(op: ast.cmpop, left: Value, right: Value) -> Truth | None:
    if isinstance(right, Table):
        keys: list[Value] = [String(key) if isinstance(key, str) else number(key) for key, _ in right.entries]
        right = Items(tuple(keys))
    if not isinstance(right, Items) or not right.parts:
        return None
    parts = [compared(ast.Eq(), left, each) for each in right.parts]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    found = either(known)
    return negation(found) if isinstance(op, ast.NotIn) else found


def pointer_sum(pointer: Value, more: Value) -> Pointer | None:
    """`x.data.ptr + bytes`"""
    if isinstance(pointer, Pointer) and isinstance(more, Number):
        return Pointer(f"(void *)((char *)({pointer.text}) + {more.text})")
    return None
