"""Elements that are read before the branch that alone uses them asks whether they exist.

    float v = x[i];  v = max(v, 0.f);  if (i < n) y[i] = v;

A thread for which `i < n` does not hold has no use for `v`: it reads behind the end for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.guards.late_guards import early_access
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, operands_of, short
from cudalint.analysis.text.numeric_calls import NUMERIC
from cudalint.analysis.text.scopes import leaves
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_BOUNDS = ("identifier", "field_expression", "binary_expression")


def late_branches(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each kernel or device function with such a branch."""
    if "threadIdx" not in outline.root.text:
        return
    for body in bodies(program_of(outline), ("kernel", "device")):
        yield from _of_body(body)


def _of_body(body: Body) -> Iterator[GuardIssue]:
    places = {name for name in body.positions if "threadIdx" in body.scope.values[name][0].text}
    for node in body.nodes:
        condition, branch = node.child("condition"), node.child("consequence")
        if node.kind != "if_statement" or condition is None or branch is None or node.child("alternative") is not None:
            continue
        asked = _from_below(condition)
        if leaves(branch) or any(parent.kind == "if_statement" for parent, _ in body.ancestors(node)):
            continue
        for name in sorted(asked & places - body.scope.grown):
            early = early_access(name, node.start, body)
            if early is not None and _writes_at(name, branch) and _is_for(early, branch, body):
                text = f"`{short(early)}` is accessed before `{short(condition)}` is asked"
                yield GuardIssue(body.function, early, text, condition)
                return


def _from_below(condition: Syntax) -> set[str]:
    """Names that the condition holds below something that is no number: all of its parts must hold."""
    if any(part.op == "||" for part in condition.walk()):
        return set()
    found = set()
    for part in operands_of(condition):
        left, right = part.child("left"), part.child("right")
        if part.op in ("<", "<=") and left is not None and right is not None and right.kind in _BOUNDS:
            found.add(left.text)
    return found


def _writes_at(name: str, branch: Syntax) -> bool:
    targets = (node.child("left") for node in branch.walk() if node.kind == "assignment_expression")
    return any(
        target is not None
        and target.kind == "subscript_expression"
        and any(part.kind == "identifier" and part.text == name for part in target.walk())
        for target in targets
    )


def _is_for(early: Syntax, branch: Syntax, body: Body) -> bool:
    """What is read there goes into variables that are used in the branch only, or to make others of that kind."""
    first = _target(early, body)
    if first is None:
        return False
    made, waiting = set[str](), [first]
    while waiting:
        name = waiting.pop()
        if name in made:
            continue
        made.add(name)
        for node in body.nodes:
            if node.kind != "identifier" or node.text != name or branch.start <= node.start < branch.end:
                continue
            target = _target(node, body)
            if target is None:
                return False
            waiting.append(target)
    return any(node.kind == "identifier" and node.text in made for node in branch.walk())


def _target(node: Syntax, body: Body) -> str | None:
    """The local variable that gets what the node is a part of."""
    for parent, _ in body.ancestors(node):
        if parent.kind in ("init_declarator", "assignment_expression", "update_expression"):
            place = parent.child("declarator") or parent.child("left") or parent.child("argument")
            plain = place is not None and place.kind == "identifier" and place.text not in body.scope.parameters
            return place.text if plain and place is not None else None
        if parent.kind.endswith("_statement") or (parent.kind == "call_expression" and not _is_pure(parent)):
            return None
    return None


def _is_pure(call: Syntax) -> bool:
    """A function of numbers, which has no other use of them than what it gives."""
    callee = call.child("function")
    return callee is not None and NUMERIC.fullmatch(callee.text) is not None
