"""Searches for a largest or smallest value in a member of an object that begins with FLT_MIN, the smallest number above zero.

Best b{FLT_MIN, -1};                       if (x[i] > b.score) b = {x[i], i};
struct Best { float score = FLT_MIN; };    b.score = fmaxf(b.score, x[i]);
float best[4] = {FLT_MIN, FLT_MIN};        if (x[i] > best[k]) best[k] = x[i];
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.precision.signs import is_never_negative
from cudalint.analysis.precision.wrong_extremes import LEAST, is_asked_for, is_floor, way_of_search
from cudalint.analysis.text.aggregates import listed_value
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.methods import CLASSES
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_LISTS = ("initializer_list", "argument_list", "compound_literal_expression", "call_expression")
_VECTOR = re.compile(r"(float|double)[234]")
_LANES = (("x", "y", "z", "w"), ("first", "second"))
_ASKS = ("<", "<=", ">", ">=", "==", "!=")
_PAIRS = re.compile(r"make_(pair|tuple|(float|double)[234])")


def wrong_first_members(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each such beginning."""
    if "_MIN" not in outline.root.text and "::min()" not in outline.root.text:
        return
    found = list(bodies(program_of(outline), ("kernel", "device", "host")))
    for body in found:
        yield from _listed(body)
    for structure in (node for node in outline.root.walk() if node.kind in CLASSES):
        yield from _by_default(structure, found)


def _listed(body: Body) -> Iterator[GuardIssue]:
    """Values in the list that an object or an array of the function begins with."""
    for node in body.nodes:
        target, value = node.child("declarator"), node.child("value")
        if node.kind == "assignment_expression" and node.op == "=":
            yield from _given_later(node, body)
        if node.kind != "init_declarator" or target is None or value is None:
            continue
        name = target.children[0].text if target.kind == "array_declarator" and target.children else target.text
        least = [item for item in _items(value) if LEAST.fullmatch(uncast(item).bare)]
        places = [name] if target.kind == "array_declarator" else _members_of(name, body)
        searched = [(place, way) for place in places if (way := _searched(place, name, body)) is not None]
        for item in least:
            for place, way in searched:
                given = _lane(place, value, body) or listed_value(place, body.scope)
                first = given is item or (given is None and len(searched) == 1)
                if first and not is_asked_for(place, item, body) and not _is_none_told(_items(value), name, body):
                    yield _issue(item, way, body)


def _lane(place: str, value: Syntax, body: Body) -> Syntax | None:
    """What `e.y` begins with in `make_float2(a, b)` or `float2 e{a, b}`."""
    name, _, member = place.partition(".")
    vector = value.kind == "call_expression" or _VECTOR.fullmatch(body.scope.structures.get(name, "")) is not None
    at = next((lanes.index(member) for lanes in _LANES if member in lanes), None)
    items = _items(value)
    return items[at] if vector and at is not None and at < len(items) else None


def _is_none_told(items: list[Syntax], owner: str, body: Body) -> bool:
    """`{FLT_MIN, -1}`, and the file asks `b.at >= 0`, or `corner[c] == -1` where `b.at` is stored: that none was found."""
    if not any(re.fullmatch(r"-\d+", uncast(item).bare) for item in items):
        return False
    own = set(_members_of(owner, body))
    kept = {n.children[0].text for n in body.nodes if n.op == "=" and uncast(n.children[-1]).bare in own}
    asked = {*own, *(text.partition("[")[0] for text in kept)}
    for node in body.scope.outline.root.walk():
        if node.kind == "binary_expression" and node.op in _ASKS and len(node.children) == 2:
            for side, bound in (node.children, node.children[::-1]):
                if re.fullmatch(r"0|-1", bound.bare) and {side.bare, side.bare.partition("[")[0]} & asked:
                    return True
    return False


def _given_later(node: Syntax, body: Body) -> Iterator[GuardIssue]:
    """`b.score = FLT_MIN;` of an object that the search replaces."""
    place, value = node.child("left"), node.child("right")
    if place is None or value is None or place.kind != "field_expression" or not LEAST.fullmatch(uncast(value).bare):
        return
    way = None if way_of_search(place.bare, body) else _replaced(place.bare, _base(place), body)
    if way is not None and not is_asked_for(place.bare, value, body):
        yield _issue(value, way, body)


def _items(value: Syntax) -> list[Syntax]:
    """The values of `{a, b}`, `(a, b)`, `Best{a, b}` and `make_pair(a, b)`."""
    if value.kind not in _LISTS:
        return []
    callee, inner = value.child("function"), value.child("arguments")
    if callee is not None and inner is not None:
        return list(inner.children) if _PAIRS.fullmatch(callee.text.rpartition("::")[2].partition("<")[0]) else []
    lists = [child for child in value.children if child.kind == "initializer_list"]
    if value.kind == "compound_literal_expression":
        return list(lists[0].children) if lists else []
    return list(value.children)


def _members_of(name: str, body: Body) -> list[str]:
    return sorted({node.bare for node in body.nodes if node.kind == "field_expression" and _base(node) == name})


def _base(node: Syntax) -> str:
    base = node.child("argument")
    return "" if base is None or node.op == "->" else base.text


def _by_default(structure: Syntax, found: list[Body]) -> Iterator[GuardIssue]:
    """`float score = FLT_MIN;` of a class, whose methods or users look for the largest there."""
    name, inside = structure.child("name"), structure.child("body")
    fields = list(inside.children) if inside is not None and name is not None else []
    defaults = [default for field in fields if (default := field.child("default_value")) is not None]
    for field in fields:
        declared, value = field.child("declarator"), field.child("default_value")
        if declared is None or value is None or name is None or not LEAST.fullmatch(uncast(value).bare):
            continue
        for body in found:
            own = structure.start <= body.function.body.start < structure.end
            users = [n for n, written in body.scope.structures.items() if written == name.text]
            places = [(declared.text, "")] if own else [(f"{user}.{declared.text}", user) for user in users]
            ways = ((place, way) for place, user in places if (way := _searched(place, user, body)) is not None)
            first = next(ways, None)
            if first is None or _is_none_told(defaults, first[0].rpartition(".")[0], body):
                continue
            if not is_asked_for(first[0], value, body):
                yield _issue(value, first[1], body)
                break


def _searched(place: str, owner: str, body: Body) -> str | None:
    """`largest` or `smallest`, where what the place is compared with may lie on the other side of zero."""
    return None if is_floor(place, body) else way_of_search(place, body) or _replaced(place, owner, body)


def _replaced(place: str, owner: str, body: Body) -> str | None:
    """`if (x > b.score) b = {x, i};`: the whole object is another one then."""
    for node in body.nodes:
        condition, branch = node.child("condition"), node.child("consequence")
        if node.kind != "if_statement" or condition is None or branch is None or not owner:
            continue
        for part in condition.walk():
            left, right = part.child("left"), part.child("right")
            if part.op not in ("<", "<=", ">", ">=") or left is None or right is None:
                continue
            for own, other, above in ((left, right, "<"), (right, left, ">")):
                if own.bare == place and _gives(branch, owner, other):
                    way = "largest" if part.op[0] == above else "smallest"
                    return None if way == "largest" and is_never_negative(other, body) else way
    return None


def _gives(branch: Syntax, owner: str, value: Syntax) -> bool:
    """The branch gives the owner a list with the value in it."""
    for node in branch.walk():
        left, right = node.child("left"), node.child("right")
        if node.kind == "assignment_expression" and left is not None and right is not None and left.text == owner:
            if right.kind in _LISTS and names_in(value) <= names_in(right):
                return True
    return False


def _issue(value: Syntax, way: str, body: Body) -> GuardIssue:
    text = f"the search for the {way} begins with `{short(value)}`, the smallest number above zero"
    return GuardIssue(body.function, value, text)
