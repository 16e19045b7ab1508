"""Scans of a warp that add what a shuffle brings to the lanes below its distance, too: these get their own value back.

for (int d = 1; d < 32; d *= 2) sum += __shfl_up_sync(~0u, sum, d);         lane 0 has 32 times its number

The last lane has the right sum all the same: whoever reads that one alone has folded a warp, and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_UP = re.compile(r"(?:\w+(?:\.|->))?(__)?shfl_up(_sync)?")
_FOLDS = re.compile(r"reduc|total|(^|_)sum(_|$)", re.IGNORECASE)
_SCANS = re.compile(r"scan|prefix|cumul|cumsum|exclusive|inclusive", re.IGNORECASE)
_SHUFFLES = re.compile(r"shfl|shuffle|broadcast", re.IGNORECASE)
_LAST_LANE = re.compile(r"==|!=|%|\b31\b|-\s*1\b|last|>")
_CHOOSES = ("if_statement", "conditional_expression", "switch_statement", "while_statement", "lambda_expression")
_ADDS = {"+=": "+", "*=": "*"}


def unguarded_scans(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each sum; what it is about is a place behind the loop where every lane takes its own."""
    if "shfl_up" not in outline.root.text:
        return
    for body in bodies(program_of(outline), ("kernel", "device")):
        for node in body.nodes:
            value, distance = _shuffled(node)
            loop = _loop_over(distance, node, body) if value else None
            added = None if loop is None else _addition(value, node, loop, body)
            taken = None if loop is None or added is None else _taken(value, loop, body)
            if added is not None and taken is not None:
                text = f"lanes below `{distance}` get their own `{value}` from the shuffle, and add it once more"
                yield GuardIssue(body.function, added, text, taken)


def _shuffled(node: Syntax) -> tuple[str, str]:
    """`sum` and `d` of `__shfl_up_sync(mask, sum, d)` and `tile.shfl_up(sum, d)`."""
    callee, arguments = node.child("function"), node.child("arguments")
    matched = _UP.fullmatch(callee.bare) if node.kind == "call_expression" and callee is not None else None
    given = () if arguments is None or matched is None else arguments.children[1 if matched[2] else 0 :]
    names = [uncast(each) for each in given[:2]]
    if len(names) < 2 or any(name.kind != "identifier" for name in names):
        return "", ""
    return names[0].text, names[1].text


def _loop_over(distance: str, node: Syntax, body: Body) -> Syntax | None:
    """The innermost loop around the shuffle, where it steps through the distances, and nothing chooses among the lanes in it."""
    for parent, child in body.ancestors(node):
        if parent.kind in _CHOOSES:
            return None
        if parent.kind == "for_statement":
            update = parent.child("update")
            steps = (
                update is not None and update is not child and re.search(rf"\b{distance}\b", update.text) is not None
            )
            return parent if steps else None
    return None


def _addition(value: str, shuffle: Syntax, loop: Syntax, body: Body) -> Syntax | None:
    """`sum += __shfl_up_sync(...)`, or `sum += up` for the variable that the shuffle sets alone."""
    parent = next((p for p, _ in body.ancestors(shuffle) if p.kind != "argument_list"), None)
    if parent is None:
        return None
    brought = shuffle.bare
    if parent.kind == "init_declarator" and parent.child("value") is shuffle:
        brought = (parent.child("declarator") or shuffle).text
        if len(body.scope.values.get(brought, ())) != 1 or brought in body.scope.grown:
            return None
    found = [node for node in loop.walk() if _adds(node, value, brought) and node.end > shuffle.start]
    plain = all(
        p.kind not in _CHOOSES or not loop.start <= p.start < loop.end
        for each in found
        for p, _ in body.ancestors(each)
    )
    return found[0] if len(found) == 1 and plain and not _sets_apart(value, found[0], loop) else None


def _adds(node: Syntax, value: str, brought: str) -> bool:
    """`sum += up`, `sum = sum + up`."""
    left, right = node.child("left"), node.child("right")
    if node.kind != "assignment_expression" or left is None or right is None or left.text != value:
        return False
    if node.op in _ADDS:
        return right.bare == brought
    parts = {child.bare for child in right.children} if right.op in _ADDS.values() else set()
    return node.op == "=" and parts == {value, brought}


def _sets_apart(value: str, addition: Syntax, loop: Syntax) -> bool:
    """Another statement of the loop changes the sum, such as one that takes the addition back."""
    assigned = (
        node.child("left") for node in loop.walk() if node.kind == "assignment_expression" and node is not addition
    )
    return any(left is not None and left.text == value for left in assigned)


def _taken(value: str, loop: Syntax, body: Body) -> Syntax | None:
    """The first place behind the loop where no lane is chosen and none is asked for its number."""
    if _FOLDS.search(body.function.name) is not None and _SCANS.search(body.function.name) is None:
        return None
    for node in body.nodes:
        if node.kind != "identifier" or node.text != value or node.start < loop.end:
            continue
        parent = body.parents.get(id(node))
        is_set = parent is not None and parent.kind == "assignment_expression" and parent.child("left") is node
        if is_set and parent is not None and parent.op == "=":
            return None  # something else from here on
        if any(
            left.kind == "return_statement" and loop.end <= left.start < left.end <= node.start for left in body.nodes
        ):
            return None  # who is still here has been chosen
        if not _is_of_chosen_lane(node, body):
            return node
    return None


def _is_of_chosen_lane(node: Syntax, body: Body) -> bool:
    for parent, child in body.ancestors(node):
        callee, condition = parent.child("function"), parent.child("condition")
        if parent.kind == "call_expression" and callee is not None and _SHUFFLES.search(callee.text):
            return True
        if parent.kind in _CHOOSES and condition is not child:
            if condition is None or _LAST_LANE.search(condition.text) is not None:
                return True
    return False
