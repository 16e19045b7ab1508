"""Real numbers that are rounded, or cut off, into a byte without being kept within what a byte holds.

q[i] = static_cast<int8_t>(rintf(x[i] * inverse_scale));        beyond 127 it starts again from below
q[i] = static_cast<int8_t>(fminf(fmaxf(rintf(x[i] * inverse_scale), -128.f), 127.f));
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.scopes import FLOATING, POINTER, cast_target, kind_of, uncast
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_BYTES = re.compile(r"^(std::)?(u?int8_t|signed char|unsigned char|char|uchar|uint8|int8)$")
_ROUNDS = re.compile(r"^(::|std::)?(l?rint|l?round|nearbyint)f?$|^__float2u?int_r[nzud]$|^__half2int_rn$")
_KEPT = re.compile(r"min|max|clamp|sat|\?|%|&", re.IGNORECASE)
_LARGEST = re.compile(r"abs_?max|amax|max_?abs|\bf?max\w*\s*\(|fabs|\babs\s*\(|\.aminmax|\.max\s*\(", re.IGNORECASE)
_ONE = re.compile(r"1(\.0*)?f?")
MOST_STEPS = 3


def unclamped_codes(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each conversion; certain where nothing in the file looks for the largest value that the scale comes from."""
    if "8_t" not in outline.root.text and "char" not in outline.root.text:
        return
    program = program_of(outline)
    for body in bodies(program):
        byte_arrays = _byte_arrays(body)
        for node in body.nodes:
            value = _converted(node, byte_arrays, body)
            parts = [] if value is None else [_rounded(part, body) for part in _packed(uncast(value))]
            rounded = next((part for part in parts if part is not None and _is_scaled(part, body, program)), None)
            if rounded is not None:
                text = f"`{short(node)}`: nothing keeps `{short(rounded)}` within a byte"
                certain = _LARGEST.search(outline.root.text) is None
                yield GuardIssue(body.function, node, text, None if rounded is node else rounded, certain)


def _byte_arrays(body: Body) -> frozenset[str]:
    """Parameters that point to bytes."""
    typed = zip(body.scope.parameters, (p.child("type") for p in body.function.parameters))
    found = [name for name, written in typed if written is not None and _is_byte(written.text)]
    return frozenset(name for name in found if body.scope.types.get(name) == POINTER)


def _is_byte(written: str) -> bool:
    return _BYTES.match(" ".join(written.split())) is not None


def _converted(node: Syntax, byte_arrays: frozenset[str], body: Body) -> Syntax | None:
    """What a cast, or a store to an array of bytes, makes a byte of."""
    target = _target(node)
    if target is not None:
        return node if _is_byte(target) else None
    left, right = node.child("left"), node.child("right")
    if node.kind != "assignment_expression" or node.op != "=" or left is None or right is None:
        return None
    base = left.child("argument") if left.kind == "subscript_expression" else None
    is_plain = uncast(right) is right and (right.kind == "call_expression" or _is_real_sum(right, body))
    return right if is_plain and base is not None and base.text in byte_arrays else None


def _is_real_sum(value: Syntax, body: Body) -> bool:
    """A product or sum of real numbers, which the store itself cuts off."""
    return value.kind == "binary_expression" and value.op in ("*", "+", "-") and kind_of(value, body.scope) == FLOATING


def _target(node: Syntax) -> str | None:
    written = node.child("type") if node.kind == "cast_expression" else None
    return cast_target(node) if written is None else written.text


def _packed(value: Syntax) -> list[Syntax]:
    """The codes of `low | (high << 4)`: each has less than the byte."""
    left, right = value.child("left"), value.child("right")
    if left is None or right is None or value.op not in ("|", "<<"):
        return [value]
    return [*_packed(uncast(left)), *(_packed(uncast(right)) if value.op == "|" else [])]


def _unshifted(value: Syntax, body: Body) -> Syntax:
    """`code` of `code + 8` and of `code + zero`: the point of zero is elsewhere, or the brightness is another one."""
    left, right = value.child("left"), value.child("right")
    if value.op in ("+", "-") and left is not None and right is not None:
        if right.kind == "number_literal" or (right.kind == "identifier" and right.text in body.scope.parameters):
            return uncast(left)
    return value


def _rounded(value: Syntax, body: Body) -> Syntax | None:
    """The rounding, or the product, that the value comes from, with nothing on the way that would keep it small."""
    for _ in range(MOST_STEPS):
        value = _unshifted(value, body)
        callee = value.child("function") if value.kind == "call_expression" else None
        if callee is not None:
            return value if _ROUNDS.match(callee.text) and _KEPT.search(value.text) is None else None
        if value.op in ("*", "/"):
            return value  # the conversion drops the fraction itself
        values = body.scope.values.get(value.text, []) if value.kind == "identifier" else []
        if len(values) != 1 or value.text in body.scope.grown or _is_compared(value.text, body):
            return None
        value = uncast(values[0])
    return None


def _is_compared(name: str, body: Body) -> bool:
    return any(n.op in ("<", "<=", ">", ">=") and name in (c.text for c in n.children) for n in body.nodes)


def _is_scaled(rounded: Syntax, body: Body, program: Program) -> bool:
    """What is rounded is an element times or over a scale that comes from outside."""
    arguments = rounded.child("arguments")
    given = arguments.children if arguments is not None else ()
    product = uncast(given[0]) if len(given) == 1 else rounded
    if product.kind == "identifier" and product.text in body.scope.parameters:
        return _is_scaled_by_callers(product.text, body, program)
    return _is_scaled_element(product, body)


def _is_scaled_element(product: Syntax, body: Body) -> bool:
    values = body.scope.values.get(product.text, []) if product.kind == "identifier" else []
    product = uncast(values[0]) if len(values) == 1 else product
    parts = [uncast(child) for child in product.children] if product.op in ("*", "/") else []
    if len(parts) != 2:
        return False
    return any(
        _is_element(part, body) and _is_scale(scale, body)
        for part, scale in ((parts[0], parts[1]), (parts[1], parts[0]))
    )


def _is_scaled_by_callers(parameter: str, body: Body, program: Program) -> bool:
    """A function of one number, `to_int8(x[i] * inverse)`: all of its calls in the file give it such products."""
    if body.function.role == "kernel" or len(body.scope.parameters) != 1:
        return False
    calls = [
        (caller, arguments.children[0])
        for caller in bodies(program)
        for node in caller.nodes
        if node.kind == "call_expression"
        and (callee := node.child("function")) is not None
        and callee.text == body.function.name
        and (arguments := node.child("arguments")) is not None
        and len(arguments.children) == 1
    ]
    return bool(calls) and all(_is_scaled_element(uncast(argument), caller) for caller, argument in calls)


def _is_element(part: Syntax, body: Body) -> bool:
    """Memory that the kernel is given, or a variable that was loaded from there."""
    values = body.scope.values.get(part.text, []) if part.kind == "identifier" else [part]
    if len(values) != 1:
        return False
    loads = [node for node in values[0].walk() if node.kind == "subscript_expression"]
    bases = {base.text for load in loads if (base := load.child("argument")) is not None}
    return any(body.scope.types.get(base) == POINTER for base in bases)


def _is_scale(scale: Syntax, body: Body) -> bool:
    """A number that the kernel is passed as it is, or the first element of what it is passed; or one over these."""
    for _ in range(MOST_STEPS):
        values = body.scope.values.get(scale.text, []) if scale.kind == "identifier" else []
        if len(values) == 1 and scale.text not in body.scope.grown:
            scale = uncast(values[0])
        elif scale.op == "/" and (left := scale.child("left")) is not None and _ONE.fullmatch(left.bare):
            scale = uncast(scale.children[-1])
        else:
            break
    base = scale.child("argument")
    if base is not None and (scale.op == "*" or scale.text.endswith("[0]")):
        return base.text in body.scope.parameters and body.scope.elements.get(base.text) == FLOATING
    return bool(names_in(scale)) and all(
        name in body.scope.parameters and body.scope.types.get(name) == FLOATING for name in names_in(scale)
    )
