"""Loops over all devices that allocate or launch, and never choose the device: all of it goes to the current one.

cudaGetDeviceCount(&count);  for (int d = 0; d < count; ++d) { cudaMalloc(&part[d], bytes);  k<<<grid, block>>>(part[d]); }
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in
from cudalint.analysis.text.text_program import program_of
from cudalint.ir.syntax import Outline, Syntax

_COUNT = re.compile(r"(cuda|hip)GetDeviceCount\s*\(\s*(?:\([^()]*\)\s*)?&\s*(\w+)")
_RUNTIME = re.compile(r"(::)?(cuda|hip)[A-Z]\w*")
_OF_DEVICE = re.compile(r"(::)?(cuda|hip)(Malloc(Async|Pitch)?|StreamCreate\w*|EventCreate\w*|MemcpyToSymbol\w*)")
_PLAIN = re.compile(
    r"(std::)?(f?printf|cout|min|max|move|size|data|get|push_back|emplace_back|sizeof|dim3|exit|strerror)|\w*_cast<.*>"
)


def device_loops(outline: Outline) -> Iterator[GuardIssue]:
    """The first work of each such loop."""
    counts = {match[2] for match in _COUNT.finditer(outline.root.text)}
    if not counts:
        return
    for body in bodies(program_of(outline), ("host",)):
        for loop in body.nodes:
            device = _device(loop, counts) if loop.kind == "for_statement" else None
            within = loop.child("body")
            work = _work(within, device) if device is not None and within is not None else None
            if work is not None:
                text = f"the loop goes through the devices, and all of this goes to the current one: `{device}` is never chosen"
                yield GuardIssue(body.function, work, text, loop.child("condition"))


def _device(loop: Syntax, counts: set[str]) -> str | None:
    """d of `for (int d = 0; d < count; ++d)`."""
    condition = loop.child("condition")
    left, right = (condition.child("left"), condition.child("right")) if condition is not None else (None, None)
    if condition is None or left is None or right is None or condition.op not in ("<", "!="):
        return None
    return left.text if left.kind == "identifier" and right.text in counts else None


def _work(within: Syntax, device: str) -> Syntax | None:
    """The first launch or allocation for the device, where nothing in the loop may choose it."""
    found = None
    for node in within.walk():
        callee = node.child("function") if node.kind == "call_expression" else None
        if callee is None:
            continue
        launches = any(child.kind == "kernel_call_syntax" for child in node.children)
        if not launches and not _RUNTIME.fullmatch(callee.text) and not _is_plain(callee, node):
            return None
        if re.search(r"SetDevice|SetValidDevices|CtxSetCurrent", callee.text):
            return None
        if found is None and device in names_in(node) and (launches or _OF_DEVICE.fullmatch(callee.text)):
            found = node
    return found


def _is_plain(callee: Syntax, call: Syntax) -> bool:
    """A function that cannot choose a device, or a macro around calls of the runtime: `CHECK(cudaMalloc(...))`."""
    name = callee.text.rpartition(".")[2].rpartition("->")[2]
    wraps = name.isupper() or "check" in name.lower()
    return _PLAIN.fullmatch(name) is not None or (wraps and re.search(r"(cuda|hip)[A-Z]", call.text) is not None)
