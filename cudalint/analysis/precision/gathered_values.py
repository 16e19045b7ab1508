"""Whole numbers that are gathered from data, a sum or an extreme of elements: their quotients have fractions that count.

sum += x[i];      peak = max(peak, abs(x[i]));      part[t] += part[t + s];      int peak = part[0];
share[b] = bins[b] / total;                         an element over what counts them all, as its name says

Indices and sizes are not gathered, and their quotients are whole on purpose: `float row = i / width`.
"""

from __future__ import annotations

import re

from cudalint.analysis.text.scopes import INT, UNSIGNED, WIDE, kind_of
from cudalint.analysis.text.text_program import Body
from cudalint.ir.syntax import Syntax

_WHOLE = (INT, UNSIGNED, WIDE)
_EXTREME = re.compile(r"^(::|std::)?(max|min|umax|umin|llmax|llmin)$")
_COUNTS = re.compile(r"(^|_|\b)(total|count|cnt|samples|votes)s?_?$", re.IGNORECASE)
_STEP = re.compile(r"(cur(rent)?_?|global_?)?(step|iter|iteration|epoch)(_?(num|id|idx|no))?_?", re.IGNORECASE)
_STEPS = re.compile(
    r"(warm_?up|decay|total|max|num|n|all)_?(steps?|iters?|iterations|epochs?)_?|warm_?up|epochs", re.IGNORECASE
)
_MOVES = re.compile(r"^__(shfl\w*|reduce_add|reduce_max|reduce_min)_sync$|^atomic(Add|Max|Min)(_block)?$")


def is_gathered_over_count(node: Syntax, body: Body) -> bool:
    """A gathered number over a whole one of which no remainder is taken; a power of two may be a shift in disguise."""
    above, below = node.child("left"), node.child("right")
    if above is None or below is None or _is_power_of_two(below.text):
        return False
    if kind_of(above, body.scope) not in _WHOLE or kind_of(below, body.scope) not in _WHOLE:
        return False
    return _is_gathered(above, body, hops=2) and not _has_remainder(below, body)


def _is_gathered(node: Syntax, body: Body, hops: int) -> bool:
    if node.kind == "subscript_expression":
        base = node.child("argument")
        return base is not None and _is_gathering_array(base.text, body)
    if node.kind != "identifier":
        return False
    if any(_is_conditional_count(step, body) for step in body.scope.steps.get(node.text, [])):
        return True
    if any(_is_summed_by_all(each, node.text) for each in body.nodes):
        return True
    if any(step.op == "+=" and _is_of_data(step.child("right"), body) for step in body.scope.steps.get(node.text, [])):
        return True
    values = body.scope.values.get(node.text, [])
    if any(_is_extreme_with(value, node.text) and _is_of_data(value, body) for value in values):
        return True
    return hops > 0 and len(values) == 1 and _is_gathered(values[0], body, hops - 1)


def _is_summed_by_all(call: Syntax, name: str) -> bool:
    """`atomicAdd(&name, ...)`: what the threads have counted."""
    callee, arguments = call.child("function"), call.child("arguments")
    if call.kind != "call_expression" or callee is None or arguments is None or not arguments.children:
        return False
    return callee.text in ("atomicAdd", "atomicAdd_block") and arguments.children[0].bare == f"&{name}"


def _is_conditional_count(step: Syntax, body: Body) -> bool:
    """`if (found[i] == truth[j]) ++hits;` in a loop: how many elements there are of a kind."""
    by = step.child("right")
    if step.op not in ("++", "+=") or (step.op == "+=" and (by is None or by.text != "1")):
        return False
    asked = False
    for parent, child in body.ancestors(step):
        condition = parent.child("condition")
        if parent.kind == "if_statement" and condition is not None and child is not condition:
            asked |= any(part.kind == "subscript_expression" for part in condition.walk())
        if parent.kind in ("for_statement", "while_statement"):
            return asked
    return False


def is_quotient_of_sizes(node: Syntax, body: Body) -> bool:
    """Two whole numbers that the function is passed, as they are, of which no remainder is taken."""
    above, below = node.child("left"), node.child("right")
    if above is None or below is None or above.bare == below.bare:
        return False
    return all(_is_given(each, body) for each in (above, below)) and not _has_remainder(below, body)


def is_quotient_of_progress(node: Syntax, body: Body) -> bool:
    """`(step + 1) / warmup_steps`, `epoch / epochs`: how much of them is done, of which no remainder is taken."""
    above, below = node.child("left"), node.child("right")
    if above is None or below is None or not all(kind_of(each, body.scope) in _WHOLE for each in (above, below)):
        return False
    names = [each.text for each in above.walk() if each.kind in ("identifier", "field_identifier")]
    done = any(_STEP.fullmatch(name) for name in names)
    last = below.text.rpartition(".")[2].rpartition("->")[2]
    return done and _STEPS.fullmatch(last) is not None and not _has_remainder(below, body)


def _is_given(size: Syntax, body: Body) -> bool:
    """A parameter, or a member of one, that is not made larger here."""
    owner: Syntax | None = size
    while owner is not None and owner.kind == "field_expression":
        owner = owner.child("argument")
    if owner is None or owner.kind != "identifier" or owner.text not in body.scope.parameters:
        return False
    changed = size.text in body.scope.raised or (owner is not size and _is_assigned(size, body))
    return kind_of(size, body.scope) in _WHOLE and not changed


def _is_assigned(member: Syntax, body: Body) -> bool:
    changes = (n for n in body.nodes if n.kind in ("assignment_expression", "update_expression"))
    return any(change.children[0].bare == member.bare for change in changes)


def is_share_of_count(node: Syntax, body: Body) -> bool:
    """An element over a whole number that the function is passed, whose name says that it counts all of them."""
    above, below = node.child("left"), node.child("right")
    if above is None or below is None or not _is_given(below, body) or _COUNTS.search(below.text) is None:
        return False
    element = _element(above, body)
    return element is not None and kind_of(above, body.scope) in _WHOLE and not _has_remainder(below, body)


def is_quotient_of_elements(node: Syntax, body: Body) -> bool:
    """Elements of two arrays of whole numbers at one place, as `hits[c] / totals[c]`: a share. A variable may hold one."""
    above, below = node.child("left"), node.child("right")
    if above is None or below is None or not all(kind_of(each, body.scope) in _WHOLE for each in (above, below)):
        return False
    first, second = _element(above, body), _element(below, body)
    if first is None or second is None or first[0] == second[0] or first[1] != second[1]:
        return False
    return not _has_remainder(below, body)


def _element(node: Syntax, body: Body) -> tuple[str, str] | None:
    """The array and the place that the value is read from, at once or by the variable that begins with it and stays so."""
    if node.kind == "identifier" and node.text not in body.scope.grown:
        values = body.scope.values.get(node.text, [])
        node = values[0] if len(values) == 1 else node
    base = node.child("argument") if node.kind == "subscript_expression" else None
    return None if base is None else (base.text, node.text[len(base.text) :])


def is_quotient_by_last(node: Syntax, body: Body) -> bool:
    """Over the number of the last element, `2 * x / (width - 1)`: a place as a part of the whole."""
    above, last = node.child("left"), node.child("right")
    one = None if last is None else last.child("right")
    if above is None or last is None or last.op != "-" or one is None or one.text != "1":
        return False
    whole = all(kind_of(each, body.scope) in _WHOLE for each in (above, last))
    places = any(part.kind == "identifier" for part in above.walk()) and not re.search(r"[-+]", above.text)
    return whole and places and not _has_remainder(last, body)


def _is_gathering_array(name: str, body: Body) -> bool:
    """Its elements are added to, or compared with what comes, from elements."""
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind != "assignment_expression" or left is None or left.kind != "subscript_expression":
            continue
        base = left.child("argument")
        if base is None or base.text != name:
            continue
        if node.op == "+=" or (node.op == "=" and right is not None and _is_extreme_with(right, left.text)):
            return _is_of_data(right, body)
    return False


def _is_extreme_with(value: Syntax, text: str) -> bool:
    """`max(text, ...)`."""
    callee, arguments = value.child("function"), value.child("arguments")
    if value.kind != "call_expression" or callee is None or arguments is None or not _EXTREME.match(callee.text):
        return False
    return any(argument.text == text for argument in arguments.children)


def _is_of_data(value: Syntax | None, body: Body) -> bool:
    """It reads an element, another lane's number, or a name that was read from an element."""
    if value is None:
        return False
    for node in value.walk():
        callee = node.child("function")
        if node.kind == "subscript_expression" or (callee is not None and _MOVES.match(callee.text)):
            return True
        if node.kind == "identifier":
            given = body.scope.values.get(node.text, [])
            if len(given) == 1 and any(part.kind == "subscript_expression" for part in given[0].walk()):
                return True
    return False


def _has_remainder(below: Syntax, body: Body) -> bool:
    """`x % below` somewhere: the quotient and the remainder are two digits."""
    divisors = (node.child("right") for node in body.nodes if node.kind == "binary_expression" and node.op == "%")
    return any(divisor is not None and divisor.bare == below.bare for divisor in divisors)


def _is_power_of_two(text: str) -> bool:
    digits = text.rstrip("uUlL")
    return digits.isdigit() and int(digits) & (int(digits) - 1) == 0
