"""Searches for a largest or smallest value that begin with FLT_MIN, the smallest number above zero.

float m = FLT_MIN;   m = fmaxf(m, x[i]);       never below zero
float m = FLT_MIN;   m = x[i] > m ? x[i] : m;  never below zero
float m = FLT_MIN;   if (d < m) m = d;         never anything else
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from cudalint.analysis.precision.signs import is_never_negative
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

LEAST = re.compile(r"(FLT|DBL)_MIN|__(FLT|DBL)_MIN__|(std::)?numeric_limits<(float|double)>::min\(\)")
_MOST = re.compile(r"(FLT|DBL)_MAX|__(FLT|DBL)_MAX__|(std::)?numeric_limits<(float|double)>::max\(\)|INFINITY")
_TAKES_LARGER = re.compile(r"\b[fh]?max[f]?\s*\(")
_EXTREME = re.compile(r"^(::|std::)?(__)?[fh]?(max|min)(f|imum)?$")


def wrong_extremes(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each beginning."""
    if "_MIN" not in outline.root.text and "::min()" not in outline.root.text:
        return
    for body in bodies(program_of(outline), ("kernel", "device", "host")):
        for target, value in given_values(body):
            if LEAST.fullmatch(value.bare) is None:
                continue
            searched = way_of_search(_name(target), body)
            settled = is_asked_for(_name(target), value, body) or is_floor(_name(target), body)
            if searched is not None and not settled:
                text = f"the search for the {searched} begins with `{short(value)}`, the smallest number above zero"
                yield GuardIssue(body.function, value, text)
        yield from _ends_of_a_range(body)


def _ends_of_a_range(body: Body) -> Iterator[GuardIssue]:
    """`{FLT_MAX, FLT_MIN}`: both ends of a range that is empty so far, where it is made larger later."""
    for node in body.nodes:
        ends = [uncast(each) for each in node.children] if node.kind == "initializer_list" else []
        for high, low in pairwise(ends):
            if (
                _MOST.fullmatch(high.bare)
                and LEAST.fullmatch(low.bare)
                and _TAKES_LARGER.search(body.scope.outline.root.text)
                and any(_is_extended(name, user) for name, user in _holders(node, body))
            ):
                text = f"the search for the largest begins with `{short(low)}`, the smallest number above zero"
                yield GuardIssue(body.function, low, text)


def _holders(ends: Syntax, body: Body) -> Iterator[tuple[str, Body]]:
    """The variables that begin with the list, or with what the function returns, where that is the list."""
    for parent, child in body.ancestors(ends):
        if parent.kind in ("init_declarator", "assignment_expression") and child is not parent.children[0]:
            yield parent.children[0].text.partition("[")[0], body
            return
        if parent.kind == "return_statement":
            made_by = re.compile(rf"(\w+(<[^()]*>)?(::|\.))*{re.escape(body.function.name.rpartition('::')[2])}\(.*")
            for user in bodies(program_of(body.scope.outline), ("kernel", "device", "host")):
                for target, value in given_values(user):
                    if made_by.fullmatch(value.bare):
                        yield target.text, user
            return


def _is_extended(name: str, body: Body) -> bool:
    """A search for the largest in a member or an element, or the whole is given to a function that may do so."""
    inside = re.compile(rf"{re.escape(name)}(\.\w+|\[.*)?")
    places = {node.bare for node in body.nodes if inside.fullmatch(node.bare)}
    if any(way_of_search(place, body) == "largest" for place in sorted(places)):
        return True
    for node in body.nodes:
        target, value = node.child("left"), node.child("right")
        if node.kind == "assignment_expression" and target is not None and value is not None and target.text == name:
            if value.kind == "call_expression" and name in {part.text for part in value.walk()}:
                return True
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind == "call_expression" and callee is not None and arguments is not None:
            if callee.bare.startswith(f"{name}.") or any(
                each.bare in (name, f"&{name}") for each in arguments.children
            ):
                return True
    return False


def is_floor(name: str, body: Body) -> bool:
    """What is found is divided by: the smallest number above zero keeps it off zero."""
    return any(
        node.op in ("/", "/=") and len(node.children) == 2 and uncast(node.children[1]).bare == name
        for node in body.nodes
    )


def is_asked_for(name: str, value: Syntax, body: Body) -> bool:
    """`m > FLT_MIN` behind the search: that nothing above zero was found is meant."""
    for node in body.nodes:
        sides = {_name(side) for side in node.children} if node.kind == "binary_expression" else set()
        if name in sides and any(uncast(side).bare == value.bare for side in node.children):
            return True
    return False


def given_values(body: Body) -> Iterator[tuple[Syntax, Syntax]]:
    """(what is set, value) of declarations and assignments."""
    for node in body.nodes:
        target, value = node.child("declarator") or node.child("left"), node.child("value") or node.child("right")
        plain = node.kind == "init_declarator" or (node.kind == "assignment_expression" and node.op == "=")
        if plain and target is not None and value is not None:
            yield target, uncast(value)


def _name(target: Syntax) -> str:
    """A variable, or the array of an element."""
    base = target.child("argument") if target.kind == "subscript_expression" else None
    return (base or target).text


def way_of_search(name: str, body: Body) -> str | None:
    """`largest` or `smallest`, where what it is compared with may lie on the other side of zero."""
    found = searched_for(name, body) or _chosen(name, body)
    return None if found is None else found[0]


def _chosen(name: str, body: Body) -> tuple[str, Syntax] | None:
    """`name = other > name ? other : name`, of any numbers."""
    for node in body.nodes:
        target, value = node.child("left"), node.child("right")
        choice = None if value is None else value.children[0] if value.kind == "parenthesized_expression" else value
        if node.kind != "assignment_expression" or target is None or choice is None or _name(target) != name:
            continue
        asked, first, second = choice.child("condition"), choice.child("consequence"), choice.child("alternative")
        if asked is None or first is None or second is None:
            continue
        asked = asked.children[0] if asked.kind == "parenthesized_expression" else asked
        left, right = asked.child("left"), asked.child("right")
        if left is None or right is None or asked.op not in ("<", "<=", ">", ">="):
            continue
        if {left.bare, right.bare} == {first.bare, second.bare} and target.bare in (left.bare, right.bare):
            other = right if left.bare == target.bare else left
            larger = (first.bare == left.bare) == (asked.op[0] == ">")
            if not larger or not is_never_negative(other, body):
                return "largest" if larger else "smallest", other
    return None


def searched_for(name: str, body: Body) -> tuple[str, Syntax] | None:
    """(`largest` or `smallest`, what the variable is compared with)."""
    for node in body.nodes:
        found = _by_call(node, name) or _by_condition(node, name, body)
        if found is not None and (found[0] == "smallest" or not is_never_negative(found[1], body)):
            return found
    return None


def _by_call(node: Syntax, name: str) -> tuple[str, Syntax] | None:
    """`name = fmaxf(name, other)`."""
    target, value = node.child("left"), node.child("right")
    if node.kind != "assignment_expression" or target is None or value is None or _name(target) != name:
        return None
    callee, arguments = value.child("function"), value.child("arguments")
    matched = _EXTREME.match(callee.text) if value.kind == "call_expression" and callee is not None else None
    if matched is None or arguments is None or len(arguments.children) != 2:
        return None
    others = [argument for argument in arguments.children if _name(argument) != name]
    return ("largest" if matched[3] == "max" else "smallest", others[0]) if len(others) == 1 else None


def _by_condition(node: Syntax, name: str, body: Body) -> tuple[str, Syntax] | None:
    """`if (other > name) name = other`."""
    condition = node.child("condition")
    if node.kind != "if_statement" or condition is None:
        return None
    for part in condition.walk():
        left, right = part.child("left"), part.child("right")
        if part.op not in ("<", "<=", ">", ">=") or left is None or right is None:
            continue
        for own, other, above in ((left, right, "<"), (right, left, ">")):
            if _name(own) == name and _takes(node, name, other):
                return "largest" if part.op[0] == above else "smallest", other
    return None


def _takes(node: Syntax, name: str, value: Syntax) -> bool:
    """The branch sets the name to the value."""
    consequence = node.child("consequence")
    return consequence is not None and any(
        part.kind == "assignment_expression"
        and part.op == "="
        and (left := part.child("left")) is not None
        and (right := part.child("right")) is not None
        and _name(left) == name
        and uncast(right).bare == uncast(value).bare
        for part in consequence.walk()
    )
