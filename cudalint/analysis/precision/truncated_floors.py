"""Conversions that cut numbers off towards zero, which may be negative, where the next lower or the nearest integer is meant.

int x0 = (int)sx;  float f = sx - x0;  if (x0 < 0) ...      of -0.25 the weight is -0.25, not 0.75
int q = max(-128, (int)(v + 0.5f));                         of -1.75 it is -1, not -2

That the number may be negative is what the code itself says: it asks whether the integer is below zero, or clamps it to a range
that begins there, or it lets numbers pass that are above a negative one: `if (!(sx > -1.f && sx < width)) return 0;`. Any other
condition or clamp that asks about the number before it is converted is taken to settle its sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.precision.signs import is_never_negative
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.scopes import FLOATING, cast_target, kind_of, uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_WHOLE = re.compile(r"(signed )?(int|short|long|char|signed|long long|(std::)?int(8|16|32|64)_t)")
_CUTS = re.compile(r"__(float|double)2(int|ll)_rz|(std::|::)?truncf?")
_HALF = re.compile(r"0?\.50*f?")
_KEEPS = re.compile(r"max|min|clamp|abs|floor|rint|round|mod|sqrt|saturate", re.IGNORECASE)
_BOUNDS = re.compile(r"^(::|std::)?(__)?f?(max|min|clamp)f?$")
_ZERO = re.compile(r"0|-1")
_ORDERS = ("<", "<=", ">", ">=")


def truncated_floors(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each conversion."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            name, value = converted_number(node, body)
            if value is None:
                continue
            if (other := _of_half(value)) is not None:
                if _is_signed_code(node, name, other, body):
                    text = f"`{short(node)}` rounds negative numbers up: it cuts off towards zero"
                    yield GuardIssue(body.function, node, text, value)
            elif name and (rest := _fraction(value, name, body)) is not None and _may_be_negative(name, value, body):
                text = f"`{short(node)}` cuts off towards zero: `{short(rest)}` is negative left of zero"
                yield GuardIssue(body.function, node, text, rest)


def converted_number(node: Syntax, body: Body) -> tuple[str, Syntax | None]:
    """(variable that gets it, number that becomes an integer) of `int x = (int)f;`, `int x = f;` and `(int)f`."""
    if node.kind == "init_declarator":
        target, value = node.child("declarator"), node.child("value")
        outer = body.parents.get(id(node))
        written = outer.child("type") if outer is not None else None
        if target is None or value is None or written is None or not _is_whole(written.text):
            return "", None
        given = uncast(_towards_zero(value))
        return target.text, given if kind_of(given, body.scope) == FLOATING else None
    written = node.child("type")
    target_type = written.text if node.kind == "cast_expression" and written is not None else cast_target(node)
    parent = body.parents.get(id(node))
    if target_type is None or not _is_whole(target_type) or parent is None or parent.kind == "init_declarator":
        return "", None
    return "", uncast(node)


def _towards_zero(value: Syntax) -> Syntax:
    """x of `__float2int_rz(x)` and `truncf(x)`."""
    callee, arguments = value.child("function"), value.child("arguments")
    cuts = callee is not None and _CUTS.fullmatch(callee.text) is not None
    return arguments.children[0] if cuts and arguments is not None and len(arguments.children) == 1 else value


def _is_whole(written: str) -> bool:
    return _WHOLE.fullmatch(" ".join(written.replace("const", " ").split())) is not None


def _of_half(value: Syntax) -> Syntax | None:
    """v of `v + 0.5f`."""
    left, right = value.child("left"), value.child("right")
    if value.op != "+" or left is None or right is None:
        return None
    for half, other in ((right, left), (left, right)):
        if half.kind == "number_literal" and _HALF.fullmatch(half.bare):
            return uncast(other)
    return None


def _is_signed_code(node: Syntax, name: str, other: Syntax, body: Body) -> bool:
    """What is rounded is clamped to a range from below zero, and no condition asks for its sign."""
    if other.kind == "unary_expression" and other.op == "-":
        other = uncast(other.children[-1])
    if is_never_negative(other, body) or _is_asked(other, body) or f"{other.bare}-0.5" in body.function.body.bare:
        return False
    clamped = [parent for parent, _ in body.ancestors(node) if _has_negative_bound(parent)]
    within = [part for part in _made_of(other, body) if _has_negative_bound(part)]
    later = [part for part in body.nodes if name and _is_kept_above_negative(name, part)]
    return bool(clamped or within or later)


def _is_kept_above_negative(name: str, part: Syntax) -> bool:
    """`max(q, -128)`, or `q < -128`."""
    if _has_negative_bound(part):
        return name in names_in(part)
    return any(_BELOW.fullmatch(bound) and float(bound.rstrip("f")) < -1 for bound in _bounds_of(name, part))


def _made_of(other: Syntax, body: Body) -> Iterator[Syntax]:
    values = body.scope.values.get(other.text, []) if other.kind == "identifier" else [other]
    for value in values:
        yield from value.walk()


def _has_negative_bound(call: Syntax) -> bool:
    """`max(-128, q)` and `fminf(fmaxf(v, -128.f), 127.f)`."""
    callee, arguments = call.child("function"), call.child("arguments")
    if call.kind != "call_expression" or callee is None or arguments is None or not _BOUNDS.match(callee.text):
        return False
    return any(re.fullmatch(r"-\d+(\.\d*)?f?", uncast(argument).bare) for argument in arguments.children)


def _fraction(value: Syntax, name: str, body: Body) -> Syntax | None:
    """`value - name`: what interpolation weighs with, where its sign is not looked at."""
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind == "binary_expression" and node.op == "-" and left is not None and right is not None:
            if uncast(left).bare == value.bare and uncast(right).text == name and not _is_looked_at(node, body):
                return node
    return None


def _is_looked_at(rest: Syntax, body: Body) -> bool:
    """`fmaxf(sx - x0, 0.f)`, `r = v - w; .. fabsf(r) ..`, `r < 0.f`: what a negative rest stands for is settled."""
    held = ""
    for parent, _ in body.ancestors(rest):
        callee = parent.child("function")
        if callee is not None and _KEEPS.search(callee.text):
            return True
        if parent.kind == "init_declarator" or (parent.kind == "assignment_expression" and parent.op == "="):
            held = parent.children[0].text
        if parent.kind in ("expression_statement", "declaration"):
            break
    asked = (bound for node in body.nodes for bound in _bounds_of(held, node))
    return bool(held) and (any(_is_fitted(node, held) for node in body.nodes) or any(map(_AT_ZERO.fullmatch, asked)))


def _may_be_negative(name: str, value: Syntax, body: Body) -> bool:
    """The code asks whether the integer, or one behind it, lies below zero, and has not asked about the number itself."""
    if is_never_negative(value, body) or _is_scaled_place(value, body):
        return False
    if _is_let_below(value, body):
        return True
    if _is_asked(value, body):
        return False
    made = (value, *body.scope.values.get(value.text, []))
    if any(_KEEPS.search(part.text) or _is_fitted_by_own(part, body) for part in made):
        return False
    near = {name} | {
        other
        for other, values in body.scope.values.items()
        if len(values) == 1 and (values[0].op == "+" or values[0].text == name) and name in names_in(values[0])
    }
    return any(_asks_for_sign(node, near) for node in body.nodes)


def _is_fitted_by_own(value: Syntax, body: Body) -> bool:
    """`inside(v, hi)`: a function of the file that compares or clamps what it is given."""
    called = {call.child("function") for call in value.walk() if call.kind == "call_expression"}
    names = {callee.text.partition("<")[0].rpartition("::")[2] for callee in called if callee is not None}
    return any(
        function.name.rpartition("::")[2] in names
        and any(
            n.op in _ORDERS or (n.kind == "call_expression" and _KEEPS.search(n.text)) for n in function.body.walk()
        )
        for function in body.scope.outline.functions
    )


def _is_scaled_place(value: Syntax, body: Body, hops: int = 3) -> bool:
    """`x * scale` of the thread's place, and a number added that is not negative: a factor that is handed over is a scale."""
    value = uncast(value)
    if value.kind == "parenthesized_expression":
        return _is_scaled_place(value.children[0], body, hops)
    if value.kind == "identifier":
        values = body.scope.values.get(value.text, [])
        kept = hops > 0 and len(values) == 1 and value.text not in body.scope.grown
        return kept and _is_scaled_place(values[0], body, hops - 1)
    left, right = value.child("left"), value.child("right")
    if value.kind != "binary_expression" or left is None or right is None:
        return False
    sides = ((left, right), (right, left))
    if value.op == "+":
        return any(_is_scaled_place(a, body, hops) and is_never_negative(b, body) for a, b in sides)
    places = sides[:1] if value.op == "/" else sides
    return value.op in ("*", "/") and any(is_never_negative(a, body) and _is_scale(b, body, hops) for a, b in places)


def _is_scale(factor: Syntax, body: Body, hops: int) -> bool:
    """A number that the function is handed, or a quotient or product of such."""
    factor, scope = uncast(factor), body.scope
    if factor.kind == "number_literal" or (factor.kind == "identifier" and factor.text in scope.parameters):
        return True
    if factor.kind == "field_expression":
        base = factor.child("argument")
        return base is not None and base.text in scope.parameters
    if factor.kind == "identifier":
        values = scope.values.get(factor.text, [])
        return hops > 0 and len(values) == 1 and factor.text not in scope.grown and _is_scale(values[0], body, hops - 1)
    if factor.kind == "parenthesized_expression" or factor.op in ("*", "/"):
        return all(_is_scale(each, body, hops) for each in factor.children)
    return False


def _is_let_below(value: Syntax, body: Body) -> bool:
    """What is converted is compared with a negative number, never with zero, and is the same ever after."""
    names, written = names_in(value), value.bare
    scope = body.scope
    if (
        value.kind not in ("identifier", "field_expression")
        or not names.isdisjoint(scope.grown)
        or written in scope.fields
    ):
        return False
    if any(len(scope.values.get(name, [])) > (name not in scope.parameters) for name in names):
        return False
    bounds = [bound for node in body.nodes for bound in _bounds_of(written, node) if node.start < value.start]
    kept = any(_is_fitted(node, written) for node in body.nodes)
    below = [bound for bound in bounds if _BELOW.fullmatch(bound)]
    return not kept and bool(below) and len(bounds) > len(below) and not any(map(_AT_ZERO.fullmatch, bounds))


_BELOW = re.compile(r"-\d*\.?\d+f?|-\d+\.f?")
_AT_ZERO = re.compile(r"-?0?\.?0*f?")


def _bounds_of(written: str, node: Syntax) -> Iterator[str]:
    """What a comparison holds the number against."""
    left, right = node.child("left"), node.child("right")
    if node.kind == "binary_expression" and node.op in _ORDERS and left is not None and right is not None:
        for own, other in ((left, right), (right, left)):
            if uncast(own).bare == written:
                yield uncast(other).bare.strip("()")


def _is_fitted(call: Syntax, written: str) -> bool:
    """`fmaxf(x, 0.f)`, `floorf(x)` of the number."""
    callee, arguments = call.child("function"), call.child("arguments")
    if call.kind != "call_expression" or callee is None or arguments is None or not _KEEPS.search(callee.text):
        return False
    return any(uncast(argument).bare == written for argument in arguments.children)


def _asks_for_sign(node: Syntax, names: set[str]) -> bool:
    """`x0 < 0`, `0 <= x0`, `x0 > -1`, `max(x0, 0)` of one of the names."""
    left, right = node.child("left"), node.child("right")
    if node.kind == "binary_expression" and node.op in _ORDERS and left is not None and right is not None:
        return any(
            (side.text in names and _ZERO.fullmatch(bound.bare) is not None) or _is_wrapped(side, names)
            for side, bound in ((left, right), (right, left))
        )
    callee, arguments = node.child("function"), node.child("arguments")
    if callee is None or arguments is None or re.fullmatch(r"(::|std::)?(max|clamp)", callee.text) is None:
        return False
    texts = [argument.bare for argument in arguments.children]
    return "0" in texts and any(text in names for text in texts)


def _is_wrapped(side: Syntax, names: set[str]) -> bool:
    """`(unsigned)x0 < (unsigned)width`: a negative number is a large one."""
    written = side.child("type") if side.kind == "cast_expression" else None
    target = cast_target(side) if written is None else written.text
    return (
        target is not None and re.match(r"unsigned|uint|size_t|u32", target) is not None and uncast(side).text in names
    )


def _is_asked(value: Syntax, body: Body) -> bool:
    """A condition asks about the number, or it is given another value somewhere."""
    names = names_in(value) if value.kind == "identifier" else set()
    if any(len(body.scope.values.get(name, [])) > 1 or name in body.scope.grown for name in names):
        return True
    return any(
        node.kind == "binary_expression"
        and node.op in _ORDERS
        and any(uncast(side).bare == value.bare for side in node.children)
        for node in body.nodes
    )
