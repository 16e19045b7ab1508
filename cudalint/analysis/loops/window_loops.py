"""Loops in a row on one counter that read the same elements up to bounds which have nothing to do with each other.

    while (head < window)   { sum += in[head * step]; ++head; }    // nothing says that window <= channels
    while (head < channels) { sum += in[head * step]; ...; ++head; }

The later loop says where the array ends; the earlier one runs past it where the window is larger.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, closure_of, names_in, short
from cudalint.analysis.text.scopes import POINTER
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_PLACES = re.compile(
    r"mid|end|start|stop|split|begin|off|ptr|vec|align|full|main|unroll|limit|last|next|_[ij]$|^.$|[48]$"
)
_LOOPS = ("while_statement", "for_statement")


def window_loops(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each counter of a block of statements: the access that the first such loop makes."""
    program = program_of(outline)
    for body in bodies(program):
        for block in body.nodes:
            loops = (
                [node for node in block.children if node.kind in _LOOPS] if block.kind == "compound_statement" else []
            )
            issue = next((i for a, b in combinations(loops, 2) if (i := _pair(a, b, body, program))), None)
            if issue is not None:
                yield issue


def _pair(first: Syntax, second: Syntax, body: Body, program: Program) -> GuardIssue | None:
    condition = first.child("condition")
    common = {(c, bound.text) for c, bound in _bounds(first, body)} & {(c, b.text) for c, b in _bounds(second, body)}
    if common:  # `k < rows_a && k < end` and `k < rows_b && k < end`: what both have is where the array ends
        return None
    for counter, small in _bounds(first, body):
        for other, large in _bounds(second, body):
            if other != counter or _is_set(counter, second) or condition is None:
                continue
            if not _are_unrelated(small, large, body, program) or large.text in condition.text:
                continue
            shared = _shared_access(counter, first, second, body)
            if shared is not None:
                text = f"`{short(shared)}` is read up to `{small.text}` here and up to `{large.text}` later"
                return GuardIssue(body.function, shared, text, large)
    return None


def _bounds(loop: Syntax, body: Body) -> Iterator[tuple[str, Syntax]]:
    """(counter, bound) of `counter < bound`, where the counter goes up in the loop and was set before it."""
    condition = loop.child("condition")
    if condition is None or (loop.kind == "for_statement" and loop.child("initializer") is not None):
        return
    for part in [condition, *condition.children]:
        left, right = part.child("left"), part.child("right")
        if part.kind == "binary_expression" and part.op == "<" and left is not None and right is not None:
            if left.kind == "identifier" and left.text in body.scope.grown and right.kind == "identifier":
                yield left.text, right


def _is_set(counter: str, loop: Syntax) -> bool:
    return any(
        n.kind == "assignment_expression"
        and n.op == "="
        and (left := n.child("left")) is not None
        and left.text == counter
        for n in loop.walk()
    )


def _are_unrelated(small: Syntax, large: Syntax, body: Body, program: Program) -> bool:
    """Two sizes that the function is given, of which no condition and no caller says how they compare."""
    sides = [{node.text, *closure_of(node.text, body)} for node in (small, large)]
    if not sides[0].isdisjoint(sides[1]) or any(_PLACES.search(name) for name in (small.text, large.text)):
        return False
    given = [side & set(body.scope.parameters) for side in sides]
    if not all(given) or any(_is_loaded(name, body) for side in sides for name in side):
        return False
    for node in body.nodes:
        if node.kind in ("binary_expression", "call_expression") and (
            node.op in _ORDERS or node.kind == "call_expression"
        ):
            mentioned = names_in(node)
            if not mentioned.isdisjoint(sides[0]) and not mentioned.isdisjoint(sides[1]):
                return False
    return not _callers_relate(given[0], given[1], body, program)


_ORDERS = ("<", "<=", ">", ">=", "==", "!=")


def _is_loaded(name: str, body: Body) -> bool:
    kinds = ("subscript_expression", "pointer_expression", "call_expression", "conditional_expression")
    loaded = any(n.kind in kinds for value in body.scope.values.get(name, []) for n in value.walk())
    return loaded or name in body.positions or body.scope.types.get(name) == POINTER


def _callers_relate(first: set[str], second: set[str], body: Body, program: Program) -> bool:
    """A caller makes both from one value, or gives a constant."""
    for call in program.callers(body.function.name.rpartition("::")[2]):
        scope = program.scope(call.function)
        origins: list[set[str]] = [set(), set()]
        for names, origin in zip((first, second), origins):
            for name in names:
                position = body.scope.parameters.index(name)
                given = call.arguments[position] if position < len(call.arguments) else None
                for each in names_in(given) if given is not None else ():
                    origin |= {each, *(n for value in scope.values.get(each, ()) for n in names_in(value))}
        if not origins[0].isdisjoint(origins[1]):
            return True
    return False


def _shared_access(counter: str, first: Syntax, second: Syntax, body: Body) -> Syntax | None:
    """An element that both loops read under one name."""
    later = {node.text for node in second.walk() if node.kind == "subscript_expression"}
    for node in first.walk():
        base = node.child("argument")
        if (
            node.kind == "subscript_expression"
            and node.text in later
            and base is not None
            and counter in names_in(node)
        ):
            if body.scope.types.get(base.text) == POINTER and base.text in body.scope.parameters:
                return node
    return None
