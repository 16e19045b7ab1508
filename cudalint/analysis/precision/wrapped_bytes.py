"""Results of image kernels that are larger than a byte, stored as bytes: the brightest pixels become dark ones.

out[p] = 5 * in[p] - in[p - 1] - in[p + 1] - in[p - w] - in[p + w];           up to 1275, of which 251 is left
out[p] = min(max(5 * in[p] - ..., 0), 255);
unsigned char sum = 0;  for (...) sum += in[k];  out[p] = sum / 9;            the sum starts again behind 255

What an expression may be is followed from the loads, each of 0 to 255 for itself, through sums, constant factors, absolute values,
squares and roots; `sure` is a value that it has for some image. A difference below zero is no issue: it may be meant modulo 256.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from cudalint.analysis.precision.magnitudes import ABSOLUTE
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import cast_target, uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_BYTE = re.compile(r"(const )?((std::)?uint8_t|unsigned char|uchar|u8|uint8)( const)?")
_BYTES = re.compile(r"(const )?(uchar[34])( const)?")
_SMALL = re.compile(r"(const )?((std::)?u?int8_t|(un)?signed char|char|uchar|u8|uint8)( const)?")
_KEEPS_VALUE = re.compile(
    r"(::|std::)?(l?rint|l?round|floor|trunc)f?|__float2u?int_r[nzud]|__int2float_rn|__uint2float_rn|float|int"
)
_ROOT = re.compile(r"(::|std::)?(sqrtf?|__fsqrt_rn)")
_NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)(e[+-]?\d+)?[fFuUlL]*", re.IGNORECASE)
_LOOPS = ("for_statement", "while_statement", "do_statement")
LARGEST = 255.0
MOST_HOPS = 6


@dataclass(slots=True)
class _Range:
    """`weights` of loads that are independent of each other, and a constant; or a whole range, where it is no such sum."""

    weights: dict[str, float] = field(default_factory=dict)
    constant: float = 0.0
    rest: tuple[float, float] = (0.0, 0.0)  # (least, a value that some image has)

    @property
    def low(self) -> float:
        return self.constant + self.rest[0] + sum(LARGEST * w for w in self.weights.values() if w < 0)

    @property
    def sure(self) -> float:
        """A value that the expression has: the whole of one part, and the least of the other one."""
        most = sum(LARGEST * w for w in self.weights.values() if w > 0)
        least = sum(LARGEST * w for w in self.weights.values() if w < 0)
        return self.constant + max(most + self.rest[0], least + self.rest[1])

    def scaled(self, factor: float) -> _Range | None:
        if factor < 0 and self.rest != (0.0, 0.0):
            return None
        rest = (self.rest[0] * factor, self.rest[1] * factor)
        return _Range({name: w * factor for name, w in self.weights.items()}, self.constant * factor, rest)

    def plus(self, other: _Range) -> _Range:
        names = {**self.weights, **other.weights}
        weights = {name: self.weights.get(name, 0.0) + other.weights.get(name, 0.0) for name in names}
        low = self.rest[0] + other.rest[0]
        sure = max(self.rest[1] + other.rest[0], self.rest[0] + other.rest[1])
        return _Range(weights, self.constant + other.constant, (low, sure))

    def magnitude(self) -> float:
        """The largest absolute value that it surely has."""
        low = -self.low if self.rest == (0.0, 0.0) else 0.0
        return max(self.sure, low)


def wrapped_bytes(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each store, conversion or sum."""
    if re.search(r"char|uint8|\bu8\b", outline.root.text) is None:
        return
    for body in bodies(program_of(outline)):
        arrays = _byte_arrays(body)
        variables = dict(_byte_variables(body))
        for node in body.nodes:
            value = _stored(node, arrays)
            found = None if value is None or not _is_computed(value, body) else _range(value, body, arrays)
            if found is not None and found.sure >= LARGEST + 1:
                text = f"`{short(node)}`: a byte gets up to {found.sure:.0f}, and nothing keeps it below 256"
                yield GuardIssue(body.function, node, text)
            elif _is_wrapped_sum(node, variables, body):
                yield GuardIssue(
                    body.function,
                    node,
                    f"`{short(node)}` adds up elements in a byte, which starts again behind its end",
                )


def _byte_arrays(body: Body) -> dict[str, bool]:
    """Parameters that point to unsigned bytes, or to vectors of these."""
    found = {}
    for parameter, name in zip(body.function.parameters, body.scope.parameters):
        written, declarator = parameter.child("type"), parameter.child("declarator")
        if written is None or declarator is None or declarator.kind != "pointer_declarator":
            continue
        spelled = " ".join(written.text.split())
        if _BYTE.fullmatch(spelled) or _BYTES.fullmatch(spelled):
            found[name] = _BYTES.fullmatch(spelled) is not None
    return found


def _byte_variables(body: Body) -> Iterator[tuple[str, Syntax]]:
    """The function's own numbers that are bytes."""
    for node in body.nodes:
        written = node.child("type")
        if node.kind != "declaration" or written is None or not _SMALL.fullmatch(" ".join(written.text.split())):
            continue
        for declarator in node.all("declarator"):
            inner = declarator.child("declarator") if declarator.kind == "init_declarator" else declarator
            if inner is not None and inner.kind == "identifier":
                yield inner.text, node


def _stored(node: Syntax, arrays: dict[str, bool]) -> Syntax | None:
    """What becomes a byte: the right side of a store to an array of bytes, or what a cast is of."""
    written = node.child("type") if node.kind == "cast_expression" else None
    target = written.text if written is not None else cast_target(node)
    if target is not None:
        return uncast(node) if _BYTE.fullmatch(" ".join(target.split())) else None
    left, right = node.child("left"), node.child("right")
    if node.kind != "assignment_expression" or node.op != "=" or left is None or right is None:
        return None
    member = left.child("argument") if left.kind == "field_expression" else None
    element = left if member is None else member
    base = element.child("argument") if element.kind == "subscript_expression" else None
    if base is None or arrays.get(base.text) is not (member is not None):
        return None
    return None if _casts_to_byte(right) else right


def _casts_to_byte(node: Syntax) -> bool:
    written = node.child("type") if node.kind == "cast_expression" else None
    target = written.text if written is not None else cast_target(node)
    return target is not None and _BYTE.fullmatch(" ".join(target.split())) is not None


def _is_computed(value: Syntax, body: Body) -> bool:
    """More than the sum of two elements, which may be meant modulo 256."""
    for _ in range(MOST_HOPS):
        values = body.scope.values.get(value.text, []) if value.kind == "identifier" else []
        if len(values) != 1:
            break
        value = uncast(values[0])
    if value.kind == "call_expression":
        return True
    return value.kind == "binary_expression" and (
        value.op in ("*", "/") or any(part.kind in ("binary_expression", "call_expression") for part in value.children)
    )


def _range(node: Syntax, body: Body, arrays: dict[str, bool], hops: int = MOST_HOPS) -> _Range | None:
    """What the expression may be; None where something else is in it."""
    if _casts_to_byte(node):
        return None
    node = uncast(node)
    if hops == 0:
        return None
    match node.kind:
        case "number_literal":
            return _Range(constant=float(node.text.rstrip("fFuUlL"))) if _NUMBER.fullmatch(node.text) else None
        case "subscript_expression" | "field_expression":
            return _Range({node.bare: 1.0}) if _is_load(node, arrays) else None
        case "identifier":
            values = body.scope.values.get(node.text, [])
            if len(values) != 1 or node.text in body.scope.grown or _is_compared(node.text, body):
                return None
            return _range(values[0], body, arrays, hops - 1)
        case "unary_expression" if node.op == "-" and node.children:
            inner = _range(node.children[-1], body, arrays, hops)
            return None if inner is None else inner.scaled(-1.0)
        case "binary_expression":
            return _combined(node, body, arrays, hops)
        case "call_expression":
            return _called(node, body, arrays, hops)
        case _:
            return None


def _is_load(node: Syntax, arrays: dict[str, bool]) -> bool:
    member = node.child("argument") if node.kind == "field_expression" else None
    element = node if member is None else member
    base = element.child("argument") if element.kind == "subscript_expression" else None
    return base is not None and arrays.get(base.text) is (member is not None)


def _combined(node: Syntax, body: Body, arrays: dict[str, bool], hops: int) -> _Range | None:
    left, right = node.child("left"), node.child("right")
    if left is None or right is None or node.op not in ("+", "-", "*", "/"):
        return None
    one, other = _range(left, body, arrays, hops), _range(right, body, arrays, hops)
    if one is None or other is None:
        return None
    if node.op in ("+", "-"):
        second = other if node.op == "+" else other.scaled(-1.0)
        return None if second is None else one.plus(second)
    if _is_constant(other):
        if node.op == "/" and other.constant == 0:
            return None
        return one.scaled(other.constant if node.op == "*" else 1 / other.constant)
    if node.op == "*" and _is_constant(one):
        return other.scaled(one.constant)
    if node.op == "*" and uncast(left).bare == uncast(right).bare:
        return _Range(rest=(0.0, one.magnitude() ** 2))
    return None


def _is_constant(value: _Range) -> bool:
    return not value.weights and value.rest == (0.0, 0.0)


def _called(node: Syntax, body: Body, arrays: dict[str, bool], hops: int) -> _Range | None:
    callee, arguments = node.child("function"), node.child("arguments")
    if callee is None or arguments is None or len(arguments.children) != 1:
        return None
    inner = _range(arguments.children[0], body, arrays, hops)
    if inner is None or _KEEPS_VALUE.fullmatch(callee.text):
        return inner
    if ABSOLUTE.match(callee.text):
        return _Range(rest=(0.0, inner.magnitude()))
    if _ROOT.fullmatch(callee.text) and inner.low >= 0:
        return _Range(rest=(0.0, math.sqrt(inner.sure)))
    return None


def _is_compared(name: str, body: Body) -> bool:
    return any(n.op in ("<", "<=", ">", ">=") and name in (uncast(c).text for c in n.children) for n in body.nodes)


def _is_wrapped_sum(node: Syntax, variables: dict[str, Syntax], body: Body) -> bool:
    """`sum += in[k]` in a loop, of a byte that is divided then: a mean."""
    left, right = node.child("left"), node.child("right")
    if node.kind != "assignment_expression" or node.op != "+=" or left is None or right is None:
        return False
    if left.text not in variables or uncast(right).kind != "subscript_expression":
        return False
    declared = variables[left.text].start
    loop = any(parent.kind in _LOOPS and parent.start > declared for parent, _ in body.ancestors(node))
    return loop and any(
        part.kind == "binary_expression" and part.op == "/" and uncast(part.children[0]).text == left.text
        for part in body.nodes
    )
