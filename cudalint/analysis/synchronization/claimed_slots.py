"""Slots of a table that a thread finds free by one statement and takes by another, while other threads look at them.

for (;;) { if (keys[p] == EMPTY) { keys[p] = key; return; }  p = (p + 1) & mask; }        two threads take one slot
    while (keys[p] != EMPTY) p = (p + 1) & mask;   keys[p] = key;                             and so they do here
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.synchronization.common_memory import is_common_object, is_for_one_thread, is_given_whole
from cudalint.analysis.synchronization.lost_updates import ORDERED
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.scopes import POINTER, uncast
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_LOOPS = ("for_statement", "while_statement", "do_statement")
_WRAPS = ("&", "%")


def claimed_slots(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each such slot of memory that many threads are given."""
    if "blockIdx" not in outline.root.text:
        return
    program = program_of(outline)
    for body in bodies(program, ("kernel", "device")):
        text = body.function.body.text
        if ORDERED.search(text):
            continue
        for loop in body.nodes:
            if loop.kind in _LOOPS:
                for asked, store in (*_claims(loop, body), *_claims_behind(loop, body)):
                    place = store.child("left")
                    if place is not None and not _is_atomic(place, text) and _is_common(place, body, program):
                        text = f"`{short(asked)}` finds the slot free and `{short(store)}` takes it: others may do so between"
                        yield GuardIssue(body.function, store, text, asked)


def _claims(loop: Syntax, body: Body) -> Iterator[tuple[Syntax, Syntax]]:
    """(comparison with the mark of a free slot, store into the slot); the loop goes on to the next one otherwise."""
    moved = _probed(loop)
    for node in loop.walk() if moved else ():
        condition, branch = node.child("condition"), node.child("consequence")
        if node.kind != "if_statement" or condition is None or branch is None or not _ends(branch, loop, moved):
            continue
        for asked in condition.walk():
            slot = _slot(asked, body)
            if slot is None or uncast(_element(slot).children[-1]).text not in moved:
                continue
            for store in branch.walk():
                left = store.child("left")
                if (
                    store.kind == "assignment_expression"
                    and store.op == "="
                    and left is not None
                    and left.bare == slot.bare
                ):
                    yield asked, store


def _claims_behind(loop: Syntax, body: Body) -> Iterator[tuple[Syntax, Syntax]]:
    """The same of a loop that goes on while the slot is taken, and of the statement behind it."""
    condition, moved, around = loop.child("condition"), _probed(loop), body.parents.get(id(loop))
    behind = [child for child in around.children if child.start > loop.start] if around is not None else []
    stores = (
        [n for n in behind[0].walk() if n.kind == "assignment_expression" and n.op == "="] if moved and behind else []
    )
    for asked in condition.walk() if condition is not None and stores else ():
        slot = _slot(asked, body, "!=")
        for store in stores:
            left = store.child("left")
            if (
                slot is not None
                and left is not None
                and left.bare == slot.bare
                and uncast(_element(slot).children[-1]).text in moved
            ):
                yield asked, store


def _is_atomic(place: Syntax, text: str) -> bool:
    """An atomic of the function is of the same table."""
    base = re.escape(_element(place).children[0].text)
    return re.search(rf"atomic\w*\s*\(\s*&?\s*{base}\b", text) is not None


def _element(slot: Syntax) -> Syntax:
    """The element itself, or the one whose member it is: `t[p].key`."""
    owner = slot.child("argument") if slot.kind == "field_expression" else None
    return slot if owner is None or owner.kind != "subscript_expression" else owner


def _probed(loop: Syntax) -> set[str]:
    """Variables that the loop moves around the end of a table.

    `p = (p + 1) & mask`, `p = (first + step) % size` with a step of the loop, `if (++p == size) p = 0`
    """
    stepped = {node.children[0].text for node in loop.walk() if node.kind == "update_expression" and node.children}
    found = set()
    for node in loop.walk():
        left = node.child("left") or node.child("declarator")
        right = node.child("right") or node.child("value")
        if node.kind not in ("assignment_expression", "init_declarator") or left is None or right is None:
            continue
        value = uncast(right)
        wraps = value.kind == "binary_expression" and value.op in _WRAPS and "+" in value.children[0].text
        if wraps and not names_in(value.children[0]).isdisjoint({left.text, *stepped}):
            found.add(left.text)
        if value.bare == "0" and left.text in stepped and node.kind == "assignment_expression":
            found.add(left.text)
    return found


def _ends(branch: Syntax, loop: Syntax, moved: set[str]) -> bool:
    """The search is over where the slot is taken: `return`, `break`, or `done = true` of a loop that asks for it."""
    condition = loop.child("condition")
    asked = set() if condition is None else names_in(condition) - moved
    for node in branch.walk():
        left, right = node.child("left"), node.child("right")
        if node.kind in ("return_statement", "break_statement"):
            return True
        if node.kind == "assignment_expression" and left is not None and right is not None:
            if left.text in asked and right.text in ("true", "false", "0", "1"):
                return True
    return False


def _slot(asked: Syntax, body: Body, op: str = "==") -> Syntax | None:
    """The element that is compared with a constant, by itself or through a variable that holds it."""
    if asked.kind != "binary_expression" or asked.op != op:
        return None
    for side, other in (asked.children, reversed(asked.children)):
        element = uncast(side)
        values = body.scope.values.get(element.text, []) if element.kind == "identifier" else []
        element = uncast(values[0]) if len(values) == 1 else element
        if _element(element).kind == "subscript_expression" and _is_constant(uncast(other), body):
            return element
    return None


def _is_constant(node: Syntax, body: Body) -> bool:
    """A number, or a name that no variable of the function has: the mark of what is free."""
    literal = node.kind in ("number_literal", "unary_expression") and re.fullmatch(r"[-~]?\w+", node.bare) is not None
    named = (
        node.kind in ("identifier", "qualified_identifier", "field_expression") and node.text not in body.scope.values
    )
    return literal or named


def _is_common(place: Syntax, body: Body, program: Program) -> bool:
    """Memory that the kernel is given as it is, or a member of the table whose method it is."""
    base = _element(place).child("argument")
    if base is None or is_for_one_thread(body, program):
        return False
    if base.kind == "field_expression":
        owner = base.child("argument")
        if owner is None:
            return False
        return is_common_object(body, program) if owner.text == "this" else is_given_whole(owner.text, body, program)
    if base.kind != "identifier" or any(n.text == base.text for n in _arrays(body)):
        return False
    if base.text not in body.scope.parameters:  # a member of the class, or a variable of the file
        known = base.text in body.scope.types or base.text in body.scope.values
        return not known and (body.function.role == "kernel" or is_common_object(body, program))
    return body.scope.types.get(base.text) == POINTER and is_given_whole(base.text, body, program)


def _arrays(body: Body) -> Iterator[Syntax]:
    return (node.children[0] for node in body.nodes if node.kind == "array_declarator" and node.children)
