"""Conditions that read an element first and ask afterwards whether there is one, in one chain of `&&` or `||`.

while (s[i] != comma && i < end) ++i;          for (; *p == blank && p != end; ++p) {}
if (x[i] == 0.f || i >= n) return;             while (a[j] > v && j >= 0) --j;
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.guards.given_memory import begins_behind_first, has_one_more, is_used_at, sources_of
from cudalint.analysis.text.called_functions import given_to
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, is_count, names_in, short
from cudalint.analysis.text.scopes import POINTER, leaves, uncast
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_LOOPS = ("for_statement", "while_statement", "do_statement")
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!=", "==": "=="}
_HOLDS = {"&&": {"<": "<", "!=": "!=", ">=": ">="}, "||": {">=": "<", "==": "!=", "<": ">="}}
_ORDERS = ("<", "<=", ">", ">=")
_BEFORE_FIRST = re.compile(r"-\d+")
_TERMINATOR = re.compile(r"'\\0'|0|NULL|nullptr")


def late_operands(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each element that is read in an operand before the one that asks for its place."""
    program = program_of(outline)
    for body in bodies(program, ("kernel", "device")):
        for node in body.nodes:
            if node.kind != "binary_expression" or node.op not in _HOLDS or _is_part_of_chain(node, body):
                continue
            operands = _chain(node, node.op)
            for at, asked in enumerate(operands):
                for place, bound, holds in _asked_for(asked, _HOLDS[node.op]):
                    early = _early(operands[:at], place, body)
                    if early is not None and (certain := _is_end(bound, place, holds, node, body, program)) is not None:
                        certain = certain and not _is_kept_by_terminator(early, body)
                        certain = certain and not _may_have_one_more(early, bound, holds, node, body, program)
                        certain = certain and not _is_unused(body, program)
                        text = f"`{short(early)}` is read before `{short(asked)}` is asked, which comes after it"
                        yield GuardIssue(body.function, early, text, asked, certain)


def _is_unused(body: Body, program: Program) -> bool:
    """A function that nothing calls, in a file that others do not include."""
    name = body.function.name.rpartition("::")[2]
    alone = body.function.role == "device" and program.outline.path.endswith(".cu")
    return alone and not any(call.function is not body.function for call in program.callers(name))


def _is_part_of_chain(node: Syntax, body: Body) -> bool:
    parent = body.parents.get(id(node))
    while parent is not None and parent.kind == "parenthesized_expression":
        parent = body.parents.get(id(parent))
    return parent is not None and parent.op == node.op


def _chain(node: Syntax, op: str) -> list[Syntax]:
    """The operands of a chain in the order in which they are asked."""
    node = uncast(node)
    if node.kind == "parenthesized_expression" and len(node.children) == 1:
        return _chain(node.children[0], op)
    if node.kind == "binary_expression" and node.op == op:
        return [operand for child in node.children for operand in _chain(child, op)]
    return [node]


def _asked_for(operand: Syntax, holds: dict[str, str]) -> Iterator[tuple[Syntax, Syntax, str]]:
    """(place, end, how the place has to lie to the end) of a comparison."""
    left, right = operand.child("left"), operand.child("right")
    if operand.kind != "binary_expression" or left is None or right is None:
        return
    for place, bound, op in ((left, right, operand.op), (right, left, _MIRRORED.get(operand.op, ""))):
        if op in holds and uncast(place).kind in ("identifier", "binary_expression"):
            yield uncast(place), uncast(bound), holds[op]


def _early(operands: list[Syntax], place: Syntax, body: Body) -> Syntax | None:
    """The element of memory that is given, at just that place, in one of the operands; nothing earlier asks for the place."""
    for operand in operands:
        for node in operand.walk():
            if node.kind == "pointer_expression" and node.op == "*":
                if node.children[0].bare == place.bare and body.scope.types.get(place.text) == POINTER:
                    return node
            base = node.child("argument")
            if node.kind == "subscript_expression" and base is not None and len(node.children) == 2:
                if uncast(node.children[1]).bare == place.bare and _is_given(base, body):
                    return node
        if _asks(operand, place):
            return None
    return None


def _asks(operand: Syntax, place: Syntax) -> bool:
    """The operand compares the place, or what it is made of, with something."""
    names = names_in(place)
    return any(
        node.kind == "binary_expression"
        and node.op in _MIRRORED
        and any(names & names_in(side) and "[" not in side.text for side in node.children)
        for node in operand.walk()
    )


def _is_given(base: Syntax, body: Body) -> bool:
    """A pointer that is no array of the function itself, which may have one element more."""
    name = base.text
    arrays = (node.children[0].text for node in body.nodes if node.kind == "array_declarator" and node.children)
    pointer = body.scope.types.get(name) == POINTER or base.kind == "field_expression"
    return pointer and name not in set(arrays)


def _is_end(bound: Syntax, place: Syntax, holds: str, chain: Syntax, body: Body, program: Program) -> bool | None:
    """Whether it is sure that nothing lies at the end; None where something may."""
    loop = _loop_of(chain, place, body)
    moved = loop is not None and _moves(loop, names_in(place), body)
    if holds == ">=":
        return True if bound.bare == "0" and moved and _is_signed(place, body) else None
    if bound.kind not in ("identifier", "field_expression") or _is_place_itself(bound, body):
        return None
    if holds == "!=":
        return True if moved and body.scope.types.get(place.text) == POINTER else None
    if moved:
        return is_count(bound, body) or _is_end_of_segment(bound, body, program)
    if loop is None and is_count(bound, body) and not _is_bounded_before(chain, place, bound, body):
        return True
    return None


def _loop_of(chain: Syntax, place: Syntax, body: Body) -> Syntax | None:
    """The loop whose condition the chain is a part of, or that a branch leaves by it, where its condition has not the place."""
    left = False
    for parent, child in body.ancestors(chain):
        condition, then = parent.child("condition"), parent.child("consequence")
        if parent.kind in _LOOPS:
            asked = condition is not None and not names_in(place).isdisjoint(names_in(condition))
            return parent if condition is child or (left and not asked) else None
        if parent.kind == "if_statement":
            if left or condition is not child or then is None or not leaves(then):
                return None
            left = True
        elif parent.kind.endswith("_statement") and not (left and parent.kind == "compound_statement"):
            return None
    return None


def _moves(loop: Syntax, names: set[str], body: Body) -> bool:
    """The loop changes one of the variables of the place."""
    for node in loop.walk():
        target = node.child("left") or node.child("argument")
        if node.kind in ("update_expression", "assignment_expression"):
            target = target or (node.children[0] if node.children else None)
            if target is not None and target.text in names:
                return True
    return False


def _is_signed(place: Syntax, body: Body) -> bool:
    return body.scope.types.get(place.text) in ("int", "wide") and "unsigned" not in body.function.body.text


def _is_place_itself(bound: Syntax, body: Body) -> bool:
    """An index, a variable that changes, or one that is inclusive: something lies there."""
    scope = body.scope
    if bound.text in scope.grown or len(scope.values.get(bound.text, [])) > 1 or bound.text in body.positions:
        return True
    name = re.escape(bound.bare)
    at = re.compile(rf"\[{name}\]|<={name}(?![\w+*/-])|>{name}(?![\w+*/-])|{name}\+1|(?<![\w.]){name}>=\w")
    text = body.function.body.bare
    return at.search(text) is not None


def _is_end_of_segment(bound: Syntax, body: Body, program: Program) -> bool:
    """The end is the offset of what follows: `offsets[row + 1]`, here or in all of the calls."""
    values = body.scope.values.get(bound.text, [])
    if values or bound.text not in body.scope.parameters:
        return bool(values) and all(_is_next_offset(value) for value in values)
    at = body.scope.parameters.index(bound.text)
    calls = [call for call in program.callers(body.function.name.rpartition("::")[2]) if at < len(call.arguments)]
    return bool(calls) and all(_is_offset_in(call.arguments[at], program, call.function) for call in calls)


def _is_offset_in(argument: Syntax, program: Program, function: object) -> bool:
    caller = next((each for each in bodies(program, ("kernel", "device")) if each.function is function), None)
    values = [argument] if caller is None else caller.scope.values.get(argument.text, [argument])
    return len(values) == 1 and _is_next_offset(values[0])


def _is_next_offset(value: Syntax) -> bool:
    return re.search(r"\[[^\[\]]*\+1\]$", uncast(value).bare) is not None


def _is_bounded_before(chain: Syntax, place: Syntax, bound: Syntax, body: Body) -> bool:
    """A condition around, or a branch that leaves before, or the head of a loop speaks of the place or of the end."""
    names = names_in(place) | {bound.text}
    for node in body.nodes:
        if node.start >= chain.start:
            return False
        condition = node.child("condition")
        if condition is not None and not names.isdisjoint(names_in(condition)) and chain is not condition:
            if not condition.start <= chain.start < condition.end:
                return True
    return False


def _is_kept_by_terminator(early: Syntax, body: Body) -> bool:
    """`s[i] != 0`: a text that ends with a mark of its own may have room for it."""
    parent = body.parents.get(id(early))
    if parent is None or parent.op not in ("!=", "=="):
        return parent is None or parent.kind != "binary_expression"
    return any(_TERMINATOR.fullmatch(uncast(side).bare) is not None for side in parent.children if side is not early)


def _may_have_one_more(early: Syntax, bound: Syntax, holds: str, chain: Syntax, body: Body, program: Program) -> bool:
    """The end is an element, too: of edges, of offsets, of a text with its terminator; or one stands before the first."""
    base = uncast(early.children[0]).text
    sources = list(sources_of(base, body.function, program))
    names = {name for name, _ in sources}
    if holds == ">=":
        values = [value for _, value in sources if value is not None]
        return begins_behind_first(values) or is_used_at(names, _BEFORE_FIRST, program)
    given = [argument.bare for argument, _ in given_to(bound.text, body.function, program)]
    if any(argument.endswith("-1") for argument in given) or has_one_more(names, program):
        return True
    if is_used_at(names, re.compile(re.escape(bound.bare)), program):
        return True
    return _is_in_loop(chain, body) and _is_walk_of_sorted(early, body, program)


def _is_in_loop(chain: Syntax, body: Body) -> bool:
    return any(parent.kind in _LOOPS for parent, _ in body.ancestors(chain))


def _is_walk_of_sorted(early: Syntax, body: Body, program: Program) -> bool:
    """`offsets[r] <= entry`, `text[i] >= '0'`: sorted edges have one more than the bins, and a terminator is no digit."""
    for parent, child in body.ancestors(early):
        if parent.kind == "binary_expression" and parent.op in _ORDERS:
            other = next(uncast(side) for side in parent.children if side is not child)
            return other.kind == "char_literal" or bool(names_in(other) - program.outline.constants.keys())
        if parent.op in ("&&", "||") or parent.kind.endswith("_statement"):
            return False
    return False
