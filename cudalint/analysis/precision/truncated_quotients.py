"""Quotients of integers whose fraction is lost before they become floating-point numbers.

float weight = 1 / (k * k);      sum * (1 / n)      powf(x, 1 / 3)      y[i] = 1 / count
float scale = in_width / out_width;      if (x[i] > y) ++hits; ... share[q] = hits / n
share[c] = (float)(hits[c] / totals[c]);      share[c] = total > 0 ? hits[c] / total : 0;      float u = 2 * x / (width - 1) - 1.0f;
sum += x[i]; ... float mean = sum / n;      peak = max(peak, x[i]); ... float scale = peak / 127;
powf(base, -(2 * i / dim));      float ramp = (step + 1) / warmup_steps;
int n = a.count + b.count; float weight = b.count / n
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.precision.exponents import is_quotient_of_exponent
from cudalint.analysis.precision.gathered_values import (
    is_gathered_over_count,
    is_quotient_by_last,
    is_quotient_of_elements,
    is_quotient_of_progress,
    is_quotient_of_sizes,
    is_share_of_count,
)
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import FLOATING, INT, UNSIGNED, WIDE, cast_target, kind_of, kind_of_type
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_WHOLE = (INT, UNSIGNED, WIDE)
_SIDE = re.compile("in|out|input|output|src|dst|source|dest|destination|target|from|to|old|new")  # of a change
_ASKS = re.compile(r"multiple|divi[ds]", re.IGNORECASE)
_OF_REALS = re.compile(
    r"^(::|std::)?(__)?(r?sqrt|cbrt|exp(2|10|m1)?|log(2|10|1p)?|pow|sin|cos|tan|atan2?|tanh|erf|fma|fmax|fmin)f?$"
)


def truncated_quotients(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each `1 / n` of integers, or gathered whole number over a count, that a real number is made of."""
    for body in bodies(program_of(outline), ("kernel", "device", "host")):
        for node in body.nodes:
            lost = _lost(node, body)
            if lost is not None and (meant := _real(node, body)) is not None:
                text = f"`{short(node)}` is a quotient of integers, {lost}, and becomes a real number"
                yield GuardIssue(body.function, node, text, None if meant is node else meant)


def _lost(node: Syntax, body: Body) -> str | None:
    """What integer division takes from a quotient that nobody wants whole."""
    if node.kind != "binary_expression" or node.op != "/":
        return None
    if _is_below_one(node, body):
        return "0 unless the divisor is 1"
    if _is_part_of_sum(node, body):
        return "0 unless the rest of the sum is"
    of_sizes = is_quotient_of_sizes(node, body) and not _is_held_to_divide(node, body)
    if (of_sizes or is_quotient_of_progress(node, body)) and _is_kept_as_real(node, body):
        return "its fraction is lost"
    if is_quotient_of_exponent(node, body) or is_quotient_of_elements(node, body) or is_quotient_by_last(node, body):
        return "its fraction is lost"
    return "its fraction is lost" if is_gathered_over_count(node, body) or is_share_of_count(node, body) else None


def _is_kept_as_real(node: Syntax, body: Body) -> bool:
    """The quotient alone is what a real number begins with, or is set to: `float scale = in / out`, `p.scale = in / out`.

    Or what a function of reals returns, or a cast makes of two sizes of one quantity: `return (float)(in_length / out_length);`.
    """
    parent = body.parents.get(id(node))
    ratio = _is_of_one_quantity(node)
    while parent is not None and ratio and _is_cast_to_real(parent, body):
        parent = body.parents.get(id(parent))
    if ratio and parent is not None and parent.kind == "return_statement":
        return kind_of_type(body.function.result, body.scope.outline) == FLOATING
    kind = parent.kind if parent is not None else ""
    set_to = kind == "assignment_expression" and parent is not None and parent.op == "="
    name = (
        parent.child("left" if set_to else "declarator")
        if parent is not None and (set_to or kind == "init_declarator")
        else None
    )
    return name is not None and kind_of(name, body.scope) == FLOATING


def _is_of_one_quantity(node: Syntax) -> bool:
    """`src_length / dst_length`, `newWidth / oldWidth`: one quantity on two sides of a change, of which the ratio is meant."""
    above, below = node.children
    return _quantity(above) == _quantity(below) != [] and above.text != below.text


def _quantity(size: Syntax) -> list[str]:
    """The words of the name, but for those that say on which side of a change it is."""
    words = (word.lower() for word in re.findall(r"[a-z]+|[A-Z][a-z]*", size.text))
    return [word for word in words if _SIDE.fullmatch(word) is None]


def _is_held_to_divide(node: Syntax, body: Body) -> bool:
    """Something in the file takes a remainder by what the divisor counts, or a function that asks for multiples gets it."""
    divisor = node.children[1]
    quantity = _quantity(divisor)
    for other in body.scope.outline.root.walk():
        callee, arguments = other.child("function"), other.child("arguments")
        asks = other.kind == "call_expression" and callee is not None and _ASKS.search(callee.text) is not None
        asked = arguments.children if asks and arguments is not None else []
        asked = other.children[1:] if other.kind == "binary_expression" and other.op == "%" else asked
        if any(_quantity(each) == quantity if quantity else each.bare == divisor.bare for each in asked):
            return True
    return False


def _is_cast_to_real(node: Syntax, body: Body) -> bool:
    """A cast, or what stands around its operand."""
    if node.kind in ("argument_list", "parenthesized_expression"):
        return True
    written = node.child("type") if node.kind == "cast_expression" else None
    target = written.text if written is not None else cast_target(node) if node.kind == "call_expression" else None
    return target is not None and kind_of_type(target, body.scope.outline) == FLOATING


def _is_below_one(node: Syntax, body: Body) -> bool:
    """1 over an integer, or a small number over a larger one."""
    above, below = node.child("left"), node.child("right")
    if above is None or below is None:
        return False
    whole, divisor = _number(above), _number(below)
    if whole is None or whole < 1:
        return False
    if divisor is not None:
        return whole < divisor
    return whole == 1 and kind_of(below, body.scope) in _WHOLE


def _is_part_of_sum(node: Syntax, body: Body) -> bool:
    """What is added to a sum over this sum: `b / (a + b)`, `b / n` of `int n = a + b`."""
    above, below = node.child("left"), node.child("right")
    if above is None or below is None or kind_of(below, body.scope) not in _WHOLE:
        return False
    values = body.scope.values.get(below.text, []) if below.kind == "identifier" else [below]
    if len(values) != 1 or below.text in body.scope.grown or kind_of(above, body.scope) == FLOATING:
        return False
    return values[0].op == "+" and above.bare in [part.bare for part in terms_of(values[0])]


def _number(node: Syntax) -> int | None:
    digits = node.text.rstrip("uUlL")
    return int(digits) if digits.isdigit() else None


def _real(node: Syntax, body: Body) -> Syntax | None:
    """Where the quotient becomes a floating-point number, if it does."""
    for parent, child in body.ancestors(node):
        match parent.kind:
            case "unary_expression" | "argument_list":
                continue
            case "binary_expression" if parent.op in ("+", "-", "*", "/"):
                others = [each for each in (parent.child("left"), parent.child("right")) if each is not child]
                if any(other is not None and kind_of(other, body.scope) == FLOATING for other in others):
                    return parent
                if kind_of(parent, body.scope) not in _WHOLE:
                    return None
            case "cast_expression":
                written = parent.child("type")
                real = written is not None and kind_of_type(written.text, body.scope.outline) == FLOATING
                return parent if real else None
            case "call_expression":
                callee, target = parent.child("function"), cast_target(parent)
                real = target is not None and kind_of_type(target, body.scope.outline) == FLOATING
                return parent if real or (callee is not None and _OF_REALS.match(callee.text)) else None
            case "conditional_expression" if child is not parent.child("condition"):
                continue
            case "init_declarator":
                name = parent.child("declarator")
                return parent if name is not None and kind_of(name, body.scope) == FLOATING else None
            case "assignment_expression":
                left = parent.child("left")
                return parent if left is not None and kind_of(left, body.scope) == FLOATING else None
            case "return_statement":
                return parent if kind_of_type(body.function.result, body.scope.outline) == FLOATING else None
            case _:
                return None
    return None
