"""Divisors, logarithms and roots without the floor that an otherwise equal statement of the file has.

    a: y[i] = x[i] * rsqrtf(sum / n + eps);      y[i] = logf(fmaxf(p[i], 1e-8f));
    b: y[i] = x[i] * rsqrtf(sum / n);            y[i] = logf(p[i]);

Statements are compared without parentheses and spaces, so that the floor is all in which the two differ. Of elements of an array
that both functions are given under one name, and of what is under a reciprocal root, the rest of the statement does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.precision.magnitudes import MAXIMUM, ROOT
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, number_of, program_of
from cudalint.ir.syntax import Outline, Syntax

_LOGARITHM = re.compile(r"^(::|std::)?(__)?h?log(2|10)?f?$")
_SMALL_NAME = re.compile(r"eps|tiny|floor|FLT_MIN|DBL_MIN|1e-", re.IGNORECASE)
_SMALL = 0.01
_BOUNDS = re.compile(r"eps|max|min|clamp|tiny|floor|1e-", re.IGNORECASE)
_LEAST_ZERO = re.compile(r"max\w*\(\s*0?\.?0*f?\s*,|\bf?max\w*(?=\(.*,\s*(\w+\()?0?\.?0*f?\)*$)")  # `fmaxf(v, 0.f)`
_STATEMENTS = ("expression_statement", "assignment_expression", "init_declarator", "return_statement")


@dataclass(frozen=True, slots=True)
class _Use:
    """A value that must not be zero, with what tells it from others but for the `floor` that keeps it off zero."""

    body: Body
    value: Syntax
    keys: tuple[str, ...]
    floor: Syntax | None


def dropped_floors(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each statement whose floor is missing; what it is about is the floor of the other one."""
    uses = [use for body in bodies(program_of(outline), ("kernel", "device", "host")) for use in _uses(body)]
    floored = {key: use for use in reversed(uses) if use.floor is not None for key in use.keys}
    for use in uses:
        found = (floored[key] for key in use.keys if key in floored and use.floor is None)
        other = next(found, None)
        if other is not None and other.body is not use.body and not _is_kept_off_zero(use):
            text = f"nothing keeps `{short(use.value)}` off zero here, as an otherwise equal statement does"
            yield GuardIssue(use.body.function, use.value, text, other.floor)


def _uses(body: Body) -> Iterator[_Use]:
    for node in body.nodes:
        value = _needs(node)
        statement = None if value is None else _statement(node, body)
        if value is None or statement is None:
            continue
        floor = _floor(value)
        kept = value if floor is None else floor[0]
        if any(part.kind == "identifier" for part in kept.walk()):
            keys = (_key(statement, value, kept), *_own_key(node, kept, body))
            yield _Use(body, value, keys, None if floor is None else floor[1])


def _needs(node: Syntax) -> Syntax | None:
    """What a division is by, what a logarithm or the reciprocal of a root is of."""
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind == "call_expression" and callee is not None and arguments is not None and len(arguments.children) == 1:
        named = _LOGARITHM.match(callee.text) or (ROOT.match(callee.text) and "rsqrt" in callee.text)
        return uncast(arguments.children[0]) if named else None
    if node.op not in ("/", "/=") or node.kind not in ("binary_expression", "assignment_expression"):
        return None
    right = node.child("right")
    if right is None:
        return None
    right = uncast(right)
    callee, arguments = right.child("function"), right.child("arguments")
    if callee is not None and arguments is not None and len(arguments.children) == 1 and ROOT.match(callee.text):
        return uncast(arguments.children[0])
    return right


def _floor(value: Syntax) -> tuple[Syntax, Syntax] | None:
    """(what is floored, the floor) of `x + eps` and `max(x, eps)`."""
    left, right = value.child("left"), value.child("right")
    if value.op == "+" and left is not None and right is not None:
        sides = (left, right)
    else:
        callee, arguments = value.child("function"), value.child("arguments")
        if callee is None or arguments is None or len(arguments.children) != 2 or not MAXIMUM.match(callee.text):
            return None
        sides = (arguments.children[0], arguments.children[1])
    for kept, floor in (sides, sides[::-1]):
        if _is_small(floor):
            return uncast(kept), floor
    return None


def _is_small(floor: Syntax) -> bool:
    floor = uncast(floor)
    if floor.kind == "number_literal":
        return 0 < number_of(floor.text) < _SMALL
    return floor.kind in ("identifier", "field_expression", "call_expression") and bool(_SMALL_NAME.search(floor.text))


def _statement(node: Syntax, body: Body) -> Syntax | None:
    return next((parent for parent, _ in body.ancestors(node) if parent.kind in _STATEMENTS), None)


def _key(statement: Syntax, value: Syntax, kept: Syntax) -> str:
    """The statement with what is floored in place of the value, without parentheses and spaces."""
    text = statement.file.text
    whole = text[statement.start : value.start] + kept.text + text[value.end : statement.end]
    return re.sub(r"[\s();]", "", whole)


def _own_key(node: Syntax, kept: Syntax, body: Body) -> Iterator[str]:
    """What says enough without the statement: an element of an array that is given, what is under a reciprocal root."""
    base = kept.child("argument") if kept.kind == "subscript_expression" else None
    callee = node.child("function")
    if base is not None and base.text in body.scope.parameters:
        yield f"/ {kept.bare}"
    elif callee is not None and "rsqrt" in callee.text:
        yield f"rsqrt {re.sub(r'[()]', '', kept.bare)}"


def _named(value: Syntax) -> Iterator[str]:
    """The names in a value, but not those that say which element."""
    if value.kind == "identifier":
        yield value.text
    for child in value.children[:1] if value.kind == "subscript_expression" else value.children:
        yield from _named(child)


def _is_kept_off_zero(use: _Use) -> bool:
    """A condition asks about it, or it is bounded where it is made."""
    names, scope = set(_named(use.value)), use.body.scope
    made = [value for name in names for value in scope.values.get(name, [])]
    made += [step for name in names for step in scope.steps.get(name, [])]
    if any(_BOUNDS.search(_LEAST_ZERO.sub("", each.text)) for each in made):
        return True
    conditions = (n.child("condition") for n in use.body.nodes if n.kind in ("if_statement", "conditional_expression"))
    return any(condition is not None and not names.isdisjoint(names_in(condition)) for condition in conditions)
