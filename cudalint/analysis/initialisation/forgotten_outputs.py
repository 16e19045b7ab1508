"""Threads that leave early give one output its value and forget the others.

    if (!mask[tile]) { color[p] = background; return; }        // depth[p] and weight[p] keep what their memory held
    ...
    color[p] = sum;  depth[p] = d;  weight[p] = w;

An output is what the kernel only writes, at one place of the thread. Where the output that the leaving thread sets says
by its name how many others count, or whether they do, the others need no value; nor where it gets a value with such a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, closure_of, names_in
from cudalint.analysis.text.scopes import POINTER, leaves
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_TELLS = re.compile(
    r"count|num|(^|_)n(_|$)|cnt|len|size|valid|flag|mask|status|found|ok|err|hit|active|state|visib|radi|tiles|keep|done",
    re.IGNORECASE,
)

_ABSENT = re.compile(
    r"(^|_|k)(un(assigned|used|set|matched|mapped)|invalid|absent|missing|none|null|nil|nowhere|sentinel)",
    re.IGNORECASE,
)


def forgotten_outputs(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each branch that leaves: the write of the output that is set."""
    for body in bodies(program_of(outline), ("kernel",)):
        outputs = _outputs(body)
        if len(outputs) < 2:
            continue
        for branch in body.nodes:
            consequence = branch.child("consequence") if branch.kind == "if_statement" else None
            if consequence is None or not leaves(consequence) or "return" not in consequence.text[-40:]:
                continue
            issue = _issue(branch, consequence, outputs, body)
            if issue is not None:
                yield issue


def _issue(branch: Syntax, consequence: Syntax, outputs: dict[str, list[Syntax]], body: Body) -> GuardIssue | None:
    inside = {name: uses for name, all_ in outputs.items() if (uses := [u for u in all_ if _within(u, consequence)])}
    if not inside or any(_TELLS.search(name) for name in inside):
        return None
    if any(_is_absent(use, body) for uses in inside.values() for use in uses):
        return None
    behind = {name: [u for u in uses if u.start > branch.end] for name, uses in outputs.items()}
    if not all(behind[name] for name in inside):
        return None  # not the same output
    first = min((u for uses in inside.values() for u in uses), key=lambda u: u.start)
    places = {place for uses in inside.values() for use in uses for place in _place(use, body)}
    if not places:
        return None
    others = behind[next(iter(inside))]
    conditions = _conditions(min(others, key=lambda u: u.start), body, branch.end)
    for name, uses in outputs.items():
        if name in inside or not behind[name] or len(behind[name]) != len(uses) or _may_be_missing(name, body):
            continue
        same = [use for use in behind[name] if not places.isdisjoint(_place(use, body))]
        if not all(any(_arms(use, body) <= _arms(other, body) for use in same) for other in others):
            continue  # nor do all threads that stay set it
        if same and _conditions(same[0], body, branch.end) <= conditions:
            text = f"the threads that leave here set `{_base(first)}` and not `{name}`"
            return GuardIssue(body.function, first, text, same[0])
    return None


def _outputs(body: Body) -> dict[str, list[Syntax]]:
    """The elements of each pointer parameter that is written by plain assignments and never read or passed on."""
    found: dict[str, list[Syntax]] = {}
    for name in body.scope.parameters:
        if not name or body.scope.types.get(name) != POINTER:
            continue
        uses = [n for n in body.nodes if n.kind == "identifier" and n.text == name]
        elements = [_written(use, body) for use in uses]
        written = [element for element in elements if element is not None]
        others = [use for use, element in zip(uses, elements) if element is None and not _is_harmless(use, body)]
        if written and not others:
            found[name] = written
    return found


def _written(use: Syntax, body: Body) -> Syntax | None:
    """The element that is assigned here."""
    element = body.parents.get(id(use))
    if element is None or element.kind != "subscript_expression" or element.child("argument") is not use:
        return None
    parent = body.parents.get(id(element))
    target = parent is not None and parent.kind == "assignment_expression" and parent.child("left") is element
    return element if target and parent is not None and parent.op == "=" else None


def _is_absent(element: Syntax, body: Body) -> bool:
    """It gets a named value that stands for none: who reads it leaves the other outputs alone."""
    assignment = body.parents.get(id(element))
    value = assignment.child("right") if assignment is not None else None
    return value is not None and _ABSENT.search(re.split(r"::|\.", value.text)[-1]) is not None


def _is_harmless(use: Syntax, body: Body) -> bool:
    """The pointer is moved, or compared with nothing."""
    parent = body.parents.get(id(use))
    if parent is None:
        return False
    moved = parent.kind == "assignment_expression" and parent.op == "+=" and parent.child("left") is use
    return moved or (parent.kind == "binary_expression" and parent.op in ("==", "!="))


def _within(node: Syntax, around: Syntax) -> bool:
    return around.start <= node.start and node.end <= around.end


def _base(element: Syntax) -> str:
    return element.children[0].text


def _place(element: Syntax, body: Body) -> set[str]:
    """Names in the index that stand for the place of the thread: given once, and no counter of a loop."""
    names = {name for index in element.children[1:] for name in names_in(index)}
    return {name for name in names - body.scope.grown if len(body.scope.values.get(name, ())) == 1}


def _conditions(node: Syntax, body: Body, after: int) -> set[str]:
    """The conditions behind the branch under which the node stands; a loop with a constant bound is none."""
    found: set[str] = set()
    for parent, child in body.ancestors(node):
        condition = parent.child("condition")
        if condition is not None and child is not condition and parent.start >= after:
            if parent.kind == "if_statement" or parent.kind == "conditional_expression":
                found.add(" ".join(condition.text.split()))
    return found


def _arms(node: Syntax, body: Body) -> set[tuple[int, str]]:
    """The sides of the conditions with an `else` that the node stands on."""
    found: set[tuple[int, str]] = set()
    for parent, child in body.ancestors(node):
        if parent.kind == "if_statement" and parent.child("alternative") is not None:
            found |= {(parent.start, side) for side in ("consequence", "alternative") if parent.child(side) is child}
    return found


def _may_be_missing(name: str, body: Body) -> bool:
    """The pointer is compared with nothing somewhere, or taken as a condition."""
    text = body.function.body.text
    asked = re.search(rf"\b{name}\b\s*[!=]=\s*(nullptr|NULL|0)\b|\bif\s*\(\s*!?\s*{name}\s*[)&|]|\b{name}\s*\?", text)
    return asked is not None or bool(closure_of(name, body))
