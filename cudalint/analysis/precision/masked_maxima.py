"""Running maxima that stay at minus infinity while the data mask every value, so that inf - inf makes NaN of the exponential.

float m = -INFINITY;
for (...) {
  if (!mask[j]) s = -INFINITY;                 the data say which
  float next = fmaxf(m, s);
  sum = sum * expf(m - next) + expf(s - next);       // NaN while nothing but masked values came
}

Of a maximum that is complete before the exponentials it is told where the code reckons with rows of nothing but masked values:

out[j] = sum > 0 ? expf(s - m) / sum : 0;                    // the sum of such a row is NaN, and no number
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_LEAST = re.compile(r"^-\s*((std::)?INFINITY|CUDART_INF(_F)?|HUGE_VALF?|(std::)?numeric_limits<\w+>::infinity\(\))$")
_MAXIMUM = re.compile(r"^(::|std::)?f?max(f)?$")
_EXP = re.compile(r"^(::|std::)?(__)?exp(2)?f?$")
_ZERO = re.compile(r"0(\.0*)?[fF]?")
_TESTED = re.compile(
    r"\bis(inf|finite|nan)\b|[=!]=\s*-\s*(INFINITY|CUDART_INF|HUGE_VAL)|[<>]=?\s*-\s*(INFINITY|CUDART_INF|HUGE_VAL)"
)


def masked_maxima(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each maximum, at the first exponential of a difference from it."""
    for body in bodies(program_of(outline)):
        text = body.function.body.text
        if "exp" not in text or _TESTED.search(text):
            continue
        masked = _masked(body)
        for name, values in sorted(body.scope.values.items()):
            terms = set().union(*(_compared(value) for value in values)) - {name}
            before = {term for term in terms if any(map(_is_least, body.scope.values.get(term, [])))} - masked.keys()
            if not terms & masked.keys():
                continue
            place = _exponential(before, name, body)
            if place is None and any(map(_is_least, values)):
                place = _exponential(terms & masked.keys(), name, body)
                place = place if place is not None and _reckons_with_none(place, body) else None
            if place is not None:
                text = f"`{short(place)}` is NaN while every value was masked: both are -inf"
                yield GuardIssue(body.function, place, text, masked[min(terms & masked.keys())])


def _is_least(value: Syntax) -> bool:
    return _LEAST.match(value.text) is not None


def _masked(body: Body) -> dict[str, Syntax]:
    """Variables that become minus infinity under a condition of loaded values, with the condition."""
    found: dict[str, Syntax] = {}
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind == "assignment_expression" and node.op == "=" and left is not None and right is not None:
            for condition in _chosen(node, right, body):
                if _is_loaded(condition, body):
                    found.setdefault(left.text, condition)
        name, value = node.child("declarator"), node.child("value")
        if node.kind == "init_declarator" and name is not None and value is not None:
            for condition in _chosen(None, value, body):
                if _is_loaded(condition, body):
                    found.setdefault(name.text, condition)
    return found


def _chosen(statement: Syntax | None, value: Syntax, body: Body) -> Iterator[Syntax]:
    """The conditions under which the value is minus infinity: of an `if` around the statement, or of its own `?:`."""
    if value.kind == "conditional_expression":
        sides = [value.child("consequence"), value.child("alternative")]
        condition = value.child("condition")
        if condition is not None and any(side is not None and _is_least(side) for side in sides):
            yield condition
    elif statement is not None and _is_least(value):
        for parent, child in body.ancestors(statement):
            condition = parent.child("condition")
            if parent.kind == "if_statement" and condition is not None and child is not condition:
                yield condition


def _is_loaded(condition: Syntax, body: Body) -> bool:
    """An element of an array decides, also through a variable."""
    nodes = list(condition.walk())
    names = [node.text for node in nodes if node.kind == "identifier"]
    nodes += [part for name in names for value in body.scope.values.get(name, []) for part in value.walk()]
    return any(node.kind in ("subscript_expression", "pointer_expression") for node in nodes)


def _compared(value: Syntax) -> set[str]:
    """The names of `fmaxf(m, s)`."""
    callee, arguments = value.child("function"), value.child("arguments")
    if value.kind != "call_expression" or callee is None or arguments is None or not _MAXIMUM.match(callee.text):
        return set()
    return {argument.text for argument in arguments.children if argument.kind == "identifier"}


def _exponential(before: set[str], name: str, body: Body) -> Syntax | None:
    """`expf(m - next)`, whatever the data say."""
    for node in body.nodes:
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind == "call_expression" and callee is not None and arguments is not None and _EXP.match(callee.text):
            differences = (part for part in arguments.walk() if part.kind == "binary_expression" and part.op == "-")
            sides = [(part.children[0].text, part.children[-1].text) for part in differences]
            if any(one in before and other == name for one, other in sides) and not _is_conditional(node, body):
                return node
    return None


def _is_conditional(node: Syntax, body: Body) -> bool:
    """A condition of loaded values stands around it."""
    for parent, child in body.ancestors(node):
        condition = parent.child("condition")
        if parent.kind in ("if_statement", "conditional_expression") and condition is not None:
            if child is not condition and _is_loaded(condition, body):
                return True
    return False


def _reckons_with_none(exponential: Syntax, body: Body) -> bool:
    """Somebody asks whether the sum of the exponentials is zero: with the largest of them, which is 1, it is not."""
    added = [exponential.text]
    added += [name for name, values in body.scope.values.items() for value in values if value.text == exponential.text]
    sums = {
        left.text
        for node in body.nodes
        if node.kind == "assignment_expression" and node.op == "+=" and (left := node.child("left")) is not None
        if (right := node.child("right")) is not None and right.text in added
    }
    return any(_asks_for_zero(node, sums) for node in body.nodes)


def _asks_for_zero(node: Syntax, sums: set[str]) -> bool:
    if node.kind != "binary_expression" or node.op not in (">", "==", "!=", "<=", "<", ">=") or len(node.children) != 2:
        return False
    left, right = (child.text for child in node.children)
    return (left in sums and _ZERO.fullmatch(right) is not None) or (
        right in sums and _ZERO.fullmatch(left) is not None
    )
