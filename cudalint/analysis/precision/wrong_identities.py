"""Operations that look for the largest value and give FLT_MIN, the smallest number above zero, as the value to begin with.

template <typename T> struct Max {
  __device__ T operator()(T a, T b) const { return a > b ? a : b; }
  __device__ static T identity() { return std::numeric_limits<T>::min(); }      // Max<float>
};
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.methods import CLASSES
from cudalint.analysis.text.scopes import is_inside, uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_LEAST = re.compile(r"(?:FLT|DBL)_MIN|__(?:FLT|DBL)_MIN__|(?:std::)?numeric_limits<(\w+)>::min\(\)")
_REAL = ("float", "double")
_MAXIMUM = re.compile(r"^(::|std::)?(__)?[fh]?max(f|imum)?$")


def wrong_identities(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each such value of a class, where it is one of real numbers by its type or by what the file makes of it."""
    if "_MIN" not in outline.root.text and "::min()" not in outline.root.text:
        return
    found = list(bodies(program_of(outline), ("kernel", "device", "host")))
    for operation in (node for node in outline.root.walk() if node.kind in CLASSES):
        members = [body for body in found if is_inside(body.function.body, operation)]
        if not any(_takes_larger(value, body) for body in members for value in _returned(body)):
            continue
        for body in members:
            for value in _returned(body):
                if _is_least(value, operation, outline) and _is_beginning(body, found):
                    text = f"the search for the largest begins with `{short(value)}`, the smallest number above zero"
                    yield GuardIssue(body.function, value, text)


def _is_beginning(method: Body, found: list[Body]) -> bool:
    """A variable of the file begins with it, or nothing in the file calls it: it is no operand, as a floor would be."""
    if method.scope.parameters:
        return False
    called = re.compile(rf"(.*\W)?{re.escape(method.function.name.rpartition('::')[2])}")
    uses = [(node, body) for body in found for node in body.nodes if _calls(node, called)]
    return not uses or any(_is_first_value(node, body) for node, body in uses)


def _calls(node: Syntax, called: re.Pattern[str]) -> bool:
    callee = node.child("function")
    return node.kind == "call_expression" and callee is not None and called.fullmatch(callee.bare) is not None


def _is_first_value(call: Syntax, body: Body) -> bool:
    parents = (parent for parent, _ in body.ancestors(call))
    above = next(
        (parent for parent in parents if parent.kind not in ("parenthesized_expression", "initializer_list")), None
    )
    kinds = ("init_declarator", "assignment_expression", "return_statement", "conditional_expression", "argument_list")
    if above is None or above.kind not in kinds:
        return False
    outer = body.parents.get(id(above)) if above.kind == "argument_list" else None
    if above.kind != "argument_list" or outer is None:
        return above.kind != "argument_list"
    launches = any(child.kind == "kernel_call_syntax" for child in outer.children)
    return launches or outer.kind != "call_expression"


def _returned(body: Body) -> Iterator[Syntax]:
    for node in body.nodes:
        if node.kind == "return_statement" and node.children:
            yield uncast(node.children[0])


def _takes_larger(value: Syntax, body: Body) -> bool:
    """`a > b ? a : b` or `max(a, b)` of the two parameters."""
    callee, arguments = value.child("function"), value.child("arguments")
    if callee is not None and arguments is not None and _MAXIMUM.match(callee.text):
        return sorted(argument.text for argument in arguments.children) == sorted(body.scope.parameters)
    condition = value.child("condition")
    if value.kind != "conditional_expression" or condition is None:
        return False
    compared = next((node for node in condition.walk() if node.kind == "binary_expression"), None)
    first, second = value.child("consequence"), value.child("alternative")
    left, right = (None, None) if compared is None else (compared.child("left"), compared.child("right"))
    if compared is None or first is None or second is None or left is None or right is None:
        return False
    larger = {">": left, ">=": left, "<": right, "<=": right}.get(compared.op)
    return larger is not None and first.bare == larger.bare and {left.bare, right.bare} == {first.bare, second.bare}


def _is_least(value: Syntax, operation: Syntax, outline: Outline) -> bool:
    matched = _LEAST.fullmatch(value.bare)
    if matched is None or matched[1] is None or matched[1] in _REAL:
        return matched is not None
    name = operation.child("name")
    return name is not None and _is_made_of_reals(name.text.partition("<")[0], outline, [])


def _is_made_of_reals(name: str, outline: Outline, seen: list[str]) -> bool:
    """`Max<float>`, or `Max<T>` in a class or function that the file makes of a real type: `template class Reducer<double>;`."""
    if re.search(rf"\b{re.escape(name)}\s*<\s*(?:{'|'.join(_REAL)})\b", outline.root.text):
        return True
    given = re.compile(rf"\b{re.escape(name)}\s*<\s*[A-Z]\w*\s*[,>]")
    wholes = [function.name.rpartition("::")[2] for function in outline.functions if given.search(function.body.text)]
    for node in outline.root.walk():
        named = node.child("name") if node.kind in CLASSES else None
        if named is not None and given.search(node.text):
            wholes.append(named.text)
    others = [each.partition("<")[0] for each in dict.fromkeys(wholes)]
    return any(_is_made_of_reals(each, outline, [*seen, name]) for each in others if each not in (*seen, name))
