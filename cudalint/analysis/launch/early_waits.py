"""A stream waits for an event, and only then the event is recorded behind the work that is meant.

cudaMemcpyAsync(d, h, bytes, kind, copy);  cudaStreamWaitEvent(compute, e);  cudaEventRecord(e, copy);
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_WAITS = re.compile(r"(::)?(cuda|hip)StreamWaitEvent")
_RECORDS = re.compile(r"(::)?(cuda|hip)EventRecord(WithFlags)?")
_RUNTIME = re.compile(r"(::)?(cuda|hip)[A-Z]\w*")
_WORKS = re.compile(r"(::)?(cuda|hip)(Mem(cpy|set)\w*Async|LaunchKernel\w*)")

_LOOPS = ("for_statement", "for_range_loop", "while_statement", "do_statement", "lambda_expression")


def early_waits(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each wait whose event the next call records on another stream, on which there is work before the wait.

    An event that the function has recorded before is waited for as it was then.
    """
    if "StreamWaitEvent" not in outline.root.text:
        return
    for body in bodies(program_of(outline), ("host",)):
        calls = sorted(_calls(body), key=lambda node: node.start)
        for place, (wait, record) in enumerate(pairwise(calls)):
            stream, event = _arguments(wait, _WAITS)
            recorded, other = _arguments(record, _RECORDS)
            if not event or event != recorded or not stream or not other or stream == other:
                continue
            if any(parent.kind in _LOOPS for parent, _ in body.ancestors(wait)):
                continue  # what the round before has recorded may be meant
            before = calls[:place]
            if any(_arguments(each, _RECORDS)[0] == event for each in before):
                continue
            if any(_is_work_on(each, other) for each in before):
                text = f"`{stream}` waits for `{event}` before it is recorded behind the work of `{other}`"
                yield GuardIssue(body.function, wait, text, record)


def _calls(body: Body) -> Iterator[Syntax]:
    """Calls of the runtime, and launches."""
    for node in body.nodes:
        callee = node.child("function") if node.kind == "call_expression" else None
        launches = any(child.kind == "kernel_call_syntax" for child in node.children)
        if callee is not None and (launches or _RUNTIME.fullmatch(callee.text)):
            yield node


def _arguments(node: Syntax, called: re.Pattern[str]) -> tuple[str, str]:
    """The first two, of a call of such a function."""
    callee, arguments = node.child("function"), node.child("arguments")
    if callee is None or arguments is None or not called.fullmatch(callee.text):
        return "", ""
    given = [uncast(each).bare for each in arguments.children[:2]]
    return (given[0], given[1]) if len(given) == 2 else ("", "")


def _is_work_on(node: Syntax, stream: str) -> bool:
    callee, arguments = node.child("function"), node.child("arguments")
    launch = next((child for child in node.children if child.kind == "kernel_call_syntax"), None)
    given = launch if launch is not None else arguments
    works = launch is not None or (callee is not None and _WORKS.fullmatch(callee.text) is not None)
    return works and given is not None and any(uncast(each).bare == stream for each in given.children)
