"""Leaders of warps that write behind the end: their block goes on as long as its first element exists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, closure_of, names_in, short
from cudalint.analysis.text.shared_names import shared_arrays
from cudalint.analysis.text.tail_patterns import is_checked, terms_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_LOOPS = ("while_statement", "for_statement")
_LEADER = re.compile(r"%|\blane", re.IGNORECASE)
_THREAD = re.compile(r"threadIdx\s*\.\s*x")


def unchecked_leaders(outline: Outline) -> Iterator[GuardIssue]:
    """`while (first < n) { i = first + threadIdx.x; ...; if (threadIdx.x % 32 == 0) words[i / 32] = w; }`"""
    if "threadIdx" not in outline.root.text:
        return
    for body in bodies(program_of(outline), ("kernel", "device")):
        for loop in body.nodes:
            condition = loop.child("condition") if loop.kind in _LOOPS else None
            first = None if condition is None else _first_of_block(condition, body)
            if condition is None or first is None:
                continue
            for place in _places(loop, first, body):
                issue = _unchecked(loop, place, condition, body)
                if issue is not None:
                    yield issue


def _first_of_block(condition: Syntax, body: Body) -> str | None:
    """The block's first element, which the loop holds against a size."""
    left = condition.child("left")
    if condition.kind != "binary_expression" or condition.op != "<" or left is None or left.kind != "identifier":
        return None
    values = body.scope.values.get(left.text, [])
    start = values[0].text if values else ""
    return left.text if "blockIdx" in start and "threadIdx" not in start else None


def _places(loop: Syntax, first: str, body: Body) -> Iterator[str]:
    """Variables of the loop that are the first element and the thread's place behind it."""
    for node in loop.walk():
        target, value = node.child("declarator"), node.child("value")
        if node.kind == "init_declarator" and target is not None and value is not None:
            terms = [term.text for term in terms_of(value)]
            others = [term for term in terms if term != first]
            if len(terms) == 2 and len(others) == 1 and _is_thread(others[0], body):
                yield target.text


def _is_thread(term: str, body: Body) -> bool:
    values = body.scope.values.get(term, [])
    return _THREAD.fullmatch(values[0].text if len(values) == 1 else term) is not None


def _unchecked(loop: Syntax, place: str, condition: Syntax, body: Body) -> GuardIssue | None:
    bound = condition.child("right")
    made = {place} | {name for name in body.scope.values if place in closure_of(name, body)}
    if bound is None or not any(_holds_against(node, place, bound.text) for node in loop.walk()):
        return None
    shared = shared_arrays(body, {})
    for node in loop.walk():
        target = node.child("left") if node.kind == "assignment_expression" else None
        base = target.child("argument") if target is not None and target.kind == "subscript_expression" else None
        if target is None or base is None or base.kind != "identifier" or base.text in shared:
            continue
        indices = [child for child in target.children if child is not base]
        if not any(not made.isdisjoint(names_in(index)) for index in indices) or is_checked(target, made, body):
            continue
        around = [c for parent, child in body.ancestors(target) if (c := _condition_above(parent, child, loop))]
        if around and all(_LEADER.search(each.text) for each in around):
            text = f"`{short(target)}` is written by leaders of warps whose elements are all behind the end"
            return GuardIssue(body.function, target, text, condition)
    return None


def _condition_above(parent: Syntax, child: Syntax, loop: Syntax) -> Syntax | None:
    condition = parent.child("condition")
    inside = loop.start < parent.start and parent.end <= loop.end
    return condition if inside and condition is not child else None


def _holds_against(node: Syntax, place: str, bound: str) -> bool:
    left, right = node.child("left"), node.child("right")
    if node.kind != "binary_expression" or node.op not in ("<", ">=") or left is None or right is None:
        return False
    return left.text == place and right.text == bound
