"""Asynchronous copies and arrivals of which the function that starts them never waits for the end.

cg::memcpy_async(block, tile, x, bytes);  y = tile[t];              // no cg::wait(block)
auto token = barrier.arrive();  y = tile[t];                        // no barrier.wait(std::move(token))
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.shared_names import declared_shared
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_COPY = re.compile(r"(^|::)memcpy_async(\s*<.*>)?$", re.DOTALL)
_WAITS = re.compile(r"wait|\basm\b|sync_?(copy|pipe)|commit_and", re.IGNORECASE)
_PLACE = ("subscript_expression", "pointer_expression")


def unwaited_copies(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each array of a function."""
    text = outline.root.file.text
    if "memcpy_async" not in text and ".arrive(" not in text:
        return
    for body in bodies(program_of(outline), ("kernel", "device")):
        if _WAITS.search(body.function.body.text):
            continue
        arrays = declared_shared(body)
        told: set[str] = set()
        for call, name in _started(body, arrays):
            read = next((node for node in body.nodes if node.start >= call.end and _reads(node, name, body)), None)
            if read is not None and name not in told:
                told.add(name)
                what = "copy to" if _callee(call).endswith("memcpy_async") else "arrival of those who write"
                text = f"nothing waits for the {what} `{name}` before it is read at line {read.place[0]}"
                yield GuardIssue(body.function, call, text, read)


def _started(body: Body, arrays: dict[str, bool]) -> Iterator[tuple[Syntax, str]]:
    """A copy with its shared destination; an arrival that takes nothing or is kept, with what its thread has written before."""
    for node in body.nodes:
        arguments = node.child("arguments") if node.kind == "call_expression" else None
        if arguments is None:
            continue
        if _COPY.search(_callee(node)):
            names = (n.text for part in arguments.children[:2] for n in part.walk() if n.kind == "identifier")
            found = next((name for name in names if name in arrays), None)
            if found is not None:
                yield node, found
        elif _callee(node).endswith(".arrive") and (_is_kept(node, body) or not arguments.children):
            written = (name for n in body.nodes if n.end <= node.start for name in [_written(n)] if name in arrays)
            yield from ((node, name) for name in dict.fromkeys(written) if name is not None)


def _is_kept(call: Syntax, body: Body) -> bool:
    parent = body.parents.get(id(call))
    return parent is not None and parent.kind in ("init_declarator", "assignment_expression")


def _written(node: Syntax) -> str | None:
    target = node.child("left") if node.kind == "assignment_expression" else None
    return None if target is None or target.kind not in _PLACE else _root(target)


def _reads(node: Syntax, name: str, body: Body) -> bool:
    parent = body.parents.get(id(node))
    stored = parent is not None and parent.kind == "assignment_expression" and parent.child("left") is node
    return node.kind in _PLACE and node.op != "&" and _root(node) == name and not stored


def _root(node: Syntax) -> str:
    return next((n.text for n in node.walk() if n.kind == "identifier"), "")


def _callee(node: Syntax) -> str:
    callee = node.child("function")
    return "" if callee is None else callee.text.strip()
