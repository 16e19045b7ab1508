"""What the sides of a grid are made of, through variables, members, parameters and functions of the file.

Plan make_plan() { ...;  return Plan{sms * per}; }     step<<<plan.blocks, 256>>>(...)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.launch.member_values import Source, values_of_member
from cudalint.analysis.text.called_functions import given_to
from cudalint.analysis.text.launch_text import plain_name
from cudalint.analysis.text.scopes import leaves
from cudalint.analysis.text.text_program import Program
from cudalint.ir.syntax import Syntax, TextFunction

_OF_DEVICE = re.compile(
    r"multi_?processor|occupancy|num_?sms?\b|sm_?count|n_?sms?\b|max_?active|resident|SMs\b|persistent|cooperative|"
    r"wave|\bmin\b|\bmin\s*\(|std::min|::min",
    re.IGNORECASE,
)
_ASKS = re.compile(r"occupancy|multi_?processor", re.IGNORECASE)
_ASSERTS = re.compile(r"(assert|check|enforce)\w*$", re.IGNORECASE)
_FEW = 64  # blocks that run at once on all devices that matter
_MANY = 1 << 13  # blocks that none holds
Seen = set[tuple[int, str]]  # names of functions that have been followed


def is_of_device(side: Syntax, function: TextFunction, program: Program, seen: Seen | None = None) -> bool:
    """Something that it is made of, or is compared with, comes from the number of multiprocessors or the occupancy."""
    texts = _written(side, function, program, set() if seen is None else seen)
    return any(_OF_DEVICE.search(text) for text in texts)


def _written(side: Syntax, function: TextFunction, program: Program, seen: Seen) -> Iterator[str]:
    """The text of an expression, and of all that its variables, members and calls are made of."""
    yield side.text
    for node in side.walk():
        if node.kind not in ("call_expression", "identifier", "field_expression") or (id(function), node.text) in seen:
            continue
        seen.add((id(function), node.text))
        if node.kind == "call_expression" and _asks_device(node, program, seen):
            yield "occupancy"
        if node.kind == "identifier":
            yield from _questions(node.text, function)
            if _is_kept_below(node, function, program, seen):
                yield "occupancy"
        for value, owner in sources(node, function, program):
            yield from _written(value, owner, program, seen)


def sources(node: Syntax, function: TextFunction, program: Program) -> list[Source]:
    """The values of a variable, a member or a parameter, each with the function that it stands in."""
    if node.kind == "field_expression":
        return values_of_member(node.text.replace("->", ".").rpartition(".")[2], function, program)
    if node.kind != "identifier":
        return []
    scope = program.scope(function)
    values = [(v, function) for v in scope.values.get(node.text, []) if not _is_raised(node.text, v, function)]
    if node.text in scope.parameters:
        return [*values, *(each for each in given_to(node.text, function, program) if each[1] is not function)]
    if values or node.text in scope.types:
        return values
    return values_of_member(node.text, function, program)


def _questions(name: str, function: TextFunction) -> Iterator[str]:
    """`cudaDeviceGetAttribute(&cores, cudaDevAttrMultiProcessorCount, 0)`: what fills a variable through its address."""
    for node in function.body.walk():
        arguments = node.child("arguments") if node.kind == "call_expression" else None
        if arguments is not None and any(given.bare == f"&{name}" for given in arguments.children):
            yield node.text


def _asks_device(call: Syntax, program: Program, seen: Seen) -> bool:
    """A function of the file that asks for the occupancy or the number of multiprocessors, or gives no more than such a number."""
    callee = call.child("function")
    name = "" if callee is None else plain_name(callee.text.replace("->", ".").rpartition(".")[2])
    for function in program.outline.functions:
        if function.role == "kernel" or function.name.rpartition("::")[2] != name:
            continue
        results = [n.children[0] for n in function.body.walk() if n.kind == "return_statement" and n.children]
        if _ASKS.search(function.body.text) or any(is_of_device(r, function, program, seen) for r in results):
            return True
    return False


# --- comparisons -------------------------------------------------------------------------------------------------------


def _is_kept_below(name: Syntax, function: TextFunction, program: Program, seen: Seen) -> bool:
    """`if (blocks > resident()) throw ...;`: what the device does not hold does not come to the launch."""
    for node in function.body.walk():
        condition = node.child("condition") if node.kind == "if_statement" else None
        callee, given = node.child("function"), node.child("arguments")
        if node.kind == "call_expression" and callee is not None and given is not None and _ASSERTS.search(callee.text):
            asked, ways = list(given.walk()), ("<", "<=")
        elif condition is not None:
            branch = node.child("consequence")
            inside = branch is not None and branch.start <= name.start < branch.end
            behind = branch is not None and node.end <= name.start and (leaves(branch) or "throw" in branch.text)
            asked = list(condition.walk()) if behind or inside else []
            ways = ("<", "<=") if inside else (">", ">=")
        else:
            continue
        for part in asked:
            end = _end_above(part, name.text, ways)
            if end is not None and is_of_device(end, function, program, seen):
                return True
    return False


def _end_above(part: Syntax, name: str, ways: tuple[str, ...]) -> Syntax | None:
    """The other side of a comparison of the name in one of the ways."""
    if part.kind != "binary_expression" or len(part.children) != 2:
        return None
    left, right = part.children
    turned = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(part.op)
    if part.op in ways and left.text == name:
        return right
    return left if turned in ways and right.text == name else None


def _is_raised(name: str, value: Syntax, function: TextFunction) -> bool:
    """`if (blocks < resident) blocks = resident;`, `blocks = max(blocks, resident);`: at least so many; one at least is no more."""
    bare, end = re.escape(name), re.escape(value.text)
    less = rf"if\s*\(\s*(?:{bare}\s*<=?\s*{end}|{end}\s*>=?\s*{bare})\s*\)\s*\{{?\s*{bare}\s*=\s*{end}\s*;"
    larger = re.match(r"(?:::|std::)?max\s*(?:<[\w ]+>)?\s*\(", value.text)
    given = value.child("arguments") if larger is not None else None
    few = given is not None and any((literal_number(argument) or _MANY) <= _FEW for argument in given.children)
    return (larger is not None and not few) or re.search(less, function.body.text) is not None


def literal_number(node: Syntax) -> int | None:
    digits = re.match(r"\d+", node.text) if node.kind == "number_literal" else None
    return int(digits[0]) if digits else None
