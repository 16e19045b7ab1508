"""Largest values of floats that are found by comparing their bits as integers, which orders negative numbers the other way round.

out = -FLT_MAX;   atomicMax((int*)out, __float_as_int(v));                    -1.f is less than -FLT_MAX by its bits
if (v >= 0) atomicMax((int*)out, __float_as_int(v)); else atomicMin((unsigned*)out, __float_as_uint(v));

That negative values come is what the file says: it begins a search with the lowest number, or a helper is given plain elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.precision.signs import is_never_negative
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import FLOATING, uncast
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_ATOMIC = re.compile(r"(::)?atomic(Max|Min)(_block|_system)?")
_BITS = re.compile(r"(::)?__(float_as_u?int|double_as_longlong)")
_LOWEST = re.compile(
    r"-\s*\(?\s*(FLT_MAX|DBL_MAX|HUGE_VALF?|INFINITY|CUDART_INF_F?|1e[1-3]\d)|::lowest\(\)|0xff7fffff", re.I
)
_SIGNS = re.compile(r"signbit|>>\s*31|0x80000000|0x7fffffff|copysign|\^", re.IGNORECASE)


def ordered_bits(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each search of a maximum whose values may be negative."""
    if "_as_" not in outline.root.text or _LOWEST.search(outline.root.text) is None:
        return
    program = program_of(outline)
    for body in bodies(program):
        for node in body.nodes:
            value = _compared_bits(node)
            if value is None or _knows_signs(node, body):
                continue
            if _may_be_negative(value, body, program):
                text = f"`{short(node)}` orders negative numbers the wrong way round: `{short(value)}` may be one"
                yield GuardIssue(body.function, node, text)


def _compared_bits(node: Syntax) -> Syntax | None:
    """v of `atomicMax(..., __float_as_int(v))`."""
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind != "call_expression" or callee is None or arguments is None or len(arguments.children) != 2:
        return None
    bits = uncast(arguments.children[1])
    made, given = bits.child("function"), bits.child("arguments")
    matched = _ATOMIC.fullmatch(callee.text)
    if matched is None or matched[2] != "Max" or made is None or given is None or _BITS.fullmatch(made.text) is None:
        return None
    return uncast(given.children[0]) if len(given.children) == 1 else None


def _knows_signs(node: Syntax, body: Body) -> bool:
    """A condition stands around it, or the other direction beside it, or the bits are turned over."""
    chosen = any(
        parent.kind in ("if_statement", "conditional_expression") and _asks_zero(parent)
        for parent, _ in body.ancestors(node)
    )
    return chosen or "atomicMin" in body.function.body.text or _SIGNS.search(body.function.body.text) is not None


def _asks_zero(branch: Syntax) -> bool:
    condition = branch.child("condition")
    return (
        condition is not None
        and re.search(r"[<>]=?\s*-?0|!\s*\w|^\w+$|\b0(\.0*)?f?\s*[<>]", condition.text) is not None
    )


def _may_be_negative(value: Syntax, body: Body, program: Program) -> bool:
    if is_never_negative(value, body):
        return False
    if value.kind == "subscript_expression":
        base = value.child("argument")
        return (
            base is not None and base.text in body.scope.parameters and body.scope.elements.get(base.text) == FLOATING
        )
    if value.kind != "identifier":
        return False
    if value.text in body.scope.parameters:
        return body.function.role != "kernel" and _is_given_negative(value.text, body, program)
    values = [uncast(each) for each in body.scope.values.get(value.text, [])]
    if len(values) == 1 and values[0].kind == "subscript_expression":
        return _may_be_negative(values[0], body, program) and not _is_compared_to_zero(value.text, body)
    return any(_LOWEST.fullmatch(each.bare) is not None for each in values)


def _is_compared_to_zero(name: str, body: Body) -> bool:
    return any(
        node.op in ("<", "<=", ">", ">=")
        and {name} & {child.text for child in node.children}
        and re.search(r"\b0", node.text)
        for node in body.nodes
    )


def _is_given_negative(name: str, body: Body, program: Program) -> bool:
    """A caller gives the helper what may be negative."""
    place = body.scope.parameters.index(name)
    for call in program.callers(body.function.name):
        caller = next((each for each in bodies(program) if each.function is call.function), None)
        if caller is not None and place < len(call.arguments):
            given = uncast(call.arguments[place])
            if given.text not in caller.scope.parameters and _may_be_negative(given, caller, program):
                return True
    return False
