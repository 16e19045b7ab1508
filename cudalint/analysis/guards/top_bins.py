"""The number of a bin, made of a value that may be the upper end of its range: there it is the number of bins, behind the last one.

float v = fminf(fmaxf(x[i], 0.f), 1.f);   int bin = (int)(v * bins);   atomicAdd(&histogram[bin], 1);          v = 1: bins
if (x >= low && x <= high) { int bin = (x - low) / (high - low) * bins;  atomicAdd(&histogram[bin], 1); }      x = high: bins
if (x >= low && x <= high) atomicAdd(&histogram[bin_of(x, low, high, bins)], 1);         a function of the file does the same
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import FLOATING, INT, UNSIGNED, WIDE, cast_target, kind_of, kind_of_type, uncast
from cudalint.analysis.text.text_program import Body, number_of, program_of
from cudalint.ir.syntax import Outline, Syntax

_WHOLE = (INT, UNSIGNED, WIDE)
_CUTS = re.compile(r"^(::|std::)?(floorf?|truncf?|__float2u?int_r[dz])$")
_CLAMPS = re.compile(r"^(::|std::)?(f?minf?|clamp\w*|saturate)$")
_ONE = re.compile(r"1(\.0*)?f?")
_SPELLED = ("int", "unsigned", "unsigned int", "int32_t", "uint32_t", "size_t", "int64_t", "uint")
_COMPARES = ("<", "<=", ">", ">=", "==", "!=")
MOST_STEPS = 3


@dataclass(slots=True)
class _Factors:
    above: list[Syntax] = field(default_factory=list)
    below: list[Syntax] = field(default_factory=list)


def top_bins(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each number of a bin; what it is about is what lets the end of the range pass."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            for value, use in _numbers(node, body):
                found = _ended(value, body)
                if found is not None:
                    bins, closed = found
                    text = f"`{short(value)}` is {bins} where `{short(closed)}` gives the end of the range"
                    yield GuardIssue(body.function, value, text, closed, behind=(use,))


def _numbers(node: Syntax, body: Body) -> Iterator[tuple[Syntax, Syntax]]:
    """(value, element): whole numbers that choose an element and that nobody asks about."""
    name, value = node.child("declarator"), node.child("value")
    if node.kind == "subscript_expression" and (_is_cut_off(_index(node)) or _called(_index(node), body) is not None):
        yield _index(node), node
    if node.kind != "init_declarator" or name is None or value is None or name.kind != "identifier":
        return
    declaration = body.parents.get(id(node))
    block = None if declaration is None else body.parents.get(id(declaration))
    written = None if declaration is None else declaration.child("type")
    if block is None or written is None or kind_of_type(written.text, body.scope.outline) not in _WHOLE:
        return
    behind = [n for n in block.walk() if n.start >= node.end]
    use = _use(name.text, behind)
    if use is not None and not _is_asked(name.text, behind):
        yield value, use


def _ended(value: Syntax, body: Body) -> tuple[str, Syntax] | None:
    """(number of bins, what lets the end pass)."""
    called = _called(uncast(value), body)
    if called is not None:
        return _ended_in(called, uncast(value), body)
    split = _counted(value, body)
    if split is None:
        return None
    count, above, below = split
    if not below:
        closed = _clamped_to_one(above, body)
    else:
        closed = _within_range(above, below[0], body) if len(below) == 1 else None
    return None if closed is None else (short(count), closed)


def _counted(value: Syntax, body: Body) -> tuple[Syntax, Syntax, list[Syntax]] | None:
    """(number of bins, what it is multiplied with, divisors)."""
    factors = _Factors()
    _split(_uncut(value), True, factors, body, MOST_STEPS)
    counts = [f for f in factors.above if _is_count(f, body)]
    others = [f for f in factors.above if not _is_count(f, body)]
    if len(counts) != 1 or len(others) != 1 or re.search(rf"\b{re.escape(counts[0].text)}\s*\+\s*1\b", _text(body)):
        return None
    return counts[0], others[0], factors.below


def _called(call: Syntax, body: Body) -> Body | None:
    """The only function of the file with this name and as many parameters."""
    callee, arguments = call.child("function"), call.child("arguments")
    if call.kind != "call_expression" or callee is None or arguments is None:
        return None
    name = callee.text.partition("<")[0].rpartition("::")[2].strip()
    program = program_of(body.scope.outline)
    found = [other for other in bodies(program, ("device",)) if other.function.name.rpartition("::")[2] == name]
    return found[0] if len(found) == 1 and len(found[0].function.parameters) == len(arguments.children) else None


def _ended_in(called: Body, call: Syntax, body: Body) -> tuple[str, Syntax] | None:
    """The function computes the number of the bin from its parameters alone, and a condition of its caller lets the end pass."""
    returns = [node for node in called.nodes if node.kind == "return_statement"]
    result = returns[0].children[0] if len(returns) == 1 and returns[0].children else None
    if result is None or (result.kind == "identifier" and _is_asked(result.text, called.nodes)):
        return None
    split = _counted(_single(result, called) or result, called)
    sides = None if split is None or len(split[2]) != 1 else _sides(split[1], split[2][0], called)
    arguments = call.child("arguments")
    if split is None or sides is None or arguments is None:
        return None
    given = dict(zip(called.scope.parameters, arguments.children))
    value, low, high = (given.get(side.text) for side in sides)
    if value is None or low is None or high is None or (bins := given.get(split[0].text)) is None:
        return None
    closed = _closed(value, high, body)
    return None if closed is None else (short(bins), closed)


def _text(body: Body) -> str:
    return body.function.body.text


def _uncut(value: Syntax) -> Syntax:
    """`v * bins` of `(int)floorf(v * bins)`."""
    value = uncast(value)
    callee, arguments = value.child("function"), value.child("arguments")
    cuts = callee is not None and _CUTS.match(callee.text) is not None
    return uncast(arguments.children[0]) if cuts and arguments is not None and arguments.children else value


def _split(value: Syntax, above: bool, factors: _Factors, body: Body, steps: int) -> None:
    value = uncast(value)
    if value.kind == "binary_expression" and value.op in ("*", "/"):
        left, right = value.children
        _split(left, above, factors, body, steps)
        _split(right, above == (value.op == "*"), factors, body, steps)
        return
    made = _single(value, body) if steps else None
    if made is not None and made.op in ("*", "/") and made.kind == "binary_expression":
        _split(made, above, factors, body, steps - 1)
    elif not _ONE.fullmatch(value.bare):
        (factors.above if above else factors.below).append(value)


def _single(value: Syntax, body: Body) -> Syntax | None:
    values = body.scope.values.get(value.text, []) if value.kind == "identifier" else []
    return uncast(values[0]) if len(values) == 1 and value.text not in body.scope.grown else None


def _is_count(factor: Syntax, body: Body) -> bool:
    """A whole number that is passed or written down."""
    if factor.kind == "number_literal":
        return number_of(factor.text) > 1
    if factor.kind != "identifier":
        return False
    return body.scope.types.get(factor.text) in _WHOLE or factor.text in body.scope.outline.constants


def _clamped_to_one(value: Syntax, body: Body) -> Syntax | None:
    """`fminf(x, 1.f)`, `__saturatef(x)`: one is among its values."""
    made = _single(value, body) or value
    callee, arguments = made.child("function"), made.child("arguments")
    if made.kind != "call_expression" or callee is None or arguments is None:
        return None
    if callee.text == "__saturatef":
        return made
    one = _CLAMPS.match(callee.text) and any(_ONE.fullmatch(each.bare) for each in arguments.children)
    return made if one or (callee.text == "saturate" and len(arguments.children) == 1) else None


def _within_range(above: Syntax, below: Syntax, body: Body) -> Syntax | None:
    """`x - low` over `high - low`, and a condition that lets x = high pass."""
    sides = _sides(above, below, body)
    return None if sides is None else _closed(sides[0], sides[2], body)


def _sides(above: Syntax, below: Syntax, body: Body) -> tuple[Syntax, Syntax, Syntax] | None:
    """(x, low, high) of `x - low` over `high - low`."""
    distance, length = (_single(side, body) or side for side in (above, below))
    if distance.op != "-" or length.op != "-" or distance.kind != "binary_expression":
        return None
    (value, low), (high, least) = distance.children, length.children
    real = kind_of(value, body.scope) == FLOATING or body.scope.structures.get(value.text) in body.function.template
    return (value, low, high) if low.bare == least.bare and real else None


def _closed(value: Syntax, high: Syntax, body: Body) -> Syntax | None:
    """The condition that lets value = high pass, where none keeps it out."""
    closed = None
    for node in body.nodes:
        if node.kind == "binary_expression" and node.op in _COMPARES:
            left, right = node.children
            if {left.bare, right.bare} != {value.bare, high.bare}:
                continue
            towards = node.op if left.bare == value.bare else {"<=": ">=", ">": "<"}.get(node.op, "==")
            if towards not in ("<=", ">"):
                return None
            closed = closed or node
    return closed


def _is_cut_off(index: Syntax) -> bool:
    written = index.child("type") if index.kind == "cast_expression" else None
    return (cast_target(index) if written is None else written.text) in _SPELLED


def _is_asked(name: str, nodes: list[Syntax]) -> bool:
    """A comparison with the number, another value for it, or a function that may keep it below the end."""
    for node in nodes:
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind == "binary_expression" and node.op in (*_COMPARES, "%", "&"):
            if any(uncast(side).text == name for side in node.children):
                return True
        if node.kind in ("assignment_expression", "update_expression") and node.children[0].text == name:
            return True
        if callee is not None and arguments is not None and cast_target(node) is None:
            if any(argument.text == name for argument in arguments.children):
                return True
    return False


def _use(name: str, nodes: list[Syntax]) -> Syntax | None:
    """The element of the bins."""
    for node in nodes:
        if node.kind == "subscript_expression" and uncast(_index(node)).text == name:
            return node
    return None


def _index(element: Syntax) -> Syntax:
    index = element.children[-1]
    return index.children[0] if index.kind == "subscript_argument_list" and index.children else index
