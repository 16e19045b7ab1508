"""The time between two events is asked before anybody has waited for the second one.

cudaEventRecord(stop);  cudaEventElapsedTime(&ms, start, stop);      gives cudaErrorNotReady, and ms stays what it was
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_ELAPSED = re.compile(r"(::)?(cuda|hip)EventElapsedTime(_v2)?")
_RECORDS = re.compile(r"(::)?(cuda|hip)EventRecord(WithFlags)?")
_WAITS = re.compile(
    r"[sS]ynchroni[sz]e|(Event|Stream)Query|(cuda|hip)(Memcpy|Memset|Free|FreeHost)(2D|ToSymbol|FromSymbol)?$"
)
_RUNTIME = re.compile(r"(::)?(cuda|hip)[A-Z]\w*")
_NO_WAIT = re.compile(r"(std::)?(printf|fprintf|puts|exit|malloc|calloc|free|min|max|sizeof)|dim3")
_MACRO = re.compile(r"[A-Z][A-Z0-9_]*")


def unready_events(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each such question; whatever may wait in between counts as waiting, and so does a function not known."""
    if "EventElapsedTime" not in outline.root.text:
        return
    for body in bodies(program_of(outline), ("host",)):
        for node in body.nodes:
            event = _argument(node, _ELAPSED, 2)
            recorded = None if event is None else _last_record(event, node, body)
            if event is not None and recorded is not None and not _is_awaited(recorded, node, body):
                text = f"`{event}` may not have come when the time to it is asked: nothing waits for it"
                yield GuardIssue(body.function, node, text, recorded)


def _argument(node: Syntax, called: re.Pattern[str], place: int) -> str | None:
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind != "call_expression" or callee is None or arguments is None or not called.fullmatch(callee.text):
        return None
    return uncast(arguments.children[place]).text if place < len(arguments.children) else None


def _last_record(event: str, before: Syntax, body: Body) -> Syntax | None:
    records = [n for n in body.nodes if n.start < before.start and _argument(n, _RECORDS, 0) == event]
    return max(records, key=lambda node: node.start, default=None)


def _is_awaited(recorded: Syntax, asked: Syntax, body: Body) -> bool:
    """Something between the two waits, or is a function of which that is not known; a loop may wait in its next round."""
    if any(parent.kind == "lambda_expression" for node in (recorded, asked) for parent, _ in body.ancestors(node)):
        return True
    for node in body.nodes:
        callee = node.child("function")
        if node.kind != "call_expression" or callee is None or not recorded.end <= node.start < asked.start:
            continue
        launches = any(child.kind == "kernel_call_syntax" for child in node.children)
        if node.start <= asked.start < node.end and _WAITS.search(callee.text) is None:
            continue  # a macro around the question itself
        known = launches or _RUNTIME.fullmatch(callee.text) or _NO_WAIT.fullmatch(callee.text) or _is_around_call(node)
        if not known or _WAITS.search(callee.text) is not None:
            return True
    return False


def _is_around_call(node: Syntax) -> bool:
    """A macro that checks the call in it; one that has none, such as `CHECK_LAST()`, may wait itself."""
    callee, arguments = node.child("function"), node.child("arguments")
    if callee is None or arguments is None or _MACRO.fullmatch(callee.text) is None:
        return False
    return any(part.kind == "call_expression" for part in arguments.walk())
