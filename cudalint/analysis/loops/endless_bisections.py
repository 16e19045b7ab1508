"""Bisections between bounds that are read from data, which may be infinite: the middle of them is infinite again.

    low = smallest - 1;  high = largest;
    do { mid = (low + high) / 2; ... } while (smallest_above != largest_below);   // low stays -inf for ever

Scores and logits are minus infinity where they are masked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, closure_of, names_in
from cudalint.analysis.text.scopes import FLOATING
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_LOOPS = ("do_statement", "while_statement")
_MASKED = re.compile(r"logit|score|log_?prob|attn|energy|penalt|weights?_?log", re.IGNORECASE)
_FINITE = re.compile(
    r"inf\b|infinity|isfinite|isinf|FLT_MAX|DBL_MAX|HUGE_VAL|lowest|numeric_limits|clamp|f?max\w*\s*\(|\?",
    re.IGNORECASE,
)
_LOW = re.compile(r"low|^lo\b|^lo_|left|bottom|min|(^|_)lb?$", re.IGNORECASE)


def endless_bisections(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each loop: the first value of its lower bound."""
    for body in bodies(program_of(outline)):
        if _MASKED.search(" ".join([body.function.name, *body.scope.parameters])) is None:
            continue
        for loop in body.nodes:
            inner, condition = loop.child("body"), loop.child("condition")
            if loop.kind not in _LOOPS or inner is None or condition is None or _is_counted(loop, condition, body):
                continue
            for low in _lower_bounds(inner, body):
                first = _first_value(low, loop, body)
                if first is not None and _may_be_infinite(first, body):
                    text = f"the bisection never ends where `{low} = {first.text[:40]}` is minus infinity"
                    yield GuardIssue(body.function, first, text, condition)
                    break


def _is_counted(loop: Syntax, condition: Syntax, body: Body) -> bool:
    """The loop ends after a number of rounds, or leaves from within."""
    counted = any(
        n.kind == "update_expression" and n.children and n.children[0].text in names_in(condition) for n in loop.walk()
    )
    return counted or any(n.kind in ("break_statement", "return_statement") for n in loop.walk())


def _lower_bounds(inner: Syntax, body: Body) -> Iterator[str]:
    """Floating variables that take the value of a middle between them and another one."""
    middles: dict[str, set[str]] = {}
    for node in inner.walk():
        name, value = node.child("declarator") or node.child("left"), node.child("value") or node.child("right")
        if node.kind not in ("init_declarator", "assignment_expression") or name is None or value is None:
            continue
        if value.kind == "binary_expression" and value.op in ("/", "*") and "+" in value.text:
            ends = {each for each in names_in(value) if body.scope.types.get(each) == FLOATING}
            if len(ends) == 2:
                middles[name.text] = ends
    for node in inner.walk():
        left, right = node.child("left"), node.child("right")
        if node.kind == "assignment_expression" and node.op == "=" and left is not None and right is not None:
            if right.text in middles and left.text in middles[right.text] and _LOW.search(left.text):
                yield left.text


def _first_value(name: str, loop: Syntax, body: Body) -> Syntax | None:
    before = [value for value in body.scope.values.get(name, []) if value.start < loop.start]
    return before[-1] if before else None


def _may_be_infinite(first: Syntax, body: Body) -> bool:
    """It rests on what is loaded or reduced, and nothing on the way asks how large that is."""
    names = names_in(first)
    loaded = any(node.kind in ("call_expression", "subscript_expression") for node in first.walk())
    if not names or (not loaded and names <= set(body.scope.parameters) | set(body.function.template)):
        return False
    made = {name for each in names for name in {each, *closure_of(each, body)}}
    texts = [first.text, *(value.text for name in made for value in body.scope.values.get(name, ()))]
    return not any(_FINITE.search(text) for text in texts)
