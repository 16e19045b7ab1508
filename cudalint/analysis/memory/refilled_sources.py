"""Pinned memory that a loop fills again while the copy of the round before may still read it.

cudaMallocHost(&staging, bytes);
for (int c = 0; c < chunks; ++c) {
    memcpy(staging, data + c * n, bytes);                                            // what the last copy still reads
    cudaMemcpyAsync(x, staging, bytes, cudaMemcpyHostToDevice, stream);
}

A copy from memory that is not pinned has read it when the call returns. Whatever the loop calls beside, and is not known to wait
for nothing, is taken to wait.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.memory.unawaited_copies import (
    called,
    pinned_members,
    pinned_names,
    waiting_names,
    waits_for_nothing,
)
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import program_of
from cudalint.ir.syntax import Outline, Syntax

_LOOPS = ("for_statement", "while_statement", "do_statement", "for_range_loop")
_COPY = re.compile(r"^(cuda|hip)MemcpyAsync$")
_QUEUES = re.compile(r"^(cuda|hip)(Memcpy|Memset|Malloc|Free)Async$")
_TO_DEVICE = re.compile(r"(cuda|hip)MemcpyHostToDevice$")
_FILLS = {"memcpy": 0, "memmove": 0, "memset": 0, "fread": 0, "fill": 0, "fill_n": 0, "iota": 0, "copy": 2, "copy_n": 2}


def refilled_sources(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each such copy: where its source is filled; what it is about is the copy."""
    if "MemcpyAsync" not in outline.root.text:
        return
    program = program_of(outline)
    for body in bodies(program, ("host",)):
        pinned = [*pinned_names(body), *pinned_members(body, program)]
        for node in body.nodes if pinned else ():
            source = _source(node)
            loop = next((parent for parent, _ in body.ancestors(node) if parent.kind in _LOOPS), None)
            if source not in pinned or loop is None or _may_wait(loop, waiting_names(outline)):
                continue
            fill = next((each for each in loop.walk() if _fills(each, source, _counters(loop))), None)
            if fill is not None:
                text = f"`{source}` is filled again while the copy of the round before may still read it"
                yield GuardIssue(body.function, fill, text, node)


def _source(node: Syntax) -> str:
    """The memory of the host that an asynchronous copy reads from its beginning."""
    arguments = node.child("arguments")
    if arguments is None or not _COPY.match(called(node)) or len(arguments.children) < 4:
        return ""
    to_device = any(_TO_DEVICE.search(argument.text) for argument in arguments.children)
    return uncast(arguments.children[1]).text if to_device else ""


def _may_wait(loop: Syntax, waiting: frozenset[str]) -> bool:
    """Something is called in the loop that is neither a launch nor known to wait for nothing."""
    calls = (node for node in loop.walk() if node.kind == "call_expression")
    plain = (call for call in calls if all(child.kind != "kernel_call_syntax" for child in call.children))
    others = (call for call in plain if called(call) not in _FILLS and not _QUEUES.match(called(call)))
    return any(not _checks(call) and not waits_for_nothing(call, waiting) for call in others)


def _checks(call: Syntax) -> bool:
    """`CUDA_OK(cudaMemcpyAsync(...))`: what it does is what it is given."""
    arguments = call.child("arguments")
    inner = arguments is not None and len(arguments.children) == 1 and arguments.children[0].kind == "call_expression"
    return inner and called(call).isupper()


def _counters(loop: Syntax) -> set[str]:
    """What the rounds of the loop differ in: other parts of the memory may be filled by it."""
    heads = (loop.child("initializer"), loop.child("condition"), loop.child("update"))
    return set().union(*(names_in(head) for head in heads if head is not None))


def _fills(node: Syntax, memory: str, counters: set[str]) -> bool:
    """`memcpy(memory, ...)`, and `memory[i] = x` of an i that is no matter of the loop itself."""
    arguments, left = node.child("arguments"), node.child("left")
    place = _FILLS.get(called(node))
    if node.kind == "call_expression" and arguments is not None and place is not None:
        return place < len(arguments.children) and uncast(arguments.children[place]).text == memory
    if node.kind != "assignment_expression" or left is None or left.kind != "subscript_expression":
        return False
    base, *indices = left.children
    return base.text == memory and not any(names_in(index) & counters for index in indices)
