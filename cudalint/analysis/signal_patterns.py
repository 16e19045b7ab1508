"""A block that tells others it is done before all of its threads are: the fence and the counter have no barrier between them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.guard_patterns import Body, GuardIssue, bodies
from cudalint.analysis.shared_events import BARRIER
from cudalint.analysis.text_program import Program
from cudalint.analysis.thread_text import THREAD, ThreadText, thread_text
from cudalint.ir.syntax import Outline, Syntax

_FENCE = re.compile(r"^(::)?__threadfence(_system)?$")
_COUNT = re.compile(r"^(::)?atomic(Inc|Add|Sub|Dec)(_system)?$")
_TAKEN = ("init_declarator", "assignment_expression", "binary_expression")


def early_signals(outline: Outline) -> Iterator[GuardIssue]:
    """`__threadfence(); if (tid == 0) ticket = atomicInc(&done, ...)`: the other threads may not have written yet."""
    if "__threadfence" not in outline.root.file.text:
        return
    every = list(bodies(Program(outline), ("kernel", "device", "host")))
    writers = {body.function.name for body in every if any(_is_common_write(n, body) for n in body.nodes)}
    for body in every:
        if "__threadfence" in body.function.body.text:
            yield from _signals(body, thread_text(body), writers)


def _is_common_write(node: Syntax, body: Body) -> bool:
    """A write or update of what a parameter points to, by more than one thread of the block."""
    target = node.child("left") if node.kind == "assignment_expression" else None
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind == "call_expression" and callee is not None and arguments is not None and arguments.children:
        target = arguments.children[0] if "atomic" in callee.text else None
    if target is None or target.kind not in ("subscript_expression", "pointer_expression", "binary_expression"):
        return False
    base = next((n.text for n in target.walk() if n.kind == "identifier"), "")
    start = body.scope.values.get(base, [None])[0]
    given = base in body.scope.parameters or (start is not None and _begins(start) in body.scope.parameters)
    return given and _leader(node, body, thread_text(body)) is None


def _begins(value: Syntax) -> str:
    return next((n.text for n in value.walk() if n.kind == "identifier"), "")


def _signals(body: Body, threads: ThreadText, writers: set[str]) -> Iterator[GuardIssue]:
    fence: Syntax | None = None
    written = False
    for node in body.nodes:
        written = written or _is_common_write(node, body)
        callee = node.child("function") if node.kind == "call_expression" else None
        if callee is None:
            continue
        written = written or callee.text.partition("<")[0].rpartition("::")[2] in writers
        if _FENCE.match(callee.text):
            fence = node if written and _leader(node, body, threads) is None else None
        elif _COUNT.match(callee.text):
            leader = _leader(node, body, threads)
            if fence is not None and leader is not None and leader.start > fence.end and _is_taken(node, body):
                text = (
                    "one thread counts its block as done before the other threads have written: no barrier is between"
                )
                yield GuardIssue(body.function, node, text, fence)
                fence = None
        elif BARRIER.search(callee.text):
            fence, written = None, False


def _leader(node: Syntax, body: Body, threads: ThreadText) -> Syntax | None:
    """The condition around it that a single thread of the block passes."""
    for parent, child in body.ancestors(node):
        condition = parent.child("condition")
        if parent.kind != "if_statement" or condition is None or child is condition:
            continue
        for part in condition.walk():
            alone = part.op == "!" and any(threads.kind(side) == THREAD for side in part.children)
            if alone or (part.op == "==" and any(threads.kind(side) == THREAD for side in part.children)):
                return condition
    return None


def _is_taken(node: Syntax, body: Body) -> bool:
    """Its result is looked at, as that of a ticket."""
    parent = body.parents.get(id(node))
    return parent is not None and parent.kind in _TAKEN
