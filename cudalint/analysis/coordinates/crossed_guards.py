"""Guards of two coordinates that hold one of them against the side of the other.

if (x < image.rows && y < image.cols) image.ptr(y)[x] = 0;       ptr(y) is a row, x counts columns
if (x < height && y < width) image[y * width + x] = 0;           a row has `width` elements
if (x < image.rows && y < image.cols) image(y, x) = 0;           the row stands first
if (id0 < dims[0] && id1 < dims[0]) out[...] = 0;                and dims[1] is asked nowhere
bool out = i >= dims[0] || j >= dims[0] || k >= dims[2];         every side but one is asked about once
if (x < size.y && y < size.x) out[...] = 0;                      x and y move along the sides of the grid
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, closure_of, names_in, short
from cudalint.analysis.text.scopes import leaves
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_COLUMNS = re.compile(r"(^|_|\.|>)(n_?)?(cols|columns|width)\d?(\(\))?$", re.IGNORECASE)
_ROWS = re.compile(r"(^|_|\.|>)(n_?)?(rows|height)\d?(\(\))?$", re.IGNORECASE)
_NUMBERED = re.compile(r"^(.*?\D)(\d)\D?$")
_LETTER = re.compile(r"^(\w+)(?:\.|->)([xyz])$")
_ROW_OF = re.compile(r"(\.|->)(ptr|row)$")
_JOINS = {True: ("||", "|"), False: ("&&", "&")}
_ORDERS = {True: (">=", ">"), False: ("<", "<=")}
ENOUGH = 3  # kernels of one file that compare the other way round


@dataclass(frozen=True, slots=True)
class GuardPart:
    """One comparison of a guard: a variable and the size that it has to stay below."""

    name: str
    bound: Syntax


def crossed_guards(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each guard."""
    suspects: list[tuple[Body, Syntax, GuardPart, set[str]]] = []
    usual: list[set[str]] = []
    for body in bodies(program_of(outline)):
        for guard, parts in _guards(body):
            repeated = _repeated(parts, body)
            if repeated is not None:
                yield _issue(body, guard, repeated, f"`{repeated.bound.text}` is the end of another coordinate")
                continue
            for one in parts:
                for other in parts:
                    if _ROWS.search(one.bound.text) and _COLUMNS.search(other.bound.text) and one.name != other.name:
                        if _is_across(one, other, guard.end, body):
                            yield _issue(body, guard, one, f"`{one.name}` counts along a row here")
                        elif _moves_along("x", one, body) and _moves_along("y", other, body):
                            suspects.append((body, guard, one, _strides(one, other, body)))
                        elif _moves_along("y", one, body) and _moves_along("x", other, body):
                            usual.append(_strides(other, one, body))
        for condition, odd in _numbered(body):
            yield _issue(body, condition, odd, f"`{odd.bound.text}` stands twice, and every other side once")
        for condition, odd in _lettered(body):
            yield _issue(
                body, condition, odd, f"it moves along the other side of the grid than `{odd.bound.text}` says"
            )
    unusual = [
        (body, guard, one)
        for body, guard, one, strides in suspects
        if sum(not strides.isdisjoint(known) for known in usual) >= ENOUGH
    ]
    if len(unusual) == 1:
        body, guard, one = unusual[0]
        yield _issue(body, guard, one, f"`{one.name}` counts along a row in the other kernels of this file")


def _issue(body: Body, guard: Syntax, part: GuardPart, why: str) -> GuardIssue:
    text = f"`{short(guard)}` holds `{part.name}` against the wrong side: {why}"
    return GuardIssue(body.function, guard, text, reached(part.name, guard.end, body))


def reached(name: str, after: int, body: Body) -> Syntax | None:
    """The first element behind the guard that the coordinate chooses."""
    for node in body.nodes:
        if node.kind == "subscript_expression" and node.start >= after:
            if any(other == name or name in closure_of(other, body) for other in names_in(node)):
                return node
    return None


def _guards(body: Body) -> Iterator[tuple[Syntax, list[GuardPart]]]:
    """Conditions that compare two variables or more with what stays the same."""
    for node in body.nodes:
        condition, guarded = node.child("condition"), node.child("consequence")
        if node.kind == "if_statement" and condition is not None and guarded is not None:
            parts = list(guard_parts(condition, leaves(guarded)))
            if len({part.name for part in parts}) > 1:
                yield condition, parts


def guard_parts(condition: Syntax, leaving: bool, shifted: bool = False) -> Iterator[GuardPart]:
    """The comparisons of variables with their ends that all have to hold for a thread that goes on.

    `x + 1 < width` is one of x where `shifted` ones count.
    """
    condition = _plain(condition)
    if condition.kind == "binary_expression" and condition.op in _JOINS[leaving]:
        for child in condition.children:
            yield from guard_parts(child, leaving, shifted)
    left, right = condition.child("left"), condition.child("right")
    if (
        condition.kind == "binary_expression"
        and condition.op in _ORDERS[leaving]
        and left is not None
        and right is not None
    ):
        name, bound = _plain(left), _plain(right)
        if shifted and name.op == "+" and name.children[-1].kind == "number_literal":
            name = name.children[0]
        if name.kind == "identifier" and bound.kind != "number_literal":
            yield GuardPart(name.text, bound)


def _plain(node: Syntax) -> Syntax:
    while node.kind in ("parenthesized_expression", "cast_expression", "condition_clause") and node.children:
        node = node.children[-1]
    return node


def _repeated(parts: list[GuardPart], body: Body) -> GuardPart | None:
    """`id0 < dims[0] && id1 < dims[0]`: names and sizes are numbered alike, and one size stands twice."""
    for part in parts:
        name, bound = _NUMBERED.match(part.name), _NUMBERED.match(part.bound.text)
        if name is None or bound is None or name[2] == bound[2]:
            continue
        for twin in parts:
            own = _NUMBERED.match(twin.name)
            if own is not None and own[1] == name[1] and own[2] == bound[2] and twin.bound.text == part.bound.text:
                meant = f"{bound[1]}{name[2]}"
                if not any(
                    meant in node.text for node in body.nodes if node.kind == "binary_expression" and "<" in node.op
                ):
                    return part
    return None


def _numbered(body: Body) -> Iterator[tuple[Syntax, GuardPart]]:
    """Conditions on three coordinates or more against the numbered sides of one object, in order but for one of them."""
    for node in body.nodes:
        leaving = node.op == "||"
        parent = body.parents.get(id(node))
        if (
            node.kind != "binary_expression"
            or node.op not in ("||", "&&")
            or (parent is not None and parent.op == node.op)
        ):
            continue
        parts = list(guard_parts(node, leaving))
        sides = [_NUMBERED.match(part.bound.text) for part in parts]
        stems = {side[1] for side in sides if side is not None}
        if len(parts) < ENOUGH or None in sides or len(stems) != 1 or len({part.name for part in parts}) != len(parts):
            continue
        numbers = [int(side[2]) for side in sides if side is not None]
        first = min(numbers)
        odd = [part for at, part in enumerate(parts) if numbers[at] != first + at]
        if len(odd) == 1 and numbers[parts.index(odd[0])] - first < len(parts):
            yield node, odd[0]


def _lettered(body: Body) -> Iterator[tuple[Syntax, GuardPart]]:
    """`x < size.y && y < size.x`, where x and y move along those sides of the grid themselves."""
    for node in body.nodes:
        if node.kind != "binary_expression" or node.op not in ("||", "&&"):
            continue
        sides = {
            (p.name, p.bound.text): (p, m)
            for p in guard_parts(node, node.op == "||")
            if (m := _LETTER.match(p.bound.text))
        }
        for part, side in sides.values():
            axes = [axis for axis in "xyz" if _moves_along(axis, part, body)]
            if any(
                side[1] == other[1] and axes == [other[2]] != [side[2]] and _moves_along(side[2], twin, body)
                for twin, other in sides.values()
            ):
                yield node, part
                break


def _is_across(one: GuardPart, other: GuardPart, after: int, body: Body) -> bool:
    """Behind the guard, `one` is only used within a row and `other` only chooses it."""
    known = False
    for node in body.nodes:
        called = _called(node, one, other) if node.start >= after else []
        if called:
            if called != [other.name, one.name]:
                return False
            known = True
        if node.kind != "subscript_expression" or node.start < after or len(node.children) != 2:
            continue
        base, index = node.children
        if one.name not in names_in(node) or other.name not in names_in(node):
            continue
        in_row = base.kind == "call_expression" and _is_row(base, other.name) and _has_term(index, one.name)
        in_flat = _has_term(index, one.name) and _factor(index, other.name, other.bound.text)
        if not (in_row or in_flat):
            return False
        known = True
    return known


def _called(node: Syntax, one: GuardPart, other: GuardPart) -> list[str]:
    """The coordinates of `image(row, column)`, where both are held against sides of that image."""
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind != "call_expression" or callee is None or arguments is None:
        return []
    given = [argument.text for argument in arguments.children]
    sides = {one.bound.text, other.bound.text} == {f"{callee.text}.rows", f"{callee.text}.cols"}
    return given if sides and sorted(given) == sorted((one.name, other.name)) else []


def _is_row(call: Syntax, name: str) -> bool:
    callee, arguments = call.child("function"), call.child("arguments")
    return (
        callee is not None
        and _ROW_OF.search(callee.text) is not None
        and arguments is not None
        and [a.text for a in arguments.children] == [name]
    )


def _has_term(index: Syntax, name: str) -> bool:
    return any(_plain(term).text == name for term in terms_of(_inner(index)))


def _inner(index: Syntax) -> Syntax:
    """The index without its brackets."""
    return index.children[0] if index.kind == "subscript_argument_list" and len(index.children) == 1 else index


def _factor(index: Syntax, name: str, stride: str) -> bool:
    """`name * stride` is a term of the index."""
    return any(
        term.kind == "binary_expression"
        and term.op == "*"
        and {_plain(factor).text for factor in term.children} == {name, stride}
        for term in map(_plain, terms_of(_inner(index)))
    )


def _moves_along(axis: str, part: GuardPart, body: Body) -> bool:
    """A place in the launch on this side alone."""
    made = {part.name} | closure_of(part.name, body)
    sides = {name[-1] for name in made if re.fullmatch(r"blockIdx\s*\.\s*[xyz]", name)}
    return part.name in body.positions and sides == {axis}


def _strides(within: GuardPart, row: GuardPart, body: Body) -> set[str]:
    """What the row is multiplied with where an index is made of both."""
    found: set[str] = set()
    for node in body.nodes:
        if node.kind not in ("subscript_expression", "init_declarator") or not {within.name, row.name} <= names_in(
            node
        ):
            continue
        terms = list(map(_plain, terms_of(_inner(node.children[-1]))))
        if within.name in (term.text for term in terms):
            for term in terms:
                factors = [_plain(factor).text for factor in term.children] if term.op == "*" else []
                if row.name in factors:
                    found |= set(factors) - {row.name}
    return found
