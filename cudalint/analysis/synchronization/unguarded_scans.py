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

_UP = re.compile(r"__shfl_up(_sync)?|(\w+)\.shfl_up")
_GROUP = (
    r"\b(thread_block_tile\s*<[^;(){{}}]*>|coalesced_group)\s*&?\s*{0}\b"
    r"|\b{0}\s*=\s*[\w:]*(tiled_partition|coalesced_threads|labeled_partition)"
)
_FOLDS = re.compile(r"reduc|total|(^|_)sum(_|$)", re.IGNORECASE)
_SCANS = re.compile(r"scan|prefix|(?<!ac)cumul|cumsum|exclusive|inclusive", re.IGNORECASE)
_SHUFFLES = re.compile(r"shfl|shuffle|broadcast", re.IGNORECASE)
_LAST_LANE = re.compile(r"==|!=|%|\b31\b|-\s*1\b|last|>")
_CHOOSES = ("if_statement", "conditional_expression", "switch_statement", "while_statement", "lambda_expression")
_LEAVES = ("continue_statement", "break_statement", "goto_statement", "return_statement")
_ASKS = ("==", "!=", "<", ">", "<=", ">=", "&&", "||")
_ADDS = {"+=": "+", "*=": "*"}


def unguarded_scans(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each sum; what it is about is a place behind the loop where every lane takes its own."""
    if "shfl_up" not in outline.root.text:
        return
    for body in bodies(program_of(outline), ("kernel", "device")):
        for node in body.nodes:
            value, distance = _shuffled(node, body)
            loop = _loop_over(distance, node, body) if value else None
            added = None if loop is None else _addition(value, node, loop, body)
            taken = None if loop is None or added is None else _taken(value, loop.end, body)
            if added is not None and taken is not None:
                text = f"lanes below `{distance}` get their own `{value}` from the shuffle, and add it once more"
                yield GuardIssue(body.function, added, text, taken)


def _shuffled(node: Syntax, body: Body) -> tuple[str, str]:
    """`sum` and `d` of `__shfl_up_sync(mask, sum, d)` and, for a cooperative group, `tile.shfl_up(sum, d)`."""
    callee, arguments = node.child("function"), node.child("arguments")
    matched = _UP.fullmatch(callee.bare) if node.kind == "call_expression" and callee is not None else None
    if matched is None or arguments is None or (matched[2] and not _is_group(matched[2], body)):
        return "", ""
    names = [uncast(each) for each in arguments.children[1 if matched[1] else 0 :][:2]]
    if len(names) < 2 or any(name.kind != "identifier" for name in names):
        return "", ""
    return names[0].text, names[1].text


def _is_group(name: str, body: Body) -> bool:
    text = ";".join([each.text for each in body.function.parameters] + [body.function.body.text])
    own = any(function.name == "shfl_up" for function in body.scope.outline.functions)
    return not own and re.search(_GROUP.format(name), text) is not None


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
            return parent if steps and _is_of_a_warp(parent, body) else None
    return None


def _is_of_a_warp(loop: Syntax, body: Body) -> bool:
    """The distances reach 16, and no lane leaves a step."""
    if any(node.kind in _LEAVES for node in loop.walk()):
        return False
    head = [part for part in (loop.child("initializer"), loop.child("condition")) if part is not None]
    for leaf in (leaf for part in head for leaf in part.walk()):
        number = body.scope.outline.constants.get(leaf.text, 0)
        if leaf.kind == "number_literal" and leaf.text.rstrip("uUlL").isdigit():
            number = int(leaf.text.rstrip("uUlL"))
        if number > 16 or (number == 16 and "<16" not in head[-1].bare) or re.search("warp_?size", leaf.text, re.I):
            return True
    return False


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


def _taken(value: str, after: int, body: Body) -> Syntax | None:
    """The first place behind the loop where no lane is chosen and none is asked for its number."""
    scans = _SCANS.search(body.function.name) is not None
    if _FOLDS.search(body.function.name) is not None and not scans:
        return None
    for node in body.nodes:
        if node.kind != "identifier" or node.text != value or node.start < after:
            continue
        parent = body.parents.get(id(node))
        is_set = parent is not None and parent.kind == "assignment_expression" and parent.child("left") is node
        if is_set and parent is not None and parent.op == "=":
            return None  # something else from here on
        if any(left.kind == "return_statement" and after <= left.start < left.end <= node.start for left in body.nodes):
            return None  # who is still here has been chosen
        if _is_of_chosen_lane(node, body):
            continue
        around = [parent for parent, _ in body.ancestors(node)]
        if body.function.role == "device" and not scans and any(each.kind == "return_statement" for each in around):
            return None  # the caller chooses
        name = next((_named(each) for each in around if _named(each)), "")
        place = _taken(name, node.end, body) if name and name != value else node
        if place is not None:
            return place
    return None


def _named(node: Syntax) -> str:
    """`mean` of `const float mean = sum / 8;` and `mean = sum / 8;`"""
    target = node.child("declarator") or (node.child("left") if node.kind == "assignment_expression" else None)
    return target.text if target is not None and target.kind == "identifier" else ""


def _is_of_chosen_lane(node: Syntax, body: Body) -> bool:
    for parent, child in body.ancestors(node):
        callee, condition = parent.child("function"), parent.child("condition")
        if parent.kind == "call_expression" and callee is not None and _SHUFFLES.search(callee.text):
            return True
        if parent.kind in _CHOOSES and condition is not child:
            if condition is None or _chooses_lanes(condition, body):
                return True
    return False


def _chooses_lanes(condition: Syntax, body: Body) -> bool:
    """Itself, or by what is asked for the flags that it names."""
    flags = (value for leaf in condition.walk() for value in body.scope.values.get(leaf.text, ()))
    asked = [condition, *(value for value in flags if value.op in _ASKS)]
    return any(_LAST_LANE.search(each.text) is not None for each in asked)
