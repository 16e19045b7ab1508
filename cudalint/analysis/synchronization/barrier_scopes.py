"""One flag that asks for a barrier of the block in one place, and for one of the warp in another."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.call_names import WHOLE_BARRIER
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.analysis.text.thread_text import THREAD, thread_text
from cudalint.ir.syntax import Outline, Syntax

_WARP_BARRIER = re.compile(r"^_*sync_?warp$", re.IGNORECASE)  # macros spell it too


def narrow_barriers(outline: Outline) -> Iterator[GuardIssue]:
    """`if (sync) __syncwarp();` beside `if (sync) __syncthreads();`, where whole blocks come to both."""
    text = outline.root.file.text
    if "__syncthreads" not in text or re.search(r"sync_?warp", text, re.IGNORECASE) is None:
        return
    for body in bodies(program_of(outline), ("kernel", "device")):
        wide: dict[str, Syntax] = {}
        narrow: list[tuple[str, Syntax]] = []
        for node in body.nodes:
            condition, barrier = node.child("condition"), _only_barrier(node)
            if condition is None or barrier is None or condition.kind != "identifier" or _is_chosen(node, body):
                continue
            if WHOLE_BARRIER.match(_callee(barrier)):
                wide.setdefault(condition.text, barrier)
            else:
                narrow.append((condition.text, barrier))
        for flag, barrier in narrow:
            if flag in wide:
                text = f"`{flag}` asks for a barrier of the warp here and for one of the block elsewhere"
                yield GuardIssue(body.function, barrier, text, wide[flag])


def _only_barrier(node: Syntax) -> Syntax | None:
    """The barrier that is all that an `if` holds."""
    consequence = node.child("consequence")
    if node.kind != "if_statement" or consequence is None or node.child("alternative") is not None:
        return None
    calls = [inner for inner in consequence.walk() if inner.kind == "call_expression"]
    known = calls and (WHOLE_BARRIER.match(_callee(calls[0])) or _WARP_BARRIER.match(_callee(calls[0])))
    return calls[0] if known and len(calls) == 1 else None


def _callee(node: Syntax) -> str:
    callee = node.child("function")
    return "" if callee is None else callee.text.strip()


def _is_chosen(statement: Syntax, body: Body) -> bool:
    """Only some threads come there."""
    threads = thread_text(body)
    for parent, child in body.ancestors(statement):
        condition = parent.child("condition")
        if condition is not None and child is not condition:
            if any(threads.kind(side) == THREAD for part in condition.walk() for side in (part, *part.children)):
                return True
    return False
