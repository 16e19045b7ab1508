"""Exponentials of values whose maximum the function finds, and subtracts nowhere or in other exponentials of them only.

m = fmaxf(m, x[i]);  ...  sum += expf(x[i]);                                 beyond 88 the sum is inf
sum += expf(x[i] - m);  ...  y[i] = expf(x[i]) / sum;                        inf / sum
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.precision.float_patterns import is_exponential
from cudalint.analysis.precision.magnitudes import MAXIMUM, is_extreme_choice
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_REDUCES = re.compile(r"reduce\w*$", re.IGNORECASE)
_NAMED_MAX = re.compile(r"max", re.IGNORECASE)
_BOUNDS = re.compile(r"\bf?(max|min)f?\b|clamp|\blog", re.IGNORECASE)


def unshifted_values(outline: Outline) -> Iterator[GuardIssue]:
    """The first such exponential of each function; what it is about is where the maximum is found or subtracted."""
    for body in bodies(program_of(outline), ("kernel", "device", "host")):
        if not _NAMED_MAX.search(body.function.body.text):
            continue
        largest = {} if body.function.role == "host" else _largest(body)  # host code also looks at data to print it
        known = {**largest, **_shifted(body)}
        for node in body.nodes:
            argument = _argument(node)
            if argument is None or not known:
                continue
            meant = [each for each in _meant(argument, node.start, body) if _is_element(each)]
            about = next((known[key] for each in meant for key in (each.bare, _base(each)) if key in known), None)
            if about is not None and not any(_is_changed(each, body) for each in meant):
                text = f"`{short(node)}` overflows beyond 88: the maximum is not subtracted"
                yield GuardIssue(body.function, node, text, about)
                break


def _meant(value: Syntax, before: int, body: Body) -> list[Syntax]:
    """The value, or what the variable was last set to; of a choice both."""
    value = uncast(value)
    if value.kind == "identifier":
        values = [made for made in body.scope.values.get(value.text, []) if made.start < before]
        steps = [step for step in body.scope.steps.get(value.text, []) if step.start < before]
        if not values or any(step.start > values[-1].start for step in steps):
            return []
        value = uncast(values[-1])
    if value.kind == "conditional_expression":
        return [uncast(choice) for choice in value.children[1:]]
    return [value]


def _argument(node: Syntax) -> Syntax | None:
    arguments = node.child("arguments")
    if not is_exponential(node) or arguments is None or len(arguments.children) != 1:
        return None
    inner = uncast(arguments.children[0])
    while inner.kind == "parenthesized_expression" and len(inner.children) == 1:
        inner = uncast(inner.children[0])
    return inner


def _is_element(value: Syntax) -> bool:
    """`x[i]`, `x[i].y`, and `x(i)` of a view."""
    if value.kind == "call_expression":
        callee, arguments = value.child("function"), value.child("arguments")
        return callee is not None and callee.kind == "identifier" and arguments is not None and bool(arguments.children)
    return value.kind in ("subscript_expression", "field_expression")


def _base(value: Syntax) -> str:
    """The array that an element or its member is of."""
    while value.kind in ("subscript_expression", "field_expression") and value.children:
        value = value.children[0]
    return value.bare


def _shifted(body: Body) -> dict[str, Syntax]:
    """Values of which a maximum is subtracted in an exponential."""
    found: dict[str, Syntax] = {}
    for node in body.nodes:
        argument = _argument(node)
        left, right = (None, None) if argument is None else (argument.child("left"), argument.child("right"))
        if argument is not None and argument.op == "-" and left is not None and right is not None:
            if _NAMED_MAX.search(right.text):
                found.setdefault(uncast(left).bare, node)
    return found


def _largest(body: Body) -> dict[str, Syntax]:
    """Elements, and arrays, of which the function finds the maximum."""
    found: dict[str, Syntax] = {}
    for node in body.nodes:
        target = node.child("left") or node.child("declarator")
        value = node.child("right") or node.child("value")
        if node.kind == "if_statement":
            for element in _taken_if_larger(node):
                found.setdefault(element, node)
        if node.kind not in ("assignment_expression", "init_declarator") or target is None or value is None:
            continue
        for compared in _compared(target, value):
            for each in _meant(compared, node.start, body):
                found.setdefault(each.bare, node)
        for array in (*_reduced(value), *_nested(value)):
            found.setdefault(array, node)
    return found


def _taken_if_larger(node: Syntax) -> Iterator[str]:
    """`x[j]` of `if (x[j] > m) m = x[j];`."""
    if not is_extreme_choice(node):
        return
    assignment = next(part for part in (node.child("consequence") or node).walk() if part.op == "=")
    condition = next(part for part in node.walk() if part.op in ("<", ">", "<=", ">="))
    large = condition.children[1 if condition.op.startswith("<") else 0]
    if assignment.children[-1].bare == large.bare:
        yield uncast(large).bare


def _compared(target: Syntax, value: Syntax) -> Iterator[Syntax]:
    """The other value of `m = max(m, x)`, `m = x > m ? x : m` and `m = ge(m, x) ? m : x`."""
    callee, arguments = value.child("function"), value.child("arguments")
    sides: tuple[Syntax, ...] = ()
    if callee is not None and arguments is not None and MAXIMUM.match(callee.text) and len(arguments.children) == 2:
        sides = arguments.children
    elif value.kind == "conditional_expression" and _is_larger(value):
        sides = value.children[1:]
    if target.bare in {side.bare for side in sides}:
        yield from (uncast(side) for side in sides if side.bare != target.bare)


def _is_larger(choice: Syntax) -> bool:
    """Of two values that are compared, the choice is the larger one."""
    condition, *choices = choice.children
    while condition.kind == "parenthesized_expression":
        condition = condition.children[0]
    callee, arguments = condition.child("function"), condition.child("arguments")
    if callee is not None and arguments is not None and re.search(r"\bg[te]$", callee.text):
        return [each.bare for each in arguments.children] == [each.bare for each in choices]
    first = is_extreme_choice(choice) and choices[0].bare == condition.children[0].bare
    return is_extreme_choice(choice) and first == condition.op.startswith(">")


def _nested(value: Syntax) -> Iterator[str]:
    """`x` of `max(max(x[0], x[1]), max(x[2], x[3]))`."""
    calls = [node for node in value.walk() if node.kind == "call_expression"]
    maxima = [call for call in calls if (callee := call.child("function")) is not None and MAXIMUM.match(callee.text)]
    if len(maxima) < 2 or len(maxima) != len(calls) or maxima[0] is not value:
        return
    bases = {_base(node) for node in value.walk() if node.kind == "subscript_expression"}
    yield from sorted(bases) if len(bases) == 1 else ()


def _reduced(value: Syntax) -> Iterator[str]:
    """`x` of `BlockReduce(storage).Reduce(x, Max())`."""
    for node in value.walk():
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind != "call_expression" or callee is None or arguments is None or len(arguments.children) < 2:
            continue
        if _REDUCES.search(callee.text) and _NAMED_MAX.search(arguments.children[1].text):
            inner = arguments.children[0]
            yield from (part.text for part in inner.walk() if part.kind == "identifier")


def _is_changed(value: Syntax, body: Body) -> bool:
    """Something is subtracted from the elements elsewhere, or they are bounded, or logarithms."""
    base = _base(value)
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind != "assignment_expression" or left is None or right is None or _base(left) != base:
            continue
        if node.op == "-=" or (_is_moved(right) and not is_exponential(right)):
            return True
    return False


def _is_moved(value: Syntax) -> bool:
    """It subtracts or bounds, other than in the index of an element."""
    callee = value.child("function")
    bounds = callee is not None and _BOUNDS.search(callee.text) is not None
    if bounds or (value.op == "-" and value.kind == "binary_expression"):
        return True
    parts = value.children[:1] if value.kind == "subscript_expression" else value.children
    return any(_is_moved(part) for part in parts if part is not callee)
