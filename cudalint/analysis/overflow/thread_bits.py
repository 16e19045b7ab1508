"""`1 << place` where a word of 64 bits is meant, and the place goes as far as threads, lanes or a modulus go.

atomicOr(&word, (unsigned long long)(1 << threadIdx.x));      nothing is shifted to bit 32 and beyond
flags64 |= 1 << lane;                                         for lane 31 the int is negative, and sets all bits above as well
"""

from __future__ import annotations

import re

from cudalint.analysis.text.launch_text import launches_of
from cudalint.analysis.text.scopes import INT, WIDE, kind_of
from cudalint.analysis.text.sizes import Sizes
from cudalint.analysis.text.text_program import Body, Program, number_of
from cudalint.ir.syntax import Syntax

INT_BITS = 32
BEYOND = "it sets no bit of `{}` beyond 31"
SIGN = "it is negative where it sets bit 31, and sets all bits of `{}` above it as well"
_COMPARES = ("<", "<=", ">", ">=", "==")


def wrong_bits(shift: Syntax, body: Body, program: Program) -> str:
    """What is wrong with the shift in a word of 64 bits, as far as its place says it; nothing otherwise."""
    one, place = shift.child("left"), shift.child("right")
    if shift.kind != "binary_expression" or shift.op != "<<" or one is None or place is None:
        return ""
    if one.text not in ("1", "1u", "1U"):
        return ""
    place = _bare(place)
    values = body.scope.values.get(place.text, []) if place.kind == "identifier" else [place]
    if len(values) != 1 or place.text in body.scope.grown or place.text in body.scope.parameters:
        return ""
    ends = _ends(_bare(values[0]), body, program)
    if ends is None or _is_asked({place.bare, _bare(values[0]).bare}, body):
        return ""
    return BEYOND if ends > INT_BITS else SIGN if ends == INT_BITS and one.text == "1" else ""


def _ends(place: Syntax, body: Body, program: Program) -> int | None:
    """One more than the largest place: `v & 63`, `v % 32`, the number of a thread."""
    least = {"&": 1, "%": 0}.get(place.op) if place.kind == "binary_expression" else None
    if least is not None:
        numbers = [body.scope.outline.constants.get(side.text, _number(side)) for side in place.children]
        return max(numbers) + least
    return _threads(body, program) if place.bare == "threadIdx.x" else None


def _number(side: Syntax) -> int:
    known = int(number_of(side.text)) if side.kind == "number_literal" else 0
    return INT_BITS if side.text == "warpSize" else known


def _threads(body: Body, program: Program) -> int:
    """As many as every launch of the file has; a warp at least where none says how many."""
    launches = launches_of(body.function.name, program)
    sides = [(launch, launch.block[0]) for launch in launches]
    known = [None if s is None else Sizes(program, launch.function).fixed_value(s) for launch, s in sides]
    fixed = [each for each in known if each is not None]
    return min(fixed) if fixed and len(fixed) == len(known) else INT_BITS


def _is_asked(names: set[str], body: Body) -> bool:
    """Something is asked of the place that may keep it low; who asks for the first one does not."""
    for node in body.nodes:
        if node.kind == "binary_expression" and node.op in _COMPARES:
            sides = [_bare(side).bare for side in node.children]
            if not names.isdisjoint(sides) and not (node.op == "==" and "0" in sides):
                return True
    return False


def is_signed(value: Syntax, shift: Syntax, body: Body) -> bool:
    """The shift stays an int up to where the value is widened: nothing that it is joined with is unsigned."""
    node = shift
    while node is not value:
        parent = body.parents.get(id(node))
        if parent is None:
            return False
        others = [side for side in parent.children if side is not node]
        if parent.kind == "binary_expression" and any(kind_of(side, body.scope) not in (INT, WIDE) for side in others):
            return False
        node = parent
    return True


def widened(node: Syntax, body: Body) -> tuple[str, Syntax | None]:
    """(the type, `1 << place`) of a cast to 64 bits."""
    if kind_of(node, body.scope) != WIDE:
        return "", None
    value, arguments = node.child("value"), node.child("arguments")
    if node.kind == "call_expression" and arguments is not None and len(arguments.children) == 1:
        value = arguments.children[0]
    elif node.kind != "cast_expression":
        return "", None
    inner = None if value is None else _bare(value)
    return ("", None) if inner is None or inner.op != "<<" else (_type_of(node), inner)


def _type_of(cast: Syntax) -> str:
    written = cast.child("type") or cast.child("function")
    return "" if written is None else re.sub(r"^\w+_cast\s*<\s*|\s*>$", "", written.text)


def _bare(node: Syntax) -> Syntax:
    while node.kind == "parenthesized_expression" and len(node.children) == 1:
        node = node.children[0]
    return node
