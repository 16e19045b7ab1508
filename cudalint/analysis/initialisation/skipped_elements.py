"""Elements of a thread's own array that one loop may skip and a later loop takes all the same.

    for (i...) { if (row[i] < 0) continue;  v[i] = x[row[i]]; }
    for (i...) { sum += v[i]; }                                   // what was skipped is what the registers held

A value counts as taken where it is added to something, stored, or handed to a function with all of the array: what is
worked out of it alone and then dropped does no harm.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.scopes import leaves
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

ROUNDS = 3


@dataclass(frozen=True, slots=True)
class _Access:
    """An element at the counter of `loop`; `skipped`: the way there in the loop has a condition, at `condition`."""

    element: Syntax
    loop: Syntax
    condition: Syntax | None


def skipped_elements(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each function: the condition that skips elements, and the loop that takes them."""
    for body in bodies(program_of(outline)):
        for name in _own_arrays(body):
            issue = _issue(name, body)
            if issue is not None:
                yield issue
                break  # the other arrays of the loops are skipped together


def _own_arrays(body: Body) -> list[str]:
    """Arrays of the thread that are declared without values."""
    found: list[str] = []
    for node in body.nodes:
        if node.kind == "declaration" and "__shared__" not in node.text and "static" not in node.text:
            for declarator in node.all("declarator"):
                inner = declarator.child("declarator")
                if declarator.kind == "array_declarator" and inner is not None and inner.kind == "identifier":
                    found.append(inner.text)
    return found


def _issue(name: str, body: Body) -> GuardIssue | None:
    writes: list[_Access] = []
    reads: list[_Access] = []
    for use in body.nodes:
        if use.kind != "identifier" or use.text != name:
            continue
        element = body.parents.get(id(use))
        if element is None or element.kind == "array_declarator":
            continue
        if element.kind != "subscript_expression" or element.child("argument") is not use:
            if not writes:
                return None  # it is handed to something that may set it
            continue
        access = _access(element, body)
        parent = body.parents.get(id(element))
        target = parent is not None and parent.kind == "assignment_expression" and parent.child("left") is element
        if target and parent is not None and parent.op == "=":
            if access is None or access.condition is None:
                return None
            writes.append(access)
        elif access is not None and not target:
            reads.append(access)
        elif not writes:
            return None
    for read in reads:
        before = [w for w in writes if w.element.start < read.element.start]
        if not before or read.condition is not None or any(_within(read.element, w.loop) for w in writes):
            continue
        if _is_asked_again(before[-1], read, body):
            continue
        if _bound(read.loop) == _bound(before[-1].loop) and _is_taken(read, body):
            skipped = before[-1]
            text = f"where this decides, `{short(skipped.element)}` is skipped, and `{short(read.element)}` is read all the same"
            return GuardIssue(
                body.function, skipped.condition or skipped.element, text, read.element, behind=(skipped.element,)
            )
    return None


def _is_asked_again(skipped: _Access, read: _Access, body: Body) -> bool:
    """`if (n > 0) v[i] = x[i];` and `if (n == 0) ... else sum += v[i];`: what decides is the same for all elements."""
    if skipped.condition is None:
        return False
    asked = names_in(skipped.condition)
    around = (parent.child("condition") for parent, _ in body.ancestors(read.loop) if parent.kind == "if_statement")
    return any(condition is not None and not asked.isdisjoint(names_in(condition)) for condition in around)


def _access(element: Syntax, body: Body) -> _Access | None:
    """The innermost loop whose counter is the index, and a condition that may keep the element from being reached.

    An `if` with an `else` is none: both sides can be expected to set the element.
    """
    index = element.children[-1].text
    condition: Syntax | None = None
    for parent, child in body.ancestors(element):
        if parent.kind == "if_statement" and child is parent.child("consequence"):
            condition = condition or (None if parent.child("alternative") else parent.child("condition"))
        if parent.kind == "conditional_expression" and child is not parent.child("condition"):
            condition = parent.child("condition")
        if parent.kind == "compound_statement":
            condition = condition or next(
                (s.child("condition") for s in parent.children if s.start < element.start and _may_leave(s)), None
            )
        if parent.kind == "for_statement" and _counter(parent) == index:
            return _Access(element, parent, condition)
        if parent.kind in ("for_statement", "while_statement", "do_statement"):
            condition = condition or parent.child("condition")
    return None


def _may_leave(statement: Syntax) -> bool:
    consequence = statement.child("consequence")
    return statement.kind == "if_statement" and consequence is not None and leaves(consequence)


def _counter(loop: Syntax) -> str:
    start = loop.child("initializer")
    declarator = start.child("declarator") if start is not None else None
    name = declarator.child("declarator") if declarator is not None else None
    return name.text if name is not None else ""


def _bound(loop: Syntax) -> str:
    condition = loop.child("condition")
    right = condition.child("right") if condition is not None else None
    return right.text if right is not None else ""


def _within(node: Syntax, around: Syntax) -> bool:
    return around.start <= node.start and node.end <= around.end


def _is_taken(read: _Access, body: Body) -> bool:
    """What is made of the element outlives the loop's iteration together with the other elements."""
    made = {read.element.children[0].text}
    for _ in range(ROUNDS):
        for node in read.loop.walk():
            left, right = node.child("left"), node.child("right")
            if node.kind == "init_declarator":
                left, right = node.child("declarator"), node.child("value")
            if left is None or right is None or node.kind not in ("init_declarator", "assignment_expression"):
                continue
            if not made.isdisjoint(names_in(right)):
                if (
                    node.op not in ("", "=")
                    and node.kind == "assignment_expression"
                    and _is_outer(left, read.loop, body)
                ):
                    return True
                made.add(left.children[0].text if left.kind == "subscript_expression" else left.text)
    arrays = made & set(_own_arrays(body))
    for node in body.nodes:
        if node.kind == "argument_list" and node.start > read.loop.end:
            if any(argument.kind == "identifier" and argument.text in arrays for argument in node.children):
                return True
    return False


def _is_outer(left: Syntax, loop: Syntax, body: Body) -> bool:
    """A variable that is declared outside of the loop."""
    if left.kind != "identifier":
        return left.kind == "subscript_expression" and left.children[0].text in body.scope.parameters
    inside = [
        n for n in loop.walk() if n.kind == "init_declarator" and (d := n.child("declarator")) and d.text == left.text
    ]
    return not inside
