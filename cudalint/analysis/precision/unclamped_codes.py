"""Real numbers that are rounded, or cut off, into a byte without being kept within what a byte holds.

q[i] = static_cast<int8_t>(rintf(x[i] * inverse_scale));        beyond 127 it starts again from below
q[i] = static_cast<int8_t>(fminf(fmaxf(rintf(x[i] * inverse_scale), -128.f), 127.f));
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.scopes import FLOATING, POINTER, cast_target, uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_BYTES = re.compile(r"^(std::)?(u?int8_t|signed char|unsigned char|char|uchar|uint8|int8)$")
_ROUNDS = re.compile(r"^(::|std::)?(l?rint|l?round|nearbyint)f?$|^__float2u?int_r[nzud]$|^__half2int_rn$")
_KEPT = re.compile(r"min|max|clamp|sat|\?|%|&", re.IGNORECASE)
_LARGEST = re.compile(r"abs_?max|amax|max_?abs|\bf?max\w*\s*\(|fabs|\babs\s*\(|\.aminmax|\.max\s*\(", re.IGNORECASE)
MOST_STEPS = 3


def unclamped_codes(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each conversion; certain where nothing in the file looks for the largest value that the scale comes from."""
    if "8_t" not in outline.root.text and "char" not in outline.root.text:
        return
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            target = _target(node)
            if target is None or _BYTES.match(" ".join(target.split())) is None:
                continue
            rounded = next(
                (r for part in _packed(uncast(node)) if (r := _rounded(part, body)) and _is_scaled(r, body)), None
            )
            if rounded is not None:
                text = f"`{short(node)}`: nothing keeps `{short(rounded)}` within a byte"
                certain = _LARGEST.search(outline.root.text) is None
                yield GuardIssue(body.function, node, text, None if rounded is node else rounded, certain)


def _target(node: Syntax) -> str | None:
    written = node.child("type") if node.kind == "cast_expression" else None
    return cast_target(node) if written is None else written.text


def _packed(value: Syntax) -> list[Syntax]:
    """The codes of `low | (high << 4)`: each has less than the byte."""
    left, right = value.child("left"), value.child("right")
    if left is None or right is None or value.op not in ("|", "<<"):
        return [value]
    return [*_packed(uncast(left)), *(_packed(uncast(right)) if value.op == "|" else [])]


def _unshifted(value: Syntax) -> Syntax:
    """`code` of `code + 8`: the point of zero is elsewhere."""
    left, right = value.child("left"), value.child("right")
    if value.op in ("+", "-") and left is not None and right is not None and right.kind == "number_literal":
        return uncast(left)
    return value


def _rounded(value: Syntax, body: Body) -> Syntax | None:
    """The rounding, or the product, that the value comes from, with nothing on the way that would keep it small."""
    for _ in range(MOST_STEPS):
        value = _unshifted(value)
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


def _is_scaled(rounded: Syntax, body: Body) -> bool:
    """What is rounded is an element times or over a scale that comes from outside."""
    arguments = rounded.child("arguments")
    given = arguments.children if arguments is not None else ()
    product = uncast(given[0]) if len(given) == 1 else rounded
    parts = [uncast(child) for child in product.children] if product.op in ("*", "/") else []
    if len(parts) != 2 or not any(_is_element(part, body) for part in parts):
        return False
    scales = [part for part in parts if not _is_element(part, body)]
    return len(scales) == 1 and _is_given(scales[0], body)


def _is_element(part: Syntax, body: Body) -> bool:
    """Memory that the kernel is given, or a variable that was loaded from there."""
    values = body.scope.values.get(part.text, []) if part.kind == "identifier" else [part]
    if len(values) != 1:
        return False
    loads = [node for node in values[0].walk() if node.kind == "subscript_expression"]
    bases = {base.text for load in loads if (base := load.child("argument")) is not None}
    return any(body.scope.types.get(base) == POINTER for base in bases)


def _is_given(scale: Syntax, body: Body) -> bool:
    """A number that the kernel is passed as it is."""
    return bool(names_in(scale)) and all(
        name in body.scope.parameters and body.scope.types.get(name) == FLOATING for name in names_in(scale)
    )
