"""A block that tells others it is done before all of its threads are: the fence and the counter have no barrier between them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.call_names import BARRIER, WHOLE_BARRIER
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.analysis.text.thread_text import THREAD, ThreadText, thread_text
from cudalint.ir.syntax import Outline, Syntax

_FENCE = re.compile(r"^(::)?__threadfence(_system)?$")
_COUNT = re.compile(r"^(::)?atomic(Inc|Add|Sub|Dec)(_system)?$")
_RELEASE = re.compile(r"(release|signal|publish|notify|complete|commit|post)\w*$", re.IGNORECASE)
_ZEROS = ("0", "0u", "0U", "0ull", "0ULL")
_COMPARED = ("==", "!=", ">=", "<")
_TAKEN = ("init_declarator", "assignment_expression", "binary_expression")


def early_signals(outline: Outline) -> Iterator[GuardIssue]:
    """`__threadfence(); if (tid == 0) ticket = atomicInc(&done, ...)`: the other threads may not have written yet.

    Without a fence where all threads add to what the last block then reads: such additions need none.
    """
    text = outline.root.file.text
    fenced = "__threadfence" in text
    if not fenced and not ("gridDim" in text and "atomic" in text):
        return
    every = list(bodies(program_of(outline), ("kernel", "device", "host")))
    writers = {b.function.name for b in every if any(_common_target(n, b) for n in b.nodes)} if fenced else set[str]()
    for body in every:
        if "__threadfence" in body.function.body.text:
            yield from _signals(body, thread_text(body), writers)
        elif "gridDim" in body.function.body.text:
            yield from _unfenced_signals(body, thread_text(body))


def _common_target(node: Syntax, body: Body) -> str:
    """What a parameter points to and more than one thread of the block writes or updates, by its name; else nothing."""
    target = node.child("left") if node.kind == "assignment_expression" else None
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind == "call_expression" and callee is not None and arguments is not None and arguments.children:
        target = arguments.children[0] if "atomic" in callee.text else None
    if target is None or target.kind not in ("subscript_expression", "pointer_expression", "binary_expression"):
        return ""
    base = next((n.text for n in target.walk() if n.kind == "identifier"), "")
    start = body.scope.values.get(base, [None])[0]
    given = base in body.scope.parameters or (start is not None and _begins(start) in body.scope.parameters)
    return base if given and _leader(node, body, thread_text(body)) is None else ""


def _begins(value: Syntax) -> str:
    return next((n.text for n in value.walk() if n.kind == "identifier"), "")


def _signals(body: Body, threads: ThreadText, writers: set[str]) -> Iterator[GuardIssue]:
    fence: Syntax | None = None
    written = False
    for node in body.nodes:
        written = written or bool(_common_target(node, body))
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


def _unfenced_signals(body: Body, threads: ThreadText) -> Iterator[GuardIssue]:
    """`atomicAdd(&sum[i], x); if (tid == 0) ticket = atomicAdd(&done, 1); if (ticket == gridDim.x - 1) y[i] = sum[i];`"""
    added: dict[str, Syntax] = {}
    for node in body.nodes:
        callee = node.child("function") if node.kind == "call_expression" else None
        if callee is None:
            continue
        if BARRIER.search(callee.text):
            added = {}
        elif _COUNT.match(callee.text):
            leader, base = _leader(node, body, threads), _common_target(node, body)
            if base:
                added[base] = node
            used = [name for name in added if leader is not None and _is_used_behind(name, node, body)]
            if used and _is_taken(node, body) and _counts_blocks(node, body):
                text = f"one thread counts its block as done before others have added to `{used[0]}`: no barrier is between"
                yield GuardIssue(body.function, node, text, added[used[0]])
                added = {}


def _is_used_behind(name: str, node: Syntax, body: Body) -> bool:
    return any(n.kind == "identifier" and n.text == name and n.start > node.end for n in body.nodes)


def _counts_blocks(ticket: Syntax, body: Body) -> bool:
    """What stands at the ticket or behind it asks for the last of the blocks."""
    asked = (n for n in body.nodes if n.kind == "binary_expression" and n.op in _COMPARED and n.end > ticket.start)
    return any("gridDim" in n.text for n in asked)


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
    """Its result is looked at, as that of a ticket; an addition of zero is a load."""
    parent, arguments = body.parents.get(id(node)), node.child("arguments")
    if arguments is not None and any(argument.text in _ZEROS for argument in arguments.children[1:]):
        return False
    return parent is not None and parent.kind in _TAKEN


# --- one function waits before it signals, another does not ---------------------------------------------------------------


def unordered_releases(outline: Outline) -> Iterator[GuardIssue]:
    """`__syncthreads(); if (tid == 0) queue->release();` in one function, and in another the same without the barrier."""
    if "__syncthreads" not in outline.root.file.text:
        return
    behind: dict[str, Syntax] = {}
    bare: list[tuple[str, Body, Syntax]] = []
    for body in bodies(program_of(outline), ("kernel", "device", "host")):
        if not _RELEASES.search(body.function.body.text):
            continue
        threads = thread_text(body)
        for node in body.nodes:
            callee = node.child("function") if node.kind == "call_expression" else None
            if callee is None or callee.kind != "field_expression" or not _RELEASE.search(callee.text):
                continue
            leader = _leader(node, body, threads)
            barrier = None if leader is None else _barrier_before(leader, body)
            if barrier is not None:
                behind.setdefault(callee.text, barrier)
            elif leader is not None and not any(_is_barrier(n) for n in body.nodes if n.start < leader.start):
                bare.append((callee.text, body, node))
    for name, body, node in bare:
        if name in behind:
            text = f"one thread calls `{name}` before the others are done; elsewhere a barrier stands before it"
            yield GuardIssue(body.function, node, text, behind[name])


_RELEASES = re.compile(r"(->|\.)\s*\w*(release|signal|publish|notify|complete|commit|post)", re.IGNORECASE)


def _is_barrier(node: Syntax) -> bool:
    callee = node.child("function") if node.kind == "call_expression" else None
    return callee is not None and BARRIER.search(callee.text) is not None


def _barrier_before(condition: Syntax, body: Body) -> Syntax | None:
    """The barrier for all threads right before the statement that asks the condition."""
    statement = body.parents.get(id(condition))
    block = None if statement is None else body.parents.get(id(statement))
    if statement is None or block is None:
        return None
    before = [child for child in block.children if child.end <= statement.start]
    calls = [node for node in before[-1].walk() if WHOLE_BARRIER.match(_called(node))] if before else []
    return calls[0] if calls else None


def _called(node: Syntax) -> str:
    callee = node.child("function") if node.kind == "call_expression" else None
    return "" if callee is None else callee.text.strip()
