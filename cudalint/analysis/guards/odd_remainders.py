"""Remainders that may be below zero, where the twin of the other axis adds the period before it takes them.

py = (y - dy + ny) % ny;  px = (x - dx) % nx;  f[py * nx + px]           x == 0: the element is one of the row before
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.guards.odd_twins import are_of_one_element, target_of
from cudalint.analysis.text.called_functions import given_to
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.scopes import INT, WIDE, uncast
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_NAME = re.compile(r"[A-Za-z_]\w*")
_ORDERS = ("<", "<=", ">", ">=", "==", "!=")
_OF_LAUNCH = re.compile(r"\b(threadIdx|blockIdx)\b")
_MOST = 24  # of one function


@dataclass(frozen=True, slots=True)
class _Remainder:
    """`(x - dx + nx) % nx`: the summands with their signs, without the period, and whether it was one of them."""

    node: Syntax
    summands: tuple[Syntax, ...]
    added: tuple[Syntax, ...]
    period: str
    is_lifted: bool


def odd_remainders(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each remainder that lacks the period."""
    if "%" in outline.root.text:
        program = program_of(outline)
        for body in bodies(program):
            yield from _in_body(body, program)


def _in_body(body: Body, program: Program) -> Iterator[GuardIssue]:
    """What may be below zero is lifted by the period before its remainder is taken, and by the other axis it is not."""
    found = [each for node in body.nodes if node.op == "%" and (each := _remainder(node)) is not None]
    plain = [each for each in found if not each.is_lifted and _is_signed(each, body)]
    plain = [each for each in plain if not _is_lifted_later(each, body) and _begins_at_zero(each, body, program)]
    for odd in plain if len(found) <= _MOST else ():
        if any(each.is_lifted and each.period == odd.period for each in found):
            continue
        for twin in (each for each in found if each.is_lifted and each.period != odd.period):
            if _shape(odd) == _shape(twin) and _share_element(odd, twin, body):
                text = (
                    f"`{short(odd.node)}` is below zero where the number is: `{short(twin.node)}` adds the period first"
                )
                yield GuardIssue(body.function, odd.node, text, twin.node)
                break


def _remainder(node: Syntax) -> _Remainder | None:
    left, right = node.child("left"), node.child("right")
    if left is None or right is None or right.kind not in ("identifier", "field_expression"):
        return None
    signed = list(_signed(uncast(left), "+"))
    lifts = [part for sign, part in signed if sign == "+" and uncast(part).bare == right.bare]
    rest = sorted((sign + _NAME.sub("#", part.bare), part.start, part) for sign, part in signed if part not in lifts)
    if not any(sign.startswith("-") for sign, _, _ in rest):
        return None
    added = tuple(part for sign, _, part in rest if sign.startswith("+"))
    return _Remainder(node, tuple(part for _, _, part in rest), added, right.bare, bool(lifts))


def _signed(node: Syntax, sign: str) -> Iterator[tuple[str, Syntax]]:
    """The summands of a sum, each with its sign."""
    left, right = node.child("left"), node.child("right")
    while node.kind == "parenthesized_expression" and len(node.children) == 1:
        node = node.children[0]
        left, right = node.child("left"), node.child("right")
    if node.kind == "binary_expression" and node.op in ("+", "-") and left is not None and right is not None:
        yield from _signed(left, sign)
        yield from _signed(right, sign if node.op == "+" else "-" if sign == "+" else "+")
    else:
        yield sign, node


def _shape(remainder: _Remainder) -> list[str]:
    return [_NAME.sub("#", part.bare) for part in remainder.summands]


def _is_signed(remainder: _Remainder, body: Body) -> bool:
    """The names are of signed integers, and no condition asks whether the number, or the remainder, is below."""
    names = set().union(*(names_in(part) for part in remainder.summands))
    kinds = {
        body.scope.types.get(name) for part in remainder.summands if part.kind == "identifier" for name in [part.text]
    }
    if not kinds or not kinds <= {INT, WIDE} or re.search(r"unsigned|size_t|uint", remainder.node.text):
        return False
    result = {name for parent, _ in body.ancestors(remainder.node) if (name := target_of(parent))}
    return not any(_asks_for_sign(node, names | result) or _compares(node, remainder) for node in body.nodes)


def _compares(node: Syntax, remainder: _Remainder) -> bool:
    """`x < dx`: what is taken away is held against what it is taken from."""
    left, right = node.child("left"), node.child("right")
    if node.op not in _ORDERS or left is None or right is None:
        return False
    first = {name for part in remainder.added for name in names_in(part)}
    second = {name for part in remainder.summands if part not in remainder.added for name in names_in(part)}
    one, other = names_in(left), names_in(right)
    return bool((one & first and other & second) or (other & first and one & second))


def _is_lifted_later(remainder: _Remainder, body: Body) -> bool:
    """`((x - dx) % nx + nx) % nx`, `sx = (sx + nx) % nx`: the period is added to the remainder."""
    results = {name for parent, _ in body.ancestors(remainder.node) if (name := target_of(parent))}
    for node in body.nodes:
        if node.kind == "binary_expression" and node.op == "+":
            terms = [_plain(term) for term in terms_of(node)]
            if any(term.bare == remainder.period for term in terms):
                if any(term.text in results or term.start <= remainder.node.start < term.end for term in terms):
                    return True
        target, value = node.child("left"), node.child("right")
        if node.op == "+=" and target is not None and value is not None and target.text in results:
            return True
    return False


def _begins_at_zero(remainder: _Remainder, body: Body, program: Program) -> bool:
    """What the number is taken from is a place of the launch, or of a loop, from the first on, as far as is known."""
    return all(_is_from_zero(_plain(part), body, program) for part in remainder.added)


def _is_from_zero(part: Syntax, body: Body, program: Program) -> bool:
    """`threadIdx.x`, or a variable: one that begins with a number, or that something is added to, does not begin at zero."""
    if part.kind != "identifier":
        return True
    values = body.scope.values.get(part.text, [])
    if not values and part.text in body.scope.parameters:
        given = [value for value, _ in given_to(part.text, body.function, program)]
        return body.function.role == "device" and not any("+" in value.text for value in given)
    return not any(_is_shifted(_plain(value), body) for value in values)


def _is_shifted(value: Syntax, body: Body) -> bool:
    """`radius + threadIdx.x`, `blockIdx.y + 1`, 1."""
    if value.kind == "number_literal":
        return value.text != "0"
    terms = [_plain(term) for term in terms_of(value)]
    places = [term for term in terms if _OF_LAUNCH.search(term.text) or not body.positions.isdisjoint(names_in(term))]
    return len(terms) > 1 and len(places) < len(terms)


def _plain(node: Syntax) -> Syntax:
    node = uncast(node)
    while node.kind == "parenthesized_expression" and len(node.children) == 1:
        node = uncast(node.children[0])
    return node


def _asks_for_sign(node: Syntax, names: set[str]) -> bool:
    """`x > 0`, `px < 0`, `x == 0`."""
    sides = [uncast(side).bare for side in node.children] if node.kind == "binary_expression" else []
    asks = node.op in _ORDERS and len(sides) == 2
    return asks and not names.isdisjoint(sides) and not {"0", "1"}.isdisjoint(sides)


def _share_element(odd: _Remainder, twin: _Remainder, body: Body) -> bool:
    """Both are in one index, by themselves or by the variables that they are given to."""
    for parent, _ in body.ancestors(odd.node):
        if parent.kind in ("subscript_expression", "argument_list") and parent.start <= twin.node.start < parent.end:
            return True
    mine, its = (
        {name for parent, _ in body.ancestors(each.node) if (name := target_of(parent))} for each in (odd, twin)
    )
    return are_of_one_element(mine, its, body) or _are_of_a_cross(odd, mine, twin, its, body)


def _are_of_a_cross(odd: _Remainder, mine: set[str], twin: _Remainder, its: set[str], body: Body) -> bool:
    """`f[ym * nx + x]` and `f[y * nx + xm]`: each is in an element of the same array, beside the place of the other."""
    own, other = ({_plain(part).text for part in each.added} for each in (odd, twin))
    bases: list[set[str]] = [set(), set()]
    for node in body.nodes:
        base = node.child("argument") if node.kind == "subscript_expression" else None
        used = names_in(node)
        for at, (moved, kept) in enumerate(((mine, other), (its, own))):
            if base is not None and used & moved and used & kept:
                bases[at].add(base.text)
    return not bases[0].isdisjoint(bases[1])
