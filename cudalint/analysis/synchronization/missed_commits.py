"""Rounds of a pipeline that wait for all groups but the newest ones, where the last rounds have no newer ones.

for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) { fetch(tile[(t + 1) % 2], t + 1);  __pipeline_commit(); }
    __pipeline_wait_prior(1);               in the last round the one group in flight is that of the tile which is used next
}

A commit without copies makes an empty group, which is why it stands outside of the condition where the wait is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.synchronization.idle_waits import called_by, commits, waits_of
from cudalint.analysis.text.guard_conditions import parts_of
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in
from cudalint.analysis.text.shared_assembly import is_async_copy
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_LOOPS = ("for_statement", "while_statement")
_BRANCHES = ("if_statement", "switch_statement", "conditional_expression", "lambda_expression", "else_clause")


def missed_commits(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each such wait; what it is about is a copy, or the condition of the commit."""
    text = outline.root.file.text
    if "wait" not in text or not ("async" in text or "pipeline" in text):
        return
    every = list(bodies(program_of(outline), ("kernel", "device")))
    committing = {b.function.name.rpartition("::")[2] for b in every if any(map(commits, b.nodes))}
    for body in every:
        others = committing - {body.function.name.rpartition("::")[2]}
        for loop in (node for node in body.nodes if node.kind in _LOOPS):
            found = _in_loop(loop, others, body)
            if found is not None:
                wait, condition = found
                text = (
                    f"where `{condition.bare}` does not hold no group is committed behind the one that this wait is for"
                )
                copies = tuple(n for n in body.nodes if n.start < wait.start and is_async_copy(n))
                yield GuardIssue(body.function, wait, text, copies[0] if copies else condition, True, copies[1:])


def _in_loop(loop: Syntax, committing: set[str], body: Body) -> tuple[Syntax, Syntax] | None:
    """The wait that comes in each round, and the condition that every commit of the round stands under."""
    waits = [node for node in loop.walk() if waits_of(node) is not None and _loop_of(node, body) is loop]
    if len(waits) != 1 or _branch_of(waits[0], loop, body) is not None:
        return None
    allowed = waits_of(waits[0])
    if allowed is None or set(+allowed) != {""}:
        return None  # none, or a number that has a name
    made = [n for n in loop.walk() if commits(n) or called_by(n).rpartition("::")[2] in committing]
    made = [n for n in made if n is not waits[0]]
    branches = [_branch_of(node, loop, body) for node in made]
    if not made or any(branch is None or _loop_of(node, body) is not loop for node, branch in zip(made, branches)):
        return None
    first = branches[0]
    condition = first.child("condition") if first is not None and first.kind == "if_statement" else None
    same = all(branch is first for branch in branches)
    if first is None or condition is None or not same or first.child("alternative") is not None:
        return None
    if any(node.kind == "break_statement" for node in loop.walk()) or _ends_earlier(loop, body):
        return None  # the last tile may be used behind the loop
    heads = (loop.child("condition"), loop.child("initializer"))
    always = any(head is not None and condition.bare.strip("()") == head.bare.strip("()") for head in heads)
    return (waits[0], condition) if not always and _asks_for_the_end(condition, _counters(loop, body)) else None


def _asks_for_the_end(condition: Syntax, moving: set[str]) -> bool:
    """`t + 1 < tiles`: there is another round."""
    for part in parts_of(condition, "&&"):
        left, right = part.child("left"), part.child("right")
        if left is None or right is None:
            continue
        below = {"<": (left, right), "<=": (left, right), "!=": (left, right), ">": (right, left), ">=": (right, left)}
        place, bound = below.get(part.op, (None, None))
        if place is not None and bound is not None and moving & names_in(place) and not moving & names_in(bound):
            return True
    return False


def _ends_earlier(loop: Syntax, body: Body) -> bool:
    """`t < tiles - 1`, or `t < last`, which is that: in the loop there always is another one."""
    condition = loop.child("condition")
    right = None if condition is None or condition.op not in ("<", "<=", "!=") else condition.child("right")
    if right is None:
        return True
    made = [value.bare for name in names_in(right) for value in body.scope.values.get(name, [])]
    return any(re.search(r"-\s*\d", text) for text in (right.bare, *made) if "/" not in text)


def _loop_of(node: Syntax, body: Body) -> Syntax | None:
    return next((parent for parent, _ in body.ancestors(node) if parent.kind in (*_LOOPS, "do_statement")), None)


def _branch_of(node: Syntax, loop: Syntax, body: Body) -> Syntax | None:
    """The outermost branch inside of the loop."""
    found = None
    for parent, _ in body.ancestors(node):
        if parent is loop:
            return found
        if parent.kind in _BRANCHES:
            found = parent
    return found


def _counters(loop: Syntax, body: Body) -> set[str]:
    """What the rounds of the loop differ in, and what is made of that."""
    heads = [loop.child("initializer"), loop.child("update")]
    found = set[str]().union(*(names_in(head) for head in heads if head is not None))
    return found | {n for n, values in body.scope.values.items() if any(names_in(value) & found for value in values)}
